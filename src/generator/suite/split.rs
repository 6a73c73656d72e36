//! Splitting: what a sequence did by the way becomes a test of its own.
//!
//! A sequence that the search grew reaches goals with calls that have nothing to do with one another. Each call with
//! all that its inputs need is a slice; where slices reach the sequence's goals, they take its place, and each comes to
//! stand with the class that it is about. What only the whole reaches, as calls work on one state, stays with the whole.

use super::{Context, Selected};
use crate::execution::{Detail, Executor, ExecutorError, Outcome};
use crate::generator::Goal;
use crate::sequence::{Action, Sequence};
use std::collections::BTreeSet;

/// The slices that reach goals of the test, and the test itself for what is left.
pub(super) fn split(
    one: Selected,
    context: &Context,
    executor: &mut dyn Executor,
) -> Result<Vec<Selected>, ExecutorError> {
    let slices = slices(&one.sequence);
    if slices.len() < 2 || !(context.go_on)() {
        return Ok(vec![one]);
    }
    let executions = executor.execute(&slices, Detail::Observe)?;
    let mut left = one.goals.clone();
    let mut parts = Vec::new();
    for (sequence, execution) in slices.into_iter().zip(executions) {
        let whole = match &execution.outcome {
            Outcome::Completed => true,
            Outcome::Threw { statement, .. } => statement + 1 == sequence.len(),
            _ => false,
        };
        if !whole
            || execution.environment_dependent
            || execution.leftovers.is_some() && one.execution.leftovers.is_none()
        {
            continue;
        }
        let reached = context.goals_of(&sequence, &execution).into_iter();
        let goals: BTreeSet<Goal> = reached.filter(|goal| left.remove(goal)).collect();
        if !goals.is_empty() {
            parts.push(Selected::new(sequence, execution, goals));
        }
    }
    if !left.is_empty() {
        parts.push(Selected { goals: left, ..one });
    }
    Ok(parts)
}

/// For each call that no other slice has, from the last to the first, the call and what its inputs need.
fn slices(sequence: &Sequence) -> Vec<Sequence> {
    let mut taken = vec![false; sequence.len()];
    let mut slices = Vec::new();
    for at in (0..sequence.len()).rev() {
        if taken[at] || matches!(sequence.statements()[at].action, Action::Literal(_)) {
            continue;
        }
        let needed = sequence.needed_by(|index| index == at);
        needed.iter().zip(&mut taken).for_each(|(needed, taken)| *taken |= needed);
        slices.extend(sequence.prefix(at + 1).retain(|index| needed[index]));
    }
    slices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequence::OperationId;

    #[test]
    fn calls_that_share_nothing_are_slices_of_their_own() {
        let mut sequence = Sequence::new();
        let stack = sequence.push_call(OperationId(0), &[]);
        sequence.push_call(OperationId(1), &[]);
        sequence.push_call(OperationId(2), &[stack]);
        let calls = |slice: &Sequence| slice.statements().iter().map(|one| one.action.clone()).collect::<Vec<_>>();
        let call = |number: u32| Action::Call(OperationId(number));
        let slices: Vec<_> = slices(&sequence).iter().map(calls).collect();
        assert_eq!(slices, [vec![call(0), call(2)], vec![call(1)]]);
    }
}
