//! Running each sequence with mutants, too: what is minimized has to go on noticing them.

use crate::redundancy::sequence_hash;
use model::execution::mutant::Mutant;
use model::execution::{Detail, Execution, Executor, ExecutorError};
use model::sequence::Sequence;
use rustc_hash::FxHashSet;
use std::sync::Mutex;

/// The sequences that notice all mutants, by their hashes.
#[derive(Default)]
pub(super) struct Noticing(Mutex<FxHashSet<u64>>);

impl Noticing {
    pub fn has(&self, sequence: &Sequence) -> bool {
        self.0.lock().expect("no run panics").contains(&sequence_hash(sequence))
    }
}

/// A mutant of which so many runs were costly is not run any more, as if no sequence noticed it; nor is it with the rest of the
/// sequences that are asked for together with a costly one.
const MOST_COSTLY: usize = 3;

/// Which sequences are run with mutants, and which of them notice these.
pub(super) struct Wanted<'a> {
    /// Whether a sequence may be taken, by its run without a mutant.
    pub sound: &'a (dyn Fn(&Sequence, &Execution) -> bool + Sync),
    /// Whether a sequence notices a mutant, by its runs without and with it.
    pub notices: &'a (dyn Fn(&Sequence, &Execution, &Execution) -> bool + Sync),
}

/// Runs sequences without mutants, and those that may be taken with one mutant after the other, as long as they notice them.
pub(super) struct WithMutants<'a> {
    executor: &'a mut dyn Executor,
    /// With the number of costly runs.
    mutants: Vec<(Mutant, usize)>,
    wanted: Wanted<'a>,
    noticing: &'a Noticing,
}

impl<'a> WithMutants<'a> {
    pub fn new(
        executor: &'a mut dyn Executor,
        mutants: &[Mutant],
        wanted: Wanted<'a>,
        noticing: &'a Noticing,
    ) -> WithMutants<'a> {
        let mutants = mutants.iter().map(|&mutant| (mutant, 0)).collect();
        WithMutants { executor, mutants, wanted, noticing }
    }
}

impl Executor for WithMutants<'_> {
    fn execute(&mut self, sequences: &[Sequence], detail: Detail) -> Result<Vec<Execution>, ExecutorError> {
        let plain = self.executor.execute(sequences, detail)?;
        let runs = sequences.iter().zip(&plain);
        let mut left: Vec<(&Sequence, &Execution)> =
            runs.filter(|(sequence, run)| (self.wanted.sound)(sequence, run)).collect();
        for (mutant, costly_runs) in &mut self.mutants {
            if left.is_empty() || *costly_runs >= MOST_COSTLY {
                left.clear();
                break;
            }
            // The first tells whether the others are worth it.
            let (first, others) = left.split_at(1);
            let mut noticed = Vec::new();
            for batch in [first, others] {
                let asked: Vec<Sequence> = batch.iter().map(|(sequence, _)| (*sequence).clone()).collect();
                let mutated = self.executor.execute(&asked, Detail::Mutated(*mutant))?;
                let costly = mutated.iter().filter(|run| run.outcome.is_costly()).count();
                let both = batch.iter().zip(&mutated);
                noticed.extend(
                    both.filter(|((sequence, run), mutated)| (self.wanted.notices)(sequence, run, mutated))
                        .map(|(one, _)| *one),
                );
                *costly_runs += costly;
                if costly > 0 {
                    break;
                }
            }
            left = noticed;
        }
        let left = left.into_iter().map(|(sequence, _)| sequence_hash(sequence));
        self.noticing.0.lock().expect("no run panics").extend(left);
        Ok(plain)
    }

    fn restart(&mut self) -> Result<(), ExecutorError> {
        self.executor.restart()
    }

    fn freshen(&mut self) -> Result<(), ExecutorError> {
        self.executor.freshen()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::mutant::Mutator;
    use model::execution::{KillReason, Outcome};
    use model::jvm::Literal;

    /// Each run with the costly mutant fills the heap.
    struct Heap {
        costly: Mutant,
        runs: usize,
    }

    impl Executor for Heap {
        fn execute(&mut self, sequences: &[Sequence], detail: Detail) -> Result<Vec<Execution>, ExecutorError> {
            let is_costly = detail == Detail::Mutated(self.costly);
            self.runs += if is_costly { sequences.len() } else { 0 };
            let outcome = match is_costly {
                true => Outcome::Killed { statement: None, reason: KillReason::OutOfMemory },
                false => Outcome::Completed,
            };
            Ok(vec![Execution::ended(outcome); sequences.len()])
        }

        fn restart(&mut self) -> Result<(), ExecutorError> {
            Ok(())
        }
    }

    fn sequence(number: i32) -> Sequence {
        let mut sequence = Sequence::new();
        sequence.push_literal(Literal::Int(number));
        sequence
    }

    fn mutant(pc: u16) -> Mutant {
        Mutant { class: 0, method: 0, pc, mutator: Mutator::Math }
    }

    #[test]
    fn mutant_that_is_costly_runs_few_times_and_is_noticed_no_more() {
        let sequences: Vec<Sequence> = (0..10).map(sequence).collect();
        let mut heap = Heap { costly: mutant(0), runs: 0 };
        let noticing = Noticing::default();
        let wanted = Wanted { sound: &|_, _| true, notices: &|_, _, _| true };
        let mut both = WithMutants::new(&mut heap, &[mutant(0), mutant(1)], wanted, &noticing);
        for batch in sequences.chunks(2) {
            both.execute(batch, Detail::Observe).unwrap();
        }
        assert_eq!(heap.runs, MOST_COSTLY);
        // The second of a batch was held back by the first one.
        let noticed: Vec<bool> = sequences.iter().map(|one| noticing.has(one)).collect();
        assert_eq!(noticed[..6], [true, false, true, false, true, false]);
        assert!(noticed[6..].iter().all(|noticed| !noticed));
    }

    #[test]
    fn sequence_that_cannot_be_taken_or_misses_a_mutant_runs_with_no_further_one() {
        let sequences: Vec<Sequence> = (0..3).map(sequence).collect();
        let mut heap = Heap { costly: mutant(9), runs: 0 };
        let noticing = Noticing::default();
        let is = |number: i32| move |one: &Sequence| *one == sequence(number);
        let (unsound, blind) = (is(0), is(1));
        let wanted = Wanted { sound: &|one, _| !unsound(one), notices: &|one, _, _| !blind(one) };
        let mut both = WithMutants::new(&mut heap, &[mutant(0), mutant(9)], wanted, &noticing);
        both.execute(&sequences, Detail::Observe).unwrap();
        assert_eq!(heap.runs, 1, "the last mutant is run with one of them");
        assert_eq!([0, 1, 2].map(|number| noticing.has(&sequence(number))), [false, false, true]);
    }
}
