//! Runs compiled tests, several times over: fresh JVMs, shuffled orders, other locales and time zones.

use super::{
    CutShort, DropReason, Failure, Rejection, Running, TestFile, TestSpan, VerificationError, VerificationRequest,
    Waited, confined, create, joined, patched, write,
};
use crate::files;
use crate::scratch;
use model::jvm::string_hash;
use model::seed::Seed;
use rand::seq::SliceRandom;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// JVMs that run at the same time.
const PARALLEL: usize = 2;

/// Longer than a test may take: then the JVM itself hangs.
const STALLED: Duration = Duration::from_secs(10);
/// How much longer a test may take where mocks are made.
const MOCKING: Duration = Duration::from_secs(20);

/// What is told of a failure, or of a JVM that does not start: what tests wrote could be as long as a file may be.
const MOST_TOLD: usize = 1000;

/// How often it is seen whether tests fill their directory.
const LOOK_AT_DISK: Duration = Duration::from_millis(200);

/// All objects have the same identity hash.
const SAME_HASHES: &str = "-XX:hashCode=2";

/// Defaults of a run that differ between the machines of a team; the first run has those of this machine.
///
/// Identity hashes differ most of all: all the same in the second run, in no order in the third.
const DEFAULTS: [&[&str]; 3] = [
    &[],
    &[
        "-Duser.timezone=Asia/Kolkata",
        "-Duser.language=tr",
        "-Duser.country=TR",
        "-Dfile.encoding=UTF-8",
        "-Duser.name=someone",
        "-XX:ActiveProcessorCount=1",
        "-XX:+UnlockExperimentalVMOptions",
        SAME_HASHES,
    ],
    &[
        "-Duser.timezone=America/St_Johns",
        "-Duser.language=th",
        "-Duser.country=TH",
        "-Dfile.encoding=ISO-8859-1",
        "-Duser.home=/",
        "-XX:ActiveProcessorCount=3",
        "-XX:+UnlockExperimentalVMOptions",
        "-XX:hashCode=0",
    ],
];

/// The run in which the class path is not the system's: JUnit's console with `--class-path`, servers and build tools load what
/// they test by a loader of their own, and what `ClassLoader.getSystemResource` finds elsewhere is not found. Its classes have the
/// members that a coverage agent adds.
const LOADED_APART: usize = 2;

/// The run in which tests of a module are in the module; in the others they are on the class path.
const IN_MODULE: usize = 1;

/// What became of a test in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TestOutcome {
    Passed,
    /// In the line of its file, if that is known.
    Failed(Option<usize>, String),
    TimedOut,
    KilledTheJvm(String),
}

/// A test by the names that the runner takes.
struct Test<'a> {
    span: &'a TestSpan,
    class: &'a str,
    /// Its class makes mocks.
    mocks: bool,
}

/// What the runs of a round came to.
#[derive(Default)]
pub(super) struct Ran {
    /// Tests that had all their runs…
    pub complete: BTreeSet<usize>,
    /// …and those of them that do not stand.
    pub rejections: BTreeMap<usize, Rejection>,
    /// Why the others had not.
    pub cut_short: Option<CutShort>,
}

/// Runs all tests `request.runs` times.
pub(super) fn run_all(
    request: &VerificationRequest,
    round: usize,
    classes: &Path,
    files: &[TestFile],
) -> Result<Ran, VerificationError> {
    let of_file = |file: &TestFile| file.text.contains("import static org.mockito.");
    let files = files.iter().map(|file| (file, of_file(file)));
    let tests: Vec<Test> = files
        .flat_map(|(file, mocks)| file.tests.iter().map(move |span| Test { span, class: &file.class_name, mocks }))
        .collect();
    if tests.is_empty() {
        return Ok(Ran::default());
    }
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..PARALLEL.min(request.runs) {
            scope.spawn(|| {
                loop {
                    let run = next.fetch_add(1, Ordering::Relaxed);
                    if run >= request.runs {
                        break;
                    }
                    let result = run_once(request, round, run, classes, &tests);
                    results.lock().expect("no thread panics with the lock").insert(run, result);
                }
            });
        }
    });
    let results = results.into_inner().expect("no thread panics with the lock");
    let runs = results.into_values().collect::<Result<Vec<Outcomes>, VerificationError>>()?;
    let mut ran = Ran { cut_short: runs.iter().find_map(|run| run.cut_short), ..Ran::default() };
    for (index, test) in tests.iter().enumerate() {
        let Some(outcomes) = runs.iter().map(|run| run.of_tests[index].as_ref()).collect::<Option<Vec<_>>>() else {
            continue;
        };
        ran.complete.insert(test.span.id);
        if let Some(reason) = judge(&outcomes, test.span.fails.as_ref(), request.module.is_some()) {
            let checks = failed_checks(&outcomes, test.span);
            ran.rejections.insert(test.span.id, checks.map_or(Rejection::Test(reason), Rejection::Checks));
        }
    }
    Ok(ran)
}

