//! Merging: short tests of one class with common beginnings become one.
//!
//! `new Stack()` followed by one call, ten times, is one test of ten calls to a reader. Two tests are merged by appending the
//! second's statements to the first, except those that the first has already (the same action on the same values); the
//! merged sequence must reach all goals of both. A merge is refused if calls change what later ones observe, so that goals
//! are missed, or if the main statement of one test would become an idle statement of the other.

use super::{SelectionContext, TestCandidate, idle_statements};
use crate::generator::program_model::call_count;
use model::execution::{Detail, Executor, ExecutorError, Outcome};
use model::sequence::{Action, Sequence};
use program::Program;
use std::collections::BTreeMap;

/// Most calls of a merged test.
const CALL_LIMIT: u32 = 12;
/// Most partners that are tried for one test.
const PARTNERS: usize = 6;

/// Groups of tests that may be merged: those of the same test class, in order.
pub(super) fn groups(selected: Vec<TestCandidate>, program: &Program) -> Vec<Vec<TestCandidate>> {
    let mut groups: BTreeMap<Option<usize>, Vec<TestCandidate>> = BTreeMap::new();
    for one in selected {
        groups.entry(program.class_of_sequence(&one.sequence)).or_default().push(one);
    }
    groups.into_values().collect()
}

/// Merges tests of a group as long as possible.
pub(super) fn merge(
    group: Vec<TestCandidate>,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let mut waiting: Vec<Option<TestCandidate>> = group.into_iter().map(Some).collect();
    let mut merged = Vec::new();
    for at in 0..waiting.len() {
        let Some(mut current) = waiting[at].take() else { continue };
        while (context.should_continue)() && current.execution.outcome == Outcome::Completed {
            let partners = partners(&current, &waiting);
            let joined: Vec<Sequence> = partners.iter().map(|(_, joined)| joined.clone()).collect();
            let executions = executor.execute(&joined, Detail::Observe)?;
            let found = partners.into_iter().zip(executions).find_map(|((partner, sequence), execution)| {
                let other = waiting[partner].as_ref()?;
                let goals = current.goals.union(&other.goals).cloned().collect();
                let holds = super::ends_alike(&sequence, &execution, &other.execution.outcome)
                    && !execution.environment_dependent
                    && (execution.residual_state.is_none()
                        || leaves_residual_state(&current)
                        || leaves_residual_state(other))
                    && context.reaches(&sequence, &execution, &goals)
                    && idle_statements(&sequence, &execution, context.program).is_empty();
                holds.then_some((partner, TestCandidate::new(sequence, execution, goals)))
            });
            let Some((partner, joined)) = found else { break };
            waiting[partner] = None;
            current = joined;
        }
        merged.push(current);
    }
    Ok(merged)
}

/// Whether the test leaves residual state: that was found harmless, or the test is worth it.
fn leaves_residual_state(one: &TestCandidate) -> bool {
    one.execution.residual_state.is_some()
}

/// The tests that share the most calls with `current`, joined to it.
fn partners(current: &TestCandidate, waiting: &[Option<TestCandidate>]) -> Vec<(usize, Sequence)> {
    let mut found: Vec<(u32, usize, Sequence)> = Vec::new();
    for (at, other) in waiting.iter().enumerate() {
        let Some(other) = other else { continue };
        let joined = join(&current.sequence, &other.sequence);
        let calls = call_count(&joined);
        let shared = call_count(&current.sequence) + call_count(&other.sequence) - calls;
        if shared > 0 && calls <= CALL_LIMIT {
            found.push((shared, at, joined));
        }
    }
    found.sort_by_key(|(shared, at, _)| (std::cmp::Reverse(*shared), *at));
    found.truncate(PARTNERS);
    found.into_iter().map(|(_, at, joined)| (at, joined)).collect()
}

/// The statements of `first`, then those of `second` without their common beginning. The last statement of the second is
/// always kept.
pub(super) fn join(first: &Sequence, second: &Sequence) -> Sequence {
    let mut joined = first.clone();
    let mut moved: Vec<usize> = Vec::with_capacity(second.len());
    let mut in_common = true;
    for (at, statement) in second.statements().iter().enumerate() {
        let inputs: Vec<usize> = second.inputs_of(at).map(|input| moved[input]).collect();
        let is_literal = matches!(statement.action, Action::Literal(_));
        let known = (0..first.len()).find(|&known| {
            let own = first.inputs_of(known);
            first.statements()[known].action == statement.action
                && own.len() == inputs.len()
                && own.zip(&inputs).all(|(one, &two)| is_same(&joined, one, two))
        });
        match known {
            // Later on the objects may have changed.
            Some(known) if in_common && !is_literal && at + 1 < second.len() => moved.push(known),
            _ => {
                in_common &= is_literal;
                moved.push(joined.push(statement.action.clone(), &inputs));
            }
        }
    }
    let is_used = |at: usize| (at + 1..joined.len()).any(|user| joined.inputs_of(user).any(|input| input == at));
    let is_needed = |at: usize| !matches!(joined.statements()[at].action, Action::Literal(_)) || is_used(at);
    joined.retain(is_needed).expect("only unused literals are dropped")
}

/// Whether two statements have the same value: they are one statement, or equal literals.
fn is_same(sequence: &Sequence, one: usize, two: usize) -> bool {
    let literal = |at: usize| match &sequence.statements()[at].action {
        Action::Literal(literal) => Some(literal),
        Action::Call(_) => None,
    };
    one == two || (literal(one).is_some() && literal(one) == literal(two))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::Literal;
    use model::sequence::OperationId;

    #[test]
    fn common_prefix_of_tests_is_merged() {
        let test = |last: u32| {
            let mut sequence = Sequence::new();
            let stack = sequence.push_call(OperationId(0), &[]);
            sequence.push_call(OperationId(last), &[stack]);
            sequence
        };
        let joined = join(&test(1), &test(2));
        assert_eq!(call_count(&joined), 3);
        assert_eq!(joined.inputs_of(2).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn calls_on_different_values_are_not_merged() {
        let test = |value: i32| {
            let mut sequence = Sequence::new();
            let literal = sequence.push_literal(Literal::Int(value));
            let stack = sequence.push_call(OperationId(0), &[literal]);
            sequence.push_call(OperationId(1), &[stack]);
            sequence
        };
        assert_eq!(call_count(&join(&test(1), &test(2))), 4);
        assert_eq!(call_count(&join(&test(1), &test(1))), 3);
    }
}
