//! The result of a run over one module, as plain values.

use crate::aging::{ChangedTest, RemovedTest};
use crate::markup::{plain, plain_lines};
use crate::outcome::Outcome;
use crate::reason::{DropReason, Reason};
use crate::{LineCoverage, Mutants};
use model::execution::Thrown;
use model::options::{Confidence, Shard};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Component, Path};
/// The result of a run over one module.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunReport {
    /// Version of randgen.
    pub version: String,
    /// The module's name in its build, or the directory's.
    pub module: String,
    /// All randomness comes from it.
    pub seed: u64,
    /// `None` when only time limits the run.
    pub sequence_limit: Option<u64>,
    /// The part of the module's classes that it was about; `None` if that was all.
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "crate::schemas::shard"))]
    pub shard: Option<Shard>,
    /// Isolation level of the code under test; empty in reports of versions without a sandbox.
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
    /// What the search was given of the module's own tests.
    pub existing_tests: ExistingTests,
    /// The classes found in the module, sorted by name; also those that cannot be tested.
    pub classes: Vec<ClassReport>,
    /// Sequences that were to become tests and did something else in a fresh worker.
    pub unstable_sequences: usize,
    /// Tests written as the search found them, as there was no time to make them plainer.
    #[serde(default)]
    pub unrefined_tests: usize,
    /// Findings that a fresh worker did not show again.
    pub findings_not_repeated: usize,
    /// How often each finding rule decided, by the id of the rule; without those that never did.
    #[serde(default)]
    pub rule_hits: BTreeMap<String, u64>,
    /// What the tests notice of small faults made on purpose; `None` in a run that makes none.
    pub mutants: Option<Mutants>,
    /// Workers that died, with the operation that was running; sorted, equal ones counted.
    pub worker_deaths: Vec<WorkerDeath>,
    /// What became of the generated sources on disk.
    pub files: FileChanges,
    /// What the user should know and what fits nowhere else; each a full sentence.
    pub warnings: Vec<String>,
    /// Exit code of the process that wrote the report, as far as this module decides it.
    #[serde(rename = "exit_code")]
    #[cfg_attr(test, schemars(with = "u8"))]
    pub outcome: Outcome,
}

/// What the search was given of the module's own tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExistingTests {
    /// Test classes that sequences were taken from.
    pub classes: usize,
    /// Sequences taken from them.
    pub sequences: usize,
}

/// The sums over a run's classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Totals {
    /// Classes found.
    pub classes: usize,
    /// Classes that tests were emitted for.
    pub classes_tested: usize,
    /// Tests emitted.
    pub tests: usize,
    /// Those of them that use members which callers in other packages cannot use.
    pub tests_back_door: usize,
    /// Broken contracts, one per distinct cause.
    pub findings: usize,
    /// Failing sequences behind the findings, those that differ in dead and pure statements counted once.
    // The key is part of schema 1; messages say "occurrences".
    #[serde(rename = "witnesses")]
    pub occurrences: u64,
    /// Further findings, with a confidence below `min-confidence`.
    // The key is part of schema 1; messages say "below `min-confidence`".
    #[serde(rename = "less_sure")]
    pub below_threshold: usize,
    /// Generated tests that were left out: each is a defect of randgen.
    pub dropped: usize,
    /// Members, and whole classes, that no test runs.
    pub not_tested: usize,
    /// Edges that tests cover.
    pub edges_covered: u64,
    /// Edges in all.
    pub edges_total: u64,
    /// Edges that no test covers, and that only sequences reached which ended in an exception that nobody throws on purpose.
    pub edges_only_implicit: u64,
}

impl RunReport {
    /// A report that lay in a project, so anybody may have written it; `None` if randgen has not: it is none, or the path of a
    /// test leads elsewhere than below the directory of such tests.
    pub fn parse(text: &str) -> Option<RunReport> {
        let report: RunReport = serde_json::from_str(text).ok()?;
        let files = report.classes.iter().flat_map(|class| &class.findings).map(|finding| Path::new(&finding.file));
        let is_plain = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
        files.into_iter().all(is_plain).then(|| report.plain())
    }

