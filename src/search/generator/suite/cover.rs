//! Greedy set cover: the tests that together reach every goal.
//!
//! The test with the most new goals per statement is chosen first. Gains only fall while others are chosen, so a gain that
//! was computed earlier is recomputed only when its test comes to the top. Then redundant tests are dropped. The more there
//! is to read about a class, the more goals a further test of it must add: readers of two hundred tests gain nothing from one
//! more that covers a single edge by ten calls (measured in `docs/design/suite-size.md`). A goal to which the front door leads
//! is left to the tests through it, whatever they cost. An environment-dependent execution, such as one that draws a random
//! number, never becomes a test, because the test would be flaky.

use super::mutation::MutationAnalysis;
use super::{SelectionContext, TestCandidate, is_rejection, rejections, subject_of, worth};
use crate::generator::{Goal, ProbeMap, outcomes};
use crate::reader_cost;
use model::execution::{Edge, Execution, Observed, Outcome, Value};
use model::jvm::ClassName;
use model::options::Access;
use model::sequence::{Action, Operation, OperationId, OperationKind, Sequence};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Cost of every test in statements, for its annotation, name and braces.
const OVERHEAD: f64 = 4.0;

/// Cost in statements of a test that leaves residual state.
const RESIDUAL_STATE: f64 = 1.0;

/// Cost in statements of a test whose call returns 0, or nothing.
const DULL: f64 = 0.75;

/// A further test must add one goal per this number of statements, times the statements of the tests of its class so far.
const PATIENCE: f64 = 8_000.0;

/// Most statements that a reader takes for one goal which no other test reaches.
const GOAL_WORTH: f64 = 20.0;

/// What a further test must add.
#[derive(Clone, Copy)]
struct Price {
    /// One goal per this number of statements, times the statements of the tests of its class so far.
    patience: f64,
    /// One goal per this number of its statements.
    worth: f64,
    /// Whether the tests are as they will be written, so that long ones cost more.
    is_final: bool,
}

impl Price {
    /// Any goal will do.
    const NOTHING: Price = Price { patience: f64::INFINITY, worth: f64::INFINITY, is_final: false };
}

/// Statements of a test that a reader takes in at once.
const TAKEN_IN: usize = 4;

/// Cost in statements of each further one: with [`GOAL_WORTH`] a test of six must add two goals that no other test reaches, one of
/// eight three.
const TIRING: f64 = 8.0;

/// The same where it is a call on the object on which the test's subject is called.
const OF_PROTOCOL: f64 = 4.0;

/// The same of a test that there was no time to make plainer: few readers keep one, so that each needs a goal of its own.
const TIRING_UNREFINED: f64 = 20.0;

/// Factor that turns scores into integers, which are totally ordered.
const SCALE: f64 = 1e6;

/// Tests that reach every goal.
pub(super) fn cover(observed: Vec<TestCandidate>, context: &SelectionContext) -> Vec<TestCandidate> {
    cover_with(observed, Price::NOTHING, context, &|_| true)
}

/// Tests that reach every goal that is worth its statements; that an operation returned counts only for a test that asserts what
/// it did. What stands beside a rejection stays with it. Tests that show nothing are left out unless they reach much.
pub(super) fn cover_asserting(
    observed: Vec<TestCandidate>,
    mutation: Option<&MutationAnalysis>,
    context: &SelectionContext,
) -> Vec<TestCandidate> {
    let (beside, others): (Vec<_>, Vec<_>) = observed.into_iter().partition(|one| one.beside_rejection);
    let (telling, silent) = others.into_iter().partition(|one| worth::shows_something(one, mutation, context));
    let price = Price { worth: GOAL_WORTH, is_final: true, ..Price::NOTHING };
    let chosen = cover_with(telling, price, context, &|one| shows_outcome(one, context));
    let mut chosen = rejections::few_bare(chosen, context);
    chosen.extend(worth::worth_running(silent, &chosen, mutation, context));
    chosen.extend(beside_rejections(beside, &chosen, context));
    chosen
}

