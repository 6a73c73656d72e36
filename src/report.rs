//! What a run has to tell, as one plain value, and its renderings: JUnit XML, JSON, SARIF, HTML, and a summary as text
//! or Markdown.
//!
//! A [`RunReport`] holds nothing that a clock, a worker count or a hash order decides, so the files rendered from it are
//! the same bytes for the same seed and sequence limit. What was measured goes into [`Timing`], which only the summary on
//! the console and `timing.json` show. Nothing here writes: [`files`] gives names and texts, `output` puts them in place.

pub mod baseline;
pub mod changes;
pub mod exploration;
pub mod gate;
mod html;
mod join;
mod json;
mod junit_xml;
mod lines;
mod markup;
mod mutants;
mod sarif;
pub mod specifications;
pub mod suites;
mod summary;

pub use junit_xml::Excuses;
pub use lines::LineCoverage;
pub use mutants::{Mutant, MutantStatus, Mutants};
pub use summary::{finding, markdown, text, text_of_last_run};

use crate::digest;
use crate::execution::{KillReason, Thrown};
pub use crate::options::Confidence;
use crate::options::{OutputFormat, Shard};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use specifications::SpecificationReport;
use std::collections::BTreeMap;
use std::fmt;

/// Version of the JSON report's shape; raised when a field changes its meaning or goes away.
pub const SCHEMA: u32 = 1;

/// The result of a run over one module.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// Version of randgen.
    pub version: String,
    /// The module's name in its build, or the directory's.
    pub module: String,
    pub seed: u64,
    /// `None` when only time limits the run.
    pub sequence_limit: Option<u64>,
    /// The part of the module's classes that it was about; `None` if that was all.
    #[serde(default)]
    pub shard: Option<Shard>,
    /// How much the code under test was kept from; empty of runs before there was a sandbox.
    #[serde(default)]
    pub sandbox: String,
    /// Why the run ended before its limits, in one sentence (an interrupt, no worker left).
    pub ended_early: Option<String>,
    /// Sequences executed by the search, over all classes.
    pub sequences: u64,
    /// Rounds completed.
    pub rounds: u64,
    /// Sequences and the edges that the search had covered by then: the first state, some of those with more edges, and the
    /// last. Tests may cover less.
    #[serde(default)]
    pub progress: Vec<(u64, u64)>,
    pub existing_tests: ExistingTests,
    /// The classes found in the module, sorted by name; also those that cannot be tested.
    pub classes: Vec<ClassReport>,
    /// Sequences that were to become tests and did something else in a fresh worker.
    pub unstable_sequences: usize,
    /// Findings that a fresh worker did not show again.
    pub findings_not_repeated: usize,
    /// What the tests notice of small faults made on purpose; `None` in a run that makes none.
    pub mutants: Option<Mutants>,
    /// Workers that died, with the operation that was running; sorted, equal ones counted.
    pub worker_deaths: Vec<WorkerDeath>,
    /// What became of the generated sources on disk.
    pub files: FileChanges,
    /// What the user should know and what fits nowhere else; each a full sentence.
    pub warnings: Vec<String>,
    /// Exit code of the process that wrote the report, as far as this module decides it.
    pub exit_code: u8,
}

/// What the search was given of the module's own tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExistingTests {
    /// Test classes that sequences were taken from.
    pub classes: usize,
    pub sequences: usize,
}

/// The sums over a run's classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    pub classes: usize,
    pub classes_tested: usize,
    pub tests: usize,
    pub findings: usize,
    /// Failing sequences behind the findings, those that differ in dead and pure statements counted once.
    pub witnesses: u64,
    /// Findings that are less sure than the settings ask for, and not among the others.
    pub less_sure: usize,
    /// Generated tests that were left out: each is a defect of randgen.
    pub dropped: usize,
    pub not_tested: usize,
    pub edges_covered: u64,
    pub edges_total: u64,
}

impl RunReport {
    pub fn totals(&self) -> Totals {
        let mut totals = Totals { classes: self.classes.len(), ..Totals::default() };
        for class in &self.classes {
            totals.classes_tested += usize::from(!class.tests.is_empty());
            totals.tests += class.tests.len();
            totals.findings += class.findings.len();
            totals.witnesses += class.findings.iter().map(|finding| u64::from(finding.witnesses)).sum::<u64>();
            totals.less_sure += class.less_sure;
            totals.dropped += class.dropped.len();
            totals.not_tested += class.not_tested.len() + usize::from(class.unusable.is_some());
            totals.edges_covered += class.edges.covered;
            totals.edges_total += class.edges.total;
        }
        totals
    }
}