    /// With all texts of the code under test as [`plain`] has them: every format shows them so, and none has to escape what
    /// is no markup of its own.
    pub fn plain(mut self) -> RunReport {
        let clean = |text: &mut String| *text = plain(text);
        clean(&mut self.module);
        self.ended_early.iter_mut().chain(&mut self.warnings).for_each(clean);
        self.worker_deaths.iter_mut().filter_map(|death| death.operation.as_mut()).for_each(clean);
        for class in &mut self.classes {
            clean(&mut class.name);
            class.unusable.iter_mut().for_each(|obstacle| clean(&mut obstacle.detail));
            class.dropped.iter_mut().for_each(|dropped| clean(&mut dropped.detail));
            class.removed.iter_mut().for_each(|removed| clean(&mut removed.detail));
            for test in &mut class.changed {
                [&mut test.name, &mut test.detail].into_iter().for_each(clean);
                test.expected.iter_mut().chain(&mut test.actual).for_each(clean);
                test.source = plain_lines(&test.source);
            }
            for member in class.not_tested.iter_mut().chain(&mut class.never_returned) {
                clean(&mut member.operation);
                clean(&mut member.detail);
            }
            class.uncovered.iter_mut().for_each(|edge| clean(&mut edge.method));
            class.source.iter_mut().for_each(clean);
            class.methods.iter_mut().for_each(|method| clean(&mut method.name));
            for finding in &mut class.findings {
                [&mut finding.message, &mut finding.cause, &mut finding.operation].into_iter().for_each(clean);
                finding.shown_by.iter_mut().for_each(clean);
                finding.position.iter_mut().for_each(|position| clean(&mut position.file));
                finding.source = plain_lines(&finding.source);
                if let Some(exception) = &mut finding.exception {
                    clean(&mut exception.class);
                    exception.message.iter_mut().chain(&mut exception.stack).for_each(clean);
                }
            }
        }
        self
    }

    /// The sums over the classes.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals { classes: self.classes.len(), ..Totals::default() };
        for class in &self.classes {
            totals.classes_tested += usize::from(!class.tests.is_empty());
            totals.tests += class.tests.len();
            totals.tests_back_door += class.tests.iter().filter(|test| test.back_door).count();
            totals.findings += class.findings.len();
            totals.occurrences += class.findings.iter().map(|finding| u64::from(finding.occurrences)).sum::<u64>();
            totals.below_threshold += class.below_threshold;
            totals.dropped += class.dropped.len();
            totals.not_tested += class.not_tested.len() + usize::from(class.unusable.is_some());
            totals.edges_covered += class.edges.covered;
            totals.edges_total += class.edges.total;
            let is_implicit = |edge: &&UncoveredEdge| edge.why == WhyUncovered::ImplicitException;
            totals.edges_only_implicit += class.uncovered.iter().filter(is_implicit).count() as u64;
        }
        totals
    }
}

/// The result for one class under test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// Edges that its tests cover.
    pub edges: Coverage,
    /// Tests that were emitted and passed every verification run, in the order of the source.
    pub tests: Vec<EmittedTest>,
    /// Broken contracts, one per distinct cause.
    pub findings: Vec<Finding>,
    /// Number of further findings, with a confidence below `min-confidence`.
    // The key is part of schema 1; messages say "below `min-confidence`".
    #[serde(default)]
    #[serde(rename = "less_sure")]
    pub below_threshold: usize,
    /// Tests that were generated and left out of the source.
    pub dropped: Vec<DroppedTest>,
    /// Tests of earlier runs that fail now: behaviour that changed. They stay in their files.
    #[serde(default)]
    pub changed: Vec<ChangedTest>,
    /// Tests of earlier runs that this run removed.
    #[serde(default)]
    pub removed: Vec<RemovedTest>,
    /// Members that no test runs, or that were given up before tests covered them, and why.
    pub not_tested: Vec<NotTested>,
    /// Members that were called and never returned, though tests may run all of them, and why.
    pub never_returned: Vec<NotTested>,
    /// Public methods, more than getters, of which no test asserts a normal outcome, and why.
    #[serde(default)]
    pub without_normal_outcome: Vec<NotTested>,
    /// The edges that no test covers, in the order of the class file.
    pub uncovered: Vec<UncoveredEdge>,
    /// Relative to the whole project, with `/`; `None` if the class does not say, or nothing of it can be tested.
    #[serde(default)]
    pub source: Option<String>,
    /// Those with a body, in the order of the class file.
    #[serde(default)]
    pub methods: Vec<MethodReport>,
    /// Lines that its tests run.
    #[serde(default)]
    pub lines: LineCoverage,
}

