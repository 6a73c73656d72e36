//! Selection of the tests that are worth writing from the archive: observe, cover, split, minimize, remove order
//! dependencies, and add or strengthen tests by the mutants that they kill.
//!
//! A test earns its place by a goal that no other test reaches, in a class with many tests by several: an edge, an operation that
//! returned or threw a type of exception, or a mutant. Sequences are run in several orders; what differs between them is
//! no ground for a test.

mod accepted;
mod assertions;
mod best;
mod boundary;
mod cover;
mod deciders;
mod detach;
mod directed;
mod foreign;
mod fresh;
mod held;
mod idle;
mod join;
mod minimize;
pub mod mutation;
mod order_dependency;
mod pairs;
mod read_back;
mod refine;
mod rejections;
mod relation;
mod runs;
mod settle;
mod split;
mod strangers;
mod strengthen;
mod with_mutants;
mod worth;

pub use held::Held;
pub use idle::idle_statements;

use super::findings::{self, Cause};
use super::{ArchiveEntry, Goal, ProbeMap, outcomes};
use crate::minimizer::{Effort, Knowledge, minimize};
use model::execution::{Defaults, Detail, Edge, Execution, Executor, ExecutorError, Outcome, Value};
use model::options::{Access, ImplicitExceptions};
use model::sequence::{OperationId, Sequence};
use mutation::{KillsBySite, MutantSite, MutationAnalysis};
use oracle::rules::{Rule, RuleHits};
use oracle::{Finding, Intent, Judge};
use program::Program;
use relation::Relations;
use runs::{common, retain_common};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Sequences sent to an executor at once.
const BATCH: usize = 128;

/// Test candidate: a sequence with its execution and the goals for which it may become a test.
#[derive(Clone, Debug)]
pub struct TestCandidate {
    /// What the test calls.
    pub sequence: Sequence,
    /// What it did each time that it ran.
    pub execution: Execution,
    /// The goals that it reaches first.
    pub goals: BTreeSet<Goal>,
    /// Calls at its end that are there only to be asserted.
    pub observers: usize,
    /// How many of those calls, the first ones, show the outcome of the test's last other call.
    pub telling: usize,
    /// How many of those calls, these and the next ones, have to do with that outcome.
    related: usize,
    /// The statements whose values are asserted; `None` for all that can be.
    pub asserted: Option<BTreeSet<usize>>,
    /// The mutants that it kills by them.
    pub kills: KillsBySite,
    /// Those of them that are in foreign code.
    foreign: BTreeSet<u32>,
    /// The literals, constants, empty arrays and calls with which its outcome would change; `None` if that is not known.
    pub deciders: Option<BTreeSet<usize>>,
    /// The edges it reaches beside the others, in each order in which the suite was run.
    pub beside_others: Vec<Vec<Edge>>,
    /// Edges that only calls at its end reach which may yet be removed.
    only_observed: BTreeSet<Edge>,
    /// It shows what is accepted where another test shows what is rejected.
    beside_rejection: bool,
    /// It shows that its call leaves something as it was.
    shows_no_change: bool,
    /// It shows the same without the call that it is about.
    is_idle: bool,
    /// There was no time to make it plainer.
    pub is_unrefined: bool,
    /// What has to be set for it; found out after the selection.
    pub defaults: Defaults,
}

impl TestCandidate {
    fn new(sequence: Sequence, execution: Execution, goals: BTreeSet<Goal>) -> TestCandidate {
        TestCandidate {
            sequence,
            execution,
            goals,
            observers: 0,
            telling: 0,
            related: 0,
            asserted: None,
            kills: KillsBySite::new(),
            foreign: BTreeSet::new(),
            deciders: None,
            beside_others: Vec::new(),
            only_observed: BTreeSet::new(),
            beside_rejection: false,
            shows_no_change: false,
            is_idle: false,
            is_unrefined: false,
            defaults: Defaults::NONE,
        }
    }

