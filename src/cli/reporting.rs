//! From what a run did to its report.

use super::coverage::{self, ClassCoverage};
use super::engine::Engine;
use super::inputs::Inputs;
use super::sources::Sources;
use super::subject::Subject;
use super::suites::Suites;
use crate::execution::{Denial, Edge, KillReason, Outcome};
use crate::generator::{Identity, QuarantineReason, Trials};
use crate::jvm::types::access;
use crate::jvm::{ClassName, Type};
use crate::oracle::Finding;
use crate::program::{Program, SkipReason};
use crate::report::{
    self, ClassReport, Coverage, DroppedTest, EmittedTest, ExceptionReport, NotTested, Obstacle, Position, Reason,
    WorkerDeath,
};
use crate::sequence::{Action, Operation, OperationId, Sequence};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// A test that passed verification: which selected sequence it came from, and where it stands.
pub struct Written {
    /// Indices into `Engine::selection.selected`.
    pub selected: Vec<usize>,
    pub method: String,
    pub file: String,
    /// What it asserts, by the statement that made the value; nothing is known of tests of several sequences.
    pub assertions: BTreeMap<usize, String>,
}

impl Written {
    /// `p.StackRandgenTest.push_returns3`
    pub fn full_name(&self) -> String {
        let class = self.file.strip_suffix(".java").unwrap_or(&self.file).replace('/', ".");
        format!("{class}.{}", self.method)
    }
}

/// The tests of one class.
#[derive(Default)]
pub struct ClassTests {
    pub written: Vec<Written>,
    pub dropped: Vec<DroppedTest>,
}

/// A finding with the source of its test.
pub struct FindingTest<'a> {
    pub finding: &'a Finding,
    /// `None` without a test that was seen to fail.
    pub source: Option<FindingSource>,
}

/// The test method of a finding, and the file that it is in, as `SourceFile::relative_path` has it.
pub struct FindingSource {
    pub method: String,
    pub file: String,
    pub text: String,
}

