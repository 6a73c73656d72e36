//! The gate: what it lets pass, what it refuses, and what it leaves behind.

use super::suites::Suite;
use super::{Scene, ring_buffer, said, text};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::{Duration, Instant};

const BASELINE: &str = "randgen-baseline.toml";

/// A queue with one fault.
fn scene() -> Scene {
    Scene::with_ring_buffer()
}

fn check(scene: &Scene, more: &[&str]) -> Command {
    let arguments = ["check", "--classes", "classes", "--sequence-limit", "2000", "--progress", "none"];
    let mut command = scene.randgen(&[&arguments, more].concat());
    // They take most of a run, and matter where tests are compared or counted by them.
    if !more.iter().any(|flag| ["--mutation-threshold", "--against", "--since"].contains(flag)) {
        command.args(["--disable", "mutants"]);
    }
    command.env_remove("GITHUB_STEP_SUMMARY").env("SOURCE_DATE_EPOCH", "1795305600");
    command
}

fn expect(scene: &Scene, more: &[&str], exit_code: i32, parts: &[&str]) -> String {
    said(check(scene, more), more, exit_code, parts)
}

#[test]
fn finding_is_new_until_in_the_baseline_and_gone_when_fixed() {
    let scene = scene();
    expect(&scene, &[], 1, &["1 new finding, 0 known, 0 gone", "RingBuffer(10).enqueue(-1.0)"]);
    assert!(!scene.path(BASELINE).exists() && !scene.path("src").exists(), "only reports are written");

    expect(&scene, &["--update-baseline"], 0, &["0 new findings, 1 known"]);
    let baseline = fs::read_to_string(scene.path(BASELINE)).unwrap();
    assert!(baseline.contains("first-seen = 2026-11-22"), "{baseline}");
    // Another seed finds the same failure, and a day later the date is the old one.
    expect(&scene, &["--seed", "5"], 0, &["0 new findings, 1 known"]);
    let mut later = check(&scene, &["--update-baseline", "--seed", "6"]);
    assert_eq!(later.env("SOURCE_DATE_EPOCH", "1800000000").status().unwrap().code(), Some(0));
    assert_eq!(fs::read_to_string(scene.path(BASELINE)).unwrap(), baseline);

    // A line more, and another fault.
    let source = ring_buffer();
    let moved = source.replacen("    public void enqueue", "\n\n    public void enqueue", 1);
    let compile = |text: &str| scene.compile_ring_buffer(text);
    compile(&moved.replace("sumOfRoots -= root(element)", "sumOfRoots -= root(-1 - element)"));
    let said = expect(
        &scene,
        &[],
        1,
        &["1 new finding, 1 known, 0 gone", "NullPointerException in buffer.RingBuffer.dequeue"],
    );
    assert!(!said.contains("in buffer.RingBuffer.enqueue"), "{said}");
    compile(&moved);
    expect(&scene, &[], 0, &["0 new findings, 1 known, 0 gone"]);

    compile(&moved.replace("element < 0 ? null : ", ""));
    expect(&scene, &[], 0, &["0 new findings, 0 known, 1 gone", "first seen 2026-11-22"]);
    expect(&scene, &["--strict"], 1, &["fails on them, as strict is set"]);
    expect(&scene, &["--update-baseline"], 0, &["0 known, 0 gone"]);
    assert!(!fs::read_to_string(scene.path(BASELINE)).unwrap().contains("[[finding]]"));
}

#[test]
fn check_reuses_the_last_run_if_nothing_changed() {
    let scene = scene();
    let ran = |more: &[&str]| {
        let timing = scene.path("target/randgen/timing.json");
        let _ = fs::remove_file(&timing);
        check(&scene, more).output().unwrap();
        timing.exists()
    };
    let generate = ["generate", "--classes", "classes", "--sequence-limit", "2000"];
    let generate = [&generate[..], &["--disable", "mutants"]].concat();
    assert!(scene.randgen(&generate).output().unwrap().status.success());
    assert!(!ran(&[]), "the run of generate holds");
    assert!(!ran(&["--strict", "--update-baseline"]), "how it is judged changes nothing");
    assert!(ran(&["--seed", "2"]) && !ran(&["--seed", "2"]));
    scene.write("classes/buffer.properties", "size = 3\n");
    assert!(ran(&["--seed", "2"]), "code under test may read it");
    let report = scene.path("target/randgen/report.json");
    let text = fs::read_to_string(&report).unwrap();
    fs::write(&report, text.replace("no-null-pointer", "no-assertion-error")).unwrap();
    assert!(ran(&["--seed", "2"]), "a report that was changed is none");
}

