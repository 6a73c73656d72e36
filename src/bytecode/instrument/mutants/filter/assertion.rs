//! `assert` statements: tests run with assertions that hold.

use super::{Candidate, ClassCode, Filter, MethodCode};
use crate::classfile::Instruction;
use crate::classfile::instruction::{Condition, FieldAccess, Order};
use rustc_hash::FxHashSet;
use std::ops::Range;

pub(super) struct Assertion;

impl Filter for Assertion {
    fn name(&self) -> &'static str {
        "assertion"
    }

    fn description(&self) -> &'static str {
        "`assert` statements."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        let mut asserted = FxHashSet::default();
        for (index, method) in class.methods() {
            let starts = 0..method.body.instructions.len();
            asserted.extend(starts.filter_map(|at| statement(&method, at)).flatten().map(|at| (index, at)));
        }
        candidates.retain(|candidate| !asserted.contains(&(candidate.method, candidate.at)));
    }
}

/// The statement that begins here: `getstatic $assertionsDisabled; ifne` leads to behind it.
fn statement(method: &MethodCode, at: usize) -> Option<Range<usize>> {
    let Some(Instruction::Field { access: FieldAccess::GetStatic, field }) = method.instruction(at) else {
        return None;
    };
    let is_skipped = matches!(
        method.instruction(at + 1),
        Some(Instruction::Branch { condition: Condition::Zero(Order::NotEqual), .. })
    );
    let is_switch = method.class.pool.member(*field).is_ok_and(|member| member.name == "$assertionsDisabled");
    (is_skipped && is_switch).then(|| at..method.target(at + 1).unwrap_or(at + 2))
}
