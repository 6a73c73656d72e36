//! Strangers: calls of a test that share no object with the call that it is about.
//!
//! Alone they may make a test of their own ([`detach`](super::detach)). What remains of them shows code by the way, and a reader looks
//! for what it has to do with the test: it goes, with the goals and mutants that only it reached, unless the test shows something
//! else without it, as calls may also meet in static state.

use super::mutation::{Asked, MutationAnalysis};
use super::strengthen::{at_home, run, with_only};
use super::{SelectionContext, TestCandidate, ends_alike};
use model::execution::{Detail, Edge, Execution, Executor, ExecutorError};
use model::sequence::{Operation, OperationKind, Sequence};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Whether the test makes calls that share no object with the call that it is about.
pub(super) fn has_strangers(one: &TestCandidate, context: &SelectionContext) -> bool {
    !strangers(&one.subject(), &context.program.operations).is_empty()
}

/// The parts of a sequence that share no object with its last call, but literals and constants.
pub(super) fn strangers(sequence: &Sequence, operations: &[Operation]) -> Vec<Sequence> {
    let Some(subject) = sequence.len().checked_sub(1) else { return Vec::new() };
    let part_of = parts(sequence, operations);
    let others: BTreeSet<usize> =
        part_of.iter().flatten().copied().filter(|part| Some(*part) != part_of[subject]).collect();
    let alone = |part: usize| {
        let needed = sequence.needed_by(|at| part_of[at] == Some(part));
        sequence.retain(|at| needed[at])
    };
    others.into_iter().filter_map(alone).collect()
}

/// By statement the part that it belongs to, by the first one of that; `None` for literals and constants, which parts share. A call
/// joins the parts of its inputs.
fn parts(sequence: &Sequence, operations: &[Operation]) -> Vec<Option<usize>> {
    let is_shared = |at: usize| match sequence.call_at(at) {
        Some(call) => operations[call.0 as usize].kind == OperationKind::GetStatic,
        None => true,
    };
    let mut part_of: Vec<Option<usize>> = (0..sequence.len()).map(|at| (!is_shared(at)).then_some(at)).collect();
    for at in 0..sequence.len() {
        for input in sequence.inputs_of(at) {
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
    let cut_one = |one: TestCandidate, executor: &mut dyn Executor| {
        if !(mutation.should_continue)() || !has_strangers(&one, context) {
            return Ok((one, false));
        }
        let short = without_strangers(one.clone(), &context.program.operations);
        let runs = executor.execute(std::slice::from_ref(&short.sequence), Detail::Observe)?;
        let is_like = |run: &Execution| {
            ends_alike(&short.sequence, run, &short.execution.outcome)
                && run.values == short.execution.values
                && (!run.may_vary() || one.execution.may_vary())
                && (run.residual_state.is_none() || one.execution.residual_state.is_some())
        };
        let Some(run) = runs.into_iter().next().filter(is_like) else { return Ok((one, false)) };
        Ok((with_run(short, run, context), true))
    };
    at_home(executors, &mut |home| {
        let tried = context.on_shards(tests.clone(), home, &cut_one)?;
        let (mut tests, is_cut): (Vec<TestCandidate>, Vec<bool>) = tried.into_iter().unzip();
        let places: Vec<usize> = (0..tests.len()).filter(|at| is_cut[*at]).collect();
        let mut cut: Vec<TestCandidate> = places.iter().map(|at| tests[*at].clone()).collect();
        let known: Vec<BTreeSet<u32>> = cut.iter().map(|one| one.kills.keys().copied().collect()).collect();
        let all: BTreeSet<u32> = known.iter().flatten().copied().collect();
        let all: Vec<u32> = all.into_iter().collect();
        let asks = |number: usize, mutant: u32| known[number].contains(&mutant);
        run(&mut cut, Asked { asks: &asks, ..Asked::all(&all) }, mutation, context, home)?;
        places.into_iter().zip(cut).for_each(|(at, short)| tests[at] = short);
        Ok(tests)
    })
}

/// The test with what belongs to the call that it is about, and observers of that.
fn without_strangers(one: TestCandidate, operations: &[Operation]) -> TestCandidate {
    let part_of = parts(&one.sequence, operations);
    let own = (one.sequence.len() - one.observers).checked_sub(1).and_then(|subject| part_of[subject]);
    let needed = one.sequence.needed_by(|at| own.is_some() && part_of[at] == own);
    with_only(one, &|at| needed[at])
}

fn with_run(mut one: TestCandidate, run: Execution, context: &SelectionContext) -> TestCandidate {
    let goals = context.goals_of(&one.subject(), &run);
    let reached: FxHashSet<Edge> = run.edges.iter().map(|hit| hit.edge).collect();
    one.goals.retain(|goal| goals.contains(goal));
    one.only_observed.retain(|edge| reached.contains(edge));
    one.execution = run;
    one
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::{Outcome, Value};
    use model::jvm::{ClassName, MethodDescriptor, Type};
    use model::sequence::OperationId;

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
}