    /// The test without the calls that are there only to be asserted, which says what it is about.
    pub fn subject(&self) -> Sequence {
        self.sequence.prefix(self.sequence.len() - self.observers)
    }

    /// The edges that it reaches by other calls than those that are there only to be asserted.
    pub fn own_edges(&self) -> impl Iterator<Item = Edge> {
        let edges = self.execution.edges.iter().map(|hit| hit.edge);
        edges.filter(|edge| !self.only_observed.contains(edge))
    }

    /// Makes the run one of the sequence, which has just these statements left, in their order: a call that throws has a value only if calls
    /// behind it look at what it left.
    fn keep_run_of(&mut self, kept: &[usize]) {
        self.execution.move_mocks(|at| kept.binary_search(&at).ok());
        let values = &self.execution.values;
        let mut values: Vec<Value> = kept.iter().filter_map(|at| values.get(*at).cloned()).collect();
        if let (Outcome::Threw { statement, .. }, Some(thrower)) =
            (&mut self.execution.outcome, self.sequence.throwing())
        {
            *statement = thrower;
            if self.sequence.rejected().is_none() {
                values.truncate(thrower);
            }
        }
        self.execution.values = values;
    }
}

/// The operation that the test is about, if that is a call.
fn subject_of(one: &TestCandidate) -> Option<OperationId> {
    one.sequence.call_at((one.sequence.len() - one.observers).checked_sub(1)?)
}

/// Whether the test shows what a method throws on purpose.
fn is_rejection(one: &TestCandidate, context: &SelectionContext) -> bool {
    outcomes::intent_of(&one.execution, context.program) == Some(Intent::Deliberate)
}

/// What selection gave.
#[derive(Debug, Default)]
pub struct Selection {
    /// The tests, in the order of the suite.
    pub tests: Vec<TestCandidate>,
    /// Archived sequences that behaved differently in another order.
    pub unstable: usize,
    /// The mutants that were run, and those that no test reaches which is about their class, by the numbers of their sites.
    pub tried: BTreeSet<u32>,
    /// Operations that only such sound tests call as show nothing that is worth a test.
    pub unworthy: FxHashSet<OperationId>,
}

/// The result of replaying a finding in a fresh worker.
enum ReplayedFinding {
    Again(Box<Finding>),
    /// It was reproduced, and its exception message or values show that a rule suppresses it.
    Suppressed(&'static Rule),
    NotAgain,
}

/// Inputs and settings of the selection.
#[derive(Clone, Copy)]
pub struct SelectionTask<'a> {
    /// The classes under test and their operations.
    pub program: &'a Program,
    /// Which probes belong to what.
    pub probes: &'a ProbeMap,
    /// Threads that drive executors.
    pub threads: usize,
    /// Whether a test may end in an exception that nobody throws on purpose.
    pub implicit_exceptions: ImplicitExceptions,
    /// Whether a test may use a back door where the front door leads to the same goals.
    pub access: Access,
    /// What the tests of earlier runs reach.
    pub held: &'a Held,
    /// Entries of a large archive that are observed for each goal: more than one, as one may behave differently in a fresh
    /// worker, unless the time is short.
    pub observed_for_goal: usize,
    /// Called between optional steps of work.
    pub should_continue: &'a (dyn Fn() -> bool + Sync),
}

/// What the steps of the selection share.
struct SelectionContext<'a> {
    program: &'a Program,
    probes: &'a ProbeMap,
    knowledge: Knowledge<'a>,
    /// Made when first asked for.
    relations: OnceLock<Relations>,
    threads: usize,
    implicit_exceptions: ImplicitExceptions,
    access: Access,
    held: &'a Held,
    /// Called between optional steps of work.
    should_continue: &'a (dyn Fn() -> bool + Sync),
}

