//! What cannot be used is named in one sentence, with the fitting exit code, and nothing is touched.

use super::{Scene, stderr};
use std::fs;
use std::fs::File;

const USAGE: i32 = 2;
const NOT_RESOLVED: i32 = 3;
const NOTHING_TESTABLE: i32 = 4;

#[test]
fn unknown_flags_and_wrong_values_are_usage_errors() {
    let scene = Scene::new();
    scene.check_refused(scene.randgen(&["generate", "--sead", "1"]), USAGE, "--seed");
    scene.check_refused(scene.randgen(&["generate", "--seed", "x"]), USAGE, "expected a whole number");
    let rule = ["generate", "--disabled-rules", "null-argment"];
    scene.check_refused(scene.randgen(&rule), USAGE, "no rule `null-argment`, did you mean `null-argument`?");
}

#[test]
fn settings_files_are_refused_with_place_and_suggestion() {
    let scene = Scene::with_classes("int-stack");
    let generate = ["generate", "--classes", "classes", "--sequence-limit", "100"];
    scene.write("randgen.toml", "seed = 1\ntime-limt = 3\n");
    let message = "randgen.toml:2:1: unknown setting `time-limt`, did you mean `time-limit`?";
    scene.check_refused(scene.randgen(&generate), USAGE, message);
    scene.write("randgen.toml", "seed = \"one\"\n");
    let message = "randgen.toml:1:8: `seed`: expected a whole number, 0 or more, found \"one\"";
    scene.check_refused(scene.randgen(&generate), USAGE, message);
    scene.write("randgen.toml", "disabled-rules = [\"null-argment\"]\n");
    let message = "randgen.toml:1:18: `disabled-rules`: there is no rule `null-argment`, did you mean `null-argument`?";
    scene.check_refused(scene.randgen(&generate), USAGE, message);
    scene.write("randgen.toml", "seed = \n");
    scene.check_refused(scene.randgen(&generate), USAGE, "randgen.toml:1:");
}