/// Of the tests that stand beside rejections, those that add something: a mutant that no other test kills, or the only test in which
/// a method of that name returns.
fn beside_rejections(
    beside: Vec<TestCandidate>,
    chosen: &[TestCandidate],
    context: &SelectionContext,
) -> Vec<TestCandidate> {
    let member_of = |one: &TestCandidate| member_of(one, context.probes);
    let rejecting: FxHashSet<OperationId> =
        chosen.iter().filter(|one| is_rejection(one, context)).filter_map(member_of).collect();
    let returning = chosen.iter().filter(|one| one.execution.outcome == Outcome::Completed);
    let mut shown: FxHashSet<_> = returning.filter_map(|one| named_method(one, context)).collect();
    let mut killed: FxHashSet<u32> = chosen.iter().flat_map(|one| one.kills.keys().copied()).collect();
    let mut kept = Vec::new();
    for one in beside {
        let Some((subject, method)) = member_of(&one).zip(named_method(&one, context)) else { continue };
        let is_like = |other: &TestCandidate| shows_same_call(&one, other, &context.program.operations, context.probes);
        let adds = !shown.contains(&method) || !one.is_idle && one.kills.keys().any(|mutant| !killed.contains(mutant));
        if adds && rejecting.contains(&subject) && !chosen.iter().any(is_like) {
            shown.insert(method);
            killed.extend(one.kills.keys());
            kept.push(one);
        }
    }
    kept
}

/// The member that the test is about, whatever its type arguments.
fn member_of(one: &TestCandidate, probes: &ProbeMap) -> Option<OperationId> {
    Some(probes.member_of(subject_of(one)?))
}

/// The class and the name of the method that the test is about: its overloads are one.
pub(super) fn named_method(one: &TestCandidate, context: &SelectionContext) -> Option<(ClassName, Arc<str>)> {
    let operation = &context.program.operations[subject_of(one)?.0 as usize];
    Some((operation.owner.clone(), operation.name.clone()))
}

/// Whether both tests are about calls of one method with the same values, and returned. Of two receivers of which nothing is known
/// each may be in a state of its own.
fn shows_same_call(one: &TestCandidate, other: &TestCandidate, operations: &[Operation], probes: &ProbeMap) -> bool {
    let Some(subject) = member_of(one, probes).filter(|it| member_of(other, probes) == Some(*it)) else { return false };
    let is_unknown = |value: &Option<Value>| matches!(value, Some(Value::Object { observed: Observed::Nothing, .. }));
    let has_receiver = operations[subject.0 as usize].has_receiver();
    let values = |one: &TestCandidate| -> Option<Vec<Option<Value>>> {
        let last = (one.sequence.len() - one.observers).checked_sub(1)?;
        let returned = one.execution.outcome == Outcome::Completed;
        returned.then(|| one.sequence.inputs_of(last).map(|at| one.execution.values.get(at).cloned()).collect())
    };
    values(one).is_some_and(|own| {
        let may_differ = has_receiver && own.first().is_some_and(is_unknown);
        !may_differ && values(other) == Some(own)
    })
}

/// Whether the test asserts something that depends on the call that it is about: its result, the state that it changed, or
/// what a mutant changes.
fn shows_outcome(one: &TestCandidate, context: &SelectionContext) -> bool {
    let Some(last) = (one.sequence.len() - one.observers).checked_sub(1) else { return false };
    match (&one.asserted, &one.sequence.statements()[last].action) {
        (Some(asserted), _) => {
            asserted.contains(&last) || !asserted.is_empty() && (one.telling > 0 || !one.kills.is_empty())
        }
        (None, Action::Call(operation)) => context.program.operations[operation.0 as usize].output.is_some(),
        (None, Action::Literal(_)) => false,
    }
}

/// Tests that reach every goal that is worth its statements.
pub(super) fn cover_in_reason(observed: Vec<TestCandidate>, context: &SelectionContext) -> Vec<TestCandidate> {
    cover_with(observed, Price { patience: PATIENCE, ..Price::NOTHING }, context, &|_| true)
}

