//! Detaching: what a test shows by the way becomes a test of its own.
//!
//! A call on the way to what a test is about, or one at its end that has nothing to do with it, may be the only one whose value
//! shows a mutant, or that reaches some code. Alone with what it needs it is often a test of two lines; then the other test can
//! do without it. A test that calls its method twice may be two tests. So can a test do without calls that share no object with what it is about, once these are a test, and without those of
//! which only the code that they run is open.

use super::accepted::says_something;
use super::mutation::{Asked, Kill, MutationAnalysis};
use super::strangers::{body_of, has_strangers, strangers};
use super::strengthen::{at_home, extended, run, run_also};
use super::{SelectionContext, TestCandidate, read_back, split, subject_of};
use crate::generator::Goal;
use crate::reader_cost;
use crate::redundancy::{may_change, sequence_hash};
use model::execution::{Detail, Edge, Executor, ExecutorError, Outcome};
use model::sequence::{OperationId, OperationKind, Sequence};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Calls that are tried alone at once, the cheapest to read first.
const TRIED_AT_ONCE: usize = 512;

/// Most calls that are tried alone: a search without a time limit ends, too.
const MOST_TRIED: usize = 8192;

/// The tests, and those of calls that other tests make by the way. `tried` are the mutants that were run with the tests, `observers`
/// what is called to see what a call made.
pub(super) fn add(
    mut tests: Vec<TestCandidate>,
    (tried, observers): (&BTreeSet<u32>, &[OperationId]),
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    hand_over(&mut tests, context);
    if !(mutation.should_continue)() {
        return Ok(tests);
    }
    let before = at_home(executors, &mut |home| reached_before(&tests, context, home))?;
    let mut open = Open::of(&tests, &before, mutation, context);
    let mut added = Vec::new();
    for alone in calls_by_the_way(&tests, &before, &open, mutation, context).chunks(TRIED_AT_ONCE) {
        let is_hidden = |mutant: &u32| tried.contains(mutant) && !open.shown.contains(mutant);
        let hidden: Vec<u32> = mutation.in_order().into_iter().filter(is_hidden).collect();
        if !(mutation.should_continue)() || hidden.is_empty() && open.is_empty() {
            break;
        }
        let (alone, _) = context.observe(alone, true, executors)?;
        let alone: Vec<TestCandidate> = alone.into_iter().map(|one| as_look(one, context)).collect();
        let mut alone = at_home(executors, &mut |home| with_looks(alone.clone(), observers, mutation, context, home))?;
        at_home(executors, &mut |home| run(&mut alone, Asked::all(&hidden), mutation, context, home))?;
        for one in alone.into_iter().filter(is_independent) {
            let is_killer = one.kills.keys().any(|mutant| !open.shown.contains(mutant));
            let goals = open.take(&one, is_killer, mutation, context);
            if is_killer || !goals.is_empty() {
                open.shown.extend(one.kills.keys());
                added.push(TestCandidate { goals, ..one });
            }
        }
    }
    let claimed: BTreeSet<Goal> = added.iter().flat_map(|one| one.goals.clone()).collect();
    at_home(executors, &mut |home| run_also(&mut added, Asked::all(&mutation.in_order()), mutation, context, home))?;
    tests.iter_mut().for_each(|one| one.goals.retain(|goal| !claimed.contains(goal)));
    tests.extend(added);
    Ok(tests)
}

