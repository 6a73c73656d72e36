//! Strangers: calls of a test that share no object with the call that it is about.
//!
//! Alone they may make a test of their own ([`detach`](super::detach)). What remains of them shows code by the way, and a reader looks
//! for what it has to do with the test: it goes, with the goals and mutants that only it reached, unless the test shows something
//! else without it, as calls may also meet in static state. So do calls that share one and make no difference.

use super::mutation::{Asked, Kill, MutationAnalysis};
use super::refine::still_stopped;
use super::strengthen::{at_home, run, with_only};
use super::{SelectionContext, TestCandidate, ends_alike, is_as_steady, subject_of};
use crate::generator::Goal;
use model::execution::{Detail, Edge, Execution, Executor, ExecutorError};
use model::sequence::{Operation, OperationId, OperationKind, Sequence};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Whether the test makes calls that share no object with the call that it is about.
pub(super) fn has_strangers(one: &TestCandidate, context: &SelectionContext) -> bool {
    !strangers(&one.subject(), &context.program.operations).is_empty()
}

/// The parts of a sequence that share no object with its last call, but literals and constants.
pub(super) fn strangers(sequence: &Sequence, operations: &[Operation]) -> Vec<Sequence> {
    let part_of = parts(sequence, operations);
    let Some(subject) = part_of.last().copied().flatten() else { return Vec::new() };
    let others: BTreeSet<usize> = part_of.iter().flatten().copied().filter(|part| *part != subject).collect();
    let alone = |part: usize| {
        let needed = sequence.needed_by(|at| part_of[at] == Some(part));
        sequence.retain(|at| needed[at])
    };
    others.into_iter().filter_map(alone).collect()
}

/// By statement the part that it belongs to, by the first one of that; `None` for literals, arrays of them, and constants, which parts share. A call
/// joins the parts of its inputs. A constant of code under test that is no enum's may be changed, and is part of what uses it.
fn parts(sequence: &Sequence, operations: &[Operation]) -> Vec<Option<usize>> {
    let is_literal = |at: usize| sequence.literal_at(at).is_some();
    let is_shared = |at: usize| match sequence.call_at(at).map(|call| &operations[call.0 as usize]) {
        // An array may be changed, but hardly anybody does that to one that he was given.
        Some(one) if one.kind == OperationKind::Array => sequence.inputs_of(at).all(is_literal),
        Some(one) => {
            one.kind == OperationKind::GetStatic && (one.is_enum_constant || one.owner.internal().starts_with("java/"))
        }
        None => true,
    };
    let mut part_of: Vec<Option<usize>> = (0..sequence.len()).map(|at| (!is_shared(at)).then_some(at)).collect();
    let mut constants: FxHashMap<OperationId, usize> = FxHashMap::default();
    for at in 0..sequence.len() {
        let read = sequence.call_at(at).filter(|id| operations[id.0 as usize].kind == OperationKind::GetStatic);
        let earlier = read.map(|id| *constants.entry(id).or_insert(at));
        for input in sequence.inputs_of(at).chain(earlier) {
            let (Some(own), Some(other)) = (part_of[at], part_of[input]) else { continue };
            let (first, second) = (own.min(other), own.max(other));
            part_of.iter_mut().filter(|part| **part == Some(second)).for_each(|part| *part = Some(first));
        }
    }
    part_of
}

/// The tests without strangers, where they show the same without them.
pub(super) fn cut(
    tests: Vec<TestCandidate>,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let operations = &context.program.operations;
    let shorten = |one: &TestCandidate, executor: &mut dyn Executor| match has_strangers(one, context) {
        true => shown_by(one, without_strangers(one.clone(), operations), context, executor),
        false => Ok(None),
    };
    let is_at_home =
        |one: &TestCandidate, mutant: &u32| is_in_subject(one, &mutation.sites[*mutant as usize].reached_by, context);
    let may_lose = &mut |one: &TestCandidate, lost: &[u32]| !lost.iter().any(|mutant| is_at_home(one, mutant));
    shortened(tests, &shorten, may_lose, mutation, context, executors)
}

/// The tests without calls on the way that make no difference to what they show, nor to the mutants that `may_lose` keeps: what only such a
/// call reaches, no reader would look for there.
pub(super) fn cut_idle_calls(
    tests: Vec<TestCandidate>,
    may_lose: &mut dyn FnMut(&TestCandidate, &[u32]) -> bool,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let shorten = |one: &TestCandidate, executor: &mut dyn Executor| {
        let mut short: Option<TestCandidate> = None;
        for at in (0..one.subject().len().saturating_sub(1)).rev() {
            let now = short.as_ref().unwrap_or(one);
            let Some(kept) = without_call(&now.sequence, at) else { continue };
            if let Some(shorter) = shown_by(now, with_only(now.clone(), &|at| kept[at]), context, executor)? {
                short = Some(shorter);
            }
        }
        Ok(short)
    };
    shortened(tests, &shorten, may_lose, mutation, context, executors)
}

