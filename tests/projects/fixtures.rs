//! Each fixture, from the command line to the project's own build: what the run reports and what its tests then do must be
//! what the fixture's `expected.toml` says.
//!
//! Every test works on a copy and needs a JDK and Maven; those with Gradle need that too, and the built plugin, so they are
//! run by `make test-gradle`. `fixtures/README.md` describes `expected.toml`, `docs/reports.md` the report it is compared
//! with.

mod commands;
mod comparison;
mod expected;
mod gate;
mod hostile;
mod release;
mod reproducible;

use comparison::{Complaints, GRADLE, MAVEN, check_run};
use expected::Expected;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[test]
fn ring_buffer_has_one_finding_of_two_statements() {
    check("ring-buffer");
}

#[test]
fn int_stack_has_a_small_suite_without_findings() {
    check("int-stack");
}

#[test]
fn modules_of_a_reactor_get_tests_in_their_own_junit_version() {
    check("reactor");
}

#[test]
fn a_library_without_source_gets_tests() {
    check("commons-cli");
}

#[test]
fn rostra_subjects_have_no_findings() {
    check("rostra");
}

#[test]
fn symstra_subjects_have_no_findings() {
    check("symstra");
}

#[test]
fn xie_notkin_subjects_break_no_contract() {
    check("xie-notkin");
}

#[test]
fn everyday_classes_are_covered() {
    check("everyday");
}

#[test]
#[ignore = "builds an application with Spring, Lombok and Kotlin: make test-full"]
fn services_with_collaborators_are_covered() {
    check("services");
}

#[test]
fn parsers_are_covered() {
    check("parsers");
}

#[test]
#[ignore = "needs Gradle and its plugin: make test-gradle"]
fn gradle_has_the_same_answers_for_one_finding() {
    check_with_gradle("ring-buffer");
}

#[test]
#[ignore = "needs Gradle and its plugin: make test-gradle"]
fn gradle_has_the_same_answers_for_a_small_suite() {
    check_with_gradle("int-stack");
}

#[test]
#[ignore = "needs Gradle and its plugin: make test-gradle"]
fn gradle_has_the_same_answers_for_projects_that_need_each_other() {
    check_with_gradle("reactor");
}

fn check(fixture: &str) {
    let (expected, _scratch, project) = open(fixture);
    let generate = run(&mut generate(&project, expected.run.seed, expected.run.sequence_limit));
    let maven = run(Command::new("mvn")
        .args(["-q", "-B", "--no-transfer-progress", "test", "-Dmaven.test.failure.ignore=true"])
        .current_dir(&project));
    let mut complaints = Complaints::default();
    complaints.unless(maven.status.success(), || format!("mvn test failed:\n{}", text(&maven)));
    check_run(fixture, &expected, &project, &MAVEN, &generate, complaints);
}

/// Runs the fixture's Gradle build; the tests must also be, byte for byte, those of its Maven build.
fn check_with_gradle(fixture: &str) {
    let (expected, _maven_scratch, maven_project) = open(fixture);
    run(&mut generate(&maven_project, expected.run.seed, expected.run.sequence_limit));
    let (_, _scratch, project) = open(fixture);
    let settings = settings(expected.run.seed, expected.run.sequence_limit);
    let gradle = |tasks: &[&str]| run(&mut gradle(&project, &settings, tasks));
    let generate = gradle(&["generateTests"]);
    // It finds what it needs in the reports, and leaves them as they are.
    gradle(&["randgenCheck"]);
    let mut complaints = Complaints::default();
    let again = gradle(&["generateTests", "test", "--continue"]);
    complaints.unless(again.status.success(), || format!("gradle test failed:\n{}", text(&again)));
    let tasks = text(&again).lines().filter(|line| line.contains(":generateTests")).collect::<Vec<_>>().join("\n");
    complaints.unless(tasks.lines().all(|line| line.ends_with("UP-TO-DATE")), || format!("generated again:\n{tasks}"));
    for module in &expected.module {
        let generated = |project: &Path| {
            let directory = project.join(&module.path).join("src/test/generated");
            let read = |file: &PathBuf| (file.strip_prefix(&directory).unwrap().to_path_buf(), fs::read(file).unwrap());
            files_below(&directory, "java").iter().map(read).collect::<BTreeMap<_, _>>()
        };
        complaints.unless(generated(&project) == generated(&maven_project), || {
            format!("{}: the tests are not those that a Maven project gets", module.path)
        });
    }
    check_run(fixture, &expected, &project, &GRADLE, &generate, complaints);
}

/// Its name as builds spell it, and its value.
type Setting = (&'static str, String);

/// What a build is told on its command line: limits that no clock decides.
fn settings(seed: u64, sequence_limit: u64) -> Vec<Setting> {
    vec![
        ("executable", env!("CARGO_BIN_EXE_randgen").to_string()),
        ("seed", seed.to_string()),
        ("sequenceLimit", sequence_limit.to_string()),
        ("timeLimit", "600".to_string()),
    ]
}

/// Gradle with the plugin of this tree.
fn gradle(project: &Path, settings: &[Setting], tasks: &[&str]) -> Command {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let repository = manifest.join("gradle-plugin/target/repository");
    assert!(repository.is_dir(), "{} is missing: `make test-gradle` builds it", repository.display());
    let mut command = Command::new("gradle");
    command.args(["--no-daemon", "--console=plain", "--init-script"]);
    command.arg(manifest.join("tests/projects/init.gradle")).args(tasks);
    command.args(settings.iter().map(|(name, value)| format!("-Prandgen.{name}={value}")));
    command.arg(format!("-PpluginRepository={}", repository.display())).current_dir(project);
    command
}

/// The fixture's answers, and a copy of it in the directory that is kept as long as the second value.
fn open(fixture: &str) -> (Expected, tempfile::TempDir, PathBuf) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(fixture);
    let expected = fs::read_to_string(source.join("expected.toml")).expect("the fixture has answers");
    let expected = toml::from_str(&expected).unwrap_or_else(|error| panic!("{fixture}/expected.toml: {error}"));
    let scratch = tempfile::tempdir().unwrap();
    let project = scratch.path().join(fixture);
    copy(&source, &project);
    (expected, scratch, project)
}

fn files_below(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(directory).sort_by_file_name().into_iter().filter_map(Result::ok);
    entries
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|is| is == extension))
        .collect()
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from).into_iter().filter_entry(|entry| entry.file_name() != "target") {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(&target).unwrap();
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// `randgen generate` with limits that no clock decides.
fn generate(project: &Path, seed: u64, sequence_limit: u64) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_randgen"));
    command.arg("generate").arg(project).args(["--seed", &seed.to_string(), "--progress", "none"]);
    command.args(["--sequence-limit", &sequence_limit.to_string(), "--time-limit", "600"]);
    command
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("cannot start {:?}: {error}", command.get_program()))
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