/// The result for one class under test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassReport {
    /// Binary name, such as `java.util.Map$Entry`.
    pub name: String,
    /// All of this is of an earlier run, as nothing that it was made from has changed.
    #[serde(default)]
    pub reused: bool,
    /// Why nothing of the class can be tested.
    pub unusable: Option<Obstacle>,
    /// Sequences that the search executed for it.
    pub sequences: u64,
    pub edges: Coverage,
    /// Tests that were emitted and passed every replay, in the order of the source.
    pub tests: Vec<EmittedTest>,
    /// Broken contracts, one per distinct cause.
    pub findings: Vec<Finding>,
    /// How many more there are that are less sure than the settings ask for.
    #[serde(default)]
    pub less_sure: usize,
    /// Tests that were generated and left out of the source.
    pub dropped: Vec<DroppedTest>,
    /// Members that no test runs, or that were given up before tests covered them, and why.
    pub not_tested: Vec<NotTested>,
    /// Members that were called and never returned, though tests may run all of them, and why.
    pub never_returned: Vec<NotTested>,
    /// The edges that no test covers, in the order of the class file.
    pub uncovered: Vec<UncoveredEdge>,
    /// Relative to the whole project, with `/`; `None` if the class does not say, or nothing of it can be tested.
    #[serde(default)]
    pub source: Option<String>,
    /// Those with a body, in the order of the class file.
    #[serde(default)]
    pub methods: Vec<MethodReport>,
    #[serde(default)]
    pub lines: LineCoverage,
}

/// What the tests cover of a method's body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodReport {
    /// As source code has it: `indexOf(java.lang.Object)`, the class's name for a constructor.
    pub name: String,
    pub line: Option<u16>,
    pub edges: Coverage,
    /// Why no test runs it, where that is known.
    pub not_tested: Option<Reason>,
}

/// Edges of the control flow graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    pub covered: u64,
    pub total: u64,
}

impl Coverage {
    /// Whole per cent, rounded down; `None` without edges.
    pub fn percent(&self) -> Option<u64> {
        (self.covered * 100).checked_div(self.total)
    }
}

/// A test as it stands in a generated source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmittedTest {
    /// Name of the test method.
    pub name: String,
    /// The source, relative to the output directory, with `/`.
    pub file: String,
    /// Edges that no earlier test of the class covers.
    pub new_edges: u64,
}

/// A broken contract with the smallest sequence that shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Names the finding from run to run; see [`finding_id`].
    pub id: String,
    /// Name of the contract, such as `equals-reflexive`.
    pub contract: String,
    pub confidence: Confidence,
    /// What should hold and what was seen.
    pub message: String,
    /// What was thrown and where, or what broke the contract; without lines and values, so that another sequence that shows
    /// the same fault has the same cause.
    pub cause: String,
    /// The operation whose call shows it, as reports name operations.
    pub operation: String,
    /// Where in the sources it was thrown, or the method is that breaks the contract; `None` if the classes do not say.
    pub position: Option<Position>,
    /// Name of the test method that shows it; empty if there is none that compiles and fails as it should.
    pub test: String,
    /// Its file below `findings/`.
    pub file: String,
    /// Source of that test method, or the sequence.
    pub source: String,
    /// The exception, where the violation is one.
    pub exception: Option<ExceptionReport>,
    /// Failing sequences with the same cause, redundant ones counted once.
    pub witnesses: u32,
}

/// A place in a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Relative to the whole project, with `/`; or below its source root, where the file was not found.
    pub file: String,
    /// From 1; `None` if the class was compiled without lines.
    pub line: Option<u32>,
}

/// An exception in a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceptionReport {
    /// Binary name of its class.
    pub class: String,
    pub message: Option<String>,
    /// Lines as `Throwable.printStackTrace` shows them, without the leading `at`.
    pub stack: Vec<String>,
}

impl From<&Thrown> for ExceptionReport {
    fn from(thrown: &Thrown) -> ExceptionReport {
        let lines = thrown.stack.iter().map(|frame| {
            let line = if frame.line >= 0 { frame.line.to_string() } else { "unknown line".to_string() };
            format!("{}.{}({line})", frame.class, frame.method)
        });
        ExceptionReport {
            class: thrown.class.binary(),
            message: thrown.message.as_ref().map(|message| message.to_string()),
            stack: lines.collect(),
        }
    }
}