/// One report per class under test, sorted by name. In a run that ended early, nothing is known of what no test calls.
pub fn classes(
    subject: &Subject,
    engine: &Engine,
    Suites { tests, findings, .. }: &Suites,
    sources: Sources,
    ended_early: bool,
) -> Vec<ClassReport> {
    let covered = coverage::covered_edges(engine, tests);
    let selected = tests.values().flat_map(|tests| &tests.written).flat_map(|test| test.selected.iter().copied());
    let called = called_operations(engine, selected);
    let chosen = called_operations(engine, 0..engine.selection.selected.len());
    let mut reports: BTreeMap<String, ClassReport> = BTreeMap::new();
    for (index, target) in subject.program.targets.iter().enumerate() {
        let name = target.name.binary();
        let first = subject.probes.first_of_class[index];
        let end = subject.probes.first_of_class.get(index + 1).copied().unwrap_or(subject.probes.count);
        let edges = (first..end).filter(|&edge| subject.probes.is_edge[edge as usize]);
        let coverage = Coverage {
            covered: edges.clone().filter(|edge| covered.contains(edge)).count() as u64,
            total: edges.count() as u64,
        };
        let empty = ClassTests::default();
        let own = tests.get(&target.name).unwrap_or(&empty);
        let mut report = ClassReport {
            name: name.clone(),
            sequences: engine.found.sequences_of_class[index],
            edges: coverage,
            dropped: own.dropped.clone(),
            ..ClassReport::default()
        };
        let mut seen: FxHashSet<Edge> = FxHashSet::default();
        for test in &own.written {
            let selected = test.selected.iter().map(|&index| &engine.selection.selected[index]);
            let edges = selected.flat_map(|selected| selected.execution.edges.iter().map(|hit| hit.edge));
            let new = edges.filter(|edge| (first..end).contains(edge) && seen.insert(*edge)).count();
            report.tests.push(EmittedTest {
                name: test.method.clone(),
                file: test.file.clone(),
                new_edges: new as u64,
            });
        }
        let own_findings = findings.iter().filter(|test| test.finding.class == target.name);
        report.findings = own_findings.map(|test| finding_report(test, &subject.program, sources)).collect();
        number_equal_ids(&mut report.findings);
        let less_sure = engine.less_sure.iter().filter(|finding| finding.class == target.name);
        let less_sure: Vec<String> =
            less_sure.map(|finding| operation_of(finding, &subject.program.operations)).collect();
        report.less_sure = less_sure.len();
        report.unusable = obstacle(subject, &target.name);
        report.not_tested = skipped_members(subject, &target.name);
        report.source = sources.file(&target.name);
        let instrumented = ClassCoverage::of(subject, index, &covered);
        if let Some(class) = &instrumented {
            report.uncovered = class.uncovered_edges(&engine.found.seen);
            report.lines = class.lines(sources);
        }
        for &id in &target.operations {
            let operation = &subject.program.operations[id.0 as usize];
            let edges = subject.probes.of_operation[id.0 as usize].iter();
            let edges = edges.filter(|&&edge| subject.probes.is_edge[edge as usize]);
            let quarantined = engine.found.quarantined.iter().find(|quarantined| quarantined.operation == id);
            let kills = engine.found.kills.iter().filter(|(killed, ..)| *killed == id);
            let fate = Fate {
                edges: Coverage {
                    covered: edges.clone().filter(|edge| covered.contains(edge)).count() as u64,
                    total: edges.count() as u64,
                },
                quarantined: quarantined.map(|quarantined| &quarantined.why),
                kill: kills.max_by_key(|(.., times)| times).map(|(_, reason, _)| *reason),
                trials: engine.found.trials[id.0 as usize],
                always_thrown: engine.found.always_thrown.get(&id),
                called: called.contains(&id),
                chosen: chosen.contains(&id),
                shown_by_finding: report.findings.iter().any(|finding| finding.operation == operation.to_string()),
                less_sure: less_sure.contains(&operation.to_string()),
                lacks_instance: operation.has_receiver() && is_abstract(subject, &target.name),
                ended_early,
            };
            let untested = |(reason, detail)| NotTested { operation: operation.to_string(), reason, detail };
            let reason = fate.reason().map(|(reason, detail)| match reason {
                Reason::NoInput => (reason, missing_input(subject, engine, id)),
                _ => (reason, detail),
            });
            match reason {
                Some(reason) => report.not_tested.push(untested(reason)),
                None => report.never_returned.extend(fate.never_returned().map(untested)),
            }
        }
        let blocker = report.not_tested.iter().find(|member| member.reason == Reason::InitialiserThrows);
        if let Some(blocker) = blocker
            && target.operations.iter().all(|operation| !called.contains(operation))
        {
            report.unusable = Some(Obstacle { reason: blocker.reason, detail: blocker.detail.clone() });
            report.not_tested.clear();
        }
        if report.unusable.is_none()
            && report.tests.is_empty()
            && report.not_tested.is_empty()
            && is_unnamed(subject, &target.name)
        {
            report.unusable = Some(Obstacle { reason: Reason::LocalOrAnonymous, detail: String::new() });
        }
        if let Some(class) = &instrumented {
            report.methods = class.methods(&report.not_tested);
        }
        reports.insert(name, report);
    }
    for (class, message) in &subject.unreadable {
        let obstacle = Obstacle { reason: Reason::Unreadable, detail: message.clone() };
        reports.insert(
            class.binary(),
            ClassReport { name: class.binary(), unusable: Some(obstacle), ..ClassReport::default() },
        );
    }
    reports.into_values().collect()
}

/// The reports on classes that the settings exclude.
pub fn excluded(classes: &[ClassName]) -> Vec<ClassReport> {
    let obstacle = Obstacle { reason: Reason::Excluded, detail: String::new() };
    let report = |class: &ClassName| ClassReport {
        name: class.binary(),
        unusable: Some(obstacle.clone()),
        ..ClassReport::default()
    };
    classes.iter().map(report).collect()
}

