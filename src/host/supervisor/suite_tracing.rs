//! Runs the tests of a user's suite one after another in workers, and collects what calls of code under test they make.
//!
//! Each test runs twice, the second time in the opposite order and in fresh workers. If it then behaves differently, its
//! behaviour depends on something that tests share, and its trace is not used. Every test that is left out is listed with
//! its reason.

use super::connection::{Answer, Connection};
use super::history::append_sequence;
use super::{Launch, SupervisorError};
use model::execution::KillReason;
use model::execution::trace::{Descriptions, End, Input, TestTrace};
use protocol::outcomes::{self, Names};
use protocol::traces::{self, Listed, Report, States};
use protocol::{BrokenMessage, Kind};
use std::fmt;
use std::sync::atomic::Ordering;

/// A test, by the binary name of its class and its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TestName {
    /// Binary name of its class.
    pub class: String,
    /// Name of its method.
    pub method: String,
}

impl fmt::Display for TestName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}#{}", self.class, self.method)
    }
}

/// A suite that has run.
#[derive(Clone, Debug, Default)]
pub struct TracedSuite {
    /// In the order of their names.
    pub tests: Vec<(TestName, TestTrace)>,
    /// Tests, or classes of tests, that nothing is known of; sorted.
    pub left_out: Vec<(String, LeftOut)>,
    /// Of what the tests meet, if the launch asks for it.
    pub descriptions: Descriptions,
}

/// Why nothing is known of a test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum LeftOut {
    /// The text is the error of the class loader.
    #[error("its class cannot be loaded: {0}")]
    NotLoaded(String),
    /// It needs an engine or a runner that cannot run it alone; the text says what.
    #[error("{0}")]
    Obstacle(String),
    /// The text is the exception.
    #[error("it fails: {0}")]
    Fails(String),
    /// It is disabled or an assumption fails; the text is the reason given.
    #[error("it is skipped: {0}")]
    Skipped(String),
    /// The text names the static fields or settings of the JVM.
    #[error("it leaves {0} changed, which other tests see")]
    LeavesChanges(String),
    /// The time limit for a test passed.
    #[error("it does not return in time")]
    Hangs,
    /// It exits, crashes or uses up the memory; the text says which.
    #[error("it ends the JVM ({0})")]
    EndsTheJvm(String),
    /// Its trace would not fit the memory for one.
    #[error("it makes too many calls")]
    TooLong,
    /// Its traces differ, so that none of them stands for the test.
    #[error("it makes other calls in another order of the tests")]
    Unstable,
    /// Its trace is empty: other threads are not traced.
    #[error("it makes no call of the classes under test in its own thread")]
    CallsNothing,
}

impl LeftOut {
    /// A word for tools.
    pub fn code(&self) -> &'static str {
        match self {
            LeftOut::NotLoaded(_) => "not-loaded",
            LeftOut::Obstacle(_) => "needs-engine",
            LeftOut::Fails(_) => "fails",
            LeftOut::Skipped(_) => "skipped",
            LeftOut::LeavesChanges(_) => "static-state",
            LeftOut::Hangs => "hangs",
            LeftOut::EndsTheJvm(_) => "ends-jvm",
            LeftOut::TooLong => "too-long",
            LeftOut::Unstable => "unstable",
            LeftOut::CallsNothing => "calls-nothing",
        }
    }
}