/// Chooses and minimizes tests from the archive; with mutants, the mutants that a test kills decide its assertions.
pub fn select(
    archive: &[ArchiveEntry],
    task: SelectionTask<'_>,
    executors: &mut [Box<dyn Executor>],
    mutation: Option<&MutationAnalysis>,
) -> Result<Selection, ExecutorError> {
    let context = SelectionContext::new(task);
    let (sequences, others) = best::split(archive, task.observed_for_goal);
    let (observed, unstable) = context.observe(&sequences, false, executors)?;
    let pool: Vec<Sequence> = match mutation {
        Some(_) => sequences_of(&observed).into_iter().chain(others).collect(),
        None => Vec::new(),
    };
    let minimized = context.on_shards(cover::cover(observed, &context), executors, &|one, executor| {
        split::separate(one, &context, executor)
    })?;
    let minimized: Vec<TestCandidate> = minimized.into_iter().flatten().collect();
    let (observed, later_unstable) = context.observe(&sequences_of(&minimized), true, executors)?;
    let in_reason = cover::cover_in_reason(observed, &context);
    let (mut tests, checked) = order_dependency::remove_order_dependencies(in_reason, &context, executors)?;
    let mut tried = BTreeSet::new();
    if let Some(mutation) = mutation {
        (tests, tried) = strengthen::strengthen(tests, &checked, &pool, mutation, &context, executors)?;
    } else {
        tests = order_dependency::drop_order_dependent(tests, &checked, &context, executors)?;
    }
    let (in_shared_jvm, last_unstable) = context.in_shared_jvm(tests, executors)?;
    let (in_shared_jvm, varying) = context.at_all_times(in_shared_jvm, executors)?;
    let mut unstable = unstable + later_unstable + last_unstable + varying;
    let in_shared_jvm = deciders::note_idle(in_shared_jvm, mutation, &context, executors)?;
    let reached = reached_by_order(&in_shared_jvm);
    let mut unworthy = called(&in_shared_jvm);
    let mut tests = cover::cover_asserting(in_shared_jvm, mutation, &context);
    // What the first test that needs a class reaches, its initialiser, may have been reached by one that was not chosen.
    if reached_by_order(&tests) != reached {
        let (agreed, unstable_alone) = context.in_shared_jvm(tests, executors)?;
        tests = agreed;
        unstable += unstable_alone;
    }
    let tests = settle::settle(tests, &context, executors)?;
    let tests = deciders::find(tests, &context, executors)?;
    let called = called(&tests);
    unworthy.retain(|operation| !called.contains(operation));
    Ok(Selection { tests, unstable, tried, unworthy })
}

/// What the tests call.
fn called(tests: &[TestCandidate]) -> FxHashSet<OperationId> {
    tests.iter().flat_map(|one| one.sequence.calls()).collect()
}

/// Tests of just these sequences: of each what it does beside the others, in whatever order; and how many do not do the
/// same each time.
pub fn observe(
    sequences: &[Sequence],
    task: SelectionTask<'_>,
    executors: &mut [Box<dyn Executor>],
) -> Result<(Vec<TestCandidate>, usize), ExecutorError> {
    let context = SelectionContext::new(task);
    let (observed, unstable) = context.observe(sequences, false, executors)?;
    let (in_shared_jvm, later_unstable) = context.in_shared_jvm(observed, executors)?;
    let (in_shared_jvm, varying) = context.at_all_times(in_shared_jvm, executors)?;
    Ok((in_shared_jvm, unstable + later_unstable + varying))
}

/// What all tests reach in each order in which they shared a JVM.
fn reached_by_order(tests: &[TestCandidate]) -> Vec<FxHashSet<Edge>> {
    let mut reached: Vec<FxHashSet<Edge>> = Vec::new();
    for one in tests {
        reached.resize_with(one.beside_others.len().max(reached.len()), FxHashSet::default);
        reached.iter_mut().zip(&one.beside_others).for_each(|(all, own)| all.extend(own));
    }
    reached
}

fn sequences_of(selected: &[TestCandidate]) -> Vec<Sequence> {
    selected.iter().map(|one| one.sequence.clone()).collect()
}

