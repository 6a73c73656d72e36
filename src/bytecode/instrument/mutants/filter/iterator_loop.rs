//! The condition that a compiler makes for a loop over an `Iterable`.

use super::{Candidate, ClassCode, Filter, MethodCode};
use crate::classfile::Kind;

pub(super) struct IteratorLoop;

impl Filter for IteratorLoop {
    fn name(&self) -> &'static str {
        "iterator-loop"
    }

    fn description(&self) -> &'static str {
        "The condition of a for-each loop over an Iterable."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        candidates.retain(|candidate| !is_loop_condition(&class.method(candidate), candidate.at));
    }
}

/// `invoke* iterator; astore; …; invokeinterface hasNext; ifeq; …; invokeinterface next`, with the condition at the start of the
/// loop, or at its end, which a `goto` leads to.
fn is_loop_condition(method: &MethodCode, at: usize) -> bool {
    if at < 2 || !method.is_branch(at) || !method.calls(at - 1, "java/util/Iterator", "hasNext") {
        return false;
    }
    let gives_iterator =
        |at: usize| method.called(at).is_some_and(|member| member.descriptor.ends_with(")Ljava/util/Iterator;"));
    let is_stored = |at: usize| method.stored(at, Kind::Reference).is_some();
    let is_next = |at: usize| method.calls(at, "java/util/Iterator", "next");
    let at_start = at >= 4 && is_stored(at - 3) && gives_iterator(at - 4) && is_next(at + 2);
    let at_end = || {
        method.target(at).is_some_and(|start| {
            start >= 3
                && is_next(start + 1)
                && method.is_goto(start - 1)
                && is_stored(start - 2)
                && gives_iterator(start - 3)
        })
    };
    at_start || at_end()
}
