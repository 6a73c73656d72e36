//! Copies of `finally` blocks.

use super::{Candidate, ClassCode, Filter};
use crate::instrument::body::Body;
use model::execution::mutant::Mutator;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct InlinedFinally;

impl Filter for InlinedFinally {
    fn name(&self) -> &'static str {
        "inlined-finally"
    }

    fn description(&self) -> &'static str {
        "All but one of the copies of a finally block, which is compiled once for each way into it."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        let methods = candidates.chunk_by(|one, other| one.method == other.method);
        let is_kept: Vec<bool> =
            methods.flat_map(|of_method| kept(class.method(&of_method[0]).body, of_method)).collect();
        let mut is_kept = is_kept.into_iter();
        candidates.retain(|_| is_kept.next().unwrap_or(true));
    }
}

/// Which candidates of a method are kept. Of mutants of one mutator on a line one stays where exactly one of them is in the copy
/// for exceptions.
fn kept(body: &Body, candidates: &[Candidate]) -> Vec<bool> {
    let mut by_line: FxHashMap<(u16, Mutator), Vec<usize>> = FxHashMap::default();
    for (number, candidate) in candidates.iter().enumerate() {
        if let Some(line) = candidate.line {
            by_line.entry((line, candidate.mutator)).or_default().push(number);
        }
    }
    let in_handler = in_handlers(body);
    let mut dropped = FxHashSet::default();
    for numbers in by_line.into_values().filter(|numbers| numbers.len() > 1) {
        if numbers.iter().filter(|&&number| in_handler[candidates[number].at]).count() == 1 {
            dropped.extend(numbers.into_iter().skip(1));
        }
    }
    (0..candidates.len()).map(|number| !dropped.contains(&number)).collect()
}

/// Which instructions are in the copy of a `finally` block for exceptions.
fn in_handlers(body: &Body) -> Vec<bool> {
    let mut handling = false;
    let is_handling = body.instructions.iter().map(|located| {
        handling |= body.exceptions.iter().any(|range| range.catches_all() && range.handler == located.pc);
        let is_handling = handling;
        handling &= !located.instruction.leaves_method();
        is_handling
    });
    is_handling.collect()
}