fn cover_with(
    observed: Vec<TestCandidate>,
    price: Price,
    context: &SelectionContext,
    asserts: &dyn Fn(&TestCandidate) -> bool,
) -> Vec<TestCandidate> {
    // Whether it leads to the same as a public member is known when all tests are there.
    let is_inner = |one: &TestCandidate| price.is_final && is_about_inner(one, context);
    let reached: FxHashSet<Edge> = match price.is_final {
        true => observed.iter().filter(|one| !is_inner(one)).flat_map(TestCandidate::own_edges).collect(),
        false => FxHashSet::default(),
    };
    let is_reached =
        |id: OperationId| context.probes.of_operation[id.0 as usize].iter().any(|edge| reached.contains(edge));
    let judged = Judged {
        class: &|one| context.program.class_of_sequence(&one.subject()),
        cost: &|one| cost_of(one, context) + if price.is_final { tiring_of(one, context) } else { 0.0 },
        goals: &|one| {
            let counts = context.counts_at(one);
            let way = |goal: Goal| match goal {
                Goal::Edge(edge) if !counts(edge) => Some((goal, Way::Detour)),
                Goal::Returns(_) | Goal::ReturnsFor(..) if !asserts(one) => None,
                Goal::Returns(id) | Goal::ReturnsFor(id, ..) | Goal::Throws(id, _)
                    if is_inner(one) && is_reached(id) =>
                {
                    None
                }
                _ => Some((goal, Way::Straight)),
            };
            counted_goals(one, context).into_iter().filter_map(way).collect()
        },
        is_back_door: &|one| context.calls_back_door(&one.sequence) || is_inner(one),
    };
    choose(observed, price, &judged)
}

/// Whether the test is about a protected method: what public members lead to is shown through these.
fn is_about_inner(one: &TestCandidate, context: &SelectionContext) -> bool {
    let subject = subject_of(one).map(|id| &context.program.operations[id.0 as usize]);
    subject.is_some_and(|subject| {
        let is_method = matches!(subject.kind, OperationKind::InstanceMethod | OperationKind::StaticMethod);
        context.access == Access::Public && is_method && subject.internal && !subject.back_door
    })
}

/// The goals that the test reaches by itself, but for those that kept tests have.
pub(super) fn counted_goals(one: &TestCandidate, context: &SelectionContext) -> Vec<Goal> {
    if !context.held.admits(one, context.program) {
        return Vec::new();
    }
    let mutants = one.kills.keys().map(|&mutant| Goal::Mutant(mutant));
    let goals = context.goals_of(&one.subject(), &one.execution).into_iter().chain(mutants);
    let is_its_own = |goal: &Goal| !matches!(goal, Goal::Edge(edge) if one.only_observed.contains(edge));
    goals.filter(|goal| is_its_own(goal) && !context.held.has(goal)).collect()
}

/// The cost of a test in statements, as a reader pays it.
fn cost_of(one: &TestCandidate, context: &SelectionContext) -> f64 {
    let residual_state = if one.execution.residual_state.is_some() { RESIDUAL_STATE } else { 0.0 };
    let intent = outcomes::intent_of(&one.execution, context.program);
    // Before assertions are chosen, it is not known which of the calls that only observe will stay.
    let written = if one.asserted.is_some() { one.sequence.clone() } else { one.subject() };
    let read = reader_cost::of(&written, intent, &context.program.operations);
    let dull = if has_dull_outcome(&one.execution, one.observers) { DULL } else { 0.0 };
    OVERHEAD + residual_state + dull + f64::from(read) / 100.0
}