/// Of each class, those of the module that its tests call, be it to show a finding.
pub fn called_classes<'a>(
    subject: &Subject,
    engine: &Engine,
    suites: &Suites,
    classes: impl Iterator<Item = &'a ClassName>,
    inputs: &Inputs,
) -> BTreeMap<String, BTreeSet<ClassName>> {
    let operations = &subject.program.operations;
    let mut called: BTreeMap<String, BTreeSet<ClassName>> =
        classes.map(|class| (class.binary(), BTreeSet::new())).collect();
    let mut add = |class: &ClassName, sequence: &Sequence| {
        let owners = sequence.calls().map(|id| &operations[id.0 as usize].owner);
        called.entry(class.binary()).or_default().extend(owners.filter(|owner| inputs.is_own(owner)).cloned());
    };
    for (class, tests) in &suites.tests {
        let selected = tests.written.iter().flat_map(|test| &test.selected);
        selected.for_each(|&index| add(class, &engine.selection.selected[index].sequence));
    }
    suites.findings.iter().for_each(|test| add(&test.finding.class, &test.finding.sequence));
    called
}

/// The first type among the inputs of an operation of which nothing that ran made a value.
fn missing_input(subject: &Subject, engine: &Engine, id: OperationId) -> String {
    let program = &subject.program;
    let made = |needed: &Type| {
        let mut makers = program.operations.iter().zip(&engine.found.trials).filter(|(_, trials)| trials.completed > 0);
        makers.any(|(maker, _)| maker.output.as_ref().is_some_and(|output| program.types.is_assignable(output, needed)))
    };
    let inputs = program.operations[id.0 as usize].inputs.iter();
    let missing = inputs.filter(|input| !input.is_primitive()).find(|input| !made(input));
    missing.map_or_else(String::new, |missing| format!("nothing makes a {missing}"))
}

/// Why an operation that always threw did, as far as its exception tells.
fn reason_of_exception(thrown: &ClassName) -> Reason {
    match thrown.internal() {
        // Of the text that it was given, not of the network.
        "java/net/MalformedURLException" | "java/net/URISyntaxException" => Reason::AlwaysThrows,
        "java/io/FileNotFoundException" => Reason::NeedsFile,
        name if name.starts_with("java/nio/file/") => Reason::NeedsFile,
        name if name.starts_with("java/net/") || name.starts_with("javax/net/") => Reason::NeedsNetwork,
        _ => Reason::AlwaysThrows,
    }
}

fn reason_of_denial(denial: Denial) -> Reason {
    match denial {
        Denial::File => Reason::NeedsFile,
        Denial::Network => Reason::NeedsNetwork,
        Denial::Process => Reason::NeedsProcess,
    }
}

/// The operations that some of the selected sequences call: a class may be tested beside another.
fn called_operations(engine: &Engine, selected: impl Iterator<Item = usize>) -> FxHashSet<OperationId> {
    selected.flat_map(|index| engine.selection.selected[index].sequence.calls()).collect()
}

fn is_unnamed(subject: &Subject, class: &ClassName) -> bool {
    subject.program.types.get(class).is_some_and(|facts| facts.source_simple_name.is_none())
}

/// Why no member of the class can be used.
fn obstacle(subject: &Subject, class: &ClassName) -> Option<Obstacle> {
    let skipped = subject.program.skipped.iter().find(|skipped| skipped.class == *class && skipped.member.is_none())?;
    let (reason, detail) = of_skip(&skipped.reason);
    Some(Obstacle { reason, detail })
}

pub(super) fn of_skip(reason: &SkipReason) -> (Reason, String) {
    match reason {
        SkipReason::NameNotJava => (Reason::NameNotWritable, String::new()),
        SkipReason::NotAccessible => (Reason::NotAccessible, String::new()),
        SkipReason::Unreadable(message) => (Reason::Unreadable, message.clone()),
        SkipReason::MissingClass(class) => (Reason::MissingDependency, class.binary()),
    }
}

