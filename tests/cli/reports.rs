//! Reports as other tools read them: held to the schemas that those publish.

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
fn junit_xml_fits_the_schema_and_says_what_is_known_after_a_check() {
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
fn sarif_fits_its_schema() {
    let scene = scene();
    run(&scene, "generate", &[], 0);
    let read = |path: &Path| -> serde_json::Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    let mut schema = read(&schema("sarif-schema-2.1.0.json"));
    for definition in ["run", "toolComponent"] {
        // As published, these patterns have a bracket too many to be regular expressions.
        let language = &mut schema["definitions"][definition]["properties"]["language"];
        assert!(language.as_object_mut().unwrap().remove("pattern").is_some());
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut document = read(&scene.path("target/randgen/report.sarif"));
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert_eq!(errors, [""; 0]);
    assert_eq!(document["runs"][0]["results"].as_array().unwrap().len(), 1);
    document["runs"][0]["results"][0]["level"] = "fatal".into();
    assert!(!validator.is_valid(&document), "the validator does nothing");
}

#[test]
fn the_page_has_the_methods_of_each_source() {
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
fn findings_that_are_less_sure_are_counted_unless_asked_for() {
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
        (report["totals"]["findings"].as_u64(), report["totals"]["less_sure"].as_u64())
    };
    assert_eq!(told(&[]), (Some(0), Some(1)));
    assert_eq!(told(&["--min-confidence", "possible"]), (Some(1), Some(0)));
}
