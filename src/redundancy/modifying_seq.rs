//! ModifyingSeq: of the sequence of calls that made an object, those that changed its state.
//!
//! A call changed it if its whole state differs before and after. It hurts where calls change a state back and forth.

use super::representation::{ExecutionKey, Representation};
use super::terms::Terms;
use crate::execution::trace::TestTrace;

#[derive(Default)]
pub(super) struct ModifyingSeq(Terms);

impl Representation for ModifyingSeq {
    fn executions(&mut self, test: &TestTrace) -> Vec<ExecutionKey> {
        self.0.executions(test, |before, after| before.whole != after.whole)
    }
}
