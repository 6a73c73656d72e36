//! `generate` asks the interpreter for what it does not come upon itself.

use super::{Scene, stderr};
use serde_json::Value;
use std::fs;

/// Edges that tests cover, and all.
fn edges(without: &[&str]) -> (u64, u64) {
    let source = "public class Lock {
        private boolean isOpen;
        public void turn(int key) { if ((key ^ 0x2a2a2a) * 7 - 3 == 6995314) { isOpen = true; } }
        public boolean isOpen() { return isOpen; }
    }";
    let scene = Scene::with_class("Lock", source);
    let common = ["generate", "--classes", "classes", "--quiet", "--sequence-limit", "3000", "--time-limit", "600"];
    let output = scene.randgen(&[&common, without].concat()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let report: Value =
        serde_json::from_str(&fs::read_to_string(scene.path("target/randgen/report.json")).unwrap()).unwrap();
    let total = |name: &str| report["totals"][name].as_u64().unwrap();
    (total("edges_covered"), total("edges_total"))
}

#[test]
fn concolic_seeds_reach_comparisons_with_computed_values() {
    let (covered, all) = edges(&[]);
    assert_eq!(covered, all);
    let (by_chance, _) = edges(&["--disable", "symbolic"]);
    assert!(by_chance < all, "chance finds it too, so this test says nothing");
}
