//! Splitting: independent parts of a sequence become tests of their own.
//!
//! A sequence that the search grew reaches goals with unrelated calls. Each call with everything that its inputs need is a
//! slice; slices that reach goals of the sequence replace it, and each is written to the test class of the class that it
//! tests. Goals that only the whole sequence reaches, because calls share a state, stay with the whole. Idle statements of
//! a minimized test become tests of their own, if necessary with the calls that may have changed their inputs.

use super::{SelectionContext, TestCandidate, idle_statements};
use crate::generator::Goal;
use crate::redundancy::{clean, may_change};
use bytecode::analysis::purity::Effects;
use model::execution::{Detail, Executor, ExecutorError, Outcome};
use model::sequence::{Action, Sequence};
use std::collections::BTreeSet;

/// Splits and minimizes a test alternately: after minimization, calls that shared a value may have separate values.
pub(super) fn separate(
    one: TestCandidate,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let mut waiting = split(repeatable(one, context, executor)?, context, executor)?;
    waiting.reverse();
    let mut separated = Vec::new();
    while let Some(part) = waiting.pop() {
        let small = context.minimize_one(part, executor)?;
        let whole = small.sequence.len();
        let mut parts = split(small, context, executor)?;
        if parts.len() == 1 && parts[0].sequence.len() == whole {
            separated.extend(separate_idle(parts.remove(0), context, executor)?);
        } else {
            waiting.extend(parts.into_iter().rev());
        }
    }
    Ok(separated)
}

