//! `replay` and `explain`: what they say of a finding, before and after it is mended.

use super::{Scene, ring_buffer, stderr};
use std::fs;

fn expect(scene: &Scene, arguments: &[&str], exit_code: i32, parts: &[&str]) {
    let output =
        scene.randgen(&[arguments, &["--classes", "classes", "--progress", "none"]].concat()).output().unwrap();
    let shown = format!("{}{}", String::from_utf8_lossy(&output.stdout), stderr(&output));
    assert_eq!(output.status.code(), Some(exit_code), "{arguments:?}: {shown}");
    for part in parts {
        assert!(shown.contains(part), "{arguments:?}: {part:?} is not in {shown}");
    }
}

#[test]
fn finding_is_explained_and_replayed_until_it_is_fixed() {
    let scene = Scene::with_ring_buffer();
    expect(&scene, &["generate", "--output", "tests", "--sequence-limit", "2000"], 0, &["1 finding"]);
    let report = fs::read_to_string(scene.path("target/randgen/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let finding = &report["classes"][0]["findings"][0];
    assert_eq!(
        (&finding["confidence"], &finding["file"]),
        (&"likely".into(), &"buffer/RingBufferFindingTest.java".into())
    );
    let id = finding["id"].as_str().unwrap();
    let start = &id[..6];

    let shown = ["breaks no-null-pointer", "enqueue(-1.0)", "java.lang.NullPointerException"];
    expect(&scene, &["explain", start], 0, &shown);
    expect(&scene, &["replay", start], 1, &["enqueue(-1.0)", "It still fails: java.lang.NullPointerException"]);
    let nowhere = Scene::new();
    let unknown = ["nonsense is not the id of a finding", "nor the name of a contract"];
    expect(&nowhere, &["explain", "nonsense"], 2, &unknown);
    expect(&scene, &["explain", "nonsense"], 2, &unknown);
    expect(&scene, &["explain", "equals-reflexive"], 0, &["holds when `x.equals(x)`"]);
    expect(&scene, &["explain", "null-argument"], 0, &["an input of the sequence is null", "suppresses the violation"]);
    expect(&scene, &["explain", "probe-budget"], 0, &["the code exceeded the probe budget"]);
    expect(&scene, &["replay", "zz"], 2, &["no finding of the last run has the id zz"]);

    scene.compile_ring_buffer(&ring_buffer().replace("element < 0 ? null : ", ""));
    expect(&scene, &["replay", id], 0, &["It does not fail any more."]);
}