/// Which statements are left without a call whose value nothing takes, and without what only that needs; `None` if that is no such call.
fn without_call(sequence: &Sequence, at: usize) -> Option<Vec<bool>> {
    let users = |at: usize| (at + 1..sequence.len()).filter(move |user| sequence.inputs_of(*user).any(|it| it == at));
    if at + 1 >= sequence.len() || sequence.call_at(at).is_none() || users(at).next().is_some() {
        return None;
    }
    Some(sequence.needed_by(|other| other != at && users(other).next().is_none()))
}

/// Makes a test shorter, if that can be.
type Shortening<'a> =
    dyn Fn(&TestCandidate, &mut dyn Executor) -> Result<Option<TestCandidate>, ExecutorError> + Sync + 'a;

/// Shortens each test, and takes what has come of it where that notices the same mutants, but for those that it `may_lose`.
fn shortened(
    tests: Vec<TestCandidate>,
    shorten: &Shortening,
    may_lose: &mut dyn FnMut(&TestCandidate, &[u32]) -> bool,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let cut_one = |one: TestCandidate, executor: &mut dyn Executor| match (mutation.should_continue)() {
        true => shorten(&one, executor),
        false => Ok(None),
    };
    at_home(executors, &mut |home| {
        let cut = context.on_shards(tests.clone(), home, &cut_one)?;
        let (places, mut cut): (Vec<usize>, Vec<TestCandidate>) =
            cut.into_iter().enumerate().filter_map(|(at, short)| Some((at, short?))).unzip();
        // What ends a worker is too costly to run again.
        let is_cheap = |(_, kill): &(&u32, &Kill)| **kill != Kill::Stopped;
        let of = |one: &TestCandidate| one.kills.iter().filter(is_cheap).map(|(mutant, _)| *mutant).collect();
        let known: Vec<BTreeSet<u32>> = cut.iter().map(of).collect();
        let all: BTreeSet<u32> = known.iter().flatten().copied().collect();
        let all: Vec<u32> = all.into_iter().collect();
        let asks = |number: usize, mutant: u32| known[number].contains(&mutant);
        let tried = run(&mut cut, Asked { asks: &asks, ..Asked::all(&all) }, mutation, context, home)?;
        let mut tests = tests.clone();
        for ((at, mut short), known) in places.into_iter().zip(cut).zip(&known) {
            let long = &tests[at];
            short.kills.extend(still_stopped(long, &short, mutation).into_iter().map(|it| (it, Kill::Stopped)));
            let lost: Vec<u32> = long.kills.keys().copied().filter(|it| !short.kills.contains_key(it)).collect();
            if known.is_subset(&tried) && may_lose(long, &lost) {
                tests[at] = short;
            }
        }
        Ok(tests)
    })
}

/// What was left of a test with its run, if it shows the same and reaches all that the test reached in the method that it is about.
fn shown_by(
    one: &TestCandidate,
    short: TestCandidate,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<Option<TestCandidate>, ExecutorError> {
    let run = executor.execute(std::slice::from_ref(&short.sequence), Detail::Observe)?.into_iter().next();
    let run = run.filter(|run| shows_same(one, &short, run));
    Ok(run.and_then(|run| with_run(one, short, run, context)))
}

/// Whether the run of what was left of a test shows what that part of the test showed.
fn shows_same(one: &TestCandidate, short: &TestCandidate, run: &Execution) -> bool {
    ends_alike(&short.sequence, run, &short.execution.outcome)
        && short.telling == one.telling
        && run.values == short.execution.values
        && is_as_steady(run, &one.execution)
}

/// The edges of the method that the test is about.
pub(super) fn body_of<'a>(one: &TestCandidate, context: &SelectionContext<'a>) -> &'a [Edge] {
    subject_of(one).map_or(&[], |id| &context.probes.of_operation[id.0 as usize])
}

/// Whether one of the edges is in the body of the method that the test is about.
pub(super) fn is_in_subject(one: &TestCandidate, edges: &[Edge], context: &SelectionContext) -> bool {
    let body = body_of(one, context);
    edges.iter().any(|edge| body.contains(edge))
}

/// The test with what belongs to the call that it is about, and observers of that.
fn without_strangers(one: TestCandidate, operations: &[Operation]) -> TestCandidate {
    let part_of = parts(&one.sequence, operations);
    let own = (one.sequence.len() - one.observers).checked_sub(1).and_then(|subject| part_of[subject]);
    let needed = one.sequence.needed_by(|at| own.is_some() && part_of[at] == own);
    with_only(one, &|at| needed[at])
}

