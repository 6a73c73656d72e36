//! The comparisons that a compiler makes for a `switch` over strings.

use super::{Candidate, ClassCode, Filter, MethodCode};
use crate::classfile::instruction::{Condition, Order};
use crate::classfile::{Instruction, Kind};

pub(super) struct StringSwitch;

impl Filter for StringSwitch {
    fn name(&self) -> &'static str {
        "string-switch"
    }

    fn description(&self) -> &'static str {
        "The comparison with each string of a switch, after which the compiler stores the index of the case."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        candidates.retain(|candidate| !compares_case(&class.method(candidate), candidate.at));
    }
}

/// `ldc; invokevirtual equals; ifeq; iconst; istore`
fn compares_case(method: &MethodCode, at: usize) -> bool {
    let is_jump = |instruction: &Instruction<_>| {
        matches!(instruction, Instruction::Branch { condition: Condition::Zero(Order::Equal), .. })
    };
    at >= 2
        && method.instruction(at).is_some_and(is_jump)
        && method.calls(at - 1, "java/lang/String", "equals")
        && method.constant(at - 2).is_some_and(|constant| constant.pool_index().is_some())
        && method.constant(at + 1).is_some_and(|constant| constant.as_int().is_some())
        && method.stored(at + 2, Kind::Int).is_some()
}
