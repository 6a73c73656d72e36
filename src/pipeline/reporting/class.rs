//! The reports on classes under test: coverage, tests, findings, and what is not tested and why.

use super::finding::{finding_report, number_equal_ids, operation_of};
use super::untested::{Fate, is_abstract, is_unnamed, missing_input, obstacle, skipped_members};
use super::{ClassTests, FindingTest};
use crate::coverage::{self, ClassCoverage};
use crate::engine::Engine;
use crate::kept::{Kept, KeptClass};
use crate::sources::Sources;
use crate::subject::Subject;
use crate::suites::Suites;
use model::execution::{Edge, Outcome};
use model::jvm::ClassName;
use model::sequence::{OperationId, OperationKind};
use program::Target;
use report::{ClassReport, Coverage, EmittedTest, NotTested, Obstacle, Reason};
use rustc_hash::FxHashSet;
use search::generator;
use std::collections::BTreeMap;
use std::ops::Range;

/// One report per class under test, sorted by name. In a run that ended early, nothing is known of what no test calls.
pub fn classes(
    subject: &Subject,
    engine: &Engine,
    (Suites { tests, findings, .. }, kept): (&Suites, &Kept),
    sources: Sources,
    ended_early: bool,
) -> Vec<ClassReport> {
    let written = tests.values().flat_map(|tests| &tests.written).flat_map(|test| test.selected.iter().copied());
    let run = Run {
        subject,
        engine,
        sources,
        ended_early,
        kept,
        covered: coverage::covered_edges(engine, tests).union(&kept.edges).copied().collect(),
        called: called_operations(engine, written).union(&kept.called).copied().collect(),
        chosen: called_operations(engine, 0..engine.selection.tests.len()),
        returned: returned_operations(engine, tests).union(&kept.returned).copied().collect(),
        shown_by_findings: findings
            .iter()
            .map(|test| operation_of(test.finding, &subject.program.operations))
            .collect(),
    };
    let mut reports: BTreeMap<String, ClassReport> = BTreeMap::new();
    let none = ClassTests::default();
    for (index, target) in subject.program.targets.iter().enumerate() {
        let own = tests.get(&target.name).unwrap_or(&none);
        let own_findings = findings.iter().filter(|test| test.finding.class == target.name);
        reports.insert(target.name.binary(), run.class(index, target, own, own_findings));
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

/// The operations that some of the selected sequences call: a class may be tested beside another.
fn called_operations(engine: &Engine, selected: impl Iterator<Item = usize>) -> FxHashSet<OperationId> {
    selected.flat_map(|index| engine.selection.tests[index].sequence.calls()).collect()
}

/// The operations that a written test is about, and that returned in it something that it asserts.
fn returned_operations(engine: &Engine, tests: &BTreeMap<ClassName, ClassTests>) -> FxHashSet<OperationId> {
    let written = tests.values().flat_map(|tests| &tests.written).flat_map(|test| &test.selected);
    let returned = written.map(|&index| &engine.selection.tests[index]).filter(|one| {
        one.execution.outcome == Outcome::Completed && one.asserted.as_ref().is_none_or(|asserted| !asserted.is_empty())
    });
    returned.filter_map(|one| one.subject().calls().next_back()).collect()
}

/// What a run did, as the reports on its classes need it.
struct Run<'a> {
    subject: &'a Subject,
    engine: &'a Engine,
    sources: Sources<'a>,
    ended_early: bool,
    kept: &'a Kept,
    /// By written tests.
    covered: FxHashSet<Edge>,
    called: FxHashSet<OperationId>,
    /// Those that sequences call which were chosen for tests, written or not.
    chosen: FxHashSet<OperationId>,
    /// Those whose normal outcome a written test asserts.
    returned: FxHashSet<OperationId>,
    /// Names of the operations whose calls show findings, be it of a superclass.
    shown_by_findings: FxHashSet<String>,
}

impl Run<'_> {
    /// The report on the target at the index.
    fn class<'f>(
        &self,
        index: usize,
        target: &Target,
        own: &ClassTests,
        findings: impl Iterator<Item = &'f FindingTest<'f>>,
    ) -> ClassReport {
        let Run { subject, engine, sources, .. } = *self;
        let probes = &subject.probes;
        let end = probes.first_of_class.get(index + 1).copied().unwrap_or(probes.count);
        let class_probes = probes.first_of_class[index]..end;
        let operations = &subject.program.operations;
        let kept = self.kept.classes.get(&target.name);
        let below_threshold = engine.below_threshold.iter().filter(|finding| finding.class == target.name);
        let below_threshold: Vec<String> = below_threshold.map(|finding| operation_of(finding, operations)).collect();
        let mut report = ClassReport {
            name: target.name.binary(),
            sequences: engine.result.sequences_of_class[index],
            edges: self.coverage(class_probes.clone()),
            dropped: own.dropped.clone(),
            changed: kept.map(|kept| kept.changed.clone()).unwrap_or_default(),
            removed: kept.map(|kept| kept.removed.clone()).unwrap_or_default(),
            tests: self.emitted(own, kept, class_probes),
            findings: findings.map(|test| finding_report(test, subject.judge(), sources)).collect(),
            below_threshold: below_threshold.len(),
            unusable: obstacle(subject, &target.name),
            not_tested: skipped_members(subject, &target.name),
            source: sources.file(&target.name),
            ..ClassReport::default()
        };
        number_equal_ids(&mut report.findings);
        let instrumented = ClassCoverage::of(subject, index, &self.covered);
        if let Some(class) = &instrumented {
            report.uncovered = class.uncovered_edges(&engine.result);
            report.lines = class.lines(sources);
        }
        for id in program::first_choices(&subject.program.operations, &target.operations) {
            self.explain(self.most_used(id, target), target, &below_threshold, &mut report);
        }
        self.explain_class(target, &mut report);
        if let Some(class) = &instrumented {
            report.methods = class.methods(&report.not_tested);
        }
        report
    }

    /// How many of the probes that are edges are covered.
    fn coverage(&self, probes: impl IntoIterator<Item = Edge>) -> Coverage {
        let edges = probes.into_iter().filter(|&probe| self.subject.probes.is_edge[probe as usize]);
        edges.fold(Coverage::default(), |sum, edge| Coverage {
            covered: sum.covered + u64::from(self.covered.contains(&edge)),
            total: sum.total + 1,
        })
    }

    /// The written tests of a class, each with the number of the class's edges that the tests before it do not cover.
    fn emitted(&self, own: &ClassTests, kept: Option<&KeptClass>, class_probes: Range<Edge>) -> Vec<EmittedTest> {
        let mut seen: FxHashSet<Edge> = FxHashSet::default();
        let emitted = own.written.iter().map(|test| {
            let selected = test.selected.iter().map(|&index| &self.engine.selection.tests[index]);
            let operations = &self.subject.program.operations;
            let mut called = selected.clone().flat_map(|selected| selected.sequence.calls());
            let back_door = called.any(|operation| operations[operation.0 as usize].back_door);
            let kept = kept.and_then(|kept| kept.test(&test.file, &test.method));
            let back_door = back_door || kept.is_some_and(|kept| kept.back_door);
            let of_kept = kept.into_iter().flat_map(|kept| kept.edges.iter().copied());
            let edges =
                selected.flat_map(|selected| selected.execution.edges.iter().map(|hit| hit.edge)).chain(of_kept);
            let is_edge = |edge: &Edge| class_probes.contains(edge) && self.subject.probes.is_edge[*edge as usize];
            let new = edges.filter(|edge| is_edge(edge) && seen.insert(*edge)).count();
            EmittedTest { name: test.method.clone(), file: test.file.clone(), new_edges: new as u64, back_door }
        });
        emitted.collect()
    }

    /// Of the member's operations, which differ in type arguments, the one that tests call, or else the one that returned
    /// most often.
    fn most_used(&self, first: OperationId, target: &Target) -> OperationId {
        let operations = &self.subject.program.operations;
        let of = |id: OperationId| &operations[id.0 as usize];
        let is_same = |id: &OperationId| {
            let (one, other) = (of(first), of(*id));
            one.kind == other.kind && one.name == other.name && one.descriptor == other.descriptor
        };
        let use_of = |id: &OperationId| {
            let called = self.called.contains(id) || self.chosen.contains(id);
            (called, self.engine.result.trials[id.0 as usize].completed, std::cmp::Reverse(*id))
        };
        target.operations.iter().copied().filter(is_same).max_by_key(use_of).unwrap_or(first)
    }

    /// Adds why the operation is not tested, or why it never returned, if there is something to explain.
    fn explain(&self, id: OperationId, target: &Target, below_threshold: &[String], report: &mut ClassReport) {
        let Run { subject, engine, .. } = *self;
        let operation = &subject.program.operations[id.0 as usize];
        let name = operation.to_string();
        let quarantined = engine.result.quarantined.iter().find(|quarantined| quarantined.operation == id);
        let kills = engine.result.kills.iter().filter(|(killed, ..)| *killed == id);
        let fate = Fate {
            edges: self.coverage(subject.probes.of_operation[id.0 as usize].iter().copied()),
            quarantined: quarantined.map(|quarantined| &quarantined.why),
            kill: kills.max_by_key(|(.., times)| times).map(|(_, reason, _)| *reason),
            trials: engine.result.trials[id.0 as usize],
            always_thrown: engine.result.always_thrown.get(&id).filter(|_| !self.kept.returned.contains(&id)),
            called: self.called.contains(&id),
            chosen: self.chosen.contains(&id),
            unworthy: engine.selection.unworthy.contains(&id),
            shown_by_finding: self.shown_by_findings.contains(&name),
            below_threshold: below_threshold.contains(&name),
            is_all_there_is: operation.kind == OperationKind::Constructor && !has_methods_for_objects(subject, target),
            lacks_instance: operation.has_receiver() && is_abstract(subject, &target.name),
            closed_field: match operation.has_receiver() {
                true => subject.program.closed_fields.get(&target.name).map(|field| &**field),
                false => None,
            },
            ended_early: self.ended_early,
        };
        let untested = |(reason, detail)| {
            let (reason, detail) = match reason {
                Reason::NoInput => lacking(missing_input(subject, engine, id)),
                reason => (reason, detail),
            };
            NotTested { operation: name.clone(), reason, detail }
        };
        if generator::is_to_return(id, &subject.program, &subject.probes) && !self.returned.contains(&id) {
            report.without_normal_outcome.push(untested(fate.without_normal_outcome()));
        }
        match fate.reason() {
            Some(reason) => report.not_tested.push(untested(reason)),
            None => report.never_returned.extend(fate.never_returned().map(untested)),
        }
    }

    /// Says it once where one reason holds for the whole class.
    fn explain_class(&self, target: &Target, report: &mut ClassReport) {
        let blocker = report.not_tested.iter().find(|member| member.reason == Reason::InitialiserThrows);
        if let Some(blocker) = blocker
            && target.operations.iter().all(|operation| !self.called.contains(operation))
        {
            report.unusable = Some(Obstacle { reason: blocker.reason, detail: blocker.detail.clone() });
            report.not_tested.clear();
        }
        if report.unusable.is_none()
            && report.tests.is_empty()
            && report.not_tested.is_empty()
            && is_unnamed(self.subject, &target.name)
        {
            report.unusable = Some(Obstacle { reason: Reason::LocalOrAnonymous, detail: String::new() });
        }
    }
}

/// Why an operation was never tried that lacks this: nothing, if it could have been.
fn lacking(missing: String) -> (Reason, String) {
    (if missing.is_empty() { Reason::NotReached } else { Reason::NoInput }, missing)
}

/// Whether anything can be asked of an object of the class that it declares itself.
fn has_methods_for_objects(subject: &Subject, target: &Target) -> bool {
    target.operations.iter().any(|id| subject.program.operations[id.0 as usize].has_receiver())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operation_never_tried_although_nothing_is_missing_was_not_reached() {
        assert_eq!(lacking(String::new()), (Reason::NotReached, String::new()));
        let missing = "nothing makes a p.Gate".to_string();
        assert_eq!(lacking(missing.clone()), (Reason::NoInput, missing));
    }
}
