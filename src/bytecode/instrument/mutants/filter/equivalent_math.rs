//! Arithmetic whose operand makes the change equivalent.

use super::{Candidate, ClassCode, Filter};
use model::execution::mutant::Mutator;

pub(super) struct EquivalentMath;

impl Filter for EquivalentMath {
    fn name(&self) -> &'static str {
        "equivalent-math"
    }

    fn description(&self) -> &'static str {
        "Arithmetic with the constant -1: `* -1` and `/ -1` are the same."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        candidates.retain(|candidate| {
            let is_minus_one = |at: usize| class.method(candidate).is_small_int(at, -1);
            candidate.mutator != Mutator::Math || !candidate.at.checked_sub(1).is_some_and(is_minus_one)
        });
    }
}
