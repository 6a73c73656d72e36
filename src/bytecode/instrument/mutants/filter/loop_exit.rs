//! Conditions that end loops: forgotten, the loop would not end.

use super::{Candidate, ClassCode, Filter, MethodCode};
use model::execution::mutant::Mutator;

pub(super) struct LoopExit;

impl Filter for LoopExit {
    fn name(&self) -> &'static str {
        "loop-exit"
    }

    fn description(&self) -> &'static str {
        "Conditions left out by FORGOTTEN_CONDITION that end a loop, as the mutant would loop forever."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        candidates.retain(|candidate| {
            candidate.mutator != Mutator::ForgottenCondition || !ends_loop(&class.method(candidate), candidate.at)
        });
    }
}

/// Whether the jump leads over one that leads back to before it.
fn ends_loop(method: &MethodCode, at: usize) -> bool {
    let Some(end) = method.target(at) else { return false };
    (at + 1..end).any(|jump| method.target(jump).is_some_and(|start| start <= at))
}
