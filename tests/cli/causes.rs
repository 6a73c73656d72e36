//! One cause is one finding, and a finding that no edit caused is no reason to fail.

use super::{Scene, ring_buffer, said};
use serde_json::Value;
use std::fs;

/// A base class whose `equals` has no `hashCode`, whose `compareTo` gives everything the same sign and whose `toString`
/// throws; and subclasses that only inherit them.
const SHAPES: &str = "package shop; public class Shape implements Comparable<Shape> {
    protected final int size;
    private String label;
    public Shape(int size) { this.size = size; }
    @Override public boolean equals(Object other) { return other instanceof Shape && ((Shape) other).size == size; }
    @Override public int compareTo(Shape other) { return size == other.size ? 0 : 1; }
    @Override public String toString() { return label.trim(); }
    public static class Circle extends Shape { public Circle(int size) { super(size); } }
    public static class Square extends Shape { public Square(int size) { super(size); } }
    public interface Shiny {}
    public static class Star extends Shape implements Shiny { public Star(int size) { super(size); } }
    public static class Cross extends Shape { public Cross(int size) { super(size); }
        @Override public boolean equals(Object other) { return other instanceof Cross && ((Cross) other).size == size; } }
}";

fn run(scene: &Scene, command: &str, more: &[&str], exit_code: i32, parts: &[&str]) -> String {
    let arguments = [command, "--classes", "classes", "--sequence-limit", "4000", "--progress", "none"];
    said(scene.randgen(&[&arguments[..], &["--disable", "mutants"], more].concat()), more, exit_code, parts)
}

#[test]
fn members_that_subclasses_inherit_are_one_finding_of_the_class_that_declares_them() {
    let scene = Scene::with_class("Shape", SHAPES);
    run(&scene, "generate", &["--min-confidence", "possible"], 0, &["shown by 4 classes in "]);
    let report = fs::read_to_string(scene.path("target/randgen/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let mut found: Vec<(String, String, usize)> = Vec::new();
    for class in report["classes"].as_array().unwrap() {
        for finding in class["findings"].as_array().unwrap() {
            let shown_by = finding["shown_by"].as_array().unwrap().len();
            assert_ne!(finding["test"], "", "{finding}");
            let contract = finding["contract"].as_str().unwrap().to_string();
            found.push((class["name"].as_str().unwrap().to_string(), contract, shown_by));
        }
    }
    let of = |class: &str, contract: &str, shown_by| (class.to_string(), contract.to_string(), shown_by);
    let expected = [
        of("shop.Shape", "compare-to-sign", 5),
        of("shop.Shape", "compare-to-transitive", 5),
        of("shop.Shape", "equals-hash-code", 4),
        of("shop.Shape", "to-string", 5),
        of("shop.Shape$Cross", "equals-hash-code", 1),
    ];
    found.sort();
    assert_eq!(found, expected, "{report}");
}

#[test]
fn finding_that_no_edit_caused_is_found_and_fails_only_any() {
    let scene = Scene::with_ring_buffer();
    let source = ring_buffer();
    let compile = |text: &str| scene.compile_ring_buffer(text);
    let certain = ["--min-confidence", "certain"];
    run(&scene, "check", &[], 1, &["the gate fails: 1 new finding, 0 known"]);
    assert!(!scene.path("target/randgen/check/passed.jar").exists(), "a version with new findings did not pass");

    // The first search does not tell the finding; the one after an edit elsewhere does.
    run(&scene, "check", &certain, 0, &["0 new findings, 0 known"]);
    compile(&source.replacen("public boolean isFull() {", "public boolean isFull() {\n        int unused = 3;", 1));
    let found = "0 new findings, 1 found, not new, 0 known";
    let said = run(&scene, "check", &[], 0, &[found, "NullPointerException in buffer.RingBuffer.enqueue"]);
    assert!(said.contains("the version before shows as well"), "{said}");
    let document = fs::read_to_string(scene.path("target/randgen/check/check.json")).unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!((&document["passed"], document["found"].as_array().unwrap().len()), (&true.into(), 1));
    run(&scene, "check", &["--fail-on", "any"], 1, &["1 new finding, 0 known"]);
    run(&scene, "check", &[], 0, &[found]);

    // An edit that causes another one.
    compile(&source.replace("sumOfRoots -= root(element)", "sumOfRoots -= root(-1 - element)"));
    let both = "1 new finding, 1 found, not new, 0 known";
    run(&scene, "check", &[], 1, &[both, "NullPointerException in buffer.RingBuffer.dequeue"]);
    run(&scene, "check", &[], 1, &[both]);
    run(&scene, "check", &["--update-baseline"], 0, &["0 new findings, 2 known"]);
}