#[test]
fn unmet_threshold_fails_the_gate() {
    let scene = scene();
    expect(&scene, &["--update-baseline", "--coverage-threshold", "50"], 0, &["coverage-threshold 50 % is met"]);
    expect(&scene, &["--coverage-threshold", "100"], 1, &["0 new findings", "coverage-threshold not met"]);
    expect(&scene, &["--mutation-threshold", "20"], 0, &["mutation-threshold 20 % is met", "mutants killed"]);
    expect(&scene, &["--mutation-threshold", "1", "--disable", "mutants"], 1, &["mutation-threshold not met"]);
    scene.write("randgen.toml", "coverage-threshold = 100\n");
    expect(&scene, &[], 1, &["coverage-threshold 100 % is not met"]);
    scene.check_refused(check(&scene, &["--coverage-threshold", "101"]), 2, "expected a whole number from 0 to 100");
    let document = fs::read_to_string(scene.path("target/randgen/check/check.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    assert_eq!((&document["passed"], &document["thresholds"][0]["limit"]), (&false.into(), &100.into()));
}

#[test]
fn redundancy_threshold_applies_to_compiled_tests() {
    let Suite { scene, class_path } = Suite::of_int_stack();
    let limited = |limit| ["--test-classes", "tests", "--classpath", &class_path, "--max-redundancy", limit];
    expect(&scene, &limited("67"), 0, &["max-redundancy 67 % is met: 66.6 %, 2 of 3 compiled tests redundant"]);
    expect(&scene, &limited("66"), 1, &["max-redundancy not met"]);
    let none = check(&scene, &["--max-redundancy", "10"]).output().unwrap();
    assert_eq!(none.status.code(), Some(4), "{}", text(&none));
}

#[test]
fn baselines_that_cannot_be_read_are_refused_before_anything_runs() {
    let scene = scene();
    expect(&scene, &["--update-baseline"], 0, &[]);
    let whole = fs::read_to_string(scene.path(BASELINE)).unwrap();
    for (bytes, message) in [
        (&whole.as_bytes()[..whole.len() / 2], "cannot use the baseline"),
        (whole.strip_suffix("[end]\n").unwrap().as_bytes(), "its last line is not [end]"),
        (b"", "it has no version"),
        (b"version = 2\n[end]\n", "it has format 2, but this randgen reads 1"),
        (b"version = 0\n[end]\n", "it has format 0, but this randgen reads 1"),
        (whole.replace("-1.0", "-2.0").as_bytes(), "was modified"),
        (b"\xff\xfe", "cannot read the baseline"),
    ] {
        fs::write(scene.path(BASELINE), bytes).unwrap();
        scene.check_refused(check(&scene, &[]), 5, message);
        scene.check_refused(check(&scene, &["--update-baseline"]), 5, message);
    }
    fs::remove_file(scene.path(BASELINE)).unwrap();
    fs::create_dir(scene.path(BASELINE)).unwrap();
    scene.check_refused(check(&scene, &[]), 5, "cannot read the baseline");
}

#[test]
fn github_step_summary_is_written() {
    let scene = scene();
    scene.write("summary.md", "before\n");
    let output = check(&scene, &[]).env("GITHUB_STEP_SUMMARY", scene.path("summary.md")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let summary = fs::read_to_string(scene.path("summary.md")).unwrap();
    assert!(summary.starts_with("before\n# classes: the gate fails: 1 new finding"), "{summary}");
}

#[test]
fn behavioural_change_is_shown_with_a_test() {
    let scene = scene();
    let source = ring_buffer();
    let changed = source.replace("return size == elements.length", "return size >= elements.length - 1");
    assert_ne!(changed, source);
    scene.write("src/RingBuffer.java", &changed);
    let compiled =
        Command::new("javac").arg("-d").arg(scene.path("new")).arg(scene.path("src/RingBuffer.java")).status();
    assert!(compiled.unwrap().success());
    let against = |classes: &str, old: &str| {
        let mut command = scene.randgen(&["check", "--sequence-limit", "2000", "--progress", "none"]);
        command.args(["--classes", classes, "--against", old]).output().unwrap()
    };
    let same = against("classes", "classes");
    assert_eq!(same.status.code(), Some(0), "{}", text(&same));
    assert!(text(&same).contains("0 behaviour changes since classes, by "), "{}", text(&same));
    let other = against("new", "classes");
    let shown = text(&other);
    assert_eq!(other.status.code(), Some(1), "{shown}");
    assert!(
        shown.contains("buffer.RingBuffer: isFull(): was false, is true (through buffer.RingBuffer.isFull)"),
        "{shown}"
    );
    assert!(shown.contains("new RingBuffer(1)"), "{shown}");
    assert!(!scene.path("src/test").exists() && !scene.path("target/randgen/report.json").exists());
    scene.check_refused(scene.randgen(&["check", "--classes", "new", "--against", "no.jar"]), 3, "no.jar");
}

#[test]
fn git_revision_is_built_outside_the_project() {
    let scene = Scene::with_project("ring-buffer");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(scene.path("")).args(["-c", "user.name=a", "-c", "user.email=a@b.example"]).args(arguments);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        text(&output)
    };
    git(&["init", "-q"]);
    git(&["add", "pom.xml", "src"]);
    git(&["commit", "-q", "-m", "first"]);
    let path = scene.path("src/main/java/buffer/RingBuffer.java");
    let source = fs::read_to_string(&path).unwrap();
    fs::write(&path, source.replace("return size == 0", "return size < 2")).unwrap();
    let limits = ["--sequence-limit", "2000", "--progress", "none"];
    // Nothing runs that the repository, or another user in the directory of temporary files, would have run.
    let hook = format!("#!/bin/sh\necho $0 >> {}\n", scene.path("ran").display());
    for name in [".git/hooks/post-checkout", ".git/monitor", "tmp/gradlew"] {
        scene.write(name, &hook);
        fs::set_permissions(scene.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    git(&["config", "core.fsmonitor", &scene.path(".git/monitor").display().to_string()]);
    scene.write("tmp/.mvn/jvm.config", "-XX:NoSuchOption");
    fs::set_permissions(scene.path("tmp"), fs::Permissions::from_mode(0o1777)).unwrap();
    let mut check = scene.randgen(&[&["check", "--since", "HEAD"][..], &limits].concat());
    let output = check.env("TMPDIR", scene.path("tmp")).output().unwrap();
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(shown.contains("since HEAD, by ") && shown.contains("isEmpty(): was false, is true"), "{shown}");
    assert_eq!(fs::read_to_string(scene.path("ran")).unwrap_or_default(), "");
    git(&["config", "--unset", "core.fsmonitor"]);
    assert_eq!(git(&["worktree", "list"]).lines().count(), 1, "the work tree is gone");
    scene.check_refused(scene.randgen(&["check", "--since", "no-such"]), 3, "there is no such revision");
}

/// A class of which both versions are compiled, the newer to `new`.
fn versions(older: &str, newer: &str) -> Scene {
    let scene = Scene::with_class("fares/Fare", older);
    scene.write("new/Fare.java", newer);
    let compiled = Command::new("javac").arg("-d").arg(scene.path("new")).arg(scene.path("new/Fare.java")).status();
    assert!(compiled.unwrap().success());
    scene
}

const FARE: &str = "package fares; public final class Fare {
    private Fare() {}
    public static int cents(int age) { if (age > 65) { return 70; } return age < 6 ? 0 : 120; } }";

/// Compares the versions; the exit code and what was said.
fn compare(scene: &Scene, more: &[&str]) -> (Option<i32>, String) {
    let arguments = ["check", "--classes", "new", "--against", "classes", "--progress", "none"];
    let output = scene.randgen(&[&arguments[..], more].concat()).output().unwrap();
    (output.status.code(), text(&output))
}

#[test]
fn moved_boundary_is_told_although_the_committed_suite_passes() {
    let scene = versions(FARE, &FARE.replace("age > 65", "age >= 65"));
    let generate = ["generate", "--classes", "classes", "--sequence-limit", "2000"];
    assert!(scene.randgen(&generate).output().unwrap().status.success());
    let (code, said) = compare(&scene, &["--sequence-limit", "20000"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("fares.Fare: cents(65): was 120, is 70 (through fares.Fare.cents)"), "{said}");
    assert!(said.contains("assertEquals(120, Fare.cents(65));"), "{said}");
    assert_eq!(compare(&scene, &["--sequence-limit", "20000"]), (code, said), "it is the same each time");
}

/// Jobs that only their queue makes, and that are returned within an optional alone.
const QUEUE: &str = "package fares; import java.util.*; public final class Fare {
    public static final class Job {
        private final String name; private String error; private boolean runs;
        private Job(String name) { this.name = name; }
        public String name() { return name; }
        public boolean failed() { return error != null; }
    }
    private final Deque<Job> jobs = new ArrayDeque<>();
    public void submit(String name) { jobs.add(new Job(Objects.requireNonNull(name))); }
    public Optional<Job> start() {
        Job next = jobs.poll();
        if (next != null) { next.runs = true; next.error = null; }
        return Optional.ofNullable(next);
    }
    public void fail(Job job) {
        if (!job.runs) throw new IllegalStateException();
        job.runs = false; job.error = \"failed\"; jobs.add(job);
    } }";

#[test]
fn what_optionals_hold_is_asked_and_given() {
    let newer = QUEUE.replace("jobs.poll()", "jobs.pollLast()");
    let (code, said) = compare(&versions(QUEUE, &newer), &["--sequence-limit", "6000"]);
    assert!(code == Some(1) && said.contains("fares.Fare$Job: name(): was "), "{said}");
    let newer = QUEUE.replace(" next.error = null;", "");
    let (code, said) = compare(&versions(QUEUE, &newer), &["--sequence-limit", "20000"]);
    assert!(code == Some(1) && said.contains("fares.Fare$Job: failed(): was false, is true"), "{said}");
}

#[test]
fn comparison_ends_within_its_time_limit() {
    let scene = versions(FARE, &FARE.replace("age > 65", "65 < age"));
    let started = Instant::now();
    let (code, said) = compare(&scene, &["--total-time-limit", "20"]);
    // JVMs take their time to start and to end on a busy machine.
    assert!(started.elapsed() < Duration::from_secs(20 + 15), "{:?}", started.elapsed());
    let is_finished = !said.contains("not finished");
    assert_eq!(code, Some(if is_finished { 0 } else { 70 }), "{said}");
    assert_eq!(said.contains("0 behaviour changes since classes"), is_finished, "{said}");
}

#[test]
fn comparison_that_is_cut_short_is_not_finished() {
    let scene = versions(FARE, &FARE.replace("age > 65", "65 < age"));
    let (code, said) = compare(&scene, &["--total-time-limit", "1"]);
    assert_eq!(code, Some(70), "{said}");
    assert!(said.contains("not finished, no behaviour change known since classes"), "{said}");
}

#[test]
fn same_code_is_no_reason_to_search() {
    let scene = versions(FARE, &FARE.replace("public static", "\n\n public static"));
    let started = Instant::now();
    let (code, said) = compare(&scene, &["--total-time-limit", "60"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("0 behaviour changes since classes, by 0 call sequences"), "{said}");
    assert!(started.elapsed() < Duration::from_secs(30), "only lines moved");
}

#[test]
fn missing_method_and_run_without_end_are_changes() {
    let newer = "package fares; public final class Fare { private Fare() {} }";
    let (code, said) = compare(&versions(FARE, newer), &["--sequence-limit", "2000"]);
    assert!(code == Some(1) && said.contains(", is missing (java.lang.NoSuchMethodError"), "{said}");
    let newer = FARE.replace("return 70;", "while (age > 65) {}");
    let (code, said) = compare(&versions(FARE, &newer), &["--sequence-limit", "2000"]);
    assert!(code == Some(1) && said.contains(": was 70, is without an end"), "{said}");
}

#[test]
fn checkstyle_document_is_all_that_stdout_has() {
    let scene = scene();
    let output = check(&scene, &["--format=checkstyle"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let (document, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(document.starts_with("<?xml ") && document.ends_with("</checkstyle>\n"), "{document}");
    assert!(document.contains("buffer/RingBuffer.java") && document.contains("severity=\"error\""), "{document}");
    assert!(document.contains("source=\"randgen.no-null-pointer\""), "{document}");
    assert!(said.contains("the gate fails: 1 new finding") && said.contains("(RingBuffer.java:"), "{said}");

    expect(&scene, &["--update-baseline"], 0, &["1 known"]);
    let output = check(&scene, &["--format=checkstyle"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("severity=\"info\""), "{}", text(&output));
    let refused = check(&scene, &["--format=checkstyle", "--against", "classes"]);
    scene.check_refused(refused, 2, "cannot be used with");
}
