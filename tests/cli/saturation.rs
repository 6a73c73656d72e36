//! A search ends by itself when next to nothing new comes.

use super::{Scene, stderr};
use serde_json::Value;
use std::fs;

#[test]
fn search_that_finds_nothing_new_ends_long_before_its_time_and_always_after_the_same_sequences() {
    let scene = Scene::with_classes("int-stack");
    let generated = |threads: &str| {
        let common = ["generate", "--classes", "classes", "--quiet", "--time-limit", "600", "--disable", "mutants"];
        let others = ["--incremental=false", "--output", "tests", "--threads", threads];
        let output = scene.randgen(&[&common[..], &others].concat()).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let read =
            |name: &str| -> Value { serde_json::from_str(&fs::read_to_string(scene.path(name)).unwrap()).unwrap() };
        let (report, timing) = (read("target/randgen/report.json"), read("target/randgen/timing.json"));
        assert!(timing["search_seconds"].as_f64().unwrap() < 120.0, "{timing}");
        let edges = |name: &str| report["totals"][name].as_u64().unwrap();
        assert!(edges("edges_covered") * 5 >= edges("edges_total") * 4, "{}", report["totals"]);
        (
            report["sequences"].as_u64().unwrap(),
            fs::read_to_string(scene.path("tests/stack/IntStackRandgenTest.java")).unwrap(),
        )
    };
    let (sequences, text) = generated("1");
    assert!(sequences >= 1_000, "{sequences}");
    assert_eq!(generated("2"), (sequences, text));
}