/// The test with the goals that it reaches again in this JVM: goals that only the first run reaches cannot be minimized.
fn repeatable(
    one: TestCandidate,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<TestCandidate, ExecutorError> {
    let runs = executor.execute(std::slice::from_ref(&one.sequence), Detail::Observe)?;
    let reached: BTreeSet<Goal> = runs.iter().flat_map(|run| context.goals_of(&one.sequence, run)).collect();
    let goals: BTreeSet<Goal> = one.goals.intersection(&reached).cloned().collect();
    Ok(if goals.is_empty() { one } else { TestCandidate { goals, ..one } })
}

/// The slices that reach goals of the test, and the test itself for the remaining goals. If the exception at its end is no
/// goal, the test without its last statement comes first.
fn split(
    one: TestCandidate,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let mut slices = slices(&one.sequence);
    let threw = matches!(one.execution.outcome, Outcome::Threw { .. });
    if threw && one.sequence.len() > 1 && !one.goals.iter().any(|goal| matches!(goal, Goal::Throws(..))) {
        slices.insert(0, one.sequence.prefix(one.sequence.len() - 1));
    }
    if slices.len() < 2 || !(context.should_continue)() {
        return Ok(vec![one]);
    }
    parts(slices, one, context, executor)
}

/// A minimized test of each idle statement, and the test without them. The original test stays for goals that these do not
/// reach: a pure call may have initialised a class.
fn separate_idle(
    one: TestCandidate,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let idle = idle_statements(&one.sequence, &one.execution, context.program);
    if idle.is_empty() || !(context.should_continue)() {
        return Ok(vec![one]);
    }
    let cleaned = |sequence: &Sequence| clean(sequence, 1, &context.program.effects);
    let sequences = apart(&one.sequence, &idle, cleaned);
    parts(sequences, one, context, executor)?.into_iter().map(|part| context.minimize_one(part, executor)).collect()
}

/// The sequence without its idle statements; then each idle statement with what its inputs need; then each with everything
/// before it that may have changed its inputs.
fn apart(sequence: &Sequence, idle: &[usize], cleaned: impl Fn(&Sequence) -> Sequence) -> Vec<Sequence> {
    let busy = sequence.retain(|at| !idle.contains(&at));
    let slices = idle.iter().filter_map(|&at| slice(sequence, at));
    let whole = idle.iter().map(|&at| cleaned(&sequence.prefix(at + 1)));
    busy.into_iter().chain(slices).chain(whole).collect()
}

/// The sequences that reach goals of the test, each with the goals that no earlier one reaches, and the test itself for the
/// remaining goals.
fn parts(
    sequences: Vec<Sequence>,
    one: TestCandidate,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let executions = executor.execute(&sequences, Detail::Observe)?;
    let mut left = one.goals.clone();
    let mut parts = Vec::new();
    for (sequence, execution) in sequences.into_iter().zip(executions) {
        let whole = match &execution.outcome {
            Outcome::Completed => true,
            Outcome::Threw { statement, .. } => statement + 1 == sequence.len(),
            _ => false,
        };
        if !whole
            || execution.environment_dependent
            || !context.is_wanted(&execution)
            || execution.residual_state.is_some() && one.execution.residual_state.is_none()
        {
            continue;
        }
        let reached = context.goals_of(&sequence, &execution).into_iter();
        let goals: BTreeSet<Goal> = reached.filter(|goal| left.remove(goal)).collect();
        if !goals.is_empty() {
            parts.push(TestCandidate::new(sequence, execution, goals));
        }
    }
    if !left.is_empty() {
        parts.push(TestCandidate { goals: left, ..one });
    }
    Ok(parts)
}

/// The statement with what its inputs need.
pub(super) fn slice(sequence: &Sequence, at: usize) -> Option<Sequence> {
    let needed = sequence.needed_by(|index| index == at);
    sequence.prefix(at + 1).retain(|index| needed[index])
}

/// For each call that is in no other slice, from the last to the first, the call and what its inputs need.
pub(super) fn slices(sequence: &Sequence) -> Vec<Sequence> {
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

/// The last call with what its inputs need, and with the calls that may have changed an object among these.
pub(super) fn with_changes(sequence: &Sequence, effects: &[Effects]) -> Sequence {
    let is_call = |at: usize| matches!(sequence.statements()[at].action, Action::Call(_));
    let mut needed = sequence.needed_by(|at| at + 1 == sequence.len());
    loop {
        let changes = |at: usize| {
            may_change(sequence, at, effects) && sequence.inputs_of(at).any(|input| needed[input] && is_call(input))
        };
        let more = sequence.needed_by(|at| needed[at] || changes(at));
        if more == needed {
            return sequence.retain(|at| needed[at]).expect("what is needed needs nothing else");
        }
        needed = more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytecode::analysis::purity::Effects;
    use model::sequence::OperationId;

    fn calls(sequence: &Sequence) -> Vec<Action> {
        sequence.statements().iter().map(|one| one.action.clone()).collect()
    }

    #[test]
    fn slice_with_changes_has_what_may_have_changed_its_objects() {
        let (new, pure, change) = (OperationId(0), OperationId(1), OperationId(2));
        let effects = [Effects::NONE, Effects::NONE, Effects::ALL];
        let mut sequence = Sequence::new();
        let (one, other) = (sequence.push_call(new, &[]), sequence.push_call(new, &[]));
        sequence.push_call(pure, &[one]);
        sequence.push_call(change, &[other]);
        let argument = sequence.push_call(new, &[]);
        sequence.push_call(change, &[one, argument]);
        sequence.push_call(pure, &[one]);
        let slice = with_changes(&sequence, &effects);
        assert_eq!(calls(&slice), [new, new, change, pure].map(Action::Call));
        assert_eq!(slice.inputs_of(2).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn idle_call_is_split_off_with_and_without_preceding_changes() {
        const EFFECTS: [Effects; 4] = [Effects::NONE, Effects::ALL, Effects::NONE, Effects::ALL];
        let [new, set_name, hash, parse] = [0, 1, 2, 3].map(OperationId);
        let mut sequence = Sequence::new();
        let option = sequence.push_call(new, &[]);
        sequence.push_call(set_name, &[option]);
        let idle = sequence.push_call(hash, &[option]);
        sequence.push_call(parse, &[]);
        let apart: Vec<_> = apart(&sequence, &[idle], |whole| clean(whole, 1, &EFFECTS)).iter().map(calls).collect();
        let expected: [&[OperationId]; 3] = [&[new, set_name, parse], &[new, hash], &[new, set_name, hash]];
        assert_eq!(apart, expected.map(|ids| ids.iter().map(|&id| Action::Call(id)).collect::<Vec<_>>()));
    }

    #[test]
    fn independent_calls_become_separate_slices() {
        let mut sequence = Sequence::new();
        let stack = sequence.push_call(OperationId(0), &[]);
        sequence.push_call(OperationId(1), &[]);
        sequence.push_call(OperationId(2), &[stack]);
        let call = |number: u32| Action::Call(OperationId(number));
        let slices: Vec<_> = slices(&sequence).iter().map(calls).collect();
        assert_eq!(slices, [vec![call(0), call(2)], vec![call(1)]]);
    }
}