/// A generated test that is not in the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedTest {
    pub name: String,
    pub reason: DropReason,
    /// The compiler's or the exception's own words.
    pub detail: String,
}

/// Why a generated test was left out. Each is a defect of randgen's, not of the code under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DropReason {
    DoesNotCompile,
    Fails,
    /// Passed in one replay and failed in another.
    Flaky,
    TimesOut,
    /// The JVM that ran it ended.
    KillsTheJvm,
    /// The emitter could not write it in Java.
    NotExpressible,
}

/// Why a class cannot be tested at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstacle {
    pub reason: Reason,
    /// What was seen, in the JVM's or our own words; may be empty.
    pub detail: String,
}

/// A method or constructor that no test runs, or that was given up before tests covered it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotTested {
    /// As reports name operations: `java.util.List.add(java.lang.Object)`.
    pub operation: String,
    pub reason: Reason,
    /// What was seen, in the JVM's or our own words; may be empty.
    pub detail: String,
}

/// An edge that no test covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncoveredEdge {
    /// Name and descriptor as in the class file: `indexOf(Ljava/lang/Object;)I`.
    pub method: String,
    pub line: Option<u16>,
    pub kind: EdgeKind,
    pub why: WhyUncovered,
}

/// What an edge leads to, or where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeKind {
    MethodEntry,
    ExceptionHandler,
    SwitchTarget,
    LoopBody,
    /// A conditional jump in the bytecode that does not jump.
    FallsThrough,
    Jumps,
}

/// Why no test covers an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyUncovered {
    /// No sequence entered its method.
    MethodNotEntered,
    /// Sequences entered its method and never came there.
    NotReached,
    /// Sequences came there, and none of them became a test: it did something else the next time, shows a finding, or
    /// was not worth its statements.
    NoTest,
}

/// The closed list of reasons for which code stays untested. The codes are stable; `docs/reports.md` explains each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It calls `System.exit` or `Runtime.halt`.
    Exit,
    /// It did not return in time, more than once.
    Timeout,
    /// It executed more probes than a sequence may.
    ProbeBudget,
    OutOfMemory,
    StackOverflow,
    /// The worker died of a signal in it.
    Signal,
    /// The worker ended in it without a word.
    WorkerExit,
    /// The static initialiser threw.
    InitialiserThrows,
    /// A class that it needs is not on the class path.
    MissingDependency,
    /// It does not link or verify.
    DoesNotLink,
    /// The class file cannot be read.
    Unreadable,
    /// Its name, or that of a class in its signature, is no Java identifier.
    NameNotWritable,
    /// No code in its package may name it.
    NotAccessible,
    /// A local or anonymous class: it has no name in source.
    LocalOrAnonymous,
    /// An interface or abstract class that nothing in the program implements.
    NoInstance,
    /// No value of a parameter's or the receiver's type could be made.
    NoInput,
    /// Whatever it was called with, a null argument explained its exception.
    OnlyIllegal,
    /// Whatever it was called with, it threw.
    AlwaysThrows,
    /// Whatever it was called with, it did not find or could not use a file.
    NeedsFile,
    /// Whatever it was called with, it failed to use the network.
    NeedsNetwork,
    /// It starts or ends other processes.
    NeedsProcess,
    /// What it does differs between runs.
    NotReproducible,
    /// The tests that call it are among those left out.
    TestLeftOut,
    /// It broke a contract whatever it was called with, and the finding is less sure than the settings ask for.
    LessSure,
    /// `excludedClasses` or `excludedMethods` names it.
    Excluded,
    /// The limits ended the run before a test for it was found.
    NotReached,
}

impl Reason {
    /// All of them, in the order of the enum.
    pub const ALL: [Reason; 26] = [
        Reason::Exit,
        Reason::Timeout,
        Reason::ProbeBudget,
        Reason::OutOfMemory,
        Reason::StackOverflow,
        Reason::Signal,
        Reason::WorkerExit,
        Reason::InitialiserThrows,
        Reason::MissingDependency,
        Reason::DoesNotLink,
        Reason::Unreadable,
        Reason::NameNotWritable,
        Reason::NotAccessible,
        Reason::LocalOrAnonymous,
        Reason::NoInstance,
        Reason::NoInput,
        Reason::OnlyIllegal,
        Reason::AlwaysThrows,
        Reason::NeedsFile,
        Reason::NeedsNetwork,
        Reason::NeedsProcess,
        Reason::NotReproducible,
        Reason::TestLeftOut,
        Reason::LessSure,
        Reason::Excluded,
        Reason::NotReached,
    ];