/// What a reader pays beyond that for a test as it is written that cannot be taken in at once.
fn tiring_of(one: &TestCandidate, context: &SelectionContext) -> f64 {
    let operations = &context.program.operations;
    let written = written_statements(one, operations);
    let further = written.len().saturating_sub(TAKEN_IN);
    if one.is_unrefined {
        return TIRING_UNREFINED * further as f64;
    }
    let subject = (one.sequence.len() - one.observers).saturating_sub(1);
    let is_told_before = |at: &&usize| **at < subject && is_told(&one.sequence, subject, **at, operations);
    let of_protocol = written.iter().filter(is_told_before).count().min(further);
    TIRING * (further - of_protocol) as f64 + OF_PROTOCOL * of_protocol as f64
}

/// Whether the statement is a call on the object on which the subject is called: what is done with one object tells one story.
fn is_told(sequence: &Sequence, subject: usize, at: usize, operations: &[Operation]) -> bool {
    let receiver = |at: usize| {
        let called = sequence.call_at(at).map(|id| &operations[id.0 as usize]);
        called.filter(|called| called.has_receiver()).and_then(|_| sequence.inputs_of(at).next())
    };
    receiver(at).is_some_and(|on| receiver(subject) == Some(on))
}

/// The statements of the test that are written as such: a value that one other call takes stands in that call, unless it is asserted.
fn written_statements(one: &TestCandidate, operations: &[Operation]) -> Vec<usize> {
    let mut uses = vec![0usize; one.sequence.len()];
    (0..one.sequence.len()).flat_map(|at| one.sequence.inputs_of(at)).for_each(|input| uses[input] += 1);
    let is_asserted = |at: &usize| one.asserted.as_ref().is_some_and(|asserted| asserted.contains(at));
    let is_own_line = |at: &usize| {
        let called = one.sequence.call_at(*at).map(|id| &operations[id.0 as usize]);
        let is_used_constant = |called: &Operation| called.kind == OperationKind::GetStatic && uses[*at] > 0;
        called.is_some_and(|called| is_asserted(at) || uses[*at] != 1 && !is_used_constant(called))
    };
    (0..one.sequence.len()).filter(is_own_line).collect()
}

/// Whether the call that a test is about, which is followed by so many observers, returns 0 or nothing.
pub(super) fn has_dull_outcome(execution: &Execution, observers: usize) -> bool {
    let last = execution.values.len().checked_sub(1 + observers);
    execution.outcome == Outcome::Completed && last.is_some_and(|last| outcomes::is_dull(&execution.values[last]))
}

/// How a test reaches a goal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The goal counts.
    Straight,
    /// It counts if no test through the front door reaches it straight.
    Detour,
}

/// What the choice has to know of a test.
struct Judged<'a> {
    /// The class that it is about.
    class: &'a dyn Fn(&TestCandidate) -> Option<usize>,
    /// Its cost in statements.
    cost: &'a dyn Fn(&TestCandidate) -> f64,
    /// The goals for which it may be chosen.
    goals: &'a dyn Fn(&TestCandidate) -> Vec<(Goal, Way)>,
    /// Whether others are to reach these goals if they can.
    is_back_door: &'a dyn Fn(&TestCandidate) -> bool,
}