#[test]
fn settings_of_a_project_may_only_tighten_and_stay_below_it() {
    let scene = Scene::with_classes("int-stack");
    let generate = |more: &[&str]| {
        let arguments = ["generate", "--classes", "project/classes", "--sequence-limit", "100", "project"];
        scene.randgen(&[&arguments[..], more].concat())
    };
    fs::create_dir(scene.path("project")).unwrap();
    fs::rename(scene.path("classes"), scene.path("project/classes")).unwrap();
    for (setting, said) in [
        ("sandbox = \"off\"", "`sandbox = off` lowers the isolation"),
        ("sandbox = \"reduced\"", "`sandbox = reduced` lowers the isolation"),
        ("output-directory = \"../x\"", "`output-directory = ../x` leads out of the project"),
        ("output-directory = \"/tmp/x\"", "`output-directory = /tmp/x` leads out of the project"),
        ("reports-directory = \"/tmp/x\"", "`reports-directory = /tmp/x` leads out of the project"),
        ("baseline = \"a/../../x\"", "`baseline = a/../../x` leads out of the project"),
    ] {
        scene.write("project/randgen.toml", setting);
        scene.check_refused(generate(&[]), USAGE, said);
    }
    // The user may do otherwise.
    scene.write("project/randgen.toml", "sandbox = \"off\"\noutput-directory = \"../x\"\n");
    let output = generate(&["--sandbox", "strict", "--output-directory", "../tests"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(scene.path("tests").exists() && !scene.path("x").exists());
}

#[test]
fn a_missing_or_broken_jdk_is_named() {
    let scene = Scene::with_classes("int-stack");
    let generate = ["generate", "--classes", "classes"];
    let mut command = scene.randgen(&generate);
    command.env_remove("JAVA_HOME").env("PATH", "");
    scene.check_refused(command, NOT_RESOLVED, "no JDK found");
    let mut command = scene.randgen(&generate);
    command.env("JAVA_HOME", scene.path("gone"));
    scene.check_refused(command, NOT_RESOLVED, "which does not exist");
    let mut command = scene.randgen(&generate);
    command.env("JAVA_HOME", scene.path("classes"));
    scene.check_refused(command, NOT_RESOLVED, "which is no JDK: bin/java is missing");
    let command = scene.randgen(&["generate", "--classes", "classes", "--jvm-args", "-XX:+NoSuch"]);
    scene.check_refused(command, NOT_RESOLVED, "does not start with -XX:+NoSuch: ");
}

#[test]
fn classes_newer_than_the_jvm_are_named() {
    let scene = Scene::new();
    scene.write("classes/p/New.class", [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 143]);
    let command = scene.randgen(&["generate", "--classes", "classes"]);
    scene.check_refused(command, NOT_RESOLVED, "holds classes for Java 99, such as p.New, but the JDK in use is ");
}

#[test]
fn jars_that_cannot_be_read_are_named() {
    let scene = Scene::new();
    scene.write("broken.jar", "not a jar");
    let message = "cannot read the classes in";
    scene.check_refused(scene.randgen(&["generate", "--classes", "broken.jar"]), NOT_RESOLVED, message);
    scene.check_refused(scene.randgen(&["generate", "--classes", "gone.jar"]), NOT_RESOLVED, "gone.jar");
    let scene = Scene::with_classes("int-stack");
    let arguments = ["generate", "--classes", "classes", "--test-classes", "test-clases"];
    scene.check_refused(scene.randgen(&arguments), NOT_RESOLVED, "test-clases");
}

#[test]
fn a_dependency_that_cannot_be_read_is_passed_over_with_a_warning() {
    let scene = Scene::with_classes("int-stack");
    scene.write("broken.jar", "not a jar");
    let arguments = ["generate", "--classes", "classes", "--classpath", "broken.jar", "--sequence-limit", "100"];
    let output = scene.randgen(&arguments).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("broken.jar cannot be read"), "{}", stderr(&output));
    assert!(scene.path("src/test/generated/stack/IntStackRandgenTest.java").is_file());
}

#[test]
fn places_without_classes_are_named() {
    let scene = Scene::new();
    fs::create_dir(scene.path("empty")).unwrap();
    scene.check_refused(scene.randgen(&["generate", "--classes", "empty"]), NOTHING_TESTABLE, "no class files in");
    scene.check_refused(scene.randgen(&["generate", "empty"]), NOT_RESOLVED, "neither pom.xml nor a Gradle build in");
    scene.check_refused(scene.randgen(&["generate", "gone"]), NOT_RESOLVED, "gone does not exist");
}

#[test]
fn settings_that_select_no_class_are_named() {
    let scene = Scene::with_classes("int-stack");
    let generate = |arguments: &[&str]| {
        let mut command = scene.randgen(&["generate", "--classes", "classes"]);
        command.args(arguments);
        command
    };
    let message = "no class of classes is selected by target-classes = stak.*";
    scene.check_refused(generate(&["--target-classes", "stak.*"]), NOTHING_TESTABLE, message);
    let message = "is selected by excluded-classes = *";
    scene.check_refused(generate(&["--excluded-classes", "*"]), NOTHING_TESTABLE, message);
}

#[test]
fn failing_gradle_build_is_reported_with_a_hint() {
    let scene = Scene::new();
    scene.write("build.gradle", "this is no build");
    // Gradle, where there is one, leaves its cache in the project.
    let output = scene.randgen(&["generate"]).output().unwrap();
    assert_eq!(output.status.code(), Some(NOT_RESOLVED), "{}", stderr(&output));
    assert!(stderr(&output).contains("--classpath"), "{}", stderr(&output));
}

#[test]
fn poms_that_cannot_be_read_are_named_with_the_place() {
    let scene = Scene::new();
    scene.write("pom.xml", "<project>\n  <modules></module>\n</project>");
    scene.check_refused(scene.randgen(&["generate"]), NOT_RESOLVED, "pom.xml:2:");
    scene.write("pom.xml", "<!DOCTYPE p [<!ENTITY a 'b'>]><project>&a;</project>");
    scene.check_refused(scene.randgen(&["generate"]), NOT_RESOLVED, "pom.xml:1:1: document types are not read here");
    scene.write("pom.xml", "<project>\n<modules>\n<module>gone</module></modules></project>");
    scene.check_refused(scene.randgen(&["generate"]), NOT_RESOLVED, "pom.xml:3: the module gone has no pom.xml");
}

#[test]
fn output_directories_that_cannot_be_used_are_named() {
    let scene = Scene::with_classes("int-stack");
    let generate = |output: &str| {
        scene.randgen(&["generate", "--classes", "classes", "--sequence-limit", "100", "--output", output])
    };
    scene.write("file", "");
    scene.check_refused(generate("file/tests"), NOT_RESOLVED, "file is not a directory");
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), scene.path("link")).unwrap();
    scene.check_refused(generate("link/tests"), NOT_RESOLVED, "leads out of the project");
    let mut command = generate("tests");
    command.args(["--reports-directory", "file/reports"]);
    scene.check_refused(command, NOT_RESOLVED, "file is not a directory");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    scene.write("docs/report.md", "mine");
    let mut command = generate("tests");
    command.args(["--reports-directory", "docs"]);
    scene.check_refused(command, NOT_RESOLVED, "docs/report.md would be replaced by a report");
}

