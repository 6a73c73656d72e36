//! PairwiseEquals: states are one that `a.equals(b)` says are equal.
//!
//! The worker keeps a copy of a state of each group and compares a new one with those of its class. It hurts where `equals`
//! is not transitive, as the first group that fits takes the state, and where it looks at less than other methods do.

use super::representation::{ExecutionKey, Executions, Representation};
use model::execution::trace::TestTrace;

#[derive(Default)]
pub(super) struct PairwiseEquals(Executions);

impl Representation for PairwiseEquals {
    fn executions(&mut self, test: &TestTrace) -> Vec<ExecutionKey> {
        self.0.by_state(test, |state| state.equal)
    }
}
