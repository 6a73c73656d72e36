//! `explore`: states that are counted by hand, the tests that lead to them, and what stands in the way.

use super::{Scene, stderr};
use serde_json::Value;
use std::fs;
use std::process::Command;

const USAGE: i32 = 2;
const NOTHING_TESTABLE: i32 = 4;

/// `randgen explore` on the scene's classes.
fn explore(scene: &Scene, arguments: &[&str]) -> Command {
    let mut command = scene.randgen(&["explore", "--classes", "classes", "--quiet"]);
    command.args(arguments);
    command
}

/// The JSON report of an exploration that has to succeed.
fn explored(scene: &Scene, arguments: &[&str]) -> Value {
    let output = explore(scene, arguments).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(&fs::read_to_string(scene.path("target/randgen/explore.json")).unwrap()).unwrap()
}

fn states(report: &Value) -> Vec<u64> {
    report["iterations"].as_array().unwrap().iter().map(|row| row["states"].as_u64().unwrap()).collect()
}

#[test]
fn rostra_subjects_have_the_number_of_states_of_the_paper() {
    let scene = Scene::with_classes("symstra");
    let push = ["--class", "UIntStack", "--methods", "push", "--arguments", "push=1..6", "--keep", "nothing"];
    let report = explored(&scene, &[&push[..], &["--iterations", "6"]].concat());
    assert_eq!(states(&report), [1, 7, 37, 157, 517, 1_237, 1_957]);
    for (iterations, expected) in [("4", 25), ("5", 72), ("6", 185), ("7", 537)] {
        let (keys, pairs) = (format!("int=1..{iterations}"), format!("put=1..{iterations},null"));
        let calls = ["--class", "symstra.TreeMap", "--methods", "put,remove", "--arguments", &keys];
        let report = explored(
            &scene,
            &[&calls, &["--arguments", &pairs, "--keep", "nothing", "--iterations", iterations][..]].concat(),
        );
        assert_eq!(states(&report).last(), Some(&expected), "{iterations} iterations");
    }
    assert!(!scene.path("src/test").exists(), "nothing was to be kept");
}

#[test]
fn explore_writes_a_test_per_state_that_generate_keeps() {
    let scene = Scene::with_classes("symstra");
    let calls = ["--class", "UIntStack", "--methods", "push,pop", "--arguments", "push=1;2", "--iterations", "2"];
    let report = explored(&scene, &calls);
    // A popped number is still in the array.
    assert_eq!(states(&report), [1, 3, 7]);
    let written = report["tests"]["written"].as_array().unwrap();
    assert_eq!(written.len(), 7, "{report:#}");
    let file = scene.path("src/test/generated/symstra/UIntStackExploredTest.java");
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("@Test").count(), 7, "{text}");
    let equal = explored(&scene, &[&calls[..], &["--state-abstraction", "monitor-equals"]].concat());
    assert_eq!(states(&equal), [1, 3, 5]);

    let generate = ["generate", "--classes", "classes", "--sequence-limit", "500", "--quiet"];
    assert!(scene.randgen(&generate).output().unwrap().status.success());
    assert!(file.is_file() && scene.path("src/test/generated/symstra/UIntStackRandgenTest.java").is_file());
    let edited = fs::read_to_string(&file).unwrap().replace("UIntStack()", "UIntStack( )");
    fs::write(&file, &edited).unwrap();
    let report = explored(&scene, &calls);
    assert_eq!(report["tests"]["files"]["kept"], serde_json::json!(["symstra/UIntStackExploredTest.java"]));
    assert_eq!(fs::read_to_string(&file).unwrap(), edited);
    assert!(scene.path("src/test/generated/symstra/UIntStackRandgenTest.java").is_file());
}

#[test]
fn explore_writes_a_test_per_edge_including_exceptions() {
    let scene = Scene::with_classes("symstra");
    let calls = ["--class", "UIntStack", "--methods", "push,pop", "--arguments", "push=1", "--keep", "new-edges"];
    let report = explored(&scene, &calls);
    let text = fs::read_to_string(scene.path("src/test/generated/symstra/UIntStackExploredTest.java")).unwrap();
    assert!(text.contains("assertThrows(IllegalStateException.class"), "{text}");
    assert!(report["tests"]["written"].as_array().unwrap().len() < 6, "{report:#}");
    assert_eq!(report["iterations"][1]["threw"], 1);
}

#[test]
fn explore_keeps_no_states_beyond_the_limit() {
    let scene = Scene::with_classes("symstra");
    let calls = ["--class", "UIntStack", "--methods", "push", "--arguments", "push=1..6", "--keep", "nothing"];
    let output =
        explore(&scene, &[&calls[..], &["--iterations", "6", "--max-states", "100"]].concat()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Stopped in iteration 3: 100 states are known, no more are kept (--max-states)"), "{text}");
}

#[test]
fn explore_gives_up_hanging_calls_and_counts_exiting_ones() {
    let source = "public class Hostile {
        private int count;
        public void add() { count++; }
        public void hang() { while (count >= 0) { Thread.yield(); } }
        public void exit() { System.exit(count); }
    }";
    let scene = Scene::with_class("Hostile", source);
    let report = explored(&scene, &["--class", "Hostile", "--iterations", "4", "--keep", "nothing"]);
    assert_eq!(states(&report), [1, 2, 3, 4, 5]);
    let given_up: Vec<&str> =
        report["given_up"].as_array().unwrap().iter().map(|call| call.as_str().unwrap()).collect();
    assert_eq!(given_up, ["hang()", "exit()"]);
}