    /// One sentence's end, for a reader who does not know the code: "the method …".
    pub fn explanation(self) -> &'static str {
        match self {
            Reason::Exit => "ends the JVM",
            Reason::Timeout => "did not return in time",
            Reason::ProbeBudget => "ran on and on",
            Reason::OutOfMemory => "exhausts the heap",
            Reason::StackOverflow => "overflows the stack",
            Reason::Signal => "crashes the JVM",
            Reason::WorkerExit => "took the worker with it",
            Reason::InitialiserThrows => "static initialiser throws",
            Reason::MissingDependency => "needs a class that is not on the class path",
            Reason::DoesNotLink => "does not link",
            Reason::Unreadable => "class file cannot be read",
            Reason::NameNotWritable => "has a name that Java source cannot write",
            Reason::NotAccessible => "is not accessible from its package",
            Reason::LocalOrAnonymous => "is a local or anonymous class",
            Reason::NoInstance => "has no instance: nothing implements it",
            Reason::NoInput => "no argument or receiver could be made",
            Reason::OnlyIllegal => "accepted none of the arguments tried",
            Reason::AlwaysThrows => "throws whatever it is called with",
            Reason::NeedsFile => "needs a file that is not there or that it may not use",
            Reason::NeedsNetwork => "needs the network",
            Reason::NeedsProcess => "needs other processes",
            Reason::NotReproducible => "behaves differently from run to run",
            Reason::TestLeftOut => "is called by tests that were left out",
            Reason::LessSure => "shows a finding that is less sure than `min-confidence` asks for",
            Reason::Excluded => "is excluded by the configuration",
            Reason::NotReached => "was not reached within the limits",
        }
    }
}

impl From<&KillReason> for Reason {
    fn from(reason: &KillReason) -> Reason {
        match reason {
            KillReason::ProbeBudget => Reason::ProbeBudget,
            KillReason::Timeout => Reason::Timeout,
            KillReason::Exit => Reason::Exit,
            KillReason::OutOfMemory => Reason::OutOfMemory,
            KillReason::StackOverflow => Reason::StackOverflow,
            KillReason::Signal(_) => Reason::Signal,
            KillReason::WorkerExit(_) => Reason::WorkerExit,
        }
    }
}

/// The code, such as `missing-dependency`.
impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&code(self))
    }
}

/// The code, such as `does-not-compile`.
impl fmt::Display for DropReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&code(self))
    }
}

/// The name under which serde writes a variant, so that text and JSON never differ.
fn code(variant: &impl Serialize) -> String {
    match serde_json::to_value(variant) {
        Ok(serde_json::Value::String(code)) => code,
        _ => unreachable!("a variant without data is written as a string"),
    }
}

/// Workers that died of the same thing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WorkerDeath {
    pub reason: Reason,
    /// The operation that was running, where it is known.
    pub operation: Option<String>,
    pub times: u32,
}

/// What became of the generated sources on disk; paths are relative to the project, with `/`, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChanges {
    /// The output directory.
    pub directory: String,
    pub written: Vec<String>,
    /// Were on disk with the same bytes.
    pub unchanged: Vec<String>,
    /// Were edited since they were generated and are left as they are.
    pub kept: Vec<String>,
    /// Were generated by an earlier run and belong to no class any more.
    pub removed: Vec<String>,
}

/// What was measured with a clock; never part of a reproducible file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Timing {
    /// Wall-clock seconds of the whole run.
    pub seconds: f64,
    /// Wall-clock seconds of the search alone.
    pub search_seconds: f64,
    /// Sequences a second of the search.
    pub sequences_per_second: f64,
    /// Seconds until the first sequence had run.
    pub first_sequence_seconds: f64,
    /// CPU seconds of the supervisor and its ended children.
    pub cpu_seconds: f64,
    pub supervisor_peak_bytes: u64,
    /// The largest of the workers.
    pub worker_peak_bytes: u64,
    /// How many of the search's four workers ran at once.
    pub workers: usize,
    /// Stages in the order of the run, with wall-clock seconds.
    pub stages: Vec<(String, f64)>,
    /// Seconds since the search began, sequences and covered edges by then: the first state, some of those with more
    /// edges, and the last.
    pub coverage: Vec<(f64, u64, u32)>,
}