/// The members of a class that the search did not offer to use.
fn skipped_members(subject: &Subject, class: &ClassName) -> Vec<NotTested> {
    let of_class = subject.program.skipped.iter().filter(|skipped| skipped.class == *class);
    let members = of_class.filter_map(|skipped| {
        let operation = skipped.member.clone()?;
        let (reason, detail) = of_skip(&skipped.reason);
        Some(NotTested { operation, reason, detail })
    });
    members.collect()
}

/// What became of an operation.
#[derive(Clone, Copy, Default)]
struct Fate<'a> {
    /// Those of its body, and which of them tests cover.
    edges: Coverage,
    quarantined: Option<&'a QuarantineReason>,
    /// What ended runs in it most often.
    kill: Option<KillReason>,
    trials: Trials,
    /// What it threw most often if it never returned.
    always_thrown: Option<&'a ClassName>,
    /// A written test calls it.
    called: bool,
    /// A sequence that was chosen for a test calls it.
    chosen: bool,
    shown_by_finding: bool,
    /// A finding shows it that is less sure than the settings ask for.
    less_sure: bool,
    /// It needs an instance of an abstract class.
    lacks_instance: bool,
    ended_early: bool,
}

impl Fate<'_> {
    /// Why it never returned, if all that was seen of it is exceptions.
    fn never_returned(&self) -> Option<(Reason, String)> {
        self.always_thrown.map(|thrown| (reason_of_exception(thrown), thrown.binary()))
    }

    /// Why no test runs it, or why those that do leave parts of it out; `None` if there is nothing to explain.
    fn reason(&self) -> Option<(Reason, String)> {
        let Coverage { covered, total } = self.edges;
        if covered > 0 && covered == total {
            return None;
        }
        match self.quarantined {
            Some(QuarantineReason::Killed(reason)) => return Some((Reason::from(reason), String::new())),
            Some(QuarantineReason::Unlinkable(message)) => return Some((link_reason(message), message.clone())),
            None => {}
        }
        // What has no edges, a field's use or a native method, is a means to test others and not an end.
        if total == 0 || covered > 0 || self.called || self.shown_by_finding {
            return None;
        }
        let Trials { tries, completed, illegal, denied } = self.trials;
        let reason = match self.kill {
            _ if self.ended_early => Reason::NotReached,
            _ if self.chosen => Reason::TestLeftOut,
            Some(reason) if completed == 0 => Reason::from(&reason),
            _ if denied.is_some() => denied.map_or(Reason::NotReproducible, reason_of_denial),
            _ if tries == 0 && self.lacks_instance => Reason::NoInstance,
            _ if tries == 0 => Reason::NoInput,
            _ if self.less_sure => Reason::LessSure,
            _ if illegal == tries => Reason::OnlyIllegal,
            _ => return self.never_returned().or(Some((Reason::NotReproducible, String::new()))),
        };
        Some((reason, String::new()))
    }
}

fn link_reason(message: &str) -> Reason {
    if message.contains("ExceptionInInitializerError") || message.contains("Could not initialize class") {
        Reason::InitialiserThrows
    } else if message.contains("NoClassDefFoundError") || message.contains("ClassNotFoundException") {
        Reason::MissingDependency
    } else {
        Reason::DoesNotLink
    }
}

fn is_abstract(subject: &Subject, class: &ClassName) -> bool {
    let facts = subject.program.types.get(class);
    facts.is_some_and(|facts| facts.access & (access::ABSTRACT | access::INTERFACE) != 0)
}

/// What broke the contract, or made the value that does.
fn operation_of(finding: &Finding, operations: &[Operation]) -> String {
    let last = finding.sequence.len().saturating_sub(finding.checks + 1);
    match finding.sequence.statements()[last].action {
        Action::Call(id) => operations[id.0 as usize].to_string(),
        Action::Literal(_) => finding.class.binary(),
    }
}