/// Runs the tests of the classes, named with dots and sorted. `progress` is told how many of how many runs are done.
pub fn trace(
    launch: &Launch,
    classes: &[String],
    progress: &mut dyn FnMut(usize, usize),
) -> Result<TracedSuite, SupervisorError> {
    std::fs::create_dir_all(&launch.scratch)
        .map_err(|source| SupervisorError::Scratch { path: launch.scratch.clone(), source })?;
    let mut runner = Runner::new(launch);
    let (names, mut left_out) = runner.list(classes)?;
    let total = 2 * names.len();
    let mut done = 0;
    let mut tests = Vec::new();
    // Tests after which the worker had to be replaced come last in the second run, so that one worker sees as many states
    // as possible.
    let mut last = Vec::new();
    for name in names {
        done += 1;
        progress(done, total);
        match runner.run(&name)? {
            Ok(trace) => {
                if runner.worker.is_none() {
                    last.push(name.clone());
                }
                tests.push((name, trace));
            }
            Err(reason) => left_out.push((name.to_string(), reason)),
        }
    }
    runner.worker = None;
    let mut again: Vec<(TestName, TestTrace)> = Vec::with_capacity(tests.len());
    let (outlived, others): (Vec<_>, Vec<_>) = tests.into_iter().rev().partition(|(name, _)| !last.contains(name));
    for (name, first) in outlived.into_iter().chain(others) {
        done += 1;
        progress(done, total);
        match runner.run(&name)? {
            Ok(second) if is_alike(&first, &second) => again.push((name, second)),
            Ok(_) | Err(LeftOut::Fails(_)) => left_out.push((name.to_string(), LeftOut::Unstable)),
            Err(reason) => left_out.push((name.to_string(), reason)),
        }
    }
    again.sort_by(|(left, _), (right, _)| left.cmp(right));
    let (tests, silent): (Vec<_>, Vec<_>) = again.into_iter().partition(|(_, trace)| !trace.executions.is_empty());
    left_out.extend(silent.into_iter().map(|(name, _)| (name.to_string(), LeftOut::CallsNothing)));
    left_out.sort();
    Ok(TracedSuite { tests, left_out, descriptions: runner.descriptions })
}

/// Runs these tests alone, in fresh workers and their order; `None` for those that did not pass.
pub fn run_again(launch: &Launch, tests: &[TestName]) -> Result<Vec<Option<TestTrace>>, SupervisorError> {
    let mut runner = Runner::new(launch);
    tests.iter().map(|name| Ok(runner.run(name)?.ok())).collect()
}

/// Whether both make the same calls with the same inputs. Only whole states are compared: which states `equals` is known to
/// consider equal depends on the states that the worker saw before.
fn is_alike(left: &TestTrace, right: &TestTrace) -> bool {
    let input = |input: &Input| match input {
        Input::Object { object, before, .. } => (*object, before.whole),
        Input::Primitive { letter, bits } => (u32::from(*letter), *bits),
        Input::Value(fingerprint) => (0, *fingerprint),
        Input::Null => (0, 0),
    };
    let is_exception = |end: &End| match end {
        End::Threw(class) => Some(class.clone()),
        _ => None,
    };
    left.executions.len() == right.executions.len()
        && left.executions.iter().zip(&right.executions).all(|(left, right)| {
            left.method == right.method
                && is_exception(&left.end) == is_exception(&right.end)
                && left.inputs.iter().map(input).eq(right.inputs.iter().map(input))
        })
}

/// Tests that a class has, and those of which nothing can be known.
type Listing = (Vec<TestName>, Vec<(String, LeftOut)>);

/// Runs one test after the other, in as few workers as the tests allow.
pub(super) struct Runner<'a> {
    launch: &'a Launch,
    worker: Option<Worker>,
    /// Of what tests met.
    descriptions: Descriptions,
}

struct Worker {
    connection: Connection,
    names: Names,
    states: States,
}

