//! Whose assertions tests use: those of the project's own tests, or those that a setting names.

use super::{Scene, stderr};
use host::supervisor::test_library::{self, TestLibrary};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

const TEST: &str = "tests/stack/IntStackRandgenTest.java";

/// The jars of JUnit 5 and AssertJ.
fn class_path() -> String {
    let jars = [TestLibrary::JUnit5, TestLibrary::AssertJ].into_iter().flat_map(|library| {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("junit-{library:?}"));
        test_library::locate(library, true, &cache, &AtomicBool::new(false)).unwrap()
    });
    std::env::join_paths(jars).unwrap().into_string().unwrap()
}

/// With a test of the project's own that has these statements.
fn with_own_test(statements: &str) -> Scene {
    let scene = Scene::with_classes("int-stack");
    let source = format!(
        "import org.junit.jupiter.api.Assertions; import static org.assertj.core.api.Assertions.assertThat;
         public class OwnTest {{ @org.junit.jupiter.api.Test void test() {{ {statements} }} }}"
    );
    scene.write("own/OwnTest.java", source);
    let mut javac = Command::new("javac");
    javac.args(["-cp", &class_path(), "-d"]).args([scene.path("test-classes"), scene.path("own/OwnTest.java")]);
    assert!(javac.status().unwrap().success());
    scene
}

/// The test class of a stack that a run writes.
fn generated(scene: &Scene, arguments: &[&str]) -> String {
    let mut randgen = scene.randgen(&["generate", "--classes", "classes", "--output", "tests"]);
    randgen.args([
        "--classpath",
        &class_path(),
        "--test-classes",
        "test-classes",
        "--sequence-limit",
        "300",
        "--disable",
        "mutants",
    ]);
    let output = randgen.args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!stderr(&output).contains("add the dependency"), "{}", stderr(&output));
    fs::read_to_string(scene.path(TEST)).unwrap()
}

#[test]
fn tests_of_a_project_that_uses_assertj_use_it_too() {
    let scene = with_own_test(
        "assertThat(1).isEqualTo(1); Assertions.assertThrows(Error.class, () -> { throw new Error(); });",
    );
    let tests = generated(&scene, &[]);
    assert!(tests.contains("import static org.assertj.core.api.Assertions."), "{tests}");
    assert!(tests.contains("assertThat(") && !tests.contains("org.junit.jupiter.api.Assertions"), "{tests}");
    // New tests of another form find place beside them.
    let both = generated(&scene, &["--assertions", "junit", "--seed", "3"]);
    assert!(both.contains("assertThat("), "{both}");
}

#[test]
fn tests_of_a_project_that_uses_junit_use_assertj_if_the_setting_says_so() {
    let scene = with_own_test("Assertions.assertEquals(1, 1);");
    let tests = generated(&scene, &[]);
    assert!(!tests.contains("assertj"), "{tests}");
    let scene = with_own_test("Assertions.assertEquals(1, 1);");
    let tests = generated(&scene, &["--assertions", "assertj"]);
    assert!(tests.contains("assertThat("), "{tests}");
}