/// The findings that a fresh worker reproduced.
#[derive(Debug, Default)]
pub struct MinimizedFindings {
    /// Distinct findings, each as small as time allowed.
    pub findings: Vec<Finding>,
    /// How many a fresh worker did not reproduce.
    pub not_repeated: usize,
    /// How often each rule suppressed one.
    pub rule_hits: RuleHits,
}

impl MinimizedFindings {
    /// These and others.
    pub fn and(mut self, other: MinimizedFindings) -> MinimizedFindings {
        self.findings.extend(other.findings);
        self.not_repeated += other.not_repeated;
        self.rule_hits.add(&other.rule_hits);
        self
    }
}

/// Minimizes findings, as long as the task says so; those that a fresh worker does not show again are counted.
pub fn minimize_findings(
    findings: Vec<Finding>,
    judge: Judge,
    task: SelectionTask<'_>,
    executors: &mut [Box<dyn Executor>],
) -> Result<MinimizedFindings, ExecutorError> {
    let context = SelectionContext::new(task);
    if !findings.is_empty() {
        let used = executors.len().min(findings.len());
        context.restart(&mut executors[..used])?;
    }
    let shown = context
        .on_shards(findings, executors, &|finding, executor| context.minimize_finding(finding, judge, executor))?;
    let (mut not_repeated, mut rule_hits) = (0, RuleHits::default());
    let mut again = Vec::new();
    for shown in shown {
        match shown {
            ReplayedFinding::Again(finding) => again.push(*finding),
            ReplayedFinding::Suppressed(rule) => rule_hits.count(Some(rule)),
            ReplayedFinding::NotAgain => not_repeated += 1,
        }
    }
    let findings = findings::distinct(again.into_iter(), task.program);
    Ok(MinimizedFindings { findings, not_repeated, rule_hits })
}

