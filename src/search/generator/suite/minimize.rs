//! Tests that are changed while they reach what they are there for.

use super::{SelectionContext, TestCandidate, cover, ends_alike};
use crate::generator::outcomes;
use crate::minimizer::{Accepts, Effort, minimize};
use model::execution::{Detail, Execution, Executor, ExecutorError};
use model::sequence::Sequence;

impl SelectionContext<'_> {
    /// Minimizes a test while it reaches the goals it is there for, and does not begin to leave something behind.
    pub(super) fn minimize_one(
        &self,
        one: TestCandidate,
        executor: &mut dyn Executor,
    ) -> Result<TestCandidate, ExecutorError> {
        if !(self.should_continue)() {
            return Ok(one);
        }
        let leaves = one.execution.residual_state.is_some();
        self.minimize_while(one, 0, Effort::Least, executor, &|_, execution| {
            leaves || execution.residual_state.is_none()
        })
    }

    /// Minimizes a test, but for so many statements at its end, while it reaches the goals it is there for and its run is
    /// accepted.
    pub(super) fn minimize_while(
        &self,
        one: TestCandidate,
        fixed: usize,
        effort: Effort,
        executor: &mut dyn Executor,
        accepts: Accepts,
    ) -> Result<TestCandidate, ExecutorError> {
        let serves = |sequence: &Sequence, run: &Execution| self.serves(&one, sequence, run) && accepts(sequence, run);
        let first = (&one.sequence, one.execution.clone());
        let (sequence, execution) = minimize(first, fixed, effort, &self.knowledge, executor, &serves)?;
        Ok(TestCandidate { sequence, execution, ..one })
    }

    /// The first of the sequences that reaches the goals of the test and whose run is accepted, in its place.
    pub(super) fn first_that_serves(
        &self,
        one: TestCandidate,
        others: &[Sequence],
        executor: &mut dyn Executor,
        accepts: Accepts,
    ) -> Result<TestCandidate, ExecutorError> {
        let runs = executor.execute(others, Detail::Observe)?;
        let serves =
            |(sequence, run): &(&Sequence, Execution)| self.serves(&one, sequence, run) && accepts(sequence, run);
        let found = others.iter().zip(runs).find(serves);
        Ok(match found.map(|(sequence, execution)| (sequence.clone(), execution)) {
            Some((sequence, execution)) => TestCandidate { sequence, execution, ..one },
            None => one,
        })
    }

    /// Whether a run ends as that of the test, and reaches its goals.
    pub(super) fn serves(&self, one: &TestCandidate, sequence: &Sequence, run: &Execution) -> bool {
        let intent = |run: &Execution| outcomes::intent_of(run, self.program);
        // A literal that shrinks to 0 may leave nothing to see.
        let has_dull_outcome = |run: &Execution| cover::has_dull_outcome(run, one.observers);
        let subject = sequence.prefix(sequence.len().saturating_sub(one.observers));
        ends_alike(sequence, run, &one.execution.outcome)
            && intent(run) == intent(&one.execution)
            && self.reaches(&subject, run, &one.goals)
            && (has_dull_outcome(&one.execution) || !has_dull_outcome(run))
    }
}
