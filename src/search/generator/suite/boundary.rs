//! Boundaries: before a call that rejects a number, the nearest one that is accepted.
//!
//! That a limit is one and not two shows in the pair of `setLimit(1)`, which returns, and `setLimit(0)`, which throws. A test of the
//! first alone asserts nothing. A rejection gets the accepted call before the rejected one, by a number that is one more or less, where
//! that kills a mutant which no test kills that shows a value.

use super::mutation::{Asked, Kill, MutationAnalysis};
use super::refine::SLOW;
use super::strengthen::{at_home, run};
use super::{SelectionContext, TestCandidate, is_rejection, runs};
use model::execution::{Detail, Execution, Executor, ExecutorError, Outcome};
use model::jvm::Literal;
use model::sequence::Sequence;
use rustc_hash::FxHashSet;

/// The tests, in which accepted calls stand before some of those that are rejected.
pub(super) fn add(
    tests: Vec<TestCandidate>,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    if !(mutation.should_continue)() {
        return Ok(tests);
    }
    let found = at_home(executors, &mut |home| {
        context.on_shards(tests.iter().collect(), home, &|one: &TestCandidate, executor| {
            if can_tell_boundary(one, context) { with_accepted(one, executor) } else { Ok(Vec::new()) }
        })
    })?;
    let of_test: Vec<usize> =
        found.iter().enumerate().flat_map(|(test, found)| std::iter::repeat_n(test, found.len())).collect();
    let mut found: Vec<TestCandidate> = found.into_iter().flatten().collect();
    at_home(executors, &mut |home| run(&mut found, Asked::all(&mutation.in_order()), mutation, context, home))?;
    let mut shown: FxHashSet<u32> =
        tests.iter().filter(|one| shows_value(one, mutation)).flat_map(|one| one.kills.keys().copied()).collect();
    let mut tests = tests;
    for (test, one) in of_test.into_iter().zip(found) {
        let is_new = one.kills.iter().any(|(mutant, kill)| *kill != Kill::Stopped && !shown.contains(mutant));
        let keeps = tests[test].kills.keys().all(|mutant| one.kills.contains_key(mutant));
        if is_new && keeps {
            shown.extend(one.kills.keys());
            tests[test] = one;
        }
    }
    Ok(tests)
}

/// Whether the test is of a rejection, quick, and has nothing after it.
fn can_tell_boundary(one: &TestCandidate, context: &SelectionContext) -> bool {
    is_rejection(one, context)
        && one.observers == 0
        && one.sequence.rejected().is_none()
        && one.execution.residual_state.is_none()
        && one.execution.cost < SLOW
}

/// Whether the test asserts a value, or what is thrown on purpose.
fn shows_value(one: &TestCandidate, mutation: &MutationAnalysis) -> bool {
    one.execution.outcome != Outcome::Completed || (mutation.assertions)(one).iter().any(|assertion| !assertion.is_bare)
}

/// The test with an accepted call before the rejected one, for each number that the call takes.
fn with_accepted(one: &TestCandidate, executor: &mut dyn Executor) -> Result<Vec<TestCandidate>, ExecutorError> {
    let tries = accepted_before(&one.sequence);
    let tried = executor.execute(&tries, Detail::Observe)?;
    let again = executor.execute(&tries, Detail::Observe)?;
    let runs = tried.into_iter().zip(again).map(|(run, again)| runs::agree(run, &again));
    let rejects_alike = |sequence: &Sequence, run: &Execution| match (&run.outcome, &one.execution.outcome) {
        (Outcome::Threw { statement, exception }, Outcome::Threw { exception: alone, .. }) => {
            *statement + 1 == sequence.len() && (&exception.class, &exception.message) == (&alone.class, &alone.message)
        }
        _ => false,
    };
    let is_like = |sequence: &Sequence, run: &Execution| {
        rejects_alike(sequence, run) && !run.may_vary() && run.residual_state.is_none()
    };
    let like = tries.into_iter().zip(runs).filter_map(|(sequence, run)| Some((sequence, run?)));
    let like = like.filter(|(sequence, run)| is_like(sequence, run));
    Ok(like.map(|(sequence, execution)| TestCandidate { sequence, execution, ..one.clone() }).collect())
}

/// The sequence with a call like its last one right before it, by a number one more or less.
fn accepted_before(alone: &Sequence) -> Vec<Sequence> {
    let Some(last) = alone.len().checked_sub(1) else { return Vec::new() };
    let mut found = Vec::new();
    for (slot, input) in alone.inputs_of(last).enumerate() {
        for near in alone.literal_at(input).into_iter().flat_map(neighbours) {
            let mut sequence = alone.prefix(last);
            let near = sequence.push_literal(near);
            let mut inputs: Vec<usize> = alone.inputs_of(last).collect();
            let rejected = inputs.clone();
            inputs[slot] = near;
            let action = &alone.statements()[last].action;
            sequence.push(action.clone(), &inputs);
            sequence.push(action.clone(), &rejected);
            found.push(sequence);
        }
    }
    found
}

/// The numbers next to a number.
fn neighbours(literal: &Literal) -> Vec<Literal> {
    match *literal {
        Literal::Int(value) => [1, -1].into_iter().filter_map(|by| value.checked_add(by)).map(Literal::Int).collect(),
        Literal::Long(value) => [1, -1].into_iter().filter_map(|by| value.checked_add(by)).map(Literal::Long).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::sequence::OperationId;

    #[test]
    fn accepted_call_stands_before_the_rejected_one_on_the_same_object() {
        let mut alone = Sequence::new();
        let made = alone.push_call(OperationId(0), &[]);
        let name = alone.push_literal(Literal::String("a".into()));
        let limit = alone.push_literal(Literal::Int(0));
        alone.push_call(OperationId(1), &[made, name, limit]);
        let found = accepted_before(&alone);
        let told = |sequence: &Sequence| {
            let calls: Vec<usize> =
                (0..sequence.len()).filter(|at| sequence.call_at(*at) == Some(OperationId(1))).collect();
            let inputs = |at: usize| sequence.inputs_of(at).collect::<Vec<usize>>();
            let (first, second) = (inputs(calls[0]), inputs(calls[1]));
            assert_eq!((first[0], first[1], &second[..]), (made, name, &[made, name, limit][..]));
            sequence.literal_at(first[2]).cloned()
        };
        assert_eq!(found.iter().map(told).collect::<Vec<_>>(), [Some(Literal::Int(1)), Some(Literal::Int(-1))]);
        assert_eq!(neighbours(&Literal::Int(i32::MAX)), [Literal::Int(i32::MAX - 1)]);
        assert_eq!(neighbours(&Literal::Boolean(true)), []);
    }
}