#[test]
fn concurrent_run_is_refused() {
    let scene = Scene::with_classes("int-stack");
    scene.write("tests/.randgen.lock", "4711\n");
    let lock = File::open(scene.path("tests/.randgen.lock")).unwrap();
    lock.lock().unwrap();
    let command = scene.randgen(&["generate", "--classes", "classes", "--sequence-limit", "100", "--output", "tests"]);
    scene.check_refused(command, NOT_RESOLVED, "another run of randgen (process 4711) is writing to");
}

#[test]
fn requests_of_another_version_are_refused() {
    let scene = Scene::new();
    scene.write("request.toml", "version = 99\n");
    scene.check_refused(scene.randgen(&["generate", "--request", "request.toml"]), USAGE, "a request of version 99");
}

/// A module as a plugin resolves it, without any dependency; it is the project in this directory, or a part of it.
fn request(scene: &Scene, project_root: &str, more: &str) -> String {
    let shown = |name: &str| format!("{:?}", scene.path(name));
    let (module, classes, root) = (shown("module"), shown("classes"), shown(project_root));
    format!(
        "version = 1\n[module]\nname = \"shop\"\nbasedir = {module}\nproject-root = {root}\nclasses = [{classes}]\n\
         dependencies = []\nbuild-directory = {}\n[configuration]\nsequenceLimit = \"100\"\n{more}",
        shown("module/target")
    )
}

#[test]
fn module_whose_build_has_no_junit_is_refused_before_the_search() {
    let scene = Scene::with_classes("int-stack");
    fs::create_dir(scene.path("module")).unwrap();
    let refused = |more: &str, message: &str| {
        scene.write("request.toml", request(&scene, "module", more));
        let command = scene.randgen(&["generate", "--request", "request.toml"]);
        scene.check_refused(command, NOT_RESOLVED, message);
    };
    let five = "org.junit.jupiter:junit-jupiter:5.10.2";
    refused("", &format!("error: the test class path of shop has no JUnit 5; add {five} with scope test\n"));
    refused("junit = \"4\"\n", "has no JUnit 4; add junit:junit:4.13.2 with scope test\n");
    let both = format!("has no JUnit 5 and AssertJ; add {five} and org.assertj:assertj-core:3.24.2 with scope test\n");
    refused("assertions = \"assertj\"\n", &both);
}

#[test]
fn module_of_a_reactor_without_junit_is_skipped_with_a_warning() {
    let scene = Scene::with_classes("int-stack");
    fs::create_dir(scene.path("module")).unwrap();
    scene.write("request.toml", request(&scene, ".", ""));
    let command = || scene.randgen(&["generate", "--request", "request.toml"]);
    scene.check_refused(
        command(),
        0,
        "warning: the module shop is skipped: the test class path of shop has no JUnit 5",
    );
    scene.write("request.toml", request(&scene, ".", "failWhenNoTests = \"true\"\n"));
    scene.check_refused(command(), NOT_RESOLVED, "error: the test class path of shop has no JUnit 5");
}

/// Code under test may read where the classes lead.
#[test]
fn linked_classes_of_a_build_are_refused() {
    let scene = Scene::with_classes("int-stack");
    fs::create_dir_all(scene.path("module/target")).unwrap();
    std::os::unix::fs::symlink("/etc", scene.path("module/target/classes")).unwrap();
    let linked = request(&scene, "module", "").replace("/classes\"]", "/module/target/classes\"]");
    scene.write("request.toml", linked);
    let command = scene.randgen(&["generate", "--request", "request.toml"]);
    scene.check_refused(command, NOT_RESOLVED, "module/target/classes is a link; remove it");
}