/// A file of the reports directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFile {
    pub name: String,
    pub text: String,
}

/// A report could not be put into text.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("cannot write the report as JUnit XML")]
    JUnitXml(#[from] quick_junit::SerializeError),
    #[error("cannot write a report as JSON")]
    Json(#[from] serde_json::Error),
}

/// The name of the JSON report.
pub const JSON: &str = "report.json";
const MARKDOWN: &str = "report.md";
const SARIF: &str = "report.sarif";
pub const HTML: &str = "report.html";
const TIMING: &str = "timing.json";

/// The names that [`files`] gives to reports of a whole run, which are known before it.
pub fn fixed_names(formats: &[OutputFormat]) -> Vec<&'static str> {
    let name = |format: &OutputFormat| match format {
        OutputFormat::JunitXml => None,
        OutputFormat::Json => Some(JSON),
        OutputFormat::Markdown => Some(MARKDOWN),
        OutputFormat::Sarif => Some(SARIF),
        OutputFormat::Html => Some(HTML),
    };
    formats.iter().filter_map(name).chain([TIMING]).collect()
}

/// Texts of the project's sources by their paths, as [`ClassReport::source`] has them.
pub type SourceTexts = BTreeMap<String, String>;

/// The reports in the given formats, and `timing.json`, which alone differs between equal runs. Specifications are in the
/// page for people.
pub fn files(
    report: &RunReport,
    timing: Option<&Timing>,
    texts: &SourceTexts,
    specification: Option<&SpecificationReport>,
    formats: &[OutputFormat],
) -> Result<Vec<ReportFile>, ReportError> {
    let mut files = Vec::new();
    for format in formats {
        match format {
            OutputFormat::JunitXml => files.extend(junit_files(report, &Excuses::new())?),
            OutputFormat::Json => files.push(ReportFile { name: JSON.to_string(), text: json::render(report)? }),
            OutputFormat::Markdown => files.push(ReportFile { name: MARKDOWN.to_string(), text: markdown(report) }),
            OutputFormat::Sarif => files.push(ReportFile { name: SARIF.to_string(), text: sarif::render(report)? }),
            OutputFormat::Html => {
                files.push(ReportFile { name: HTML.to_string(), text: html::render(report, texts, specification) });
            }
        }
    }
    if let Some(timing) = timing {
        files.push(ReportFile { name: TIMING.to_string(), text: serde_json::to_string_pretty(timing)? + "\n" });
    }
    Ok(files)
}

/// The reports in JUnit XML, in which findings with an excuse are skipped tests.
pub fn junit_files(report: &RunReport, excuses: &Excuses) -> Result<Vec<ReportFile>, ReportError> {
    let classes = report.classes.iter().filter(|class| junit_xml::has_cases(class));
    let file = |class: &ClassReport| {
        let name = format!("TEST-randgen-{}.xml", class.name);
        Ok(ReportFile { name, text: junit_xml::render(class, excuses)? })
    };
    classes.map(file).collect()
}

