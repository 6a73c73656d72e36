//! Reports as other tools read them. JUnit XML is held to the schema that Jenkins publishes; JSON and SARIF are held to theirs
//! where they are rendered (`src/report/schemas.rs`), as the validator takes long to build.

use super::{Scene, stderr};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A project with sources, classes and a finding.
fn scene() -> Scene {
    let scene = Scene::with_project("ring-buffer");
    scene.compile(&[scene.path("src/main/java/buffer/RingBuffer.java")]);
    scene
}

fn run(scene: &Scene, command: &str, more: &[&str], exit_code: i32) {
    let arguments = [command, "--classes", "classes", "--sequence-limit", "2000", "--progress", "none"];
    let output = scene.randgen(&[&arguments, more].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(exit_code), "{}", stderr(&output));
}

fn schema(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas").join(name)
}

fn is_junit_xml(documents: &[PathBuf]) -> Result<(), String> {
    let mut java = Command::new("java");
    let output = java.arg(schema("Validate.java")).arg(schema("junit-10.xsd")).args(documents).output().unwrap();
    output.status.success().then_some(()).ok_or_else(|| stderr(&output))
}

#[test]
fn junit_xml_fits_its_schema_and_skips_known_findings_after_check() {
    let scene = scene();
    run(&scene, "generate", &[], 0);
    let of_run = scene.path("target/randgen/TEST-randgen-buffer.RingBuffer.xml");
    let of_gate = scene.path("target/randgen/check/TEST-randgen-buffer.RingBuffer.xml");
    let failures = |path: &Path| fs::read_to_string(path).unwrap().matches("<failure ").count();
    run(&scene, "check", &[], 1);
    assert_eq!((failures(&of_run), failures(&of_gate)), (1, 1), "nobody knows it yet");
    run(&scene, "check", &["--update-baseline"], 0);
    assert_eq!((failures(&of_run), failures(&of_gate)), (1, 0));
    let text = fs::read_to_string(&of_gate).unwrap();
    assert!(text.contains("skipped=\"1\"") && text.contains("<skipped message=\"known since "), "{text}");
    is_junit_xml(&[of_run.clone(), of_gate]).unwrap();
    fs::write(&of_run, text.replace("<skipped", "<missed").replace("</skipped", "</missed")).unwrap();
    assert!(is_junit_xml(&[of_run]).unwrap_err().contains("missed"), "the validator does nothing");
}

#[test]
fn sarif_has_a_result_for_each_finding() {
    let scene = scene();
    run(&scene, "generate", &[], 0);
    let text = fs::read_to_string(scene.path("target/randgen/report.sarif")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["runs"][0]["results"].as_array().unwrap().len(), 1);
}

#[test]
fn html_page_lists_the_methods_of_each_source() {
    let scene = scene();
    run(&scene, "generate", &[], 0);
    let page = fs::read_to_string(scene.path("target/randgen/report.html")).unwrap();
    for part in
        ["<code>buffer/RingBuffer.java</code>", "<td class=\"class\">enqueue(double)</td>", "<polyline points=\"0,140 "]
    {
        assert!(page.contains(part), "{part} is not in {page}");
    }
}

#[test]
fn findings_below_the_threshold_are_counted_and_a_disabled_rule_lowers_none() {
    let source = "package shop; public class Till {
            private int sum;
            public int add(int coin) { sum += coin; settle(); return sum; }
            private void settle() { if (sum % 7 == 3) { sum = 0; assert sum == 3 : \"not settled\"; } }
        }";
    let scene = Scene::with_class("shop/Till", source);
    let told = |more: &[&str]| {
        run(&scene, "generate", more, 0);
        let report = fs::read_to_string(scene.path("target/randgen/report.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let totals = &report["totals"];
        let hits = report["rule_hits"]["assertion-error"].as_u64();
        (totals["findings"].as_u64(), totals["less_sure"].as_u64(), hits)
    };
    assert_eq!(told(&[]), (Some(0), Some(1), Some(1)));
    assert_eq!(told(&["--min-confidence", "possible"]), (Some(1), Some(0), Some(1)));
    assert_eq!(told(&["--disabled-rules", "assertion-error"]), (Some(1), Some(0), None));
}
