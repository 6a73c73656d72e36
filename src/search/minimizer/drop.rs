//! Leaving statements out: all that is dead at once, then one call after the other.

use super::{At, Best, Knowledge, StatementChange};
use crate::redundancy::alive;
use model::sequence::{Action, OperationKind, Sequence};

/// What one try may drop: most of a sequence that the search grew has nothing to do with its last statements. All that
/// is dead goes where dead calls change nothing that matters; else what is dead and pure (Randoop heuristics,
/// docs/bibliography.md).
pub(super) fn dead_statements(sequence: &Sequence, last: usize, knowledge: &Knowledge) -> Vec<Vec<At>> {
    let first_of_last = sequence.len().saturating_sub(last);
    let slices = [sequence.needed_by(|at| at >= first_of_last), alive(sequence, last, knowledge.effects)];
    let drops = slices.map(|needed| {
        let dead = needed.iter().enumerate().filter(|(_, needed)| !**needed);
        dead.map(|(at, _)| (at, StatementChange::Drop)).collect::<Vec<At>>()
    });
    drops.into_iter().filter(|drops| !drops.is_empty()).collect()
}

/// Leaves out a call among the first `end` statements; the last ones first, as others may be there for them. Literals
/// go with the calls that use them.
pub(super) fn drop_statements(best: &Best, end: usize, _: &Knowledge) -> Vec<At> {
    let is_call = |at: &usize| matches!(best.sequence.statements()[*at].action, Action::Call(_));
    (0..end).rev().filter(is_call).map(|at| (at, StatementChange::Drop)).collect()
}

/// Leaves an element out of an array among the first `end` statements, the last ones first.
pub(super) fn omit_elements(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let is_array = |at: &usize| {
        knowledge.called(&best.sequence, *at).is_some_and(|operation| operation.kind == OperationKind::Array)
    };
    let elements = |at: usize| {
        let slots = 0..best.sequence.inputs_of(at).count();
        slots.rev().map(move |slot| (at, StatementChange::Omit(slot)))
    };
    (0..end).rev().filter(is_array).flat_map(elements).collect()
}
