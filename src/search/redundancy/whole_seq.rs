//! WholeSeq: the sequence of calls that made an object, each with what it was given.
//!
//! Cheap, as no state is compared, and strict: one call more that changed nothing makes another object of it.

use super::made::Made;
use super::representation::{ExecutionKey, Representation};
use super::terms::ExecutionTerms;
use model::execution::Fingerprint;
use model::execution::trace::TestTrace;

#[derive(Default)]
pub(super) struct WholeSeq(ExecutionTerms);

impl Representation for WholeSeq {
    fn executions(&mut self, test: &TestTrace) -> Vec<ExecutionKey> {
        self.0.executions(test, |_, _| true)
    }

    fn state_of(&self, made: &Made) -> Fingerprint {
        made.term(|_, _| true)
    }
}