/// The assertions that failed, if nothing else did and the test can do without them.
fn failed_checks(outcomes: &[&TestOutcome], span: &TestSpan) -> Option<BTreeSet<usize>> {
    if span.fails.is_some() {
        return None;
    }
    let mut checks = BTreeSet::new();
    for outcome in outcomes {
        match outcome {
            TestOutcome::Passed => {}
            TestOutcome::Failed(Some(line), _) => {
                checks.insert(span.checks.iter().find(|(lines, _)| lines.contains(line))?.1);
            }
            _ => return None,
        }
    }
    Some(checks)
}

/// Why a test with these outcomes is dropped.
fn judge(outcomes: &[&TestOutcome], fails: Option<&Failure>, in_module: bool) -> Option<DropReason> {
    for outcome in outcomes {
        match outcome {
            TestOutcome::TimedOut => return Some(DropReason::TimesOut),
            TestOutcome::KilledTheJvm(status) => return Some(DropReason::KillsTheJvm(status.clone())),
            TestOutcome::Passed | TestOutcome::Failed(..) => {}
        }
    }
    let failures: Vec<(usize, &String)> = outcomes
        .iter()
        .enumerate()
        .filter_map(|(run, outcome)| match outcome {
            TestOutcome::Failed(_, message) => Some((run, message)),
            _ => None,
        })
        .collect();
    // That equal objects differ in their hashes may not show where all objects have the same.
    let may_pass = |run: usize| fails.is_some() && DEFAULTS[run % DEFAULTS.len()].contains(&SAME_HASHES);
    let failed = |(run, outcome): (usize, &&TestOutcome)| may_pass(run) || matches!(outcome, TestOutcome::Failed(..));
    match (failures.first(), outcomes.iter().enumerate().all(failed), fails) {
        (None, _, None) => None,
        (None, _, Some(_)) => Some(DropReason::Passes),
        (Some((_, message)), true, None) => Some(DropReason::Fails((*message).clone())),
        (Some(_), true, Some(failure)) => {
            let other = failures.iter().find(|(_, message)| !is_so(message, failure));
            other.map(|(_, message)| DropReason::Fails((*message).clone()))
        }
        (Some((run, message)), false, _) => {
            let defaults = DEFAULTS[run % DEFAULTS.len()].join(" ");
            let loaded = match run % DEFAULTS.len() {
                LOADED_APART => ", a class loader that is not the system's, and the members that a coverage agent adds",
                IN_MODULE if in_module => ", in the module that the code is",
                _ => "",
            };
            let under = if defaults.is_empty() { String::new() } else { format!(", with {defaults}{loaded}") };
            let (run, of) = (run + 1, outcomes.len());
            Some(DropReason::Flaky(format!("fails in run {run} of {of}{under}: {message}")))
        }
    }
}

/// Whether the message, which the name of the exception's class begins, speaks of such a failure.
fn is_so(message: &str, failure: &Failure) -> bool {
    let class = message.split([':', ' ']).next().unwrap_or_default();
    match failure {
        Failure::Exception(expected) => class == expected,
        // Of JUnit 4, of JUnit 5, and of JUnit 4 for two texts and for a call that does not return.
        Failure::Assertion => [
            "java.lang.AssertionError",
            "org.opentest4j.AssertionFailedError",
            "org.junit.ComparisonFailure",
            "org.junit.runners.model.TestTimedOutException",
        ]
        .contains(&class),
    }
}

/// What one run found.
struct Outcomes {
    /// One per test; `None` if the run was cut short before.
    of_tests: Vec<Option<TestOutcome>>,
    cut_short: Option<CutShort>,
}