/// Gives edges that tests reach by the way to those that are about the method which these are in: of several to the cheapest to read.
fn hand_over(tests: &mut [TestCandidate], context: &SelectionContext) {
    let mut homes: FxHashMap<Edge, usize> = FxHashMap::default();
    let cost = |one: &TestCandidate| reader_cost::of(&one.subject(), None, &context.program.operations);
    let can_take = |one: &TestCandidate| is_independent(one) && !context.calls_back_door(&one.sequence);
    let mut order: Vec<usize> = (0..tests.len()).filter(|&at| can_take(&tests[at])).collect();
    order.sort_by_cached_key(|&at| cost(&tests[at]));
    for at in order {
        let reached: FxHashSet<Edge> = tests[at].own_edges().collect();
        for edge in body_of(&tests[at], context).iter().filter(|edge| reached.contains(edge)) {
            homes.entry(*edge).or_insert(at);
        }
    }
    for at in 0..tests.len() {
        let body = body_of(&tests[at], context);
        let home = |goal: &Goal| match goal {
            Goal::Edge(edge) if !body.contains(edge) => homes.get(edge).copied(),
            _ => None,
        };
        let handed: Vec<(Goal, usize)> =
            tests[at].goals.iter().filter_map(|goal| Some((goal.clone(), home(goal)?))).collect();
        for (goal, home) in handed {
            tests[at].goals.remove(&goal);
            tests[home].goals.insert(goal);
        }
    }
}

/// What calls may be a test of their own for.
struct Open {
    /// The mutants that some test shows by what it is about.
    shown: FxHashSet<u32>,
    /// Edges that only calls at the end of tests reach.
    at_the_end: FxHashSet<Edge>,
    /// Goals of tests that they reach before the call that they are about.
    on_the_way: FxHashSet<Edge>,
    /// The goals of tests that have strangers.
    strange: BTreeSet<Goal>,
    /// The edges of all methods that tests call before what they are about. An edge outside of all these belongs to every call that
    /// runs it.
    in_calls: FxHashSet<Edge>,
}

impl Open {
    /// `before` is what each test reaches before the call that it is about.
    fn of(
        tests: &[TestCandidate],
        before: &[FxHashSet<Edge>],
        mutation: &MutationAnalysis,
        context: &SelectionContext,
    ) -> Open {
        let goals_before = |(one, before): (&TestCandidate, &FxHashSet<Edge>)| {
            let goals =
                one.goals.iter().filter_map(|goal| if let Goal::Edge(edge) = goal { Some(*edge) } else { None });
            goals.filter(|edge| before.contains(edge)).collect::<Vec<Edge>>()
        };
        let called_before = |one: &TestCandidate| {
            let before = one.subject().len().saturating_sub(1);
            (0..before).filter_map(|at| one.sequence.call_at(at)).collect::<Vec<OperationId>>()
        };
        let body = |id: OperationId| context.probes.of_operation[id.0 as usize].iter().copied();
        let with_strangers = tests.iter().filter(|one| has_strangers(one, context));
        Open {
            shown: shown_by_subjects(tests, before, mutation, context),
            at_the_end: reached_at_the_end(tests),
            on_the_way: tests.iter().zip(before).flat_map(goals_before).collect(),
            strange: with_strangers.flat_map(|one| one.goals.clone()).collect(),
            in_calls: tests.iter().flat_map(called_before).flat_map(body).collect(),
        }
    }

    /// Whether no test has anything that another one should be about.
    fn is_empty(&self) -> bool {
        self.at_the_end.is_empty() && self.on_the_way.is_empty() && self.strange.is_empty()
    }

    /// The goals that a test takes over from others.
    fn take(
        &mut self,
        one: &TestCandidate,
        is_killer: bool,
        mutation: &MutationAnalysis,
        context: &SelectionContext,
    ) -> BTreeSet<Goal> {
        let mut goals: BTreeSet<Goal> =
            one.own_edges().filter(|it| self.at_the_end.contains(it)).map(Goal::Edge).collect();
        // What shows nothing would not stay, and the goals that it took would be lost.
        if is_killer || one.execution.outcome != Outcome::Completed || says_something(one, mutation) {
            let reached = context.goals_of(&one.subject(), &one.execution).into_iter();
            let reached = reached.filter(|goal| !matches!(goal, Goal::Edge(edge) if one.only_observed.contains(edge)));
            let own = body_of(one, context);
            let is_own = |edge: &Edge| own.contains(edge) || !self.in_calls.contains(edge);
            let is_taken = |goal: &Goal| {
                let is_on_the_way = matches!(goal, Goal::Edge(edge) if is_own(edge) && self.on_the_way.contains(edge));
                is_on_the_way || self.strange.contains(goal)
            };
            goals.extend(reached.filter(is_taken));
        }
        // Each goal has one taker.
        for goal in &goals {
            self.strange.remove(goal);
            if let Goal::Edge(edge) = goal {
                self.on_the_way.remove(edge);
                self.at_the_end.remove(edge);
            }
        }
        goals
    }
}

