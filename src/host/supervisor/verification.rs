//! Compiles emitted tests and runs them in JVMs of their own, before any of them reaches the user.
//!
//! Whatever does not compile, fails, is flaky, hangs or ends the JVM is dropped with its reason, the rest is emitted again
//! and checked again, until a round drops nothing. A test whose assertion of a value fails now and then loses that
//! assertion first. The caller emits: this module knows tests and assertions by number only.
//!
//! If the user or the deadline ends verification, a file is kept if it compiles in its current text and each of its tests
//! has passed all its runs.

mod compile;
mod patched;
mod run;

pub use compile::Workspace;
pub use patched::PatchedModule;

use super::reach;
use crate::process::group;
use model::options::Sandbox;
use sandbox::Policy;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Most rounds. After the last one, the remaining tests are compiled without those that it rejects, and do not run again.
const ROUNDS: usize = 5;

/// How long that last compilation may take beyond the deadline.
const LAST_COMPILATION: Duration = Duration::from_secs(30);

/// What tests are compiled and run with.
#[derive(Clone, Debug)]
pub struct VerificationRequest {
    /// The JDK that compiles and runs tests.
    pub java_home: PathBuf,
    /// Feature version of that JDK: 17.
    pub java_version: u32,
    /// Of the tests: classes under test, their dependencies, JUnit.
    pub class_path: Vec<PathBuf>,
    /// The module whose packages the tests share, if the classes under test are one.
    pub module: Option<PatchedModule>,
    /// What the project's compiler is told to accept; a level that the JDK no longer knows is raised.
    pub source_level: u32,
    /// As `javac -encoding` takes it.
    pub encoding: String,
    /// Options for the JVMs that run tests.
    pub jvm_args: Vec<String>,
    /// Those of them whose paths may be read: the ones that the user gave, and not a file of the project.
    pub typed_jvm_args: Vec<String>,
    /// A directory of this run's own.
    pub scratch: PathBuf,
    /// randgen itself, which confines the JVMs that run tests.
    pub randgen: PathBuf,
    /// Isolation level of the tests.
    pub sandbox: Sandbox,
    /// How often each test must have the same result, each time in a fresh JVM, in another order and under other defaults.
    pub runs: usize,
    /// How long one test may run.
    pub test_timeout: Duration,
    /// Decides the orders.
    pub seed: u64,
    /// Verification ends by then; `None` lets it take what it takes.
    pub deadline: Option<Instant>,
    /// Becomes true when the user wants everything to end.
    pub interrupt: Arc<AtomicBool>,
}

/// One source file of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestFile {
    /// Below the source root, with slashes.
    pub path: String,
    /// The test class's name with dots.
    pub class_name: String,
    /// The source.
    pub text: String,
    /// In the order of the source.
    pub tests: Vec<TestSpan>,
}

/// One test method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestSpan {
    /// The caller's number for it, the same in every round.
    pub id: usize,
    /// Name of its method.
    pub method: String,
    /// Counted from 1.
    pub first_line: usize,
    /// Counted from 1.
    pub last_line: usize,
    /// It shows a finding and must fail so.
    pub fails: Option<Failure>,
    /// The lines of assertions that the test can do without, and the caller's number for each.
    pub checks: Vec<(RangeInclusive<usize>, usize)>,
}

/// How a test that shows a finding fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// By an assertion of its own.
    Assertion,
    /// By an exception of this class, a binary name, out of the code under test.
    Exception(String),
}

/// What the caller is to leave out.
#[derive(Clone, Debug, Default)]
pub struct Rejected {
    /// Tests, by number.
    pub dropped: BTreeMap<usize, DropReason>,
    /// Assertions of tests, by number.
    pub unasserted: BTreeMap<usize, BTreeSet<usize>>,
    /// At the end, when nothing more is checked: the tests that had all their runs. Others are not to be given.
    pub proved: Option<BTreeSet<usize>>,
}

/// Why a test is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// With the compiler's message.
    DoesNotCompile(String),
    /// In every run; a test that shows a finding, in another way than it says.
    Fails(String),
    /// Of a test that shows a finding: in every run.
    Passes,
    /// In some runs, but not in all.
    Flaky(String),
    /// It did not return in time.
    TimesOut,
    /// The JVM ended while it ran.
    KillsTheJvm(String),
}

/// Tests that compile and pass.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// As emitted last; nothing in them was dropped.
    pub files: Vec<TestFile>,
    /// What is not in the files.
    pub rejected: Rejected,
    /// Why it ended before all files were checked; `files` are those that were.
    pub cut_short: Option<CutShort>,
}

