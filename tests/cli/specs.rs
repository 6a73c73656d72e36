//! `specs` on the subjects of Xie and Notkin's evaluation, compiled without the names of parameters.

use super::stderr;
use super::suites::Suite;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The class's specification.
fn class<'a>(report: &'a Value, name: &str) -> &'a Value {
    report["classes"].as_array().unwrap().iter().find(|class| class["name"] == name).unwrap()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

fn specs(suite: &Suite, arguments: &[&str]) -> (Option<i32>, String, Value) {
    let mut command = suite.scene.randgen(&["specs", "--classes", "classes", "--test-classes", "tests", "--quiet"]);
    command.args(["--classpath", &suite.class_path, "--sequence-limit", "3000", "--seed", "1"]).args(arguments);
    let output = command.output().unwrap();
    let report = fs::read_to_string(suite.scene.path("target/randgen/specs.json")).unwrap_or_default();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), stderr(&output));
    (output.status.code(), said, serde_json::from_str(&report).unwrap_or_default())
}

fn xie_notkin() -> Suite {
    let suite = Suite::of_fixture("xie-notkin");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/xie-notkin/src/test/java/xie/UBStackTest.java");
    suite.compile("tests", &[tests]);
    suite
}

#[test]
fn what_the_suite_of_the_stack_suggests_is_broken_and_planted_faults_are_selected() {
    let (code, said, report) = specs(&xie_notkin(), &[]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(report["own_tests"], 5);
    let iterations = report["iterations"].as_array().unwrap();
    let selected: Vec<(&str, &str, &str)> = iterations
        .iter()
        .flat_map(|iteration| ["with_guards", "without_guards"].map(|kind| iteration[kind].as_array().unwrap()))
        .flatten()
        .map(|test| [&test["method"], &test["violates"][0], &test["source"]].map(|text| text.as_str().unwrap()).into())
        .collect();
    let top = "($result == -1) == (orig(this.numberOfElements) == 0)";
    let breaks = |(method, violates, source): &&(&str, &str, &str)| {
        *method == "xie.UBStack.top()" && *violates == top && source.contains("push(-1)")
    };
    assert!(selected.iter().any(|test| breaks(&test)), "{selected:#?}");
    // That of `StackAr` is in what is learnt from first, so it is in an equation: see below.
    for faulty in ["xie.BinaryHeap.insert(int)", "xie.QueueAr.dequeue()"] {
        assert!(selected.iter().any(|(method, ..)| method.starts_with(faulty)), "{faulty}: {selected:#?}");
    }

    let stack = texts(&class(&report, "xie.UBStack")["equations"]);
    for axiom in [
        "isEmpty(push(S, argument1)).result == false",
        "maxSize(S).result == 2",
        "(!isFull(S)) ==> top(push(S, argument1)).result == argument1",
        "(isEmpty(S)) ==> pop(push(S, argument1)).state == S",
    ] {
        assert!(stack.contains(&axiom), "{axiom}: {stack:#?}");
    }
    let faulty = texts(&class(&report, "xie.StackAr")["equations"]);
    assert!(faulty.contains(&"isEmpty(topAndPop(S)).result == false"), "{faulty:#?}");
    let plain = texts(&class(&report, "xie.StackLi")["equations"]);
    assert!(plain.contains(&"top(push(S, argument1)).result == argument1"), "{plain:#?}");
    assert!(plain.contains(&"pop(push(S, argument1)).state == S"), "{plain:#?}");
    // Of what is like a set alone, the order does not matter.
    let commuted = |class: &str, method: &str| {
        let axiom = format!(
            "{method}({method}(S, argument11), argument12).state == {method}({method}(S, argument12), argument11).state"
        );
        texts(&self::class(&report, class)["equations"]).contains(&&*axiom)
    };
    assert!(commuted("xie.BinarySearchTree", "insert"));
    assert!(!commuted("xie.UBStack", "push") && !commuted("xie.StackLi", "push"));
}

#[test]
fn a_seed_and_a_sequence_limit_decide_every_byte() {
    let report = |threads: &str| {
        let suite = Suite::of_fixture("int-stack");
        let mut command = suite.scene.randgen(&["specs", "--classes", "classes", "--quiet", "-j", threads]);
        command.args(["--sequence-limit", "500", "--classpath", &suite.class_path]);
        assert!(command.output().unwrap().status.success());
        fs::read_to_string(suite.scene.path("target/randgen/specs.json")).unwrap()
    };
    let one = report("1");
    assert_eq!(one, report("3"));
    assert!(one.contains("isEmpty(push(S, argument1)).result == false"), "{one}");
}
