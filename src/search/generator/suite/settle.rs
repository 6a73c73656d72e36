//! Statements in the order in which a reader needs their values.
//!
//! What only one call takes is made right before it, in the order of its parameters: Java evaluates arguments from left to right
//! (JLS §15.7.4), so that such a value can be written where it is taken. A search makes values in any order, and the test then
//! declares `fifth` before `second`. A test stays as it is if it does anything else in the other order.

use super::mutation::Kill;
use super::{SelectionContext, TestCandidate, is_as_steady};
use model::execution::{Detail, Execution, Executor, ExecutorError};
use model::sequence::Sequence;
use rustc_hash::FxHashSet;

/// The tests with their statements in that order.
pub(super) fn settle(
    tests: Vec<TestCandidate>,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    context.on_shards(tests, executors, &|one, executor| {
        let order = order(&one);
        if order.is_sorted() || one.sequence.rejected().is_some() {
            return Ok(one);
        }
        let settled = in_order(&one.sequence, &order);
        let run = executor.execute(std::slice::from_ref(&settled), Detail::Observe)?.into_iter().next();
        Ok(match run.filter(|run| does_same(&one.execution, run, &order)) {
            Some(_) => moved(one, settled, &order),
            None => one,
        })
    })
}

/// The statements of the test, by their indices, in the order in which their values are taken.
fn order(one: &TestCandidate) -> Vec<usize> {
    let sequence = &one.sequence;
    let own = sequence.len() - one.observers;
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); sequence.len()];
    for user in 0..sequence.len() {
        sequence.inputs_of(user).for_each(|input| users[input].push(user));
    }
    let waits = |at: usize| at + 1 < own && matches!(users[at][..], [user] if user < own);
    let mut order = Vec::with_capacity(sequence.len());
    for at in (0..sequence.len()).filter(|at| !waits(*at)) {
        place(sequence, at, &waits, &mut order);
    }
    order
}

/// Puts the statement behind those whose values only it takes.
fn place(sequence: &Sequence, at: usize, waits: &dyn Fn(usize) -> bool, order: &mut Vec<usize>) {
    sequence.inputs_of(at).filter(|input| waits(*input)).for_each(|input| place(sequence, input, waits, order));
    order.push(at);
}

fn in_order(sequence: &Sequence, order: &[usize]) -> Sequence {
    let mut settled = Sequence::new();
    let places = places(order);
    for &at in order {
        let inputs: Vec<usize> = sequence.inputs_of(at).map(|input| places[input]).collect();
        settled.push(sequence.statements()[at].action.clone(), &inputs);
    }
    settled
}

/// Where each statement is in the order.
fn places(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, at)| places[*at] = place);
    places
}

/// Whether a run in the order shows the same values, ends alike and reaches what the test reached.
fn does_same(long: &Execution, run: &Execution, order: &[usize]) -> bool {
    let reached: FxHashSet<u32> = run.edges.iter().map(|hit| hit.edge).collect();
    let shows_same = order.iter().enumerate().all(|(place, at)| long.values.get(*at) == run.values.get(place));
    run.outcome == long.outcome
        && shows_same
        && long.edges.iter().all(|hit| reached.contains(&hit.edge))
        && is_as_steady(run, long)
}

/// The test with what is known of its statements; what decides its outcome is not looked for before.
fn moved(one: TestCandidate, sequence: Sequence, order: &[usize]) -> TestCandidate {
    let places = places(order);
    let mut execution = one.execution;
    let values = execution.values.clone();
    execution.move_mocks(|at| places.get(at).copied());
    execution.values = order.iter().filter_map(|at| values.get(*at).cloned()).collect();
    let mut kills = one.kills;
    for kill in kills.values_mut() {
        if let Kill::Values(of) = kill {
            of.iter_mut().for_each(|at| *at = places[*at]);
            of.sort_unstable();
        }
    }
    let asserted = one.asserted.map(|asserted| asserted.into_iter().map(|at| places[at]).collect());
    TestCandidate { sequence, execution, kills, asserted, ..one }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::{Outcome, Value};
    use model::jvm::Literal;
    use model::sequence::OperationId;
    use std::collections::{BTreeMap, BTreeSet};

    /// A test of a call that takes values which were made in another order, with a look at its result.
    fn test() -> TestCandidate {
        let mut sequence = Sequence::new();
        let second = sequence.push_call(OperationId(2), &[]);
        let text = sequence.push_literal(Literal::Int(7));
        let first = sequence.push_call(OperationId(1), &[text]);
        let shared = sequence.push_call(OperationId(3), &[]);
        sequence.push_call(OperationId(4), &[shared]);
        let subject = sequence.push_call(OperationId(0), &[first, second, shared]);
        sequence.push_call(OperationId(5), &[subject]);
        let values = (0..7).map(|value| Value::Literal(Literal::Int(value))).collect();
        let run = Execution { values, ..Execution::ended(Outcome::Completed) };
        TestCandidate { observers: 1, ..TestCandidate::new(sequence, run, BTreeSet::new()) }
    }

    #[test]
    fn values_for_one_call_stand_before_it_in_the_order_of_its_parameters() {
        let one = test();
        let order = order(&one);
        assert_eq!(order, [3, 4, 1, 2, 0, 5, 6]);
        let settled = in_order(&one.sequence, &order);
        assert_eq!(settled.calls().map(|call| call.0).collect::<Vec<_>>(), [3, 4, 1, 2, 0, 5]);
        assert_eq!(settled.inputs_of(5).collect::<Vec<_>>(), [3, 4, 0]);
    }

    #[test]
    fn what_is_known_of_statements_moves_with_them() {
        let one = test();
        let order = order(&one);
        let settled = in_order(&one.sequence, &order);
        let kills = BTreeMap::from([(9, Kill::Values(vec![0, 5]))]);
        let one = moved(TestCandidate { kills, ..one }, settled, &order);
        assert_eq!(one.kills[&9], Kill::Values(vec![4, 5]));
        assert_eq!(one.execution.values[4], Value::Literal(Literal::Int(0)));
        assert!(super::order(&one).is_sorted());
    }

    #[test]
    fn order_in_which_another_value_shows_is_not_taken() {
        let one = test();
        let order = order(&one);
        let mut run = one.execution.clone();
        run.values = order.iter().map(|at| one.execution.values[*at].clone()).collect();
        assert!(does_same(&one.execution, &run, &order));
        run.values[6] = Value::Null;
        assert!(!does_same(&one.execution, &run, &order));
    }
}
