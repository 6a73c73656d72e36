//! Runs after the first: what they search again, what they keep, and whose files they leave alone.

use super::{Scene, stderr};
use std::collections::BTreeSet;
use std::fs;

const A: &str = "package p; public class A { public int twice(int x) { return x > 3 ? B.same(x) * 2 : 0; } }";
const B: &str = "package p; public class B { public static int same(int x) { return x; } }";
const C: &str = "package p; public class C { public boolean isOdd(int x) { return x % 2 != 0; } }";

/// A project of three classes, the first of which uses the second, after a first run.
fn scene() -> Scene {
    let scene = Scene::new();
    compile(&scene, &[("A", A), ("B", B), ("C", C)]);
    generate(&scene, &[], &["A", "B", "C"]);
    scene
}

fn compile(scene: &Scene, classes: &[(&str, &str)]) {
    let _ = fs::remove_dir_all(scene.path("classes"));
    let path = |name: &str| format!("sources/{name}.java");
    classes.iter().for_each(|(name, text)| scene.write(&path(name), text));
    scene.compile(&classes.iter().map(|(name, _)| scene.path(&path(name))).collect::<Vec<_>>());
}

/// Runs, and expects that these classes were searched; what it said.
fn generate(scene: &Scene, more: &[&str], searched: &[&str]) -> String {
    let arguments = ["generate", "--classes", "classes", "--sequence-limit", "1500", "--progress", "none"];
    let timing = scene.path("target/randgen/timing.json");
    let _ = fs::remove_file(&timing);
    let output = scene.randgen(&[&arguments, more].concat()).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), stderr(&output));
    assert_eq!(output.status.code(), Some(0), "{said}");
    if !timing.exists() {
        assert!(searched.is_empty(), "{said}");
        return said;
    }
    let report = report(scene);
    let classes = report["classes"].as_array().unwrap().iter().filter(|class| class["reused"] == false);
    let names: BTreeSet<&str> = classes.map(|class| class["name"].as_str().unwrap()).collect();
    let expected: BTreeSet<String> = searched.iter().map(|name| format!("p.{name}")).collect();
    assert_eq!(names, expected.iter().map(String::as_str).collect(), "{said}");
    said
}

fn report(scene: &Scene) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(scene.path("target/randgen/report.json")).unwrap()).unwrap()
}

fn test(class: &str) -> String {
    format!("src/test/generated/p/{class}RandgenTest.java")
}

#[test]
fn unchanged_project_changes_no_file() {
    let scene = scene();
    let _ = fs::remove_file(scene.path("target/randgen/timing.json"));
    let before = scene.files();
    let said = generate(&scene, &[], &[]);
    assert!(said.contains("nothing changed since the last run"), "{said}");
    assert!(scene.files() == before, "files changed");
    generate(&scene, &["--incremental=false"], &["A", "B", "C"]);
    generate(&scene, &["--seed", "2"], &["A", "B", "C"]);
}

#[test]
fn a_class_is_searched_when_it_or_what_it_uses_has_changed() {
    let scene = scene();
    compile(&scene, &[("A", A), ("B", B), ("C", &C.replace("!= 0", "== 1"))]);
    let said = generate(&scene, &["--accept"], &["C"]);
    assert!(said.contains("2 unchanged classes, results of the last run reused"), "{said}");
    let kept = report(&scene);
    assert_eq!(kept["totals"]["classes_tested"], 3);
    assert!(kept["files"]["unchanged"].as_array().unwrap().len() >= 2, "{}", kept["files"]);
    assert!(kept["mutants"]["mutants"].as_array().unwrap().iter().any(|mutant| mutant["class"] == "p.A"));
    let test_of_a = fs::read_to_string(scene.path(&test("A"))).unwrap();

    // The tests of A pass as before, so that there is nothing to search in it.
    compile(&scene, &[("A", A), ("B", &B.replace("return x", "return x + 0")), ("C", &C.replace("!= 0", "== 1"))]);
    generate(&scene, &[], &["B"]);
    assert_eq!(fs::read_to_string(scene.path(&test("A"))).unwrap(), test_of_a);

    compile(&scene, &[("A", A), ("B", &B.replace("return x", "return x - 1")), ("C", &C.replace("!= 0", "== 1"))]);
    generate(&scene, &["--accept"], &["A", "B"]);
    assert_ne!(fs::read_to_string(scene.path(&test("A"))).unwrap(), test_of_a, "its values are others");
    generate(&scene, &[], &[]);
}