#[test]
fn explore_mines_arguments_if_none_are_given() {
    let source = "import java.util.*;
    public class Shelf {
        public enum Kind { BOOK, DISC }
        private final List<Object> things = new ArrayList<>();
        private boolean isOpen;
        public Shelf(boolean isOpen) { this.isOpen = isOpen; }
        public void add(Kind kind, String name) { things.add(kind); things.add(name); }
        public void pages(int count) { if (count == 4711) { things.add(count); } }
    }";
    let scene = Scene::with_class("Shelf", source);
    let report = explored(&scene, &["--class", "Shelf", "--iterations", "1", "--keep", "nothing"]);
    // Open and closed; two kinds with two names, and the number that the code compares with.
    assert_eq!(states(&report), [2, 2 + 2 * (2 * 2 + 1)]);
    let given = ["--arguments", "new=true", "--arguments", "add=BOOK,\"a;b\";DISC,null", "--methods", "add"];
    let report =
        explored(&scene, &[&["--class", "Shelf", "--iterations", "2", "--keep", "nothing"], &given[..]].concat());
    assert_eq!(states(&report), [1, 3, 7]);
}

#[test]
fn explore_names_classes_that_cannot_be_explored() {
    let scene = Scene::with_classes("symstra");
    scene.check_refused(explore(&scene, &["--class", "Stack"]), USAGE, "there is no class Stack in ");
    let stack = |more: &[&str]| explore(&scene, &[&["--class", "UIntStack"], more].concat());
    let message = "symstra.UIntStack has no method peek that a test can call; it has push(int), pop(), isEmpty()";
    scene.check_refused(stack(&["--methods", "push,peek"]), USAGE, message);
    scene.check_refused(stack(&["--methods", "push(long)"]), USAGE, "has no method push(long)");
    let push = |given: &str| stack(&["--arguments", given]);
    scene.check_refused(push("push"), USAGE, "the arguments 'push' are not of the form METHOD=VALUES");
    scene.check_refused(push("push=1;x"), USAGE, "'x' is no int to give to push(int)");
    scene.check_refused(push("push=3000000000"), USAGE, "'3000000000' is no int to give to push(int)");
    scene.check_refused(push("push=1,2"), USAGE, "'1,2' has 2 of the 1 arguments that push(int) takes");
    scene.check_refused(push("peek=1"), USAGE, "the arguments 'peek=1' are for nothing that is called");
    scene.check_refused(stack(&["--iterations", "0"]), USAGE, "0 is not in 1..");

    let scene = Scene::with_class(
        "Broken",
        "public class Broken { public Broken(int n) { int m = 1 / 0; } public void run() { } }",
    );
    let message = "no object of Broken was made: all 3 calls that make one threw";
    scene.check_refused(explore(&scene, &["--class", "Broken", "--keep", "nothing"]), NOTHING_TESTABLE, message);
    let scene = Scene::with_class("Closed", "public class Closed { private Closed() { } public void open() { } }");
    let message = "no object of Closed can be made";
    scene.check_refused(explore(&scene, &["--class", "Closed"]), NOTHING_TESTABLE, message);
}

/// The table of the paper: a state for each size of a stack, and each further iteration is one more.
#[test]
fn symbolic_exploration_covers_all_numbers() {
    let scene = Scene::with_classes("symstra");
    let push = ["--class", "UIntStack", "--methods", "push", "--symbolic", "--iterations", "10"];
    let report = explored(&scene, &push);
    assert_eq!(states(&report), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    assert_eq!(report["symbolic"]["differing"], 0);
    assert_eq!(report["tests"]["written"].as_array().unwrap().len(), 11, "{report}");
}

#[test]
fn symbolic_exploration_works_without_a_solver_for_simple_conditions() {
    let square = "public class Square { private int side; public void set(int side) {
        if (side * side == 49) { this.side = side; } } }";
    let scene = Scene::with_class("Square", square);
    let mut command = explore(&scene, &["--class", "Square", "--symbolic", "--keep", "nothing"]);
    // Nothing but the JDK can be found.
    let path = std::env::var_os("PATH").unwrap();
    let java = std::env::split_paths(&path).find_map(|directory| directory.join("java").canonicalize().ok()).unwrap();
    let home = java.parent().unwrap().parent().unwrap();
    let output = command.env("JAVA_HOME", home).env("PATH", "/nowhere").output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("cannot start z3"), "{}", stderr(&output));
    let report: Value =
        serde_json::from_str(&fs::read_to_string(scene.path("target/randgen/explore.json")).unwrap()).unwrap();
    assert_eq!(report["symbolic"]["is_unsure"], true);
}
