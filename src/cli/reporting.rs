//! From what a run did to its report.

use super::engine::Engine;
use super::subject::Subject;
use super::suites::Suites;
use crate::execution::{Edge, Outcome};
use crate::generator::QuarantineReason;
use crate::jvm::ClassName;
use crate::jvm::types::access;
use crate::oracle::Finding;
use crate::program::{SkipReason, Skipped};
use crate::report::{
    self, ClassReport, Coverage, DroppedTest, EmittedTest, ExceptionReport, NotTested, Obstacle, Reason, WorkerDeath,
};
use crate::sequence::{Action, OperationId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A test that passed verification: which selected sequence it came from, and where it stands.
pub struct Written {
    /// Indices into `Engine::selection.selected`.
    pub selected: Vec<usize>,
    pub method: String,
    pub file: String,
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
    /// Name and text of its test method; `None` without one that was seen to fail.
    pub source: Option<(String, String)>,
}

/// One report per class under test, sorted by name. In a run that ended early, nothing is known of what no test calls.
pub fn classes(
    subject: &Subject,
    engine: &Engine,
    Suites { tests, findings, .. }: &Suites,
    excluded: &[ClassName],
    ended_early: bool,
) -> Vec<ClassReport> {
    let covered = covered_edges(engine, tests);
    let called = called_operations(engine, tests);
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
        report.findings =
            findings.iter().filter(|test| test.finding.class == target.name).map(finding_report(subject)).collect();
        report.unusable = obstacle(subject, &target.name);
        report.not_tested = not_tested(subject, engine, &called, index, &report, ended_early);
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
        reports.insert(name, report);
    }
    for (class, message) in &subject.unreadable {
        let obstacle = Obstacle { reason: Reason::Unreadable, detail: message.clone() };
        reports.insert(
            class.binary(),
            ClassReport { name: class.binary(), unusable: Some(obstacle), ..ClassReport::default() },
        );
    }
    for class in excluded {
        let obstacle = Obstacle { reason: Reason::Excluded, detail: String::new() };
        reports.insert(
            class.binary(),
            ClassReport { name: class.binary(), unusable: Some(obstacle), ..ClassReport::default() },
        );
    }
    reports.into_values().collect()
}

fn covered_edges(engine: &Engine, tests: &BTreeMap<ClassName, ClassTests>) -> FxHashSet<Edge> {
    let written = tests.values().flat_map(|tests| &tests.written);
    written
        .flat_map(|test| &test.selected)
        .flat_map(|&index| engine.selection.selected[index].execution.edges.iter().map(|hit| hit.edge))
        .collect()
}

/// The operations that any test calls: a class may be tested beside another.
fn called_operations(engine: &Engine, tests: &BTreeMap<ClassName, ClassTests>) -> FxHashSet<OperationId> {
    let written = tests.values().flat_map(|tests| &tests.written);
    let selected = written.flat_map(|test| &test.selected).map(|&index| &engine.selection.selected[index]);
    let statements = selected.flat_map(|selected| selected.sequence.statements());
    let called = statements.filter_map(|statement| match statement.action {
        Action::Call(operation) => Some(operation),
        Action::Literal(_) => None,
    });
    called.collect()
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

fn not_tested(
    subject: &Subject,
    engine: &Engine,
    called: &FxHashSet<OperationId>,
    index: usize,
    report: &ClassReport,
    ended_early: bool,
) -> Vec<NotTested> {
    let target = &subject.program.targets[index];
    let mut members: Vec<NotTested> = Vec::new();
    let skipped = |skipped: &&Skipped| skipped.class == target.name && skipped.member.is_some();
    for skipped in subject.program.skipped.iter().filter(skipped) {
        let (reason, detail) = of_skip(&skipped.reason);
        let operation = skipped.member.clone().unwrap_or_default();
        members.push(NotTested { operation, reason, detail });
    }
    for id in &target.operations {
        let operation = &subject.program.operations[id.0 as usize];
        let quarantined = engine.found.quarantined.iter().find(|quarantined| quarantined.operation == *id);
        if let Some(quarantined) = quarantined {
            let (reason, detail) = match &quarantined.why {
                QuarantineReason::Killed(reason) => (Reason::from(reason), String::new()),
                QuarantineReason::Unlinkable(message) => (link_reason(message), message.clone()),
            };
            members.push(NotTested { operation: operation.to_string(), reason, detail });
            continue;
        }
        // A field read or written is a means to test methods, not an end.
        if called.contains(id) || subject.probes.of_operation[id.0 as usize].is_empty() {
            continue;
        }
        let (tries, completed) = engine.found.tries[id.0 as usize];
        let shown_by_finding = report.findings.iter().any(|finding| finding.operation == operation.to_string());
        let reason = match (tries, completed) {
            _ if shown_by_finding => continue,
            _ if ended_early => Reason::NotReached,
            (0, _) if operation.has_receiver() && is_abstract(subject, &target.name) => Reason::NoInstance,
            (0, _) => Reason::NoInput,
            (_, 0) => Reason::OnlyIllegal,
            _ => Reason::NotReproducible,
        };
        members.push(NotTested { operation: operation.to_string(), reason, detail: String::new() });
    }
    members
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

fn finding_report<'a>(subject: &'a Subject) -> impl Fn(&FindingTest<'a>) -> report::Finding {
    |test| {
        let finding = test.finding;
        let operations = &subject.program.operations;
        let shown = finding.sequence.len().saturating_sub(finding.checks + usize::from(finding.checks == 0));
        let statement = if finding.checks == 0 { finding.sequence.len() - 1 } else { shown.saturating_sub(1) };
        let operation = match finding.sequence.statements()[statement].action {
            Action::Call(id) => operations[id.0 as usize].to_string(),
            Action::Literal(_) => finding.class.binary(),
        };
        let (name, source) = match &test.source {
            Some((name, source)) => (name.clone(), source.clone()),
            None => (String::new(), finding.sequence.describe(operations)),
        };
        let thrown = match &finding.execution.outcome {
            Outcome::Threw { exception, .. } => Some(exception),
            _ => finding.violation.thrown.as_ref(),
        };
        let exception = thrown.map(ExceptionReport::from);
        let class = finding.class.binary();
        let exception_class = exception.as_ref().map(|exception| exception.class.as_str());
        report::Finding {
            id: report::finding_id(&class, finding.violation.contract, exception_class, &source),
            contract: finding.violation.contract.to_string(),
            message: finding.violation.message.clone(),
            operation,
            test: name,
            source,
            exception,
            witnesses: finding.witnesses,
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
