//! MonitorEquals: the part of the object graph that `obj.equals(obj)` reads.
//!
//! The worker runs `equals` on two copies of the object, so that `if (this == other) return true` is no way out, and hooks
//! before field reads and array accesses note what is read of either. What code without hooks may have read counts. It hurts
//! where `equals` is not overridden or calls copies different: then all of the state counts.

use super::representation::{ExecutionKey, Executions, Representation};
use model::execution::trace::TestTrace;

#[derive(Default)]
pub(super) struct MonitorEquals(Executions);

impl Representation for MonitorEquals {
    fn executions(&mut self, test: &TestTrace) -> Vec<ExecutionKey> {
        self.0.by_state(test, |state| state.monitored)
    }
}