fn choose(observed: Vec<TestCandidate>, price: Price, judged: &Judged) -> Vec<TestCandidate> {
    let mut numbers: FxHashMap<Goal, u32> = FxHashMap::default();
    let mut names: Vec<Goal> = Vec::new();
    let mut sets: Vec<Vec<u32>> = Vec::with_capacity(observed.len());
    let mut detours: Vec<Vec<u32>> = Vec::with_capacity(observed.len());
    for one in &observed {
        let (mut set, mut detour) = (Vec::new(), Vec::new());
        let goals = if one.execution.environment_dependent { Vec::new() } else { (judged.goals)(one) };
        for (goal, way) in goals {
            let number = *numbers.entry(goal.clone()).or_insert_with(|| {
                names.push(goal);
                names.len() as u32 - 1
            });
            if way == Way::Straight { &mut set } else { &mut detour }.push(number);
        }
        sets.push(set);
        detours.push(detour);
    }
    let are_back_doors: Vec<bool> = observed.iter().map(judged.is_back_door).collect();
    let is_straight = at_front(&sets, &are_back_doors, numbers.len());
    for (set, detour) in sets.iter_mut().zip(detours) {
        set.extend(detour.into_iter().filter(|goal| !is_straight[*goal as usize]));
        set.sort_unstable();
        set.dedup();
    }
    leave_to_front(&mut sets, &are_back_doors, numbers.len());
    let mut covered = vec![false; numbers.len()];
    let mut chosen = Vec::new();
    let costs: Vec<f64> = observed.iter().map(judged.cost).collect();
    let classes: Vec<Option<usize>> = observed.iter().map(judged.class).collect();
    let score = |at: usize, covered: &[bool]| {
        let gain = sets[at].iter().filter(|goal| !covered[**goal as usize]).count() as f64;
        (gain * SCALE / costs[at]) as u64
    };
    let mut spent: FxHashMap<Option<usize>, f64> = FxHashMap::default();
    let mut queue: BinaryHeap<(u64, Reverse<usize>)> =
        (0..observed.len()).map(|at| (score(at, &covered), Reverse(at))).collect();
    while let Some((known, Reverse(at))) = queue.pop() {
        let spent = spent.entry(classes[at]).or_default();
        // What it adds only falls, and what is asked of it only grows.
        if known == 0 || (known as f64) < (*spent / price.patience).max(1.0 / price.worth) * SCALE {
            continue;
        }
        let now = score(at, &covered);
        if now == known {
            chosen.push(at);
            *spent += costs[at];
            for goal in &sets[at] {
                covered[*goal as usize] = true;
            }
        } else if now > 0 {
            queue.push((now, Reverse(at)));
        }
    }
    let kept = without_redundant(chosen, &sets, numbers.len());

    // Each goal is assigned to the first kept test that reaches it.
    let mut assigned = vec![false; numbers.len()];
    let mut observed: Vec<Option<TestCandidate>> = observed.into_iter().map(Some).collect();
    let take = |at: usize| {
        let mut one = observed[at].take().expect("each is chosen once");
        let own = sets[at].iter().filter(|goal| !std::mem::replace(&mut assigned[**goal as usize], true));
        one.goals = own.map(|goal| names[*goal as usize].clone()).collect();
        one
    };
    kept.into_iter().map(take).collect()
}

/// Which goals tests reach that go through no back door.
fn at_front(sets: &[Vec<u32>], are_back_doors: &[bool], goals: usize) -> Vec<bool> {
    let mut is_at_front = vec![false; goals];
    for (set, _) in sets.iter().zip(are_back_doors).filter(|(_, is_back_door)| !**is_back_door) {
        set.iter().for_each(|goal| is_at_front[*goal as usize] = true);
    }
    is_at_front
}

/// Takes from tests through back doors the goals that others reach.
fn leave_to_front(sets: &mut [Vec<u32>], are_back_doors: &[bool], goals: usize) {
    let is_at_front = at_front(sets, are_back_doors, goals);
    for (set, _) in sets.iter_mut().zip(are_back_doors).filter(|(_, is_back_door)| **is_back_door) {
        set.retain(|goal| !is_at_front[*goal as usize]);
    }
}

