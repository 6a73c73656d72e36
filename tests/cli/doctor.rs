//! What `randgen doctor` shows.

use super::{Scene, stderr};

#[test]
fn doctor_shows_what_a_run_would_test_and_writes_nothing() {
    let scene = Scene::with_classes("int-stack");
    scene.write("randgen.toml", "excluded-methods = [\"push\"]\n");
    let before = scene.files();
    let output = scene.randgen(&["doctor", "--classes", "classes", "--seed", "3"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in ["classes       1 found, 1 to test with ", "seed = 3 (flag)", "excluded-methods = push (randgen.toml)"]
    {
        assert!(text.contains(line), "{line:?} is not in {text}");
    }
    assert!(scene.files() == before, "files changed");
}

#[test]
fn doctor_exit_code_is_that_of_a_run_without_testable_code() {
    let scene = Scene::with_classes("int-stack");
    let output = scene.randgen(&["doctor", "--classes", "classes", "--target-classes", "other.*"]).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
}

#[test]
fn module_with_sibling_dependencies_is_resolved_through_its_parent_project() {
    let scene = Scene::with_project("reactor");
    let output = scene.randgen(&["doctor", "--quiet", "invoice"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("\ninvoice\n") && !text.contains("\nmoney\n"), "{text}");
}
