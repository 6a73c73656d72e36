//! Running each sequence with mutants, too: what is minimized has to go on noticing them.

use crate::redundancy::sequence_hash;
use model::execution::mutant::Mutant;
use model::execution::{Detail, Execution, Executor, ExecutorError, Outcome};
use model::sequence::Sequence;
use rustc_hash::FxHashMap;
use std::sync::Mutex;

/// The runs with mutants, by the hash of the sequence.
#[derive(Default)]
pub(super) struct MutatedRuns(Mutex<FxHashMap<(u64, Mutant), Execution>>);

impl MutatedRuns {
    /// Whether the sequence ran with each of the mutants, and the run holds.
    pub fn all(&self, sequence: &Sequence, mutants: &[Mutant], holds: impl Fn(&Execution) -> bool) -> bool {
        let runs = self.0.lock().expect("no run panics");
        let hash = sequence_hash(sequence);
        mutants.iter().all(|mutant| runs.get(&(hash, *mutant)).is_some_and(&holds))
    }
}

/// A mutant of which so many runs were costly is not run any more, as if no sequence noticed it; nor is it with the rest of the
/// sequences that are asked for together with a costly one.
const MOST_COSTLY: usize = 3;

/// Runs sequences without and with each of the mutants.
pub(super) struct WithMutants<'a> {
    executor: &'a mut dyn Executor,
    /// With the number of costly runs.
    mutants: Vec<(Mutant, usize)>,
    runs: &'a MutatedRuns,
}

impl<'a> WithMutants<'a> {
    pub fn new(executor: &'a mut dyn Executor, mutants: &[Mutant], runs: &'a MutatedRuns) -> WithMutants<'a> {
        WithMutants { executor, mutants: mutants.iter().map(|&mutant| (mutant, 0)).collect(), runs }
    }
}

impl Executor for WithMutants<'_> {
    fn execute(&mut self, sequences: &[Sequence], detail: Detail) -> Result<Vec<Execution>, ExecutorError> {
        let plain = self.executor.execute(sequences, detail)?;
        // What is ended by the worker is no test.
        let ended = |run: &Execution| matches!(run.outcome, Outcome::Completed | Outcome::Threw { .. });
        let sound: Vec<Sequence> =
            sequences.iter().zip(&plain).filter(|(_, run)| ended(run)).map(|(sequence, _)| sequence.clone()).collect();
        if sound.is_empty() {
            return Ok(plain);
        }
        // The first tells whether the others are worth it.
        let (first, others) = sound.split_at(1);
        for (mutant, costly_runs) in self.mutants.iter_mut().filter(|(_, costly_runs)| *costly_runs < MOST_COSTLY) {
            for batch in [first, others] {
                let mutated = self.executor.execute(batch, Detail::Mutated(*mutant))?;
                let costly = mutated.iter().filter(|run| run.outcome.is_costly()).count();
                let mutated = batch.iter().map(|one| (sequence_hash(one), *mutant)).zip(mutated);
                self.runs.0.lock().expect("no run panics").extend(mutated);
                *costly_runs += costly;
                if costly > 0 {
                    break;
                }
            }
        }
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
    use model::execution::KillReason;
    use model::execution::mutant::Mutator;
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

    #[test]
    fn mutant_that_is_costly_runs_few_times_and_holds_back_no_other() {
        let mutant = |pc| Mutant { class: 0, method: 0, pc, mutator: Mutator::Math };
        let sequences: Vec<Sequence> = (0..10)
            .map(|number| {
                let mut sequence = Sequence::new();
                sequence.push_literal(Literal::Int(number));
                sequence
            })
            .collect();
        let mut heap = Heap { costly: mutant(0), runs: 0 };
        let mutants = [mutant(0), mutant(1)];
        let runs = MutatedRuns::default();
        let mut both = WithMutants::new(&mut heap, &mutants, &runs);
        for batch in sequences.chunks(2) {
            both.execute(batch, Detail::Observe).unwrap();
        }
        assert_eq!(heap.runs, MOST_COSTLY);
        assert!(sequences.iter().all(|one| runs.all(one, &mutants[1..], |_| true)));
        // The second of the first batch was held back by the first one.
        assert!(runs.all(&sequences[0], &mutants, |_| true));
        assert!(!runs.all(&sequences[1], &mutants, |_| true));
    }
}
