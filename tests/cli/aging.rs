//! Suites that go on from run to run: which tests stay, which are added, and which are told.

use super::{Scene, text};
use std::fs;

const A: &str = "package p; public class A {
    public static int twice(int x) { return x > 3 ? x * 2 : 0; }
    public static boolean isOdd(int x) { return x % 2 != 0; }
}";
const CHANGED: (&str, &str) = ("x > 3", "x >= 3");
const TEST: &str = "src/test/generated/p/ARandgenTest.java";

/// A project of one class after a first run.
fn scene() -> Scene {
    let scene = Scene::new();
    compile(&scene, A);
    generate(&scene, &[], 0);
    scene
}

fn compile(scene: &Scene, source: &str) {
    scene.write("sources/A.java", source);
    scene.compile(&[scene.path("sources/A.java")]);
}

/// Runs, and expects the exit code; what it said.
fn generate(scene: &Scene, more: &[&str], exit_code: i32) -> String {
    let arguments = ["generate", "--classes", "classes", "--sequence-limit", "1500", "--progress", "none"];
    let output = scene.randgen(&[&arguments, more].concat()).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(exit_code), "{said}");
    said
}

fn report(scene: &Scene) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(scene.path("target/randgen/report.json")).unwrap()).unwrap()
}

fn tests(scene: &Scene) -> String {
    fs::read_to_string(scene.path(TEST)).unwrap()
}

/// Whether the lines of the one are all in the other, in their order, but for the first, which has a hash of the rest.
fn is_within(one: &str, other: &str) -> bool {
    let mut lines = other.lines().skip(1);
    one.lines().skip(1).all(|line| lines.any(|other| other == line))
}

#[test]
fn refactoring_changes_no_test() {
    let scene = scene();
    let before = tests(&scene);
    compile(&scene, &A.replace("x > 3 ? x * 2 : 0", "3 < x ? 2 * x : 0"));
    generate(&scene, &[], 0);
    assert_eq!(tests(&scene), before);
    let class = &report(&scene)["classes"][0];
    assert_eq!(class["reused"], false);
    assert_eq!((&class["removed"], &class["changed"]), (&serde_json::json!([]), &serde_json::json!([])));
    // Nobody needs an object of a class of static methods: its constructor has no test.
    let edges = |key: &str| class["edges"][key].as_u64().unwrap();
    assert!(edges("covered") + 1 >= edges("total"), "{class}");
    assert!(class["tests"].as_array().unwrap().iter().any(|test| test["new_edges"] != 0), "{class}");
    assert_eq!(report(&scene)["files"]["unchanged"], serde_json::json!(["p/ARandgenTest.java"]));
    assert_ne!(report(&scene)["mutants"]["killed"], 0);
    // Nor does another seed.
    generate(&scene, &["--seed", "3"], 0);
    assert_eq!(tests(&scene), before);
}

#[test]
fn added_method_adds_tests_only() {
    let scene = scene();
    let before = tests(&scene);
    compile(
        &scene,
        &A.replace(
            "public static boolean",
            "public static int half(int x) { return x / 2; }\n    public static boolean",
        ),
    );
    generate(&scene, &[], 0);
    let now = tests(&scene);
    assert!(now.contains("half_") && is_within(&before, &now), "{before}\n{now}");
}

