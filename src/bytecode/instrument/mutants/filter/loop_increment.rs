//! The increment of a `for` loop: changed, the loop would not end.

use super::{Candidate, ClassCode, Filter, MethodCode};
use crate::classfile::{Instruction, Kind};

pub(super) struct LoopIncrement;

impl Filter for LoopIncrement {
    fn name(&self) -> &'static str {
        "loop-increment"
    }

    fn description(&self) -> &'static str {
        "The increment of a for loop's counter, as the mutant would loop forever."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        candidates.retain(|candidate| !counts_loop(&class.method(candidate), candidate.at));
    }
}

/// `iinc; goto` back to where the counter is loaded for the condition; or `iinc; iload`, where the condition is at the end of the
/// loop and a `goto` after `istore` leads to it.
fn counts_loop(method: &MethodCode, at: usize) -> bool {
    let Some(Instruction::Increment { local, .. }) = method.instruction(at) else { return false };
    let loads = |at: usize| method.loaded(at, Kind::Int) == Some(local.index);
    let at_start = method.is_goto(at + 1) && method.target(at + 1).is_some_and(|start| start <= at && loads(start));
    let from_before = |jump: usize| {
        method.is_goto(jump)
            && method.target(jump) == Some(at + 1)
            && jump > 0
            && method.stored(jump - 1, Kind::Int) == Some(local.index)
    };
    at_start || loads(at + 1) && (0..at).any(from_before)
}