/// Whether the test is one by itself: what leaves a state behind may stand before a call that removes it.
fn is_independent(one: &TestCandidate) -> bool {
    one.execution.residual_state.is_none() && !one.execution.may_vary()
}

/// Edges that only calls at the end of tests reach.
fn reached_at_the_end(tests: &[TestCandidate]) -> FxHashSet<Edge> {
    let mut at_the_end: FxHashSet<Edge> = tests.iter().flat_map(|one| &one.only_observed).copied().collect();
    for edge in tests.iter().flat_map(TestCandidate::own_edges) {
        at_the_end.remove(&edge);
    }
    at_the_end
}

/// By test the edges that it reaches before the call that it is about, but those of the method that this calls.
pub(super) fn reached_before(
    tests: &[TestCandidate],
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<FxHashSet<Edge>>, ExecutorError> {
    let of_test = |one: &TestCandidate, executor: &mut dyn Executor| {
        let before = one.subject().len().saturating_sub(1);
        if before == 0 {
            return Ok(FxHashSet::default());
        }
        let own = body_of(one, context);
        let run = executor.execute(&[one.sequence.prefix(before).without_rejection()], Detail::Observe)?;
        let reached = run.iter().flat_map(|run| &run.edges).map(|hit| hit.edge);
        Ok(reached.filter(|edge| !own.contains(edge)).collect())
    };
    context.on_shards(tests.iter().collect(), executors, &of_test)
}

/// The candidates, with calls that look at what those made or changed which would show nothing of it.
fn with_looks(
    alone: Vec<TestCandidate>,
    observers: &[OperationId],
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let is_silent = |one: &TestCandidate| one.observers == 0 && !says_something(one, mutation);
    let (silent, mut others): (Vec<TestCandidate>, Vec<TestCandidate>) = alone.into_iter().partition(is_silent);
    others.extend(extended(silent, observers, mutation, context, executors)?);
    others.sort_by_cached_key(|one| reader_cost::of(&one.subject(), None, &context.program.operations));
    Ok(others)
}

/// The test about the call before its last one, if the last one only shows what that changed.
fn as_look(one: TestCandidate, context: &SelectionContext) -> TestCandidate {
    let Some(last) = one.sequence.len().checked_sub(1) else { return one };
    if let Some(rejected) = one.sequence.rejected() {
        let looks = last - rejected;
        return TestCandidate { observers: looks, telling: looks, related: looks, ..one };
    }
    let is_pure = |id: OperationId| context.program.effects(id).is_pure();
    let changed = last.checked_sub(1).filter(|at| may_change(&one.sequence, *at, &context.program.effects));
    let shares = |at: usize| one.sequence.inputs_of(last).any(|input| one.sequence.inputs_of(at).any(|it| it == input));
    let subject = changed.filter(|at| shares(*at)).and_then(|at| one.sequence.call_at(at));
    let is_own = |id: OperationId| context.program.is_target(&context.program.operations[id.0 as usize].owner);
    match one.sequence.call_at(last) {
        Some(look) if (is_pure(look) || !is_own(look)) && subject.is_some_and(is_own) => {
            TestCandidate { observers: 1, telling: 1, related: 1, ..one }
        }
        _ => one,
    }
}

/// Earlier calls of the method that the test is about, or of one of the same name.
fn repeated<'a>(one: &'a TestCandidate, context: &'a SelectionContext) -> impl Iterator<Item = usize> + 'a {
    let name = |id: OperationId| {
        let operation = &context.program.operations[id.0 as usize];
        let is_method = matches!(operation.kind, OperationKind::StaticMethod | OperationKind::InstanceMethod);
        is_method.then_some(&operation.name)
    };
    let subject = subject_of(one).and_then(name);
    let last = (one.sequence.len() - one.observers).saturating_sub(1);
    (0..last).filter(move |at| subject.is_some() && one.sequence.call_at(*at).and_then(name) == subject)
}

/// Whether the value of a statement is something else than what the test is about.
pub(super) fn is_by_the_way(one: &TestCandidate, statement: usize) -> bool {
    let first_observer = one.sequence.len() - one.observers;
    statement + 1 < first_observer || statement >= first_observer + one.related
}

/// The mutants that some test shows by what it is about. `before` is what each test reaches before that: code that brings about its
/// condition has tests of its own.
fn shown_by_subjects(
    tests: &[TestCandidate],
    before: &[FxHashSet<Edge>],
    mutation: &MutationAnalysis,
    context: &SelectionContext,
) -> FxHashSet<u32> {
    // What an observer does that says little of the rest has tests of its own.
    let only_looks = |one: &TestCandidate, at: usize, mutant: u32| {
        let reached_by = [&mutation.sites[mutant as usize].reached_by];
        read_back::shows_only_itself(one, at, reached_by, &context.probes.of_operation)
    };
    let of_test = |(one, before): (&TestCandidate, &FxHashSet<Edge>)| {
        let has_strangers = has_strangers(one, context);
        let repeats = repeated(one, context).next().is_some();
        let is_shown = |(mutant, kill): &(&u32, &Kill)| match kill {
            // Which of the calls shows it is not known.
            _ if repeats || is_before(**mutant, before, mutation) => false,
            Kill::End | Kill::Stopped => !has_strangers,
            Kill::Values(of) => of.iter().any(|at| !is_by_the_way(one, *at) && !only_looks(one, *at, **mutant)),
        };
        one.kills.iter().filter(is_shown).map(|(mutant, _)| *mutant).collect::<Vec<u32>>()
    };
    tests.iter().zip(before).flat_map(of_test).collect()
}

/// Whether the mutant is in code that a test reaches before the call that it is about.
pub(super) fn is_before(mutant: u32, before: &FxHashSet<Edge>, mutation: &MutationAnalysis) -> bool {
    mutation.sites[mutant as usize].reached_by.iter().any(|edge| before.contains(edge))
}

/// Calls whose values show mutants that no test is about, or that reach what no test is about, each with what it needs. `before` is
/// what each test reaches before the call that it is about.
fn calls_by_the_way(
    tests: &[TestCandidate],
    before: &[FxHashSet<Edge>],
    open: &Open,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
) -> Vec<Sequence> {
    let mut known: FxHashSet<u64> = tests.iter().map(|one| sequence_hash(&one.subject())).collect();
    let mut alone = Vec::new();
    for (one, before) in tests.iter().zip(before) {
        let hidden: Vec<(&u32, &Kill)> = one.kills.iter().filter(|(mutant, _)| !open.shown.contains(mutant)).collect();
        let mut telling: Vec<usize> = Vec::new();
        for (_, kill) in &hidden {
            if let Kill::Values(of) = kill {
                telling.extend(of);
            }
        }
        let first_observer = one.sequence.len() - one.observers;
        if one.only_observed.iter().any(|edge| open.at_the_end.contains(edge)) {
            telling.extend(first_observer..one.sequence.len());
        }
        let sites = hidden.iter().flat_map(|(mutant, _)| &mutation.sites[**mutant as usize].reached_by);
        let goals = open.on_the_way.iter().chain(sites).filter(|edge| before.contains(edge));
        let needed: FxHashSet<Edge> = goals.copied().collect();
        let is_deeper = needed.iter().any(|edge| !open.in_calls.contains(edge));
        let runs_needed = |at: &usize| {
            let body = one.sequence.call_at(*at).map(|id| &context.probes.of_operation[id.0 as usize]);
            body.is_some_and(|body| body.iter().any(|edge| is_deeper || needed.contains(edge)))
        };
        telling.extend((0..first_observer.saturating_sub(1)).filter(runs_needed));
        telling.extend(repeated(one, context));
        telling.sort_unstable();
        telling.dedup();
        for at in telling {
            let slices = split::slice(&one.sequence, at).into_iter();
            let slices = slices.chain([split::with_changes(&one.sequence.prefix(at + 1), &context.program.effects)]);
            alone.extend(slices.filter(|slice| known.insert(sequence_hash(slice))));
        }
        let strangers = strangers(&one.subject(), &context.program.operations).into_iter();
        alone.extend(strangers.filter(|part| known.insert(sequence_hash(part))));
    }
    alone.sort_by_cached_key(|one| reader_cost::of(one, None, &context.program.operations));
    alone.truncate(MOST_TRIED);
    alone
}

#[cfg(test)]
mod tests {
    use super::super::{Held, SelectionTask};
    use super::*;
    use crate::generator::ProbeMap;
    use crate::generator::tests::program_of;
    use model::execution::{EdgeHit, Execution};
    use model::jvm::{ClassName, MethodDescriptor};
    use model::options::{Access, ImplicitExceptions};
    use model::sequence::Operation;

    #[test]
    fn edge_goes_to_the_test_that_is_about_its_method() {
        let method = |name: &str| {
            let descriptor = MethodDescriptor { parameters: Vec::new(), returns: None };
            Operation::new(OperationKind::StaticMethod, ClassName::new("p/A"), name, descriptor)
        };
        let program = program_of(["parse", "strip", "check"].map(method).to_vec());
        let probes = ProbeMap {
            count: 3,
            is_edge: vec![true; 3],
            is_boundary: vec![false; 3],
            of_operation: vec![vec![0], vec![1], vec![2]],
            first_of_class: vec![0],
            ..ProbeMap::default()
        };
        let held = Held::default();
        let context = SelectionContext::new(SelectionTask {
            program: &program,
            probes: &probes,
            threads: 1,
            implicit_exceptions: ImplicitExceptions::Keep,
            access: Access::Package,
            held: &held,
            observed_for_goal: 2,
            should_continue: &|| true,
        });
        let test = |operation: u32, edges: &[Edge]| {
            let mut sequence = Sequence::new();
            sequence.push_call(OperationId(operation), &[]);
            let edges = edges.iter().map(|&edge| EdgeHit { edge, bucket: 0 }).collect();
            let run = Execution { edges, ..Execution::ended(Outcome::Completed) };
            TestCandidate::new(sequence, run, BTreeSet::new())
        };
        let goals = [0, 1, 2].map(Goal::Edge);
        let parse = TestCandidate { goals: BTreeSet::from(goals), ..test(0, &[0, 1, 2]) };
        let mut tests = vec![parse, test(1, &[1])];
        hand_over(&mut tests, &context);
        assert_eq!(tests[0].goals, BTreeSet::from([0, 2].map(Goal::Edge)), "no test is about the last one");
        assert_eq!(tests[1].goals, BTreeSet::from([Goal::Edge(1)]));
    }

    #[test]
    fn test_that_leaves_a_state_is_not_independent() {
        let run = Execution::ended(Outcome::Completed);
        let of = |execution| TestCandidate::new(Sequence::new(), execution, BTreeSet::new());
        assert!(is_independent(&of(run.clone())));
        assert!(!is_independent(&of(Execution { residual_state: Some(1), ..run.clone() })));
        assert!(!is_independent(&of(Execution { environment_dependent: true, ..run })));
    }

    #[test]
    fn calls_before_the_subject_and_unrelated_ones_after_it_are_by_the_way() {
        let mut sequence = Sequence::new();
        for call in 0..5 {
            sequence.push_call(OperationId(call), &[]);
        }
        let one = TestCandidate::new(sequence, Execution::ended(Outcome::Completed), BTreeSet::new());
        let one = TestCandidate { observers: 3, telling: 1, related: 2, ..one };
        let by_the_way: Vec<usize> = (0..5).filter(|at| is_by_the_way(&one, *at)).collect();
        assert_eq!(by_the_way, [0, 4]);
    }
}
