//! Values that are there already in place of calls: what the call made, or what an earlier statement did.

use super::{At, Best, Knowledge, SUBSTITUTES, StatementChange};
use model::execution::Value;
use model::jvm::{Literal, Type};
use model::sequence::Action;

/// Takes an earlier value in place of a call's among the first `end` statements: `years.plus(days)` becomes `years`, and a
/// cast that nothing needs what was cast. The call's own inputs come first, then the values made first.
pub(super) fn bypass_calls(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    bypasses(best, end, knowledge, true)
}

/// As [`bypass_calls`], where the earlier value is of the same type.
pub(super) fn bypass_calls_by_like(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    bypasses(best, end, knowledge, false)
}

/// By values of the same type, or by those of any that fits where the call's value is taken.
fn bypasses(best: &Best, end: usize, knowledge: &Knowledge, by_any: bool) -> Vec<At> {
    let sequence = &best.sequence;
    // Null is no simpler than an object, and a receiver must not be null.
    let is_null = |at: usize| matches!(sequence.statements()[at].action, Action::Literal(Literal::Null(_)));
    let output_of = |at: usize| sequence.output_of(at, knowledge.operations).filter(|_| !is_null(at));
    let outputs: Vec<Option<Type>> = (0..end).map(output_of).collect();
    let mut changes = Vec::new();
    for at in (0..end).rev().filter(|&at| matches!(sequence.statements()[at].action, Action::Call(_))) {
        let Some(made) = &outputs[at] else { continue };
        let needs = by_any.then(|| knowledge.needs_of(sequence, at));
        let also_fits = |other| needs.as_ref().is_some_and(|needs| knowledge.fits_all(other, needs));
        let fits = |&other: &usize| outputs[other].as_ref().is_some_and(|other| other == made || also_fits(other));
        let own: Vec<usize> = sequence.inputs_of(at).filter(fits).collect();
        let others = (0..at).filter(fits).filter(|other| !own.contains(other));
        let substitutes = own.iter().copied().chain(others).take(SUBSTITUTES);
        changes.extend(substitutes.map(|substitute| (at, StatementChange::Bypass(substitute))));
    }
    changes
}

/// Writes down the number or text that a call among the first `end` statements returned: `list.get(list.size())` becomes
/// `list.get(2)`.
pub(super) fn inline_values(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let mut changes = Vec::new();
    for at in 0..end {
        if let (Action::Call(_), Some(Value::Literal(literal))) =
            (&best.sequence.statements()[at].action, best.execution.values.get(at))
        {
            let needs = knowledge.needs_of(&best.sequence, at);
            if !needs.is_empty() && knowledge.fits_all(&literal.literal_type(), &needs) {
                changes.push((at, StatementChange::Replace(Action::Literal(literal.clone()))));
            }
        }
    }
    changes
}