/// Runs all tests once. A test that hangs or ends the JVM is passed over by the next JVM.
fn run_once(
    request: &VerificationRequest,
    round: usize,
    run: usize,
    classes: &Path,
    tests: &[Test],
) -> Result<Outcomes, VerificationError> {
    let mut order = ordered(tests, run, request.seed);
    let mut of_tests: Vec<Option<TestOutcome>> = vec![None; tests.len()];
    for attempt in 0.. {
        let directory = request.scratch.join(format!("run-{round}-{run}-{attempt}"));
        let (ended, waited) = run_jvm(request, run, &directory, classes, tests, &order)?;
        tracing::debug!(round, run, attempt, tests = order.len(), ?waited, "JVM of tests ended");
        let began = ended.began;
        let log = if began.is_none() { start_of(&directory.join("java.log")) } else { String::new() };
        // Each JVM may fill its directory; all of them together would fill the disk.
        let _ = scratch::remove_tree(&directory);
        for (position, outcome) in ended.outcomes {
            of_tests[order[position]] = Some(outcome);
        }
        if ended.complete {
            break;
        }
        let status = match waited {
            Waited::CutShort(reason) => return Ok(Outcomes { of_tests, cut_short: Some(reason) }),
            Waited::Over => "it stopped answering or filled its directory".to_string(),
            Waited::Ended(status) => status.to_string(),
        };
        let Some(last) = began else {
            return Err(VerificationError::Jvm(if log.is_empty() { status } else { log }));
        };
        let outcome = &mut of_tests[order[last]];
        if outcome.is_none() {
            *outcome = Some(TestOutcome::KilledTheJvm(status));
        }
        order.drain(..=last);
        if order.is_empty() {
            break;
        }
    }
    let missing = || TestOutcome::Failed(None, "it did not run".to_string());
    let of_tests = of_tests.into_iter().map(|outcome| Some(outcome.unwrap_or_else(missing))).collect();
    Ok(Outcomes { of_tests, cut_short: None })
}

/// The first characters of a text that a JVM wrote.
fn start_of(log: &Path) -> String {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(log).and_then(|file| file.take(4 * MOST_TOLD as u64).read_to_end(&mut bytes));
    read.map_or(String::new(), |_| String::from_utf8_lossy(&bytes).trim().chars().take(MOST_TOLD).collect())
}

/// Indices of the tests in the order of a run: in the first that of JUnit, then classes and their methods shuffled, and
/// every other time the shuffled order backwards: so each test runs before and after each other one.
fn ordered(tests: &[Test], run: usize, seed: u64) -> Vec<usize> {
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for (index, test) in tests.iter().enumerate() {
        match classes.last_mut() {
            Some(class) if tests[class[0]].class == test.class => class.push(index),
            _ => classes.push(vec![index]),
        }
    }
    if run == 0 {
        for class in &mut classes {
            class.sort_by_key(|&index| junit_order(&tests[index].span.method));
        }
    } else {
        let mut rng = Seed::root(seed).child("verification").nth(run.div_ceil(2) as u64).rng();
        classes.shuffle(&mut rng);
        for class in &mut classes {
            class.shuffle(&mut rng);
        }
    }
    let mut order = classes.concat();
    if run > 0 && run.is_multiple_of(2) {
        order.reverse();
    }
    order
}

/// The key by which JUnit 4 and 5 order the methods of a class: `String.hashCode` of the name.
fn junit_order(method: &str) -> i32 {
    string_hash(&method.encode_utf16().collect::<Vec<u16>>())
}

/// What the runner wrote.
#[derive(Debug, Default, PartialEq, Eq)]
struct Ended {
    /// By position in the order.
    outcomes: Vec<(usize, TestOutcome)>,
    /// The last test that began.
    began: Option<usize>,
    complete: bool,
}

/// The option with which Mockito need not attach an agent to its own JVM, which the confined one does not let it do: the agent is
/// there when the JVM starts.
fn agent(request: &VerificationRequest) -> Option<String> {
    let is_agent = |jar: &&PathBuf| {
        let name = jar.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        name.starts_with("byte-buddy-agent") && name.ends_with(".jar")
    };
    request.class_path.iter().find(is_agent).map(|jar| format!("-javaagent:{}", jar.display()))
}

/// How long a test may take. The first mock starts Mockito, and the first of a class has that class and all above it rewritten, which
/// takes seconds on a busy machine.
fn test_timeout(request: &VerificationRequest, tests: &[Test]) -> Duration {
    match tests.iter().any(|test| test.mocks) {
        true => request.test_timeout + MOCKING,
        false => request.test_timeout,
    }
}

