//! Sequences of the project's existing tests: they come early, but have no more than a share of the search.
//!
//! Tests that wait, or start pools, take a hundred times as long as what the search builds. What they take is counted in
//! sequences and in work, never in time, so that the same seed leads to the same search.

use super::Candidate;
use super::guidance::OVERHEAD;
use model::execution::{Execution, Outcome};
use model::sequence::{OperationId, Sequence};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// One part in so many of a round's sequences, and of all work, is theirs.
const SHARE: u64 = 5;
/// A run that costs more probes than this is slow.
const SLOW: u64 = 50_000;

/// The sequences that wait for their turn, and what those that had it took.
#[derive(Debug, Default)]
pub(super) struct Seeds {
    waiting: VecDeque<Sequence>,
    /// Those that call what slow runs called: they come last, and so may not come at all.
    postponed: VecDeque<Sequence>,
    /// Operations of slow runs, but for those of others.
    slow: FxHashSet<OperationId>,
    /// Operations of runs that were not slow.
    swift: FxHashSet<OperationId>,
    /// Of runs of these sequences, and of all.
    work: u64,
    total: u64,
}

impl Seeds {
    /// Adds sequences behind those that wait.
    pub(super) fn extend(&mut self, sequences: impl IntoIterator<Item = Sequence>) {
        self.waiting.extend(sequences);
    }

    /// Whether none waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.postponed.is_empty()
    }

    /// Takes all that wait.
    pub(super) fn take(&mut self) -> Vec<Sequence> {
        self.waiting.drain(..).chain(self.postponed.drain(..)).collect()
    }

    /// Leaves those that wait and are to be kept.
    pub(super) fn retain(&mut self, keep: impl Fn(&Sequence) -> bool) {
        self.waiting.retain(&keep);
        self.postponed.retain(&keep);
    }

    /// Takes those that have their turn in a round of so many sequences.
    pub(super) fn next(&mut self, round: usize) -> Vec<Candidate> {
        if self.work * SHARE > self.total {
            return Vec::new();
        }
        let mut taken = Vec::new();
        while taken.len() < round / SHARE as usize {
            let Some(sequence) = self.waiting.pop_front() else { break };
            let is_slow = sequence.calls().any(|called| self.slow.contains(&called));
            if is_slow { self.postponed.push_back(sequence) } else { taken.push(sequence) }
        }
        if self.waiting.is_empty() {
            let room = round / SHARE as usize - taken.len();
            taken.extend(self.postponed.drain(..room.min(self.postponed.len())));
        }
        let of_tests = |sequence| {
            let mut candidate = Candidate::enqueued(sequence);
            candidate.about.is_of_tests = true;
            candidate
        };
        taken.into_iter().map(of_tests).collect()
    }

    /// Notes what a run took, of a sequence of the tests or of another one.
    pub(super) fn note(&mut self, sequence: &Sequence, is_of_tests: bool, execution: &Execution) {
        let work = OVERHEAD + execution.cost;
        self.total += work;
        if is_of_tests {
            self.work += work;
        }
        if self.is_empty() {
            return;
        }
        if execution.cost > SLOW || matches!(execution.outcome, Outcome::Killed { .. }) {
            self.slow.extend(sequence.calls().filter(|called| !self.swift.contains(called)));
        } else {
            for called in sequence.calls() {
                self.swift.insert(called);
                self.slow.remove(&called);
            }
        }
    }

    /// There is nothing else to try: what these take is nobody's loss.
    pub(super) fn lift_limit(&mut self) {
        self.total = self.total.max(self.work * SHARE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::Literal;

    const NEW: OperationId = OperationId(0);
    const POOL: OperationId = OperationId(1);
    const GET: OperationId = OperationId(2);

    fn calling(operations: &[OperationId], number: i32) -> Sequence {
        let mut sequence = Sequence::new();
        sequence.push_literal(Literal::Int(number));
        for operation in operations {
            sequence.push_call(*operation, &[]);
        }
        sequence
    }

    fn costing(cost: u64) -> Execution {
        Execution { cost, ..Execution::ended(Outcome::Completed) }
    }

    fn taken(seeds: &mut Seeds, round: usize) -> Vec<Sequence> {
        seeds.next(round).into_iter().map(|candidate| candidate.sequence).collect()
    }

    #[test]
    fn sequences_of_tests_are_a_fifth_of_a_round_and_of_the_work() {
        let mut seeds = Seeds::default();
        seeds.extend((0..100).map(|number| calling(&[NEW], number)));
        let first = taken(&mut seeds, 64);
        assert_eq!(first.len(), 12);
        // Dear ones wait until the others have done four times as much.
        first.iter().for_each(|sequence| seeds.note(sequence, true, &costing(40_000)));
        let other = calling(&[NEW], -1);
        let mut others = 0;
        while taken(&mut seeds, 64).is_empty() {
            seeds.note(&other, false, &costing(0));
            others += 1;
        }
        assert_eq!(others, 12 * 41 * 4);
        first.iter().for_each(|sequence| seeds.note(sequence, true, &costing(40_000)));
        assert!(taken(&mut seeds, 64).is_empty());
        seeds.lift_limit();
        assert_eq!(taken(&mut seeds, 64).len(), 12);
    }

    #[test]
    fn sequences_that_call_what_slow_runs_called_come_last() {
        let mut seeds = Seeds::default();
        let slow = |number| calling(&[NEW, POOL, GET], number);
        let swift = |number| calling(&[NEW, GET], number);
        seeds.extend([slow(1), swift(2), slow(3), swift(4)]);
        assert_eq!(taken(&mut seeds, 5), [slow(1)]);
        seeds.note(&slow(1), true, &costing(400_000));
        seeds.note(&swift(0), false, &costing(0));
        seeds.lift_limit();
        assert_eq!([2, 4, 3].map(|_| taken(&mut seeds, 5)), [[swift(2)], [swift(4)], [slow(3)]].map(Vec::from));
        assert!(seeds.is_empty());
    }
}
