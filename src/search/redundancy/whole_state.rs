//! WholeState: the object graph that can be reached, up to isomorphism.
//!
//! The worker walks it breadth-first and numbers objects as it meets them, so identities and addresses do not show; what is
//! an element's place in a hash table, or a cache of a hash, does not count (`StateWalker`, `ClassInfo.isState`). It hurts
//! where objects carry what nobody reads any more, as the array of a stack does above its top.

use super::representation::{ExecutionKey, Executions, Representation};
use model::execution::trace::TestTrace;

#[derive(Default)]
pub(super) struct WholeState(Executions);

impl Representation for WholeState {
    fn executions(&mut self, test: &TestTrace) -> Vec<ExecutionKey> {
        self.0.by_state(test, |state| state.whole)
    }
}