/// What the tests cover of a method's body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MethodReport {
    /// As source code has it: `indexOf(java.lang.Object)`, the class's name for a constructor.
    pub name: String,
    /// The first of its body; `None` if the class was compiled without lines.
    pub line: Option<u16>,
    /// Edges that tests cover.
    pub edges: Coverage,
    /// Why no test runs it, where that is known.
    pub not_tested: Option<Reason>,
}

/// Edges of the control flow graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Coverage {
    /// Those that tests cover.
    pub covered: u64,
    /// All of them.
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EmittedTest {
    /// Name of the test method.
    pub name: String,
    /// The source, relative to the output directory, with `/`.
    pub file: String,
    /// Edges that no earlier test of the class covers.
    pub new_edges: u64,
    /// It uses members that callers in other packages cannot use.
    #[serde(default)]
    pub back_door: bool,
}

/// A broken contract with the smallest sequence that shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// Names the finding from run to run; see [`finding_id`].
    pub id: String,
    /// Name of the contract, such as `equals-reflexive`.
    pub contract: String,
    /// How sure it is that this is a fault.
    #[cfg_attr(test, schemars(schema_with = "crate::schemas::confidence"))]
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
    // The key is part of schema 1; messages say "occurrences".
    #[serde(rename = "witnesses")]
    pub occurrences: u32,
    /// Binary names of the classes that showed it, sorted; several where they inherit or call the code at fault.
    #[serde(default)]
    pub shown_by: Vec<String>,
}

/// A place in a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Position {
    /// Relative to the whole project, with `/`; or below its source root, where the file was not found.
    pub file: String,
    /// From 1; `None` if the class was compiled without lines.
    pub line: Option<u32>,
}

/// An exception in a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExceptionReport {
    /// Binary name of its class.
    pub class: String,
    /// What `getMessage` returns.
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DroppedTest {
    /// Name of the test method.
    pub name: String,
    /// Why it was left out.
    pub reason: DropReason,
    /// The compiler's or the exception's own words.
    pub detail: String,
}

/// Why a class cannot be tested at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Obstacle {
    /// The closed list's word for it.
    pub reason: Reason,
    /// What was seen, in the JVM's or our own words; may be empty.
    pub detail: String,
}

/// A method or constructor that no test runs, or that was given up before tests covered it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NotTested {
    /// As reports name operations: `java.util.List.add(java.lang.Object)`.
    pub operation: String,
    /// The closed list's word for it.
    pub reason: Reason,
    /// What was seen, in the JVM's or our own words; may be empty.
    pub detail: String,
}

/// An edge that no test covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UncoveredEdge {
    /// Name and descriptor as in the class file: `indexOf(Ljava/lang/Object;)I`.
    pub method: String,
    /// `None` if the class was compiled without lines.
    pub line: Option<u16>,
    /// What it leads to, or where it comes from.
    pub kind: EdgeKind,
    /// Why no test covers it.
    pub why: WhyUncovered,
}

/// What an edge leads to, or where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EdgeKind {
    /// The start of a method's body.
    MethodEntry,
    /// The start of an exception handler.
    ExceptionHandler,
    /// A `case`, or the default, of a switch.
    SwitchTarget,
    /// The way into a loop.
    LoopBody,
    /// A conditional jump in the bytecode that does not jump.
    FallsThrough,
    /// A conditional jump in the bytecode that jumps.
    Jumps,
}