/// Runs the tests in one JVM, as far as it comes.
fn run_jvm(
    request: &VerificationRequest,
    run: usize,
    directory: &Path,
    classes: &Path,
    tests: &[Test],
    order: &[usize],
) -> Result<(Ended, Waited), VerificationError> {
    let work = directory.join("work");
    create(&work)?;
    let test_timeout = test_timeout(request, tests);
    let listed: String =
        order.iter().map(|&index| format!("{} {}\n", tests[index].class, tests[index].span.method)).collect();
    let (list, results) = (directory.join("tests"), directory.join("results"));
    write(&list, &listed)?;
    write(&results, "")?;
    let log = directory.join("java.log");
    let errors = std::fs::File::create(&log).map_err(|source| VerificationError::Scratch { path: log, source })?;

    let class_path = joined([classes].into_iter().chain(request.class_path.iter().map(PathBuf::as_path)));
    let is_apart = run % DEFAULTS.len() == LOADED_APART;
    let module = request.module.as_ref().filter(|_| run % DEFAULTS.len() == IN_MODULE);
    let packages = tests.iter().filter_map(|test| Some(test.class.rsplit_once('.')?.0)).collect();
    let loaded_from = match module {
        Some(module) => patched::of_jvm(request, module, classes, &packages),
        None => vec!["-cp".to_string(), if is_apart { joined([classes]) } else { class_path.clone() }],
    };
    let java = request.java_home.join("bin").join("java");
    let mut command = confined(request, &java, &[classes, &list], &[&work, &results]);
    command
        .args(["-ea", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto"])
        .args(["-XX:-CreateCoredumpOnCrash", "-Djava.awt.headless=true", "-XX:+DisableAttachMechanism"])
        .arg(format!("-Djava.io.tmpdir={}", work.display()))
        .arg(format!("-XX:ErrorFile={}", work.join("crash.log").display()))
        .args(DEFAULTS[run % DEFAULTS.len()])
        .args(&request.jvm_args)
        .args(agent(request).filter(|_| tests.iter().any(|test| test.mocks)))
        .args(loaded_from)
        .arg("randgen.runtime.TestRunner")
        .args([&list, &results])
        .arg(test_timeout.as_millis().to_string())
        .args(Some(&class_path).filter(|_| is_apart))
        .current_dir(&work)
        // Kept open: the runner ends when this end of the pipe closes.
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(errors);
    let mut child = Running::start(command)?;
    let mut progress = (0, Instant::now());
    // However the file of results grows: tests could write to it for ever.
    let most = (test_timeout + STALLED).saturating_mul(u32::try_from(order.len()).unwrap_or(u32::MAX));
    let (began, mut looked) = (Instant::now(), Instant::now());
    let id = child.0.id();
    let waited = child.wait(request, || {
        if looked.elapsed() > LOOK_AT_DISK {
            looked = Instant::now();
            if scratch::is_full(&work, id) {
                return true;
            }
        }
        let length = std::fs::metadata(&results).map_or(0, |metadata| metadata.len());
        if length != progress.0 {
            progress = (length, Instant::now());
        }
        progress.1.elapsed() > test_timeout + STALLED || began.elapsed() > most
    });
    drop(child);
    let waited = waited.map_err(|error| VerificationError::Jvm(error.to_string()))?;
    let bytes = files::read(&results).map_err(|source| VerificationError::Scratch { path: results, source })?;
    Ok((parse_results(&String::from_utf8_lossy(&bytes), order.len()), waited))
}

/// Reads the runner's lines. The file lies where tests could write too, so nothing in it is trusted to make sense.
fn parse_results(text: &str, count: usize) -> Ended {
    let mut ended = Ended::default();
    // Two lines for each test and one for the end; whatever else a test may have written is not read.
    for line in text.lines().take(2 * count + 1) {
        let mut words = line.splitn(3, ' ');
        let (kind, position, rest) = (words.next(), words.next(), words.next());
        let position = position.and_then(|position| position.parse().ok()).filter(|&position: &usize| position < count);
        match (kind, position) {
            (Some("S"), Some(position)) => ended.began = Some(position),
            (Some("P"), Some(position)) => ended.outcomes.push((position, TestOutcome::Passed)),
            (Some("F"), Some(position)) => {
                let (line, message) = rest.and_then(|rest| rest.split_once(' ')).unwrap_or_default();
                let message = message.chars().take(MOST_TOLD).collect();
                ended.outcomes.push((position, TestOutcome::Failed(line.parse().ok(), message)));
            }
            (Some("T"), Some(position)) => ended.outcomes.push((position, TestOutcome::TimedOut)),
            (Some("E"), None) => ended.complete = true,
            _ => {}
        }
    }
    ended
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(outcomes: &[TestOutcome], fails: Option<Failure>, expected: Option<DropReason>) {
        assert_eq!(judge(&outcomes.iter().collect::<Vec<_>>(), fails.as_ref(), false), expected);
    }

    fn span(id: usize, checks: Vec<(std::ops::RangeInclusive<usize>, usize)>) -> TestSpan {
        TestSpan { id, method: format!("t{id}"), first_line: 1, last_line: 9, fails: None, checks }
    }

    #[test]
    fn failed_assertion_is_removed_and_the_test_kept() {
        let failed = |line| TestOutcome::Failed(Some(line), String::new());
        let test = span(0, vec![(3..=3, 30), (6..=7, 60)]);
        assert_eq!(failed_checks(&[&failed(7), &TestOutcome::Passed], &test), Some([60].into()));
        assert_eq!(failed_checks(&[&failed(7), &failed(5)], &test), None);
        assert_eq!(failed_checks(&[&TestOutcome::Failed(None, String::new())], &test), None);
        assert_eq!(failed_checks(&[&failed(7), &TestOutcome::TimedOut], &test), None);
    }

    #[test]
    fn test_with_differing_outcomes_is_dropped_as_flaky() {
        let failed = || TestOutcome::Failed(Some(7), "no".to_string());
        check(&[TestOutcome::Passed, TestOutcome::Passed], None, None);
        check(&[failed(), failed()], None, Some(DropReason::Fails("no".to_string())));
        check(&[failed(), TestOutcome::Passed], None, Some(DropReason::Flaky("fails in run 1 of 2: no".to_string())));
    }

    #[test]
    fn finding_test_must_fail_as_declared_in_every_run() {
        let failed = |message: &str| TestOutcome::Failed(Some(7), message.to_string());
        let asserts = || failed("org.opentest4j.AssertionFailedError: expected: <1> but was: <2>");
        let throws = || failed("java.lang.NullPointerException");
        let exception = || Some(Failure::Exception("java.lang.NullPointerException".to_string()));
        let fails = |message: &str| Some(DropReason::Fails(message.to_string()));
        check(&[asserts(), asserts()], Some(Failure::Assertion), None);
        check(&[throws(), throws()], exception(), None);
        check(&[throws(), failed("java.lang.Error: no")], exception(), fails("java.lang.Error: no"));
        check(&[throws(), throws()], Some(Failure::Assertion), fails("java.lang.NullPointerException"));
        check(&[TestOutcome::Passed, TestOutcome::Passed], exception(), Some(DropReason::Passes));
        check(&[asserts(), TestOutcome::Passed, asserts()], Some(Failure::Assertion), None);
        check(&[TestOutcome::Passed, TestOutcome::TimedOut], exception(), Some(DropReason::TimesOut));
    }

    #[test]
    fn first_verification_run_uses_junit_order_and_later_ones_are_shuffled() {
        let spans: Vec<TestSpan> = (0..40).map(|id| span(id, Vec::new())).collect();
        let tests: Vec<Test> = spans.iter().map(|span| Test { span, class: "A", mocks: false }).collect();
        let in_order =
            |run: usize| ordered(&tests, run, 1).iter().map(|&at| junit_order(&spans[at].method)).is_sorted();
        assert!(in_order(0) && !in_order(1));
        assert_eq!(
            (junit_order("push_returns3"), junit_order("peekAndSize_returnExpectedValues")),
            (-248602923, 681256364)
        );
        assert_ne!(ordered(&tests, 1, 1), ordered(&tests, 2, 1));
        assert_eq!(ordered(&tests, 1, 1), ordered(&tests, 1, 1));
        assert!(ordered(&tests, 1, 1).iter().rev().eq(ordered(&tests, 2, 1).iter()));
    }

    #[test]
    fn interrupted_run_names_the_running_test() {
        let ended = parse_results("S 0\nP 0\nS 1\nF 1 12 java.lang.Error: a b\nS 2\n", 3);
        assert_eq!(ended.began, Some(2));
        assert!(!ended.complete && ended.outcomes.len() == 2);
        assert_eq!(parse_results("P 9\nrubbish\nP x\n", 3), Ended::default());
    }

    #[test]
    fn forged_message_is_cut_short() {
        let ended = parse_results(&format!("S 0\nF 0 3 {}\n", "\u{e9}".repeat(1 << 20)), 1);
        let [(0, TestOutcome::Failed(Some(3), message))] = &ended.outcomes[..] else { panic!("{:?}", ended.began) };
        assert_eq!(message.chars().count(), MOST_TOLD);
    }
}