impl<'a> Runner<'a> {
    pub(super) fn new(launch: &'a Launch) -> Runner<'a> {
        Runner { launch, worker: None, descriptions: Descriptions::default() }
    }

    /// The next test runs in a fresh worker.
    pub(super) fn restart(&mut self) {
        self.worker = None;
    }

    fn list(&mut self, classes: &[String]) -> Result<Listing, SupervisorError> {
        let (mut names, mut left_out) = (Vec::new(), Vec::new());
        for class in classes {
            let mut listed = self.list_one(class)?;
            if self.worker.is_none() {
                // As below: load may have slowed it down.
                listed = self.list_one(class)?;
            }
            match listed {
                Ok(tests) => {
                    for test in tests {
                        let name = TestName { class: class.clone(), method: test.method };
                        match test.obstacle {
                            None => names.push(name),
                            Some(obstacle) => left_out.push((name.to_string(), LeftOut::Obstacle(obstacle))),
                        }
                    }
                }
                Err(message) => left_out.push((class.clone(), LeftOut::NotLoaded(message))),
            }
        }
        names.sort();
        names.dedup();
        self.worker = None;
        Ok((names, left_out))
    }

    /// The tests of a class, or why they are not known; no worker is left where one ended over it.
    fn list_one(&mut self, class: &str) -> Result<Result<Vec<Listed>, String>, SupervisorError> {
        let bytes = match self.ask(&traces::encode_list(class))? {
            Answer::Report(bytes) => bytes,
            Answer::Hung | Answer::Silent => return Ok(Err("it does not return in time".to_string())),
            Answer::Died(reason) => return Ok(Err(format!("{reason:?}"))),
            Answer::Interrupted => return Err(SupervisorError::Interrupted),
        };
        if outcomes::is_spent(&bytes) {
            self.worker = None;
        }
        traces::decode_list(&bytes).map_err(|_| SupervisorError::Broken)
    }

    /// Only a test that ends two workers is to blame: load may have slowed one down, or somebody killed it.
    fn run(&mut self, name: &TestName) -> Result<Result<TestTrace, LeftOut>, SupervisorError> {
        match self.run_once(name)? {
            Err(LeftOut::Hangs | LeftOut::EndsTheJvm(_)) => self.run_once(name),
            judged => Ok(judged),
        }
    }

    fn run_once(&mut self, name: &TestName) -> Result<Result<TestTrace, LeftOut>, SupervisorError> {
        let budget = self.launch.probe_budget as u32;
        let bytes = match self.ask(&traces::encode_trace(&name.class, &name.method, budget))? {
            Answer::Report(bytes) => bytes,
            Answer::Hung | Answer::Silent => return Ok(Err(LeftOut::Hangs)),
            Answer::Died(reason) => return Ok(Err(LeftOut::EndsTheJvm(format!("{reason:?}")))),
            Answer::Interrupted => return Err(SupervisorError::Interrupted),
        };
        let decoded = match &mut self.worker {
            Some(worker) => {
                let decoded =
                    traces::decode_trace(&bytes, self.launch.probe_count, &mut worker.names, &mut worker.states);
                self.descriptions.extend(worker.states.take_descriptions());
                decoded
            }
            None => Err(BrokenMessage),
        };
        if outcomes::is_spent(&bytes) {
            self.worker = None;
        }
        Ok(match decoded {
            Ok(Report::Passed(trace)) => Ok(trace),
            Ok(Report::Failed(message)) => Err(LeftOut::Fails(message)),
            Ok(Report::Skipped(message)) => Err(LeftOut::Skipped(message)),
            Ok(Report::LeftChanges(what)) => Err(LeftOut::LeavesChanges(what)),
            Ok(Report::TooLong) => Err(LeftOut::TooLong),
            Ok(Report::Killed(KillReason::Timeout)) => Err(LeftOut::Hangs),
            Ok(Report::Killed(reason)) => Err(LeftOut::EndsTheJvm(format!("{reason:?}"))),
            Err(BrokenMessage) => {
                self.worker = None;
                Err(LeftOut::EndsTheJvm("it garbled the report".to_string()))
            }
        })
    }

    /// Sends one request and waits for its report; a worker that gives none is gone.
    pub(super) fn ask(&mut self, request: &[u8]) -> Result<Answer, SupervisorError> {
        if self.launch.interrupt.load(Ordering::Relaxed) {
            return Err(SupervisorError::Interrupted);
        }
        let worker = match &mut self.worker {
            Some(worker) => worker,
            None => {
                let connection = Connection::open(self.launch, "trace", &[])?;
                let states = States::new(self.launch.describes);
                self.worker.insert(Worker { connection, names: Names::default(), states })
            }
        };
        let mut message = Vec::new();
        append_sequence(&mut message, request);
        let answer = match worker.connection.send(Kind::Run, &message) {
            Ok(()) => worker.connection.report(self.launch.call_timeout),
            Err(_) => Answer::Died(worker.connection.end()),
        };
        if !matches!(answer, Answer::Report(_)) {
            self.worker = None;
        }
        Ok(answer)
    }
}
