//! The condition that a compiler makes for a loop over an array.

use super::{Candidate, ClassCode, Filter, MethodCode};
use crate::classfile::{Instruction, Kind};
use rustc_hash::FxHashSet;

pub(super) struct ArrayLoop;

impl Filter for ArrayLoop {
    fn name(&self) -> &'static str {
        "array-loop"
    }

    fn description(&self) -> &'static str {
        "The condition of a for-each loop over an array."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        let mut conditions = FxHashSet::default();
        for (index, method) in class.methods() {
            let starts = 0..method.body.instructions.len();
            conditions.extend(starts.filter_map(|at| condition_of_loop(&method, at)).map(|at| (index, at)));
        }
        candidates.retain(|candidate| !conditions.contains(&(candidate.method, candidate.at)));
    }
}

/// Where the condition is of a loop that begins here: `arraylength; istore; iconst_0; istore`, then, here or where a `goto`
/// leads to, `iload; iload; if_icmpge`.
fn condition_of_loop(method: &MethodCode, at: usize) -> Option<usize> {
    let is_stored = |at: usize| method.stored(at, Kind::Int).is_some();
    let is_loaded = |at: usize| method.loaded(at, Kind::Int).is_some();
    let begins = at + 6 < method.body.instructions.len()
        && method.instruction(at) == Some(&Instruction::ArrayLength)
        && is_stored(at + 1)
        && method.is_small_int(at + 2, 0)
        && is_stored(at + 3);
    if !begins {
        return None;
    }
    let compared = if method.is_goto(at + 4) { method.target(at + 4)? } else { at + 4 };
    let is_condition = is_loaded(compared) && is_loaded(compared + 1) && method.is_branch(compared + 2);
    is_condition.then_some(compared + 2)
}