/// Drops tests whose goals the others reach as well: later tests may cover all goals of an earlier one.
fn without_redundant(chosen: Vec<usize>, sets: &[Vec<u32>], goals: usize) -> Vec<usize> {
    let mut counts = vec![0u32; goals];
    for &at in &chosen {
        for goal in &sets[at] {
            counts[*goal as usize] += 1;
        }
    }
    let mut kept = Vec::new();
    for at in chosen {
        if sets[at].iter().all(|goal| counts[*goal as usize] > 1) {
            for goal in &sets[at] {
                counts[*goal as usize] -= 1;
            }
        } else {
            kept.push(at);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::{ClassName, Literal, MethodDescriptor, Type};
    use std::collections::BTreeSet;

    fn cost(one: &TestCandidate) -> f64 {
        OVERHEAD + one.sequence.len() as f64
    }

    /// The goals that a test is made with are those that its run reaches. Each is about the class that its last call is of.
    fn choose_of(
        observed: Vec<TestCandidate>,
        patience: f64,
        is_back_door: &dyn Fn(&TestCandidate) -> bool,
    ) -> Vec<TestCandidate> {
        let judged = Judged {
            class: &|one| one.sequence.calls().last().map(|call| call.0 as usize),
            cost: &cost,
            goals: &|one| one.goals.iter().map(|goal| (goal.clone(), Way::Straight)).collect(),
            is_back_door,
        };
        choose(observed, Price { patience, ..Price::NOTHING }, &judged)
    }

    fn cover_goals(observed: Vec<TestCandidate>) -> Vec<TestCandidate> {
        choose_of(observed, f64::INFINITY, &|_| false)
    }

    #[test]
    fn the_more_tests_a_class_has_the_more_goals_another_one_must_add() {
        let mut observed: Vec<TestCandidate> = (0..100).map(|edge| observation(&[edge], 1)).collect();
        assert_eq!(cover_goals(observed.clone()).len(), 100);
        // Each brings 1 goal by 5 statements: until the tests of the class have 200.
        assert_eq!(choose_of(observed.clone(), 1e3, &|_| false).len(), 41);
        observed.extend((100..110).map(|edge| observation(&[edge], 2)));
        assert_eq!(choose_of(observed, 1e3, &|_| false).len(), 41 + 10);
    }

    fn observation(edges: &[u32], calls: u32) -> TestCandidate {
        let mut sequence = Sequence::new();
        for call in 0..calls {
            sequence.push_call(OperationId(call), &[]);
        }
        let execution = Execution::ended(Outcome::Completed);
        TestCandidate::new(sequence, execution, edges.iter().map(|&edge| Goal::Edge(edge)).collect())
    }

    #[test]
    fn back_door_is_chosen_only_for_goals_that_the_front_door_does_not_reach() {
        let observed = vec![observation(&[1, 2, 3], 1), observation(&[1], 40), observation(&[2], 40)];
        let is_short = |one: &TestCandidate| one.sequence.len() == 1;
        let chosen = choose_of(observed, f64::INFINITY, &is_short);
        let goals = |one: &TestCandidate| one.goals.iter().cloned().collect::<Vec<Goal>>();
        let of_back_door: Vec<Vec<Goal>> = chosen.iter().filter(|one| is_short(one)).map(goals).collect();
        assert_eq!((chosen.len(), of_back_door), (3, vec![vec![Goal::Edge(3)]]));
    }

    #[test]
    fn goal_on_a_detour_counts_only_if_no_other_way_is_straight() {
        // The long ones go straight to 1 and, through a back door, to 2.
        let observed = vec![observation(&[1, 2, 3], 1), observation(&[1], 40), observation(&[2], 41)];
        let way = |one: &TestCandidate| if one.sequence.len() == 1 { Way::Detour } else { Way::Straight };
        let judged = Judged {
            class: &|_| None,
            cost: &cost,
            goals: &|one| one.goals.iter().map(|goal| (goal.clone(), way(one))).collect(),
            is_back_door: &|one| one.sequence.len() == 41,
        };
        let chosen = choose(observed, Price::NOTHING, &judged);
        let goals: Vec<BTreeSet<Goal>> = chosen.into_iter().map(|one| one.goals).collect();
        assert_eq!(goals, [BTreeSet::from([2, 3].map(Goal::Edge)), BTreeSet::from([Goal::Edge(1)])]);
    }

    #[test]
    fn test_whose_goals_are_covered_by_others_is_dropped() {
        let selected = cover_goals(vec![observation(&[1, 2], 1), observation(&[2], 1), observation(&[3], 1)]);
        let goals: Vec<usize> = selected.iter().map(|one| one.goals.len()).collect();
        assert_eq!(goals, [2, 1]);
    }

    #[test]
    fn every_goal_stays_covered_and_is_assigned_once() {
        let observed =
            vec![observation(&[1, 2, 3, 4], 9), observation(&[1, 2], 1), observation(&[3, 5], 1), observation(&[4], 2)];
        let all: BTreeSet<Goal> = observed.iter().flat_map(|one| one.goals.clone()).collect();
        let assigned: Vec<Goal> = cover_goals(observed).into_iter().flat_map(|one| one.goals).collect();
        assert_eq!(assigned.len(), all.len());
        assert_eq!(assigned.into_iter().collect::<BTreeSet<_>>(), all);
    }

    #[test]
    fn statements_are_those_that_are_written_and_of_one_story_if_called_on_one_object() {
        let mut sequence = Sequence::new();
        let desk = sequence.push_call(OperationId(0), &[]);
        let text = sequence.push_literal(Literal::Int(1));
        let number = sequence.push_call(OperationId(2), &[text]);
        sequence.push_call(OperationId(1), &[desk, number]);
        let other = sequence.push_call(OperationId(0), &[]);
        sequence.push_call(OperationId(1), &[other, other]);
        sequence.push_call(OperationId(1), &[desk, text]);
        let operation = |kind| {
            let descriptor = MethodDescriptor { parameters: vec![Type::INT], returns: None };
            Operation::new(kind, ClassName::new("p/A"), "it", descriptor)
        };
        let operations =
            [OperationKind::Constructor, OperationKind::InstanceMethod, OperationKind::StaticMethod].map(operation);
        let asserted = |asserted: &[usize]| {
            let one = TestCandidate::new(sequence.clone(), Execution::ended(Outcome::Completed), BTreeSet::new());
            TestCandidate { asserted: Some(asserted.iter().copied().collect()), ..one }
        };
        // The number stands in the call that takes it.
        assert_eq!(written_statements(&asserted(&[]), &operations), [0, 3, 4, 5, 6]);
        assert_eq!(written_statements(&asserted(&[2]), &operations), [0, 2, 3, 4, 5, 6]);
        let unknown = TestCandidate { asserted: None, ..asserted(&[]) };
        assert_eq!(written_statements(&unknown, &operations), [0, 3, 4, 5, 6]);
        let told: Vec<usize> = (0..6).filter(|at| is_told(&sequence, 6, *at, &operations)).collect();
        assert_eq!(told, [3]);
    }

    #[test]
    fn calls_of_one_method_with_the_same_values_show_the_same() {
        let test = |number: i32, operation: u32, outcome: Outcome| {
            let mut sequence = Sequence::new();
            let input = sequence.push_literal(Literal::Int(number));
            sequence.push_call(OperationId(operation), &[input]);
            let values = vec![Value::Literal(Literal::Int(number)), Value::Void];
            TestCandidate::new(sequence, Execution { values, ..Execution::ended(outcome) }, BTreeSet::new())
        };
        let one = test(1, 0, Outcome::Completed);
        let unlinkable = Outcome::Unlinkable { statement: 1, message: String::new() };
        let others = [
            test(1, 0, Outcome::Completed),
            test(2, 0, Outcome::Completed),
            test(1, 1, Outcome::Completed),
            test(1, 0, unlinkable),
        ];
        let operation = |kind| {
            let descriptor = MethodDescriptor { parameters: vec![Type::INT], returns: None };
            Operation::new(kind, ClassName::new("p/A"), "it", descriptor)
        };
        let functions = [OperationKind::StaticMethod, OperationKind::StaticMethod].map(operation);
        assert_eq!(
            others.map(|other| shows_same_call(&one, &other, &functions, &ProbeMap::default())),
            [true, false, false, false]
        );
        let of_unknown = || {
            let mut test = test(1, 0, Outcome::Completed);
            test.execution.values[0] = Value::Object { class: Type::class("p/A"), observed: Observed::Nothing };
            test
        };
        let methods = [OperationKind::InstanceMethod].map(operation);
        assert!(!shows_same_call(&of_unknown(), &of_unknown(), &methods, &ProbeMap::default()));
        assert!(shows_same_call(&of_unknown(), &of_unknown(), &functions, &ProbeMap::default()));
    }
}