/// The name of a finding: a hash of its class, contract, cause, stack and calls, so that it survives other findings coming
/// and going, edits elsewhere, and other seeds finding the same thing.
pub fn finding_id(parts: [&str; 5]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    digest::hex(hash)[..12].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run with one of everything, for the renderings' tests.
    pub(super) fn example() -> RunReport {
        RunReport {
            version: "0.1.0".to_string(),
            module: "ring-buffer".to_string(),
            seed: 1,
            sequence_limit: Some(20_000),
            sequences: 20_000,
            rounds: 4,
            progress: vec![(5_000, 6), (20_000, 9)],
            existing_tests: ExistingTests { classes: 1, sequences: 12 },
            classes: vec![
                ClassReport {
                    name: "buffer.Broken".to_string(),
                    unusable: Some(Obstacle {
                        reason: Reason::InitialiserThrows,
                        detail: "java.lang.ArithmeticException: / by zero".to_string(),
                    }),
                    ..ClassReport::default()
                },
                ClassReport {
                    name: "buffer.RingBuffer".to_string(),
                    sequences: 20_000,
                    edges: Coverage { covered: 9, total: 12 },
                    source: Some("src/main/java/buffer/RingBuffer.java".to_string()),
                    methods: vec![
                        MethodReport {
                            name: "enqueue(double)".to_string(),
                            line: Some(2),
                            edges: Coverage { covered: 9, total: 11 },
                            not_tested: None,
                        },
                        MethodReport {
                            name: "stop()".to_string(),
                            line: Some(5),
                            edges: Coverage { covered: 0, total: 1 },
                            not_tested: Some(Reason::Exit),
                        },
                    ],
                    lines: LineCoverage { covered: vec![2], partly: vec![3], missed: vec![5] },
                    tests: vec![EmittedTest {
                        name: "isFull_returnsFalse".to_string(),
                        file: "buffer/RingBufferRandgenTest.java".to_string(),
                        new_edges: 3,
                    }],
                    findings: vec![Finding {
                        id: "0123456789ab".to_string(),
                        contract: "no-null-pointer".to_string(),
                        confidence: Confidence::Likely,
                        message: "NullPointerException <without> a null argument".to_string(),
                        cause: "java.lang.NullPointerException in buffer.RingBuffer.enqueue".to_string(),
                        operation: "buffer.RingBuffer.enqueue(double)".to_string(),
                        position: Some(Position {
                            file: "src/main/java/buffer/RingBuffer.java".to_string(),
                            line: Some(27),
                        }),
                        test: "enqueue_throwsNullPointerException".to_string(),
                        file: "buffer/RingBufferFindingTest.java".to_string(),
                        source: "RingBuffer ringBuffer = new RingBuffer(3);\nringBuffer.enqueue(-1.0);\n".to_string(),
                        exception: Some(ExceptionReport {
                            class: "java.lang.NullPointerException".to_string(),
                            message: None,
                            stack: vec!["buffer.RingBuffer.enqueue(27)".to_string()],
                        }),
                        witnesses: 812,
                    }],
                    less_sure: 2,
                    dropped: vec![DroppedTest {
                        name: "dequeue_returnsZero".to_string(),
                        reason: DropReason::Flaky,
                        detail: "expected 0.0".to_string(),
                    }],
                    not_tested: vec![NotTested {
                        operation: "buffer.RingBuffer.stop()".to_string(),
                        reason: Reason::Exit,
                        detail: String::new(),
                    }],
                    ..ClassReport::default()
                },
            ],
            worker_deaths: vec![WorkerDeath { reason: Reason::Signal, operation: None, times: 2 }],
            files: FileChanges {
                directory: "src/test/generated".to_string(),
                written: vec!["src/test/generated/buffer/RingBufferRandgenTest.java".to_string()],
                ..FileChanges::default()
            },
            ..RunReport::default()
        }
    }

    #[test]
    fn totals_count_what_the_classes_hold() {
        let totals = example().totals();
        let expected = Totals {
            classes: 2,
            classes_tested: 1,
            tests: 1,
            findings: 1,
            witnesses: 812,
            less_sure: 2,
            dropped: 1,
            not_tested: 2,
            edges_covered: 9,
            edges_total: 12,
        };
        assert_eq!(totals, expected);
    }

    #[test]
    fn codes_are_the_names_in_json() {
        assert_eq!(Reason::MissingDependency.to_string(), "missing-dependency");
        assert_eq!(DropReason::KillsTheJvm.to_string(), "kills-the-jvm");
    }

    #[test]
    fn every_reason_is_documented() {
        let page = include_str!("../docs/reports.md");
        for reason in Reason::ALL {
            assert!(page.contains(&format!("| `{reason}` | ")), "{reason}");
        }
    }

    #[test]
    fn ids_differ_with_every_part() {
        let id = finding_id(["a", "b", "c", "d", "e"]);
        assert_eq!(id, finding_id(["a", "b", "c", "d", "e"]));
        assert_ne!(id, finding_id(["ab", "", "c", "d", "e"]));
        assert_ne!(id, finding_id(["a", "b", "c", "d", ""]));
    }

    #[test]
    fn the_clock_shows_only_in_the_timing_file() {
        let after = |seconds| {
            let timing = Timing { seconds, ..Timing::default() };
            files(&example(), Some(&timing), &SourceTexts::new(), None, &OutputFormat::ALL).unwrap()
        };
        let (first, second) = (after(1.0), after(2.0));
        let differing: Vec<&str> =
            first.iter().zip(&second).filter(|(one, two)| one != two).map(|(one, _)| one.name.as_str()).collect();
        assert_eq!(differing, ["timing.json"]);
    }
}