fn finding_report(test: &FindingTest, program: &Program, sources: Sources) -> report::Finding {
    let finding = test.finding;
    let operations = &program.operations;
    let operation = operation_of(finding, operations);
    let described = finding.sequence.describe(operations);
    let thrown = match &finding.execution.outcome {
        Outcome::Threw { exception, .. } => Some(exception),
        _ => finding.violation.thrown.as_ref(),
    };
    let Identity { cause, stack, calls } = Identity::of(finding, program);
    let id = report::finding_id([
        &finding.class.binary(),
        finding.violation.contract,
        &cause,
        &stack.join("\n"),
        &calls.join("\n"),
    ]);
    let (test, file, source) = match &test.source {
        Some(found) => (found.method.clone(), found.file.clone(), found.text.clone()),
        None => (String::new(), String::new(), described),
    };
    report::Finding {
        id,
        contract: finding.violation.contract.to_string(),
        confidence: finding.confidence(program),
        message: finding.violation.message.clone(),
        cause,
        operation,
        position: position(finding, program, sources),
        test,
        file,
        source,
        exception: thrown.map(ExceptionReport::from),
        witnesses: finding.witnesses,
    }
}

/// Where an exception left code under test first, or else the methods that were called last.
fn position(finding: &Finding, program: &Program, sources: Sources) -> Option<Position> {
    let frame = finding.violation.thrown.as_ref().and_then(|thrown| program.own_frame(thrown));
    if let Some(frame) = frame
        && let Ok(line @ 1..) = u32::try_from(frame.line)
    {
        return sources.line(&frame.class, line);
    }
    let last = finding.sequence.len() - finding.checks.max(1);
    let calls = finding.sequence.statements()[last..].iter().filter_map(|statement| match statement.action {
        Action::Call(id) => Some(&*program.operations[id.0 as usize].name),
        Action::Literal(_) => None,
    });
    sources.method(&finding.class, &calls.collect::<Vec<_>>())
}

/// Two faults in one method may differ in nothing that names them: what counts is how many there are.
fn number_equal_ids(findings: &mut [report::Finding]) {
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    for finding in findings {
        let number = times.entry(finding.id.clone()).or_default();
        *number += 1;
        if *number > 1 {
            finding.id = format!("{}-{number}", finding.id);
        }
    }
}