impl<'a> SelectionContext<'a> {
    fn new(task: SelectionTask<'a>) -> SelectionContext<'a> {
        let SelectionTask { program, probes, threads, implicit_exceptions, access, held, should_continue, .. } = task;
        let knowledge = Knowledge::new(&program.operations, &program.effects, &program.types);
        SelectionContext {
            program,
            probes,
            knowledge,
            relations: OnceLock::new(),
            threads,
            implicit_exceptions,
            access,
            held,
            should_continue,
        }
    }

    /// Runs all sequences in forward and in reverse order; returns candidates with what both runs agree on, and the number
    /// of sequences whose runs disagree. With `as_suite`, edges that depend on the residual state of other tests do not
    /// count either, if some sequence leaves any: a lazily initialised value, for example, is created by whichever test comes first.
    fn observe(
        &self,
        sequences: &[Sequence],
        as_suite: bool,
        executors: &mut [Box<dyn Executor>],
    ) -> Result<(Vec<TestCandidate>, usize), ExecutorError> {
        let runs = self.at_several_times(sequences, 2, executors)?;
        let shared_runs = match as_suite && runs::leave_state(runs.iter().flatten()) {
            true => self.in_orders(sequences, 1, Detail::SharedJvm, executors)?,
            false => vec![Vec::new(); sequences.len()],
        };
        let select = |(sequence, (runs, shared_runs)): (&Sequence, (Vec<Execution>, Vec<Execution>))| {
            let varies = passes_on_what_varies(sequence, &runs, &shared_runs);
            let mut execution = common(runs)?;
            execution.environment_dependent |= varies;
            for shared_run in &shared_runs {
                if shared_run.outcome == execution.outcome {
                    retain_common(&mut execution, shared_run);
                }
            }
            let sequence = match &execution.outcome {
                Outcome::Threw { statement, .. } if sequence.rejected() != Some(*statement) => {
                    sequence.prefix(statement + 1).without_rejection()
                }
                Outcome::Threw { .. } => sequence.clone(),
                _ => sequence.clone().without_rejection(),
            };
            Some(TestCandidate::new(sequence, execution, BTreeSet::new()))
        };
        let observed: Vec<TestCandidate> =
            sequences.iter().zip(runs.into_iter().zip(shared_runs)).filter_map(select).collect();
        let unstable = sequences.len() - observed.len();
        let is_usable = |one: &TestCandidate| {
            self.is_wanted(&one.execution) && self.program.are_as_declared(&one.sequence, &one.execution.values)
        };
        Ok((observed.into_iter().filter(is_usable).collect(), unstable))
    }

    /// Whether the sequence calls what only tests in its package can use, where that matters.
    fn calls_back_door(&self, sequence: &Sequence) -> bool {
        sequence.calls().any(|operation| self.is_back_door(operation))
    }

    fn is_back_door(&self, operation: OperationId) -> bool {
        self.access == Access::Public && self.program.operations[operation.0 as usize].back_door
    }

    fn relations(&self) -> &Relations {
        self.relations.get_or_init(|| Relations::new(self.program))
    }

    /// Whether mutants count if the test kills them, by their sites.
    fn counts(&self, one: &TestCandidate) -> impl Fn(&MutantSite) -> bool {
        let counts = self.counts_at(one);
        move |site| site.reached_by.first().is_none_or(|edge| counts(*edge))
    }

    /// Whether what lies behind an edge counts if the test reaches it.
    fn counts_at(&self, one: &TestCandidate) -> impl Fn(Edge) -> bool {
        let relations = self.relations();
        let detours = relations.detours(one, self.program);
        move |edge| {
            let class = || self.probes.class_of(edge);
            detours.is_empty() || class().is_none_or(|class| !detours.contains(&relations.family(class)))
        }
    }

    /// Whether a run may become a test, by the exception that it ended in.
    fn is_wanted(&self, execution: &Execution) -> bool {
        self.implicit_exceptions == ImplicitExceptions::Keep
            || outcomes::intent_of(execution, self.program) != Some(Intent::Implicit)
    }

    /// The goals that a run reaches, by what its sequence is about.
    fn goals_of(&self, sequence: &Sequence, execution: &Execution) -> Vec<Goal> {
        let edges = execution.edges.iter().map(|hit| hit.edge);
        let is_goal = |edge: &Edge| self.probes.is_edge[*edge as usize] || self.probes.is_boundary[*edge as usize];
        let edges = edges.filter(is_goal).map(Goal::Edge);
        edges.chain(outcomes::goals_of(sequence, execution, self.program, self.probes)).collect()
    }

    /// Minimizes a finding while it shows the same cause.
    fn minimize_finding(
        &self,
        finding: Finding,
        judge: Judge,
        executor: &mut dyn Executor,
    ) -> Result<ReplayedFinding, ExecutorError> {
        let violation = |sequence: &Sequence, execution: &Execution| {
            judge.violation_of(finding.violation.contract, finding.checks, sequence, execution)
        };
        let cause = Cause::of(&finding.violation, &finding.sequence, &finding.execution, self.program);
        let same = |sequence: &Sequence, execution: &Execution| {
            let is_cause = |seen| cause.is_shown_by(&Cause::of(&seen, sequence, execution, self.program));
            execution.environment_dependent <= finding.execution.environment_dependent
                && violation(sequence, execution).is_some_and(is_cause)
        };
        let again = executor.execute(std::slice::from_ref(&finding.sequence), Detail::Observe)?;
        let Some(execution) = again.into_iter().next().filter(|execution| same(&finding.sequence, execution)) else {
            return Ok(ReplayedFinding::NotAgain);
        };
        let suppressing_rule = |sequence: &Sequence, execution: &Execution| {
            let seen = violation(sequence, execution)?;
            let first_check = sequence.len() - finding.checks;
            judge.suppressing_rule_of_details(&seen, sequence, first_check, execution)
        };
        if let Some(rule) = suppressing_rule(&finding.sequence, &execution) {
            return Ok(ReplayedFinding::Suppressed(rule));
        }
        let same = |sequence: &Sequence, execution: &Execution| {
            same(sequence, execution) && suppressing_rule(sequence, execution).is_none()
        };
        // No change makes it less sure, as by giving an object to itself in place of another one.
        let confidence = |sequence: &Sequence, execution: &Execution| {
            let violation = violation(sequence, execution)?;
            let (sequence, execution) = (sequence.clone(), execution.clone());
            Some(judge.confidence(&Finding { sequence, execution, violation, ..finding.clone() }).0)
        };
        let before = confidence(&finding.sequence, &execution);
        let same = |sequence: &Sequence, execution: &Execution| {
            same(sequence, execution) && confidence(sequence, execution) <= before
        };
        let (sequence, execution) = if (self.should_continue)() {
            let fixed = finding.checks.max(1);
            minimize((&finding.sequence, execution), fixed, Effort::Most, &self.knowledge, executor, &same)?
        } else {
            (finding.sequence.clone(), execution)
        };
        let violation = violation(&sequence, &execution).expect("the minimizer keeps the violation");
        let class = findings::class_of(&violation, finding.checks, &sequence, &execution, self.program);
        let class = class.unwrap_or(finding.class);
        Ok(ReplayedFinding::Again(Box::new(Finding { class, sequence, execution, violation, ..finding })))
    }

    /// Whether a run reaches all the goals; which mutants it kills is seen elsewhere.
    fn reaches(&self, sequence: &Sequence, execution: &Execution, goals: &BTreeSet<Goal>) -> bool {
        let edges: FxHashSet<u32> = execution.edges.iter().map(|hit| hit.edge).collect();
        let outcomes = outcomes::goals_of(sequence, execution, self.program, self.probes);
        goals.iter().all(|goal| match goal {
            Goal::Edge(edge) => edges.contains(edge),
            Goal::Mutant(_) => true,
            Goal::Returns(_) | Goal::ReturnsFor(..) | Goal::Throws(..) => outcomes.contains(goal),
        })
    }
}

/// Whether a run ends at the sequence's end, and in the same way.
fn ends_alike(sequence: &Sequence, execution: &Execution, outcome: &Outcome) -> bool {
    match (&execution.outcome, outcome) {
        (Outcome::Completed, Outcome::Completed) => true,
        (Outcome::Threw { statement, exception: one }, Outcome::Threw { exception: two, .. }) => {
            sequence.throwing() == Some(*statement) && one.class == two.class
        }
        _ => false,
    }
}

/// Whether a changed test varies, or leaves something behind, only if it did before.
fn is_as_steady(run: &Execution, before: &Execution) -> bool {
    (!run.may_vary() || before.may_vary()) && (run.residual_state.is_none() || before.residual_state.is_some())
}

/// Whether a call takes a number or text that differs between runs, such as the hash code of an object's identity.
fn passes_on_what_varies(sequence: &Sequence, runs: &[Execution], further: &[Execution]) -> bool {
    let Some((first, others)) = runs.split_first() else { return false };
    let varies = |at: usize| match first.values.get(at) {
        Some(value @ Value::Literal(_)) => {
            others.iter().chain(further).filter_map(|run| run.values.get(at)).any(|other| other != value)
        }
        _ => false,
    };
    (0..sequence.len()).flat_map(|at| sequence.inputs_of(at)).any(varies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::Literal;

    #[test]
    fn call_that_takes_what_varies_between_runs_is_told() {
        let run = |number: i32| Execution {
            values: vec![Value::Null, Value::Literal(Literal::Int(number)), Value::Void],
            ..Execution::ended(Outcome::Completed)
        };
        let taking = |input: usize| {
            let mut sequence = Sequence::new();
            let made = sequence.push_call(OperationId(0), &[]);
            sequence.push_call(OperationId(1), &[made]);
            sequence.push_call(OperationId(2), &[input]);
            sequence
        };
        assert!(passes_on_what_varies(&taking(1), &[run(1), run(2)], &[]));
        assert!(passes_on_what_varies(&taking(1), &[run(1)], &[run(2)]));
        assert!(!passes_on_what_varies(&taking(0), &[run(1), run(2)], &[]));
        assert!(!passes_on_what_varies(&taking(1), &[run(1), run(1)], &[run(1)]));
    }
}
