//! Dead and pure statements (Randoop heuristics, docs/bibliography.md).
//!
//! A statement is dead when the last ones take its value neither directly nor through others. Dead alone says little, as
//! a dead call may have changed what the last ones take: `queue.enqueue(0.0)` has to stay, with all that it takes. Dead
//! and pure, as `queue.isFull()` is, a statement has no part in what the sequence shows.

use bytecode::analysis::purity::Effects;
use model::sequence::{Action, Sequence};

/// For each statement, whether it is one of the last so many, may change something, or is needed by such a one.
pub fn alive(sequence: &Sequence, last: usize, effects: &[Effects]) -> Vec<bool> {
    let first_of_last = sequence.len().saturating_sub(last);
    alive_for(sequence, |at| at >= first_of_last, effects)
}

/// The same for statements that are wanted.
pub fn alive_for(sequence: &Sequence, is_wanted: impl Fn(usize) -> bool, effects: &[Effects]) -> Vec<bool> {
    sequence.needed_by(|at| is_wanted(at) || may_change(sequence, at, effects))
}

/// Whether the statement is a call that is not pure.
pub fn may_change(sequence: &Sequence, at: usize, effects: &[Effects]) -> bool {
    match sequence.statements()[at].action {
        Action::Call(operation) => !effects[operation.0 as usize].is_pure(),
        Action::Literal(_) => false,
    }
}

/// The sequence without what is dead and pure with regard to its last so many statements. Two sequences that have the
/// same cleaned form are redundant.
pub fn clean(sequence: &Sequence, last: usize, effects: &[Effects]) -> Sequence {
    let alive = alive(sequence, last, effects);
    sequence.retain(|at| alive[at]).expect("what is alive needs nothing dead")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::Literal;
    use model::sequence::OperationId;

    const NEW: OperationId = OperationId(0);
    const IS_FULL: OperationId = OperationId(1);
    const ENQUEUE: OperationId = OperationId(2);
    const EFFECTS: [Effects; 3] = [Effects::NONE, Effects::NONE, Effects::ALL];

    /// The example of the text: a queue, what is called on it, and the call that fails.
    fn fails_after(calls: &[OperationId]) -> Sequence {
        let mut sequence = Sequence::new();
        let queue = sequence.push_call(NEW, &[]);
        for &call in calls {
            if call == ENQUEUE {
                let element = sequence.push_literal(Literal::double(0.0));
                sequence.push_call(ENQUEUE, &[queue, element]);
            } else {
                sequence.push_call(call, &[queue]);
            }
        }
        let element = sequence.push_literal(Literal::double(-1.0));
        sequence.push_call(ENQUEUE, &[queue, element]);
        sequence
    }

    #[test]
    fn dead_pure_calls_are_removed_and_dead_impure_calls_kept() {
        let cleaned = |calls: &[OperationId]| clean(&fails_after(calls), 1, &EFFECTS);
        assert_eq!(cleaned(&[IS_FULL, IS_FULL]), fails_after(&[]));
        assert_eq!(cleaned(&[ENQUEUE, IS_FULL]), fails_after(&[ENQUEUE]));
        assert_ne!(cleaned(&[ENQUEUE]), cleaned(&[IS_FULL]));
    }

    #[test]
    fn inputs_of_a_live_statement_are_live() {
        let mut sequence = Sequence::new();
        let queue = sequence.push_call(NEW, &[]);
        let is_full = sequence.push_call(IS_FULL, &[queue]);
        sequence.push_call(NEW, &[]);
        sequence.push_call(ENQUEUE, &[queue, is_full]);
        assert_eq!(alive(&sequence, 1, &EFFECTS), [true, true, false, true]);
        assert_eq!(clean(&sequence, 2, &EFFECTS), sequence);
    }
}