/// The shortened test with its run; `None` if it does not reach all that the test reached in the method that it is about.
fn with_run(
    one: &TestCandidate,
    mut short: TestCandidate,
    run: Execution,
    context: &SelectionContext,
) -> Option<TestCandidate> {
    let goals = context.goals_of(&short.subject(), &run);
    let reached: FxHashSet<Edge> = run.edges.iter().map(|hit| hit.edge).collect();
    short.goals.retain(|goal| goals.contains(goal));
    let is_own = |goal: &Goal| matches!(goal, Goal::Edge(edge) if is_in_subject(one, &[*edge], context));
    if one.goals.iter().any(|goal| !short.goals.contains(goal) && is_own(goal)) {
        return None;
    }
    short.only_observed.retain(|edge| reached.contains(edge));
    short.execution = run;
    Some(short)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::{Outcome, Value};
    use model::jvm::{ClassName, MethodDescriptor, Type};

    #[test]
    fn what_shares_no_object_with_the_subject_is_left_out_with_its_observers() {
        let of = |kind, parameters: Vec<Type>| {
            let descriptor = MethodDescriptor { parameters, returns: None };
            Operation::new(kind, ClassName::new("p/A"), "it", descriptor)
        };
        let operations = [of(OperationKind::Constructor, Vec::new()), of(OperationKind::InstanceMethod, Vec::new())];
        let (new, it) = (OperationId(0), OperationId(1));
        let mut sequence = Sequence::new();
        let stranger = sequence.push_call(new, &[]);
        let own = sequence.push_call(new, &[]);
        for object in [stranger, own, stranger, own] {
            sequence.push_call(it, &[object]);
        }
        let execution = Execution { values: vec![Value::Void; 6], ..Execution::ended(Outcome::Completed) };
        let one = TestCandidate::new(sequence, execution, BTreeSet::new());
        let one = TestCandidate { observers: 2, telling: 2, related: 2, ..one };
        let alone = strangers(&one.subject(), &operations);
        assert_eq!(alone.iter().map(Sequence::len).collect::<Vec<_>>(), [2]);
        let short = without_strangers(one, &operations);
        assert_eq!(short.sequence.calls().collect::<Vec<_>>(), [new, it, it]);
        assert_eq!((short.observers, short.telling, short.execution.values.len()), (1, 1, 3));
    }

    #[test]
    fn call_that_nothing_takes_goes_with_what_only_it_needs() {
        let mut sequence = Sequence::new();
        let own = sequence.push_call(OperationId(0), &[]);
        let shared = sequence.push_call(OperationId(0), &[]);
        let only = sequence.push_call(OperationId(0), &[]);
        let idle = sequence.push_call(OperationId(1), &[own, shared, only]);
        sequence.push_call(OperationId(1), &[own, shared]);
        assert_eq!(without_call(&sequence, idle).unwrap(), [true, true, false, false, true]);
        assert_eq!(without_call(&sequence, shared), None);
        assert_eq!(without_call(&sequence, 4), None, "what a test is about");
    }

    #[test]
    fn parts_that_share_no_object_with_the_subject_are_strangers() {
        let operation = |kind| {
            let descriptor = MethodDescriptor { parameters: Vec::new(), returns: Some(Type::class("p/A")) };
            let is_enum_constant = kind == OperationKind::GetStatic;
            Operation { is_enum_constant, ..Operation::new(kind, ClassName::new("p/A"), "it", descriptor) }
        };
        let operations = [operation(OperationKind::StaticMethod), operation(OperationKind::GetStatic)];
        let strangers = |inputs: &[(u32, &[usize])]| {
            let mut sequence = Sequence::new();
            for (call, inputs) in inputs {
                sequence.push_call(OperationId(*call), inputs);
            }
            strangers(&sequence, &operations).iter().map(Sequence::len).collect::<Vec<_>>()
        };
        // A constant, a part of two calls that take it, and the subject, which takes it too.
        assert_eq!(strangers(&[(1, &[]), (0, &[0]), (0, &[1]), (0, &[0])]), [3]);
        assert!(strangers(&[(0, &[]), (0, &[]), (0, &[0, 1])]).is_empty());
        assert!(strangers(&[]).is_empty());
    }

    #[test]
    fn what_meets_in_an_object_that_a_constant_holds_is_one_part() {
        let of = |kind, returns| {
            let descriptor = MethodDescriptor { parameters: Vec::new(), returns };
            Operation::new(kind, ClassName::new("p/A"), "it", descriptor)
        };
        let own = of(OperationKind::GetStatic, Some(Type::class("p/A")));
        let enum_constant = Operation { is_enum_constant: true, ..own.clone() };
        let mut sequence = Sequence::new();
        for _ in 0..2 {
            let constant = sequence.push_call(OperationId(0), &[]);
            sequence.push_call(OperationId(1), &[constant]);
        }
        let call = || of(OperationKind::InstanceMethod, None);
        assert!(strangers(&sequence, &[own, call()]).is_empty());
        assert_eq!(strangers(&sequence, &[enum_constant, call()]).len(), 1);
    }
}