/// Why verification ended before it was through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CutShort {
    /// The user asked for the end of the run, by a signal.
    #[error("the run was interrupted")]
    Interrupted,
    /// The time limit of the run passed.
    #[error("the time for checking the tests was over")]
    Deadline,
}

/// Nothing could be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerificationError {
    /// It ended early, and no test is to blame.
    #[error(transparent)]
    CutShort(#[from] CutShort),
    /// A tool of the JDK did not start.
    #[error("could not start {}: {source}", program.display())]
    Start {
        /// `javac` or `java`.
        program: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// There is no place for sources or classes.
    #[error("could not write {}: {source}", path.display())]
    Scratch {
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It reports no error in a test; the text is its output.
    #[error("javac fails for another reason than a test: {0}")]
    Compiler(String),
    /// It ends before the first test; the text is its output.
    #[error("the JVM that runs tests does not start: {0}")]
    Jvm(String),
}

/// Compiles and runs what `emit` gives, dropping tests until the rest stands.
///
/// `emit` is asked for all files without what is rejected, at least once per round.
pub fn verify(
    request: &VerificationRequest,
    emit: &mut dyn FnMut(&Rejected) -> Vec<TestFile>,
) -> Result<Verified, VerificationError> {
    verify_in(&mut Workspace::new(request), request, emit)
}

/// As [`verify`], where some of the files may be compiled already.
pub fn verify_in(
    workspace: &mut Workspace,
    request: &VerificationRequest,
    emit: &mut dyn FnMut(&Rejected) -> Vec<TestFile>,
) -> Result<Verified, VerificationError> {
    let request = &absolute(request);
    let mut rejected = Rejected::default();
    let mut proved = BTreeSet::new();
    let mut cut_short = None;
    for round in 0..ROUNDS {
        let files = match compile::compile_all(request, workspace, &mut rejected, emit) {
            Ok(files) => files,
            Err(VerificationError::CutShort(reason)) => {
                cut_short = Some(reason);
                break;
            }
            Err(error) => return Err(error),
        };
        tracing::debug!(round, files = files.len(), "tests compiled");
        let ran = run::run_all(request, round, &workspace.classes, &files)?;
        tracing::info!(
            round,
            passed = ran.complete.len() - ran.rejections.len(),
            rejected = ran.rejections.len(),
            cut_short = ran.cut_short.is_some(),
            "tests run"
        );
        cut_short = ran.cut_short;
        if ran.rejections.is_empty() && cut_short.is_none() {
            return Ok(Verified { files, rejected, cut_short });
        }
        proved.extend(ran.complete);
        for (id, rejection) in ran.rejections {
            match rejection {
                Rejection::Test(reason) => drop(rejected.dropped.insert(id, reason)),
                Rejection::Checks(checks) => {
                    // Only the first assertion that fails is seen: a second time, the others go with it.
                    let again = rejected.unasserted.contains_key(&id);
                    let tests = files.iter().flat_map(|file| &file.tests);
                    let all = tests.filter(|test| test.id == id).flat_map(|test| test.checks.iter());
                    let all = all.map(|(_, check)| *check).filter(|_| again);
                    rejected.unasserted.entry(id).or_default().extend(checks.into_iter().chain(all));
                }
            }
        }
        if cut_short.is_some() {
            break;
        }
    }
    // What was rejected until now was to blame; the rest passed all its runs, or had not all of them.
    rejected.proved = Some(proved.clone());
    let emit = &mut |rejected: &Rejected| {
        let mut files = emit(rejected);
        files.retain(|file| file.tests.iter().all(|test| proved.contains(&test.id)));
        files
    };
    let deadline = request.deadline.map(|_| Instant::now() + LAST_COMPILATION);
    let request = VerificationRequest { deadline, ..request.clone() };
    let files = match compile::compile_all(&request, workspace, &mut rejected, emit) {
        Ok(files) => files,
        Err(VerificationError::CutShort(reason)) => {
            cut_short = cut_short.or(Some(reason));
            let mut files = emit(&rejected);
            files.retain(|file| workspace.has_compiled(file));
            files
        }
        Err(error) => return Err(error),
    };
    Ok(Verified { files, rejected, cut_short })
}

/// What became of tests that an earlier run wrote.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Tests that do not stand, by number.
    pub rejected: BTreeMap<usize, DropReason>,
    /// Tests that had all their runs.
    pub complete: BTreeSet<usize>,
    /// Where the tests that compile are compiled.
    pub classes: PathBuf,
    /// Why nothing is known of the others.
    pub cut_short: Option<CutShort>,
}

/// Compiles the tests that `emit` gives, without those that do not compile, and runs them; none is given up for another.
pub fn judge(
    request: &VerificationRequest,
    emit: &mut dyn FnMut(&Rejected) -> Vec<TestFile>,
) -> Result<Judged, VerificationError> {
    let request = &absolute(request);
    let mut rejected = Rejected::default();
    let mut workspace = Workspace::new(request);
    let files = match compile::compile_all(request, &mut workspace, &mut rejected, emit) {
        Ok(files) => files,
        Err(VerificationError::CutShort(reason)) => {
            return Ok(Judged { rejected: rejected.dropped, cut_short: Some(reason), ..Judged::default() });
        }
        Err(error) => return Err(error),
    };
    let ran = run::run_all(request, 0, &workspace.classes, &files)?;
    let mut judged = Judged {
        rejected: rejected.dropped,
        complete: ran.complete,
        classes: workspace.classes,
        cut_short: ran.cut_short,
    };
    for (id, rejection) in ran.rejections {
        if let Rejection::Test(reason) = rejection {
            judged.rejected.insert(id, reason);
        }
    }
    Ok(judged)
}

/// What a run is against.
enum Rejection {
    Test(DropReason),
    /// Some of its assertions.
    Checks(BTreeSet<usize>),
}

/// The request with paths that mean the same in every working directory.
fn absolute(request: &VerificationRequest) -> VerificationRequest {
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    VerificationRequest {
        java_home: absolute(&request.java_home),
        class_path: request.class_path.iter().map(absolute).collect(),
        scratch: absolute(&request.scratch),
        ..request.clone()
    }
}

/// A program of the JDK that reads what others wrote: it sees no more of the environment than what language and zone are,
/// reads its class path and `readable`, and writes `writable`.
fn confined(request: &VerificationRequest, program: &Path, readable: &[&Path], writable: &[&Path]) -> Command {
    let owned = |paths: &[&Path]| paths.iter().map(|path| path.to_path_buf()).collect::<Vec<_>>();
    let mut all_readable = reach::of(&request.java_home, &request.class_path);
    all_readable.extend(owned(readable));
    all_readable.extend(reach::named_by(&request.typed_jvm_args));
    let policy = Policy { level: request.sandbox, readable: all_readable, writable: owned(writable) };
    let mut command = Command::new(&request.randgen);
    command.arg("confine").args(policy.arguments()).arg("--").arg(program).env_clear();
    let is_told = |name: &str| matches!(name, "LANG" | "LANGUAGE" | "TZ") || name.starts_with("LC_");
    command.envs(std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_told)));
    command
}

