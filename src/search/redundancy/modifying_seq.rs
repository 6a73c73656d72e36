//! ModifyingSeq: of the sequence of calls that made an object, those that changed its state.
//!
//! A call of a test changed it if its whole state differs before and after; one of a generated sequence, of which only
//! the last states are known, if the analysis of effects says that it may. It hurts where calls change a state back and forth.

use super::made::Made;
use super::representation::{ExecutionKey, Representation};
use super::terms::ExecutionTerms;
use model::execution::Fingerprint;
use model::execution::trace::TestTrace;

#[derive(Default)]
pub(super) struct ModifyingSeq(ExecutionTerms);

impl Representation for ModifyingSeq {
    fn executions(&mut self, test: &TestTrace) -> Vec<ExecutionKey> {
        self.0.executions(test, |before, after| before.whole != after.whole)
    }

    fn state_of(&self, made: &Made) -> Fingerprint {
        made.term(|effects, input| effects.changes(input))
    }
}