/// Why no test covers an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WhyUncovered {
    /// No sequence entered its method.
    MethodNotEntered,
    /// Sequences entered its method and never came there.
    NotReached,
    /// Sequences came there, and none of them became a test: it did something else the next time, shows a finding, or
    /// was not worth its statements.
    NoTest,
    /// Sequences came there only on the way to an exception that nobody throws on purpose.
    ImplicitException,
}

/// Workers that died of the same thing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WorkerDeath {
    /// What they died of.
    pub reason: Reason,
    /// The operation that was running, where it is known.
    pub operation: Option<String>,
    /// How many died so.
    pub times: u32,
}

/// What became of the generated sources on disk; paths are relative to the project, with `/`, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FileChanges {
    /// The output directory.
    pub directory: String,
    /// Are new, or replace older ones.
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Timing {
    /// Wall-clock seconds of the whole run.
    pub seconds: f64,
    /// Wall-clock seconds of the search alone.
    pub search_seconds: f64,
    /// Sequences a second of the search.
    pub sequences_per_second: f64,
    /// Seconds until the first sequence had run.
    pub first_sequence_seconds: f64,
    /// CPU seconds of the supervisor and all that it started.
    pub cpu_seconds: f64,
    /// The supervisor's largest resident memory.
    pub supervisor_peak_bytes: u64,
    /// The largest of the workers.
    pub worker_peak_bytes: u64,
    /// How many of the search's four workers ran at once.
    pub workers: usize,
    /// Stages in the order of the run, with wall-clock seconds.
    pub stages: Vec<(String, f64)>,
    /// The same stages with CPU seconds of the supervisor and all that it started.
    pub cpu_of_stages: Vec<(String, f64)>,
    /// Seconds since the search began, sequences and covered edges by then: the first state, some of those with more
    /// edges, and the last.
    pub coverage: Vec<(f64, u64, u32)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn hostile_names_reach_no_format_of_a_report() {
        let hostile = "\u{1b}[2J\n::error::x\u{202e}";
        let mut run = example::run();
        for class in &mut run.classes {
            class.name.push_str(hostile);
            for member in &mut class.not_tested {
                member.operation.push_str(hostile);
                member.detail.push_str(hostile);
            }
            for finding in &mut class.findings {
                finding.message.push_str(hostile);
                finding.source.push_str(hostile);
                finding.exception.iter_mut().for_each(|exception| exception.message = Some(hostile.to_string()));
            }
        }
        run.warnings.push(hostile.to_string());
        let run = run.plain();
        let texts = [crate::text(&run, None, "target"), crate::markdown(&run), serde_json::to_string(&run).unwrap()];
        for text in texts {
            assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
            assert!(text.lines().all(|line| !line.trim_start().starts_with("::")), "{text}");
        }
    }

    #[test]
    fn report_with_a_test_elsewhere_is_none_of_randgens() {
        let forged = |file: &str| {
            let mut run = example::run();
            let findings = run.classes.iter_mut().flat_map(|class| &mut class.findings);
            findings.for_each(|finding| finding.file = file.to_string());
            RunReport::parse(&serde_json::to_string(&run).unwrap())
        };
        assert!(forged("p/ATest.java").is_some());
        for file in ["../ATest.java", "/p/ATest.java", "p/../../ATest.java"] {
            assert_eq!(forged(file), None, "{file}");
        }
    }

    #[test]
    fn totals_sum_the_classes() {
        let totals = example::run().totals();
        let expected = Totals {
            classes: 2,
            classes_tested: 1,
            tests: 1,
            tests_back_door: 0,
            findings: 1,
            occurrences: 812,
            below_threshold: 2,
            dropped: 1,
            not_tested: 2,
            edges_covered: 9,
            edges_total: 12,
            edges_only_implicit: 0,
        };
        assert_eq!(totals, expected);
    }
}