/// What a wait came to.
#[derive(Clone, Copy, Debug)]
enum Waited {
    Ended(ExitStatus),
    Over,
    CutShort(CutShort),
}

/// A child process that is ended with all it started.
struct Running(Child);

impl Running {
    fn start(mut command: Command) -> Result<Running, VerificationError> {
        use std::os::unix::process::CommandExt;
        for variable in ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JDK_JAVAC_OPTIONS", "CLASSPATH"] {
            command.env_remove(variable);
        }
        let program = PathBuf::from(command.get_program());
        command.process_group(0).spawn().map(Running).map_err(|source| VerificationError::Start { program, source })
    }

    /// Waits until the process ends or must; `over`, asked every few milliseconds, says when it has stopped making sense.
    fn wait(&mut self, request: &VerificationRequest, mut over: impl FnMut() -> bool) -> io::Result<Waited> {
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(Waited::Ended(status));
            }
            if request.interrupt.load(Ordering::Relaxed) {
                return Ok(Waited::CutShort(CutShort::Interrupted));
            }
            if request.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(Waited::CutShort(CutShort::Deadline));
            }
            if over() {
                return Ok(Waited::Over);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Unless it has been waited for, its number is still its own.
        if let Ok(None) = self.0.try_wait() {
            group::kill(self.0.id());
            let _ = self.0.wait();
        }
    }
}

/// Writes a scratch file, with its directories.
fn write(path: &Path, text: &str) -> Result<(), VerificationError> {
    let written = match path.parent() {
        Some(parent) => std::fs::create_dir_all(parent).and_then(|()| std::fs::write(path, text)),
        None => std::fs::write(path, text),
    };
    written.map_err(|source| VerificationError::Scratch { path: path.to_path_buf(), source })
}

/// Makes a scratch directory.
fn create(path: &Path) -> Result<(), VerificationError> {
    std::fs::create_dir_all(path).map_err(|source| VerificationError::Scratch { path: path.to_path_buf(), source })
}

/// A class path as the JDK's tools take it.
fn joined<'a>(paths: impl IntoIterator<Item = &'a Path>) -> String {
    let shown: Vec<String> = paths.into_iter().map(|path| path.to_string_lossy().into_owned()).collect();
    shown.join(":")
}
