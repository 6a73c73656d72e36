//! Calls that do not return are findings: certain where a state comes again, likely where memory grows.

use super::{Scene, said};
use serde_json::Value;
use std::fs;
use std::process::Command;

const LOOPS: &str = "package shop; public class Loops {
    private final int step;
    public Loops(int step) { this.step = step; }
    /** Stays where it is for a step of 0. */
    public int stepsTo(int end) {
        int steps = 0;
        for (int at = 0; at < end; at += step) { if (step == 0) continue; steps++; }
        return steps;
    }
    /** Adds a line for ever if the text is longer than the width. */
    public static String wrap(String text, int width) {
        if (width < 1) throw new IllegalArgumentException(\"width\");
        StringBuilder lines = new StringBuilder();
        String rest = text;
        while (rest.length() > width) {
            lines.append(rest, 0, width).append('\\n');
            rest = \"    \" + rest.substring(width);
        }
        return lines.append(rest).toString();
    }
    /** Takes long, but ends. */
    public static long slow(int times) {
        long sum = 0;
        for (int i = 0; i < 3_000_000; i++) { sum += i ^ times; }
        return sum;
    }
    /** Counts where no variable shows it, but ends. */
    public static int drain(int rest) {
        while (Counter.ONE.next() % 4_000_000 != 0) { }
        return rest;
    }
    private enum Counter { ONE; private int at; int next() { return ++at; } }
    /** Runs until it is told to stop. */
    public static void serve(int port) { while (port > 0) { Thread.onSpinWait(); } }
}";

/// Parents and children that print one another, and a loop.
const NODES: &str = "package shop; import java.util.*; public class Node {
    private final List<Node> children = new ArrayList<>();
    private Node parent;
    private final String name;
    public Node(String name) { this.name = name; }
    public void add(Node child) { children.add(child); child.parent = this; }
    /** Goes on for ever if there are more than three. */
    public static int few(int rest) { int few = 0; while (rest > 3) { few = 3; } return few + rest; }
    @Override public String toString() { return name + children + (parent == null ? \"\" : \" in \" + parent); }
}";

/// With a class that has debugging information, without which loops are not watched.
fn scene_with(name: &str, source: &str) -> Scene {
    let scene = Scene::new();
    scene.write(&format!("src/{name}.java"), source);
    let file = scene.path(&format!("src/{name}.java"));
    let compiled = Command::new("javac").arg("-g").arg("-d").arg(scene.path("classes")).arg(file).status().unwrap();
    assert!(compiled.success());
    scene
}

fn findings(scene: &Scene, more: &[&str]) -> (Vec<Value>, String) {
    let arguments = ["generate", "--classes", "classes", "--sequence-limit", "400", "--progress", "none"];
    said(scene.randgen(&[&arguments[..], &["--disable", "mutants"], more].concat()), more, 0, &[]);
    let report = fs::read_to_string(scene.path("target/randgen/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let of_class = |class: &Value| class["findings"].as_array().unwrap().clone();
    let mut found: Vec<Value> = report["classes"].as_array().unwrap().iter().flat_map(of_class).collect();
    found.retain(|finding| finding["contract"] == "terminates");
    found.sort_by_key(|finding| finding["operation"].to_string());
    let files = found.iter().map(|finding| finding["file"].as_str().unwrap()).next();
    let file = scene.path("target/randgen/findings").join(files.expect("there is a finding"));
    (found, fs::read_to_string(file).unwrap())
}

#[test]
fn loop_in_the_same_state_is_certain_and_one_that_fills_memory_likely() {
    let scene = scene_with("Loops", LOOPS);
    let (found, file) = findings(&scene, &["--junit", "5"]);
    let told: Vec<_> =
        found.iter().map(|finding| (finding["operation"].as_str().unwrap(), &finding["confidence"])).collect();
    let expected = [
        ("shop.Loops.stepsTo(int)", &Value::from("certain")),
        ("shop.Loops.wrap(java.lang.String, int)", &"likely".into()),
    ];
    assert_eq!(told, expected, "{found:?}");
    assert!(found.iter().all(|finding| finding["test"] != ""), "{found:?}");
    assert_eq!(file.matches("assertTimeoutPreemptively(Duration.ofSeconds(2), () -> ").count(), 2, "{file}");
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.contains("the loop in shop.Loops.stepsTo, line 7, comes back to a state"), "{message}");
}

#[test]
fn recursion_without_end_in_to_string_is_a_finding_and_tests_of_junit_4_have_a_time_limit() {
    let scene = scene_with("Node", NODES);
    let (found, file) = findings(&scene, &["--junit", "4"]);
    let told: Vec<_> =
        found.iter().map(|finding| (finding["operation"].as_str().unwrap(), &finding["confidence"])).collect();
    let expected = [("shop.Node.few(int)", &Value::from("certain")), ("shop.Node.toString()", &"likely".into())];
    assert_eq!(told, expected, "{found:?}");
    assert_eq!(found[1]["exception"]["class"], "java.lang.StackOverflowError");
    assert!(found.iter().all(|finding| finding["test"] != "") && file.contains(".add("), "{file}");
    assert_eq!(file.matches("@Test(timeout = 2000)").count(), 1, "{file}");
}
