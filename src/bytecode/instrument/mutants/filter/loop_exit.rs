//! Conditions that end loops: forgotten, the loop would not end.

use super::{Candidate, ClassCode, Filter, MethodCode};
use model::execution::mutant::Mutator;

pub(super) struct LoopExit;

impl Filter for LoopExit {
    fn name(&self) -> &'static str {
        "loop-exit"
    }

    fn description(&self) -> &'static str {
        "Conditions left out by FORGOTTEN_CONDITION or FORGOTTEN_CASE that end a loop, as the mutant would loop forever."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        candidates.retain(|candidate| match candidate.mutator {
            Mutator::ForgottenCondition => !leaves_loop(&class.method(candidate), candidate.at),
            Mutator::ForgottenCase => !leads_back(&class.method(candidate), candidate.at),
            _ => true,
        });
    }
}

/// Whether the jump leads over one that leads back to before it: without it the loop goes on.
fn leaves_loop(method: &MethodCode, at: usize) -> bool {
    let Some(end) = method.target(at) else { return false };
    (at + 1..end).any(|jump| method.target(jump).is_some_and(|start| start <= at))
}

/// Whether the jump leads to before it: if it always happens, so does the loop.
fn leads_back(method: &MethodCode, at: usize) -> bool {
    method.target(at).is_some_and(|start| start <= at)
}