/// The kills that quarantined an operation.
pub fn worker_deaths(subject: &Subject, engine: &Engine) -> Vec<WorkerDeath> {
    let mut deaths: BTreeMap<(Reason, Option<String>), u32> = BTreeMap::new();
    for (operation, reason, times) in &engine.found.kills {
        let operation = subject.program.operations[operation.0 as usize].to_string();
        *deaths.entry((Reason::from(reason), Some(operation))).or_default() += *times as u32;
    }
    deaths.into_iter().map(|((reason, operation), times)| WorkerDeath { reason, operation, times }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::subject::ClassFiles;
    use super::*;
    use crate::classpath;
    use crate::execution::{Execution, Frame, Thrown};
    use crate::jvm::types::TypeTable;
    use crate::jvm::{Literal, MethodDescriptor, Type};
    use crate::oracle::Violation;
    use crate::program::{Effects, ExistingTests, Target};
    use crate::sequence::{CheckOperations, Operation, OperationKind, Sequence};
    use std::path::Path;

    /// Static methods `run` of `p.A`, with one parameter each: their tests would have the same name.
    fn overloads() -> Program {
        let operation = |parameter: Type| {
            let descriptor = MethodDescriptor { parameters: vec![parameter], returns: None };
            Operation::new(OperationKind::StaticMethod, ClassName::new("p/A"), "run", descriptor)
        };
        let [class, object] = ["p/A", "java/lang/Object"].map(ClassName::new);
        Program {
            operations: [Type::INT, Type::Class(object)].map(operation).into(),
            types: TypeTable::default(),
            targets: vec![Target {
                annotated: Vec::new(),
                name: class,
                operations: vec![OperationId(0), OperationId(1)],
                constants: Vec::new(),
            }],
            skipped: Vec::new(),
            casts: BTreeMap::new(),
            arrays: BTreeMap::new(),
            checks: CheckOperations {
                equals: OperationId(0),
                hash_code: OperationId(0),
                to_string: OperationId(0),
                compare_to: OperationId(0),
                compare: OperationId(0),
            },
            effects: vec![Effects::ALL; 2],
            duties: Default::default(),
            existing_tests: ExistingTests::default(),
        }
    }

    /// `run` throws, in a class of the JDK that it calls.
    fn finding(overload: u32, literal: Literal) -> Finding {
        let mut sequence = Sequence::new();
        let argument = sequence.push_literal(literal);
        sequence.push_call(OperationId(overload), &[argument]);
        let frame = |class, line| Frame { class: ClassName::new(class), method: "run".to_string(), line };
        let exception = Thrown {
            class: ClassName::new("java/lang/NullPointerException"),
            nameable: ClassName::new("java/lang/NullPointerException"),
            superclasses: Vec::new(),
            message: None,
            stack: vec![frame("java/util/Objects", 209), frame("p/A", 7)],
        };
        Finding {
            class: ClassName::new("p/A"),
            sequence,
            checks: 0,
            execution: Execution::ended(Outcome::Threw { statement: 1, exception: exception.clone() }),
            violation: Violation { contract: "no-null-pointer", message: String::new(), thrown: Some(exception) },
            witnesses: 1,
        }
    }

    #[test]
    fn the_id_of_a_finding_stays_when_its_test_is_renamed_or_its_line_moves() {
        let program = overloads();
        let id = |finding: &Finding, name: &str| {
            let text = format!("void {name}() {{ A.run(0); }}");
            let source =
                Some(FindingSource { method: name.to_string(), file: "p/AFindingTest.java".to_string(), text });
            report_of(finding, source, &program).id
        };
        let first = finding(0, Literal::Int(0));
        let second = finding(1, Literal::String("".into()));
        let (alone, beside) = ("run_throwsNullPointerException", "run_throwsNullPointerException2");
        assert_ne!(id(&first, alone), id(&second, beside));
        assert_eq!(id(&second, alone), id(&second, beside));
        assert_ne!(id(&first, alone), id(&second, alone));

        let mut moved = finding(0, Literal::Int(0));
        own_frame(&mut moved).line += 5;
        assert_eq!(id(&moved, alone), id(&first, alone));
        own_frame(&mut moved).method = "step".to_string();
        assert_ne!(id(&moved, alone), id(&first, alone));
        assert_eq!(id(&finding(0, Literal::Int(7)), alone), id(&first, alone));
    }

    /// Of a project without class files.
    fn report_of(finding: &Finding, source: Option<FindingSource>, program: &Program) -> report::Finding {
        let module = classpath::of_classes(Path::new("/p"), &[], None, None);
        let sources = Sources { classes: &ClassFiles::new(), module: &module };
        finding_report(&FindingTest { finding, source }, program, sources)
    }

    #[test]
    fn equal_findings_of_a_class_are_told_apart_by_number() {
        let program = overloads();
        let report = || report_of(&finding(0, Literal::Int(0)), None, &program);
        let mut findings = [report(), report()];
        number_equal_ids(&mut findings);
        assert_eq!(findings[1].id, format!("{}-2", findings[0].id));
    }

    fn own_frame(finding: &mut Finding) -> &mut Frame {
        &mut finding.violation.thrown.as_mut().unwrap().stack[1]
    }

    fn check(fate: Fate, expected: Option<Reason>) {
        assert_eq!(fate.reason().map(|(reason, _)| reason), expected);
    }

    /// Of an operation with three edges, called twenty times, that no test runs.
    fn fate() -> Fate<'static> {
        Fate {
            edges: Coverage { covered: 0, total: 3 },
            trials: Trials { tries: 20, completed: 20, ..Trials::default() },
            ..Fate::default()
        }
    }

    #[test]
    fn what_tests_run_needs_no_reason() {
        check(Fate { called: true, ..fate() }, None);
        check(Fate { shown_by_finding: true, ..fate() }, None);
        check(Fate { edges: Coverage { covered: 1, total: 3 }, ..fate() }, None);
        check(Fate { edges: Coverage::default(), ..fate() }, None);
    }

    #[test]
    fn what_was_given_up_is_explained_unless_tests_cover_it_all() {
        let why = QuarantineReason::Killed(KillReason::Exit);
        let fate = |covered| Fate { edges: Coverage { covered, total: 3 }, quarantined: Some(&why), ..fate() };
        check(fate(0), Some(Reason::Exit));
        check(Fate { called: true, ..fate(2) }, Some(Reason::Exit));
        check(fate(3), None);
        check(Fate { edges: Coverage::default(), ..fate(0) }, Some(Reason::Exit));
        let why = QuarantineReason::Unlinkable("java.lang.NoClassDefFoundError: p/Gone".to_string());
        check(Fate { quarantined: Some(&why), ..fate(0) }, Some(Reason::MissingDependency));
    }

    #[test]
    fn kills_explain_what_never_returned() {
        let trials = Trials { completed: 0, ..fate().trials };
        let kill = Some(KillReason::ProbeBudget);
        check(Fate { kill, trials, ..fate() }, Some(Reason::ProbeBudget));
        check(Fate { kill, ..fate() }, Some(Reason::NotReproducible));
    }

    #[test]
    fn calls_that_nobody_could_make_are_told_from_those_that_were_refused() {
        let untried = Fate { trials: Trials::default(), ..fate() };
        check(untried, Some(Reason::NoInput));
        check(Fate { lacks_instance: true, ..untried }, Some(Reason::NoInstance));
        check(
            Fate { trials: Trials { tries: 9, illegal: 9, ..Trials::default() }, ..fate() },
            Some(Reason::OnlyIllegal),
        );
        let mostly_illegal = Trials { tries: 9, illegal: 8, ..Trials::default() };
        check(Fate { trials: mostly_illegal, ..fate() }, Some(Reason::NotReproducible));
        check(Fate { less_sure: true, ..fate() }, Some(Reason::LessSure));
        let denied = Trials { denied: Some(Denial::Process), ..mostly_illegal };
        check(Fate { trials: denied, ..fate() }, Some(Reason::NeedsProcess));
    }

    #[test]
    fn what_never_returned_is_told_by_its_exception() {
        for (name, reason) in [
            ("java/lang/IllegalStateException", Reason::AlwaysThrows),
            ("java/io/FileNotFoundException", Reason::NeedsFile),
            ("java/nio/file/NoSuchFileException", Reason::NeedsFile),
            ("java/net/ConnectException", Reason::NeedsNetwork),
            ("java/net/MalformedURLException", Reason::AlwaysThrows),
        ] {
            let thrown = ClassName::new(name);
            let trials = Trials { completed: 0, ..fate().trials };
            let fate = Fate { always_thrown: Some(&thrown), trials, ..fate() };
            assert_eq!(fate.reason(), Some((reason, thrown.binary())));
            assert_eq!(Fate { called: true, ..fate }.never_returned(), Some((reason, thrown.binary())));
        }
    }

    #[test]
    fn a_test_that_was_left_out_and_an_early_end_come_before_what_the_calls_did() {
        check(Fate { chosen: true, ..fate() }, Some(Reason::TestLeftOut));
        check(Fate { chosen: true, ended_early: true, ..fate() }, Some(Reason::NotReached));
    }
}