#[test]
fn class_without_tests_may_change_beside_one_whose_tests_stand() {
    let scene = Scene::new();
    let user = "package p; public class User { public static int of(Mode mode) { return mode == Mode.ON ? 7 : 3; } }";
    let mode = "package p; public enum Mode { ON, OFF }";
    compile(&scene, &[("User", user), ("Mode", mode)]);
    generate(&scene, &[], &["Mode", "User"]);
    let before = fs::read_to_string(scene.path(&test("User"))).unwrap();
    assert!(!scene.path(&test("Mode")).exists(), "there is nothing to say of an enum");

    compile(&scene, &[("User", user), ("Mode", &mode.replace("OFF", "OFF, AUTO"))]);
    generate(&scene, &[], &["Mode"]);
    assert_eq!(fs::read_to_string(scene.path(&test("User"))).unwrap(), before);
}

#[test]
fn tests_of_a_deleted_class_are_removed() {
    let scene = scene();
    compile(&scene, &[("A", A), ("B", B)]);
    let before = fs::read(scene.path(&test("A"))).unwrap();
    generate(&scene, &[], &[]);
    assert!(!scene.path(&test("C")).exists());
    assert_eq!(fs::read(scene.path(&test("A"))).unwrap(), before);
    assert_eq!(report(&scene)["files"]["removed"], serde_json::json!(["p/CRandgenTest.java"]));
    assert_eq!(report(&scene)["totals"]["classes"], 2);
}

#[test]
fn edited_test_is_kept_and_deleted_test_regenerated() {
    let scene = scene();
    let (edited, gone) = (scene.path(&test("A")), scene.path(&test("C")));
    let text = fs::read_to_string(&edited).unwrap() + "// mine\n";
    fs::write(&edited, &text).unwrap();
    fs::remove_file(&gone).unwrap();
    generate(&scene, &[], &["C"]);
    assert_eq!(fs::read_to_string(&edited).unwrap(), text);
    assert_eq!(report(&scene)["files"]["kept"], serde_json::json!(["p/ARandgenTest.java"]));
    assert!(gone.exists());
}

#[test]
fn test_generated_for_another_revision_is_regenerated() {
    let scene = scene();
    let test = scene.path(&test("C"));
    let original = fs::read(&test).unwrap();
    compile(&scene, &[("A", A), ("B", B), ("C", &C.replace("!= 0", "== 0"))]);
    let arguments =
        ["generate", "--classes", "classes", "--sequence-limit", "1500", "--reports-directory", "others", "--accept"];
    assert!(scene.randgen(&arguments).output().unwrap().status.success());
    assert_ne!(fs::read(&test).unwrap(), original);
    compile(&scene, &[("A", A), ("B", B), ("C", C)]);
    generate(&scene, &["--accept"], &["C"]);
}

#[test]
fn check_and_generate_share_their_last_run() {
    let scene = scene();
    let check = ["check", "--classes", "classes", "--sequence-limit", "1500", "--progress", "none"];
    let timing = scene.path("target/randgen/timing.json");
    fs::remove_file(&timing).unwrap();
    assert!(scene.randgen(&check).output().unwrap().status.success());
    assert!(!timing.exists(), "it searched");
    compile(&scene, &[("A", A), ("B", B), ("C", &C.replace("!= 0", "== 1"))]);
    let before = fs::read(scene.path(&test("C"))).unwrap();
    assert!(scene.randgen(&check).output().unwrap().status.success());
    assert!(timing.exists() && fs::read(scene.path(&test("C"))).unwrap() == before, "a gate writes no tests");
    generate(&scene, &["--accept"], &["C"]);
}
