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

/// Runs sequences without and with each of the mutants.
pub(super) struct WithMutants<'a> {
    pub executor: &'a mut dyn Executor,
    pub mutants: &'a [Mutant],
    pub runs: &'a MutatedRuns,
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
        for &mutant in self.mutants {
            let mutated = self.executor.execute(&sound, Detail::Mutated(mutant))?;
            let mutated = sound.iter().map(|one| (sequence_hash(one), mutant)).zip(mutated);
            self.runs.0.lock().expect("no run panics").extend(mutated);
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
