//! Each fixture, from the command line to the project's own build: what the run reports and what its tests then do must be
//! what the fixture's `expected.toml` says.
//!
//! Every test works on a copy and needs a JDK and Maven; those with Gradle need that too, and the built plugin, so they are
//! run by `make test-gradle`. `fixtures/README.md` describes `expected.toml`, `docs/reports.md` the report it is compared
//! with.

mod hostile;

use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Expected {
    run: Run,
    module: Vec<Module>,
    /// Cases of hostile code that no class shows.
    #[serde(default)]
    elsewhere: Vec<Elsewhere>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Elsewhere {
    case: u32,
    test: Option<String>,
    reason: Option<String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Run {
    seed: u64,
    sequence_limit: u64,
    exit_code: i32,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Module {
    path: String,
    junit: u8,
    #[serde(default)]
    min_tests: u64,
    max_tests: Option<u64>,
    #[serde(default)]
    min_edges_percent: u64,
    /// The findings are the library's own and not pinned down.
    #[serde(default)]
    any_findings: bool,
    /// Generated tests that may be left out, each a known defect.
    #[serde(default)]
    max_dropped: u64,
    #[serde(default)]
    class: Vec<Class>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Class {
    name: String,
    /// Numbers of the project's list of hostile code.
    #[serde(default)]
    cases: Vec<u32>,
    /// Takes too long for every change.
    #[serde(default)]
    slow: bool,
    #[serde(default)]
    min_tests: usize,
    #[serde(default)]
    min_edges_percent: u64,
    /// Why it may have no test, and its edges not be covered: beside flaky code the search may keep nothing that does not.
    #[serde(default)]
    given_up: Vec<String>,
    #[serde(default)]
    unusable: Vec<String>,
    #[serde(default)]
    absent: Vec<String>,
    #[serde(default)]
    finding: Vec<Finding>,
    #[serde(default)]
    untested: Vec<Untested>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Finding {
    contract: String,
    source: Vec<String>,
    max_statements: usize,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Untested {
    operation: String,
    reasons: Vec<String>,
}

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

#[test]
fn neither_the_number_of_workers_nor_their_death_changes_a_byte() {
    check_reproducible(
        "ring-buffer",
        "whole-state",
        [("1", false), ("2", false), ("4", false), ("4", true)].map(at_home),
    );
}

#[test]
fn fields_read_by_equals_are_independent_of_the_number_of_workers() {
    check_reproducible("int-stack", "monitor-equals", [("1", false), ("2", false), ("4", true)].map(at_home));
}

#[test]
fn states_by_equals_are_independent_of_the_number_of_workers() {
    check_reproducible("int-stack", "pairwise-equals", [("1", false), ("2", false), ("4", true)].map(at_home));
}

#[test]
#[ignore = "takes minutes: make test-full"]
fn twenty_outputs_are_the_same_bytes_wherever_and_on_however_many_workers() {
    let at = |number: usize| Surroundings {
        threads: ["1", "2", "4"][number % 3],
        kills: number % 4 == 3,
        time_zone: ["UTC", "Asia/Kathmandu", "Pacific/Apia", "Etc/GMT+12", "America/St_Johns"][number % 5],
        language: ["C", "tr_TR.UTF-8", "ar_EG.UTF-8", "de_DE.ISO-8859-1", "ja_JP.UTF-8", "th_TH.UTF-8"][number % 6],
        is_elsewhere: number % 2 == 1,
    };
    check_reproducible("ring-buffer", "whole-state", (0..20).map(at));
}

/// What is around a run.
struct Surroundings {
    threads: &'static str,
    /// Whether workers are killed meanwhile.
    kills: bool,
    time_zone: &'static str,
    language: &'static str,
    /// Whether it begins in another directory than the project's, with another home.
    is_elsewhere: bool,
}

fn at_home((threads, kills): (&'static str, bool)) -> Surroundings {
    Surroundings { threads, kills, time_zone: "UTC", language: "C", is_elsewhere: false }
}

/// Runs on the fixture leave the same bytes.
fn check_reproducible(fixture: &str, state: &str, runs: impl IntoIterator<Item = Surroundings>) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(fixture);
    let run = |around: Surroundings| {
        let scratch = tempfile::tempdir().unwrap();
        let project = scratch.path().join("project");
        copy(&source, &project);
        let mut command = generate(&project, 7, 8_000);
        command
            .args(["--state-abstraction", state, "--threads", around.threads])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.env("TZ", around.time_zone).env("LANG", around.language).env("LC_ALL", around.language);
        if around.is_elsewhere {
            let home = scratch.path().join("another home");
            fs::create_dir(&home).unwrap();
            // Maven's repository is not to be filled anew.
            let own = PathBuf::from(std::env::var_os("HOME").expect("whoever runs the tests has a home"));
            std::os::unix::fs::symlink(own.join(".m2"), home.join(".m2")).unwrap();
            command.current_dir(&home).env("HOME", &home);
        }
        let child = command.spawn().unwrap();
        let id = child.id();
        let killer = around.kills.then(|| std::thread::spawn(move || kill_workers(id)));
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        assert!(killer.is_none_or(|killer| killer.join().unwrap() > 0), "no worker was killed");
        snapshot(&project)
    };
    let outputs: Vec<_> = runs.into_iter().map(run).collect();
    let names: Vec<&String> = outputs[0].keys().collect();
    assert!(names.iter().any(|name| name.ends_with(".java")), "nothing was generated: {names:?}");
    assert!(names.iter().any(|name| name.ends_with("report.json")), "nothing was reported: {names:?}");
    for other in &outputs[1..] {
        assert_eq!(other.keys().collect::<Vec<_>>(), names);
        for (name, text) in other {
            let differing = text.lines().zip(outputs[0][name].lines()).find(|(one, two)| one != two);
            assert_eq!(differing, None, "{name}");
            assert_eq!(text.len(), outputs[0][name].len(), "{name}");
        }
    }
}

/// Kills a worker of the process now and then, until it ends; how many there were. Those that start are let be: on a busy
/// machine they would be killed before they are ready, and again, until the run gives up. And pauses grow, as a worker that
/// ends twice over one sequence makes the sequence look guilty.
fn kill_workers(parent: u32) -> usize {
    let mut killed = 0;
    let (mut pause, mut next) = (Duration::from_millis(400), Instant::now());
    while let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) {
        let children = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        let children: String = threads.filter_map(|thread| thread.ok().map(children)).collect();
        let is_worker = |child: &&str| {
            fs::read(format!("/proc/{child}/cmdline")).is_ok_and(|line| line.starts_with(b"randgen\0worker\0"))
        };
        let has_run = |child: &&str| processor_ticks(child) > 15;
        let workers: Vec<&str> = children.split_whitespace().filter(is_worker).filter(has_run).collect();
        if let Some(worker) = workers.get(killed % workers.len().max(1))
            && Instant::now() >= next
        {
            killed += usize::from(Command::new("kill").args(["-9", worker]).status().unwrap().success());
            next = Instant::now() + pause;
            pause *= 2;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    killed
}

/// Hundredths of a second that the process had of the processors.
fn processor_ticks(process: &str) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ');
    // User and system time (proc(5)).
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

/// What a run leaves that must be reproducible, by path.
fn snapshot(project: &Path) -> BTreeMap<String, String> {
    let mut files = files_below(&project.join("src/test/generated"), "java");
    for extension in ["json", "md", "xml"] {
        // What lies deeper is the build tool's answers, which are full of paths.
        let reports = files_below(&project.join("target/randgen"), extension).into_iter();
        files.extend(reports.filter(|path| path.parent().is_some_and(|parent| parent.ends_with("randgen"))));
    }
    // How long it took, and a hash of what it was made from, the number of threads included.
    files.retain(|path| !path.ends_with("timing.json") && !path.ends_with("run.json"));
    let name = |path: &Path| path.strip_prefix(project).unwrap().display().to_string();
    files.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// What is wrong, in full sentences; a fixture's test fails with all of it at once.
#[derive(Default)]
struct Complaints(Vec<String>);

impl Complaints {
    fn unless(&mut self, holds: bool, complaint: impl FnOnce() -> String) {
        if !holds {
            self.0.push(complaint());
        }
    }
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

#[test]
#[ignore = "needs the built Maven plugin: make test-gate"]
fn gate_names_what_was_planted_with_maven() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("maven-plugin/target/it-repository");
    assert!(repository.is_dir(), "{} is missing: `make test-plugin` makes it", repository.display());
    check_gate(&|project, settings| {
        let mut command = Command::new("mvn");
        command.args(["-B", "--no-transfer-progress", "randgen:check"]).current_dir(project);
        command.arg(format!("-Dmaven.repo.local={}", repository.display()));
        command.args(settings.iter().map(|(name, value)| format!("-Drandgen.{name}={value}")));
        run(&mut command)
    });
}

#[test]
#[ignore = "needs Gradle and its plugin: make test-gate"]
fn gate_names_what_was_planted_with_gradle() {
    check_gate(&|project, settings| run(&mut gradle(project, settings, &["randgenCheck"])));
}

/// Makes a baseline of a fixture's failure, plants another, and takes it back; `check` is the build's gate with settings.
fn check_gate(check: &dyn Fn(&Path, &[Setting]) -> Output) {
    let (expected, _scratch, project) = open("ring-buffer");
    let source = project.join("src/main/java/buffer/RingBuffer.java");
    let original = fs::read_to_string(&source).unwrap();
    let limits = settings(expected.run.seed, 8_000);
    let passes = |more: &[Setting], answer: &str| {
        let said = check(&project, &[&limits, more].concat());
        assert!(text(&said).contains(answer), "{answer:?} is not in {}", text(&said));
        said.status.success()
    };
    assert!(!passes(&[], "the gate fails: 1 new failure, 0 known, 0 gone"));
    assert!(passes(&[("updateBaseline", "true".to_string())], "the gate passes: 0 new failures, 1 known, 0 gone"));
    assert!(passes(&[], "the gate passes: 0 new failures, 1 known, 0 gone"));

    let planted = original.replace("sumOfRoots -= root(element)", "sumOfRoots -= root(-1 - element)");
    assert_ne!(planted, original);
    fs::write(&source, planted).unwrap();
    let said = check(&project, &limits);
    let shown = text(&said);
    assert!(!said.status.success() && shown.contains("randgen's gate fails"), "{shown}");
    assert!(shown.contains("the gate fails: 1 new failure, 1 known, 0 gone"), "{shown}");
    assert!(
        shown.contains("in buffer.RingBuffer.dequeue") && !shown.contains("in buffer.RingBuffer.enqueue"),
        "{shown}"
    );

    fs::write(&source, original).unwrap();
    assert!(passes(&[], "the gate passes: 0 new failures, 1 known, 0 gone"));
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

/// Where a build tool's files are, in the directory of a module.
struct Layout {
    reports: &'static str,
    results: &'static str,
}

const MAVEN: Layout = Layout { reports: "target/randgen", results: "target/surefire-reports" };
const GRADLE: Layout = Layout { reports: "build/randgen", results: "build/test-results/test" };

/// Compares what a run and the build after it left with the fixture's answers.
fn check_run(
    fixture: &str,
    expected: &Expected,
    project: &Path,
    layout: &Layout,
    generate: &Output,
    mut complaints: Complaints,
) {
    complaints.unless(generate.status.code() == Some(expected.run.exit_code), || {
        format!("generate ended with {}, not {}", generate.status, expected.run.exit_code)
    });
    for module in &expected.module {
        check_module(module, &project.join(&module.path), layout, &mut complaints);
    }
    assert!(
        complaints.0.is_empty(),
        "{fixture}:\n- {}\n\nrandgen said:\n{}",
        complaints.0.join("\n- "),
        text(generate)
    );
}

fn check_module(expected: &Module, directory: &Path, layout: &Layout, complaints: &mut Complaints) {
    let path = directory.join(layout.reports).join("report.json");
    let report: Value = match fs::read_to_string(&path).map(|text| serde_json::from_str(&text)) {
        Ok(Ok(report)) => report,
        other => return complaints.0.push(format!("{} is no report: {other:?}", path.display())),
    };
    let totals = &report["totals"];
    let tests = totals["tests"].as_u64().unwrap_or_default();
    complaints.unless(tests >= expected.min_tests, || format!("{tests} tests, fewer than {}", expected.min_tests));
    if let Some(max) = expected.max_tests {
        complaints.unless(tests <= max, || format!("{tests} tests, more than {max}"));
    }
    let dropped = totals["dropped"].as_u64().unwrap_or(u64::MAX);
    complaints.unless(dropped <= expected.max_dropped, || {
        let all: Vec<&Value> = list(&report["classes"]).flat_map(|class| list(&class["dropped"])).collect();
        format!("{dropped} tests left out: {all:?}")
    });
    let percent = percent(totals["edges_covered"].as_u64(), totals["edges_total"].as_u64());
    complaints.unless(percent >= expected.min_edges_percent, || format!("{percent} % of the edges covered"));

    let generated = directory.join("src/test/generated");
    for class in &expected.class {
        match list(&report["classes"]).find(|found| found["name"] == *class.name) {
            Some(found) => check_class(class, found, expected.any_findings, &generated, complaints),
            None => complaints.0.push(format!("{} is not in the report", class.name)),
        }
    }
    if !expected.any_findings {
        for class in list(&report["classes"]) {
            let listed = expected.class.iter().any(|known| class["name"] == *known.name);
            let count = list(&class["findings"]).count();
            complaints.unless(listed || count == 0, || format!("{} has unexpected findings", class["name"]));
        }
    }
    check_junit_version(expected, &generated, complaints);
    check_build(&report, &directory.join(layout.results), complaints);
}

fn check_class(expected: &Class, found: &Value, any_findings: bool, generated: &Path, complaints: &mut Complaints) {
    let name = &expected.name;
    let tests: Vec<&Value> = list(&found["tests"]).collect();
    complaints.unless(tests.len() >= expected.min_tests, || {
        format!(
            "{name} has {} tests, fewer than {}; untested: {}",
            tests.len(),
            expected.min_tests,
            found["not_tested"]
        )
    });
    let percent = percent(found["edges"]["covered"].as_u64(), found["edges"]["total"].as_u64());
    let mut reasons = list(&found["not_tested"]).filter_map(|entry| entry["reason"].as_str()).peekable();
    let is_given_up = tests.is_empty()
        && reasons.peek().is_some()
        && reasons.all(|reason| expected.given_up.iter().any(|known| known == reason));
    complaints.unless(percent >= expected.min_edges_percent || is_given_up, || {
        format!("{name}: {percent} % of the edges covered")
    });
    match found["unusable"]["reason"].as_str() {
        Some(reason) => {
            complaints.unless(expected.unusable.iter().any(|known| known == reason), || {
                format!("{name} is unusable: {}", found["unusable"])
            });
            complaints.unless(tests.is_empty(), || format!("{name} is unusable and has tests"));
        }
        None => complaints
            .unless(expected.unusable.is_empty(), || format!("{name} is usable, expected {:?}", expected.unusable)),
    }

    let mut unmatched: Vec<&Value> = list(&found["findings"]).collect();
    for finding in &expected.finding {
        let at = unmatched.iter().position(|candidate| finding_matches(finding, candidate));
        match at {
            Some(at) => drop(unmatched.remove(at)),
            None => complaints.0.push(format!("{name} lacks the finding {}", finding.contract)),
        }
    }
    for finding in unmatched.iter().filter(|_| !any_findings) {
        complaints.0.push(format!("{name} has another finding: {finding}"));
    }

    for untested in &expected.untested {
        let entry = list(&found["not_tested"]).find(|entry| entry["operation"] == *untested.operation);
        let reason = entry.and_then(|entry| entry["reason"].as_str());
        complaints.unless(reason.is_some_and(|reason| untested.reasons.iter().any(|known| known == reason)), || {
            format!("{}: reported {reason:?}, expected {:?}", untested.operation, untested.reasons)
        });
    }

    let files: BTreeSet<&str> = tests.iter().filter_map(|test| test["file"].as_str()).collect();
    for file in files {
        let Ok(text) = fs::read_to_string(generated.join(file)) else {
            complaints.0.push(format!("{file} is in the report and not on disk"));
            continue;
        };
        for absent in &expected.absent {
            complaints.unless(!text.contains(absent.as_str()), || format!("{file} contains {absent:?}"));
        }
    }
}

fn finding_matches(expected: &Finding, found: &Value) -> bool {
    let source = found["source"].as_str().unwrap_or_default();
    found["contract"] == *expected.contract
        && expected.source.iter().all(|part| source.contains(part.as_str()))
        && source.matches(';').count() <= expected.max_statements
}

fn check_junit_version(expected: &Module, generated: &Path, complaints: &mut Complaints) {
    // Imported, or where a class under test is called Test, written out.
    let annotation = match expected.junit {
        4 => "org.junit.Test",
        _ => "org.junit.jupiter.api.Test",
    };
    let sources = files_below(generated, "java");
    complaints.unless(!sources.is_empty(), || format!("no source in {}", generated.display()));
    for source in sources {
        let text = fs::read_to_string(&source).unwrap();
        complaints.unless(text.contains(annotation), || format!("{} lacks {annotation}", source.display()));
    }
}

/// The build ran every emitted test, and all passed; the tests of findings are in the reports alone.
fn check_build(report: &Value, results: &Path, complaints: &mut Complaints) {
    let mut ran = 0;
    let mut failed = BTreeSet::new();
    for file in files_below(results, "xml") {
        let mut cases = test_cases(&fs::read_to_string(&file).unwrap());
        // A fixture may have tests of its own.
        cases.retain(|(name, _)| name.contains("RandgenTest."));
        for (name, failure) in cases {
            ran += 1;
            if failure {
                failed.insert(name);
            }
        }
    }
    complaints.unless(failed.is_empty(), || format!("failing in the build: {failed:?}"));
    let emitted: usize = list(&report["classes"]).map(|class| list(&class["tests"]).count()).sum();
    complaints.unless(ran == emitted, || format!("the build ran {ran} tests, the report has {emitted}"));
}

/// Class and name of each test case in a report of JUnit's, without JUnit 5's `()`, and whether it failed.
fn test_cases(xml: &str) -> Vec<(String, bool)> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut cases: Vec<(String, bool)> = Vec::new();
    loop {
        match reader.read_event().expect("build tools write XML") {
            Event::Start(tag) | Event::Empty(tag) if tag.name().as_ref() == "testcase" => {
                let value = |name| tag.try_get_attribute(name).unwrap().expect("a test case has both").value;
                cases.push((format!("{}.{}", value("classname"), value("name").trim_end_matches("()")), false));
            }
            Event::Start(tag) | Event::Empty(tag) if matches!(tag.name().as_ref(), "failure" | "error") => {
                cases.last_mut().expect("failures are inside test cases").1 = true;
            }
            Event::Eof => return cases,
            _ => {}
        }
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn percent(covered: Option<u64>, total: Option<u64>) -> u64 {
    (covered.unwrap_or_default() * 100).checked_div(total.unwrap_or_default()).unwrap_or(100)
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