#[test]
fn changed_behaviour_stays_failing_until_it_is_accepted() {
    let scene = scene();
    let before = tests(&scene);
    compile(
        &scene,
        &A.replace(CHANGED.0, CHANGED.1)
            .replace("public static boolean", "public static int one() { return 1; }\n    public static boolean"),
    );
    let said = generate(&scene, &[], 1);
    assert!(said.contains("1 test of an earlier run fails now") && said.contains("was 0, is 6"), "{said}");
    assert_eq!(tests(&scene), before, "nothing expects what the class does now");
    let class = report(&scene)["classes"][0].clone();
    let changed = &class["changed"][0];
    assert_eq!(
        (&changed["expected"], &changed["actual"]),
        (&serde_json::json!("0"), &serde_json::json!("6")),
        "{class}"
    );
    assert_eq!(
        (report(&scene)["exit_code"].clone(), &changed["reason"]),
        (serde_json::json!(1), &serde_json::json!("fails"))
    );
    let xml = fs::read_to_string(scene.path("target/randgen/TEST-randgen-p.A.xml")).unwrap();
    assert!(xml.contains("failures=\"1\"") && xml.contains("AssertionFailedError"), "{xml}");

    // A build without an edit tells it again, and so does the gate.
    let files = scene.files();
    let said = generate(&scene, &[], 1);
    assert!(said.contains("nothing changed since the last run") && said.contains("was 0, is 6"), "{said}");
    assert!(scene.files() == files, "files changed");
    let check = ["check", "--classes", "classes", "--sequence-limit", "1500", "--progress", "none"];
    let output = scene.randgen(&check).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("was 0, is 6"), "{}", text(&output));

    generate(&scene, &["--accept=p.B"], 1);
    assert_eq!(tests(&scene), before);
    generate(&scene, &["--accept=p.A"], 0);
    let now = tests(&scene);
    assert!(now.contains("6") && now.contains("one_") && now != before, "{now}");
    let removed = &report(&scene)["classes"][0]["removed"];
    assert_eq!((removed[0]["reason"].as_str(), removed.as_array().unwrap().len()), (Some("accepted"), 1), "{removed}");
    generate(&scene, &[], 0);
    assert_eq!(tests(&scene), now);
}

#[test]
fn mended_code_keeps_its_tests() {
    let scene = scene();
    let before = tests(&scene);
    compile(&scene, &A.replace(CHANGED.0, CHANGED.1));
    generate(&scene, &[], 1);
    compile(&scene, A);
    generate(&scene, &[], 0);
    assert_eq!(tests(&scene), before);
    assert_eq!(report(&scene)["classes"][0]["changed"], serde_json::json!([]));
}

#[test]
fn committed_tests_are_run_first_without_a_record_of_their_run() {
    let scene = scene();
    let before = tests(&scene);
    fs::remove_dir_all(scene.path("target")).unwrap();
    compile(&scene, &A.replace(CHANGED.0, CHANGED.1));
    generate(&scene, &[], 1);
    assert_eq!(tests(&scene), before);
    generate(&scene, &["--incremental=false"], 0);
    assert_ne!(tests(&scene), before, "from scratch");
}

#[test]
fn tests_of_a_removed_method_go_with_a_reason() {
    let scene = scene();
    let before = tests(&scene);
    compile(&scene, &A.replace("public static boolean isOdd(int x) { return x % 2 != 0; }", ""));
    let said = generate(&scene, &[], 0);
    assert!(said.contains("Tests of earlier runs removed") && said.contains("does-not-compile"), "{said}");
    let now = tests(&scene);
    assert!(!now.contains("isOdd") && is_within(&now, &before), "{now}");
    let removed = report(&scene)["classes"][0]["removed"].clone();
    assert!(removed[0]["detail"].as_str().unwrap().contains("isOdd"), "{removed}");
}

#[test]
fn file_that_the_user_edited_is_no_test_of_an_earlier_run() {
    let scene = scene();
    let edited = tests(&scene) + "// mine\n";
    scene.write(TEST, &edited);
    compile(&scene, &A.replace(CHANGED.0, CHANGED.1));
    generate(&scene, &[], 0);
    assert_eq!(tests(&scene), edited);
}

#[test]
fn another_output_directory_is_no_continuation() {
    let (scene, fresh) = (scene(), Scene::new());
    compile(&fresh, A);
    for scene in [&scene, &fresh] {
        generate(scene, &["--output", "others"], 0);
        assert_eq!(report(scene)["classes"][0]["reused"], false);
    }
    let others = |scene: &Scene| fs::read_to_string(scene.path("others/p/ARandgenTest.java")).unwrap();
    assert_eq!(others(&scene), others(&fresh));
    generate(&scene, &[], 0);
    assert_eq!(report(&scene)["classes"][0]["reused"], false, "the last run wrote elsewhere");
}

#[test]
fn what_builds_write_beside_classes_is_no_change() {
    let scene = scene();
    let stamps = ["META-INF/MANIFEST.MF", "META-INF/build-info.properties", "git.properties"];
    for time in ["12:00", "12:01"] {
        stamps.iter().for_each(|name| scene.write(&format!("classes/{name}"), format!("Time: {time}\n")));
        let said = generate(&scene, &[], 0);
        assert!(said.contains("nothing changed since the last run"), "{said}");
    }
    scene.write("classes/rates.properties", "dollar = 1");
    let said = generate(&scene, &[], 0);
    assert!(!said.contains("nothing changed"), "{said}");
}
