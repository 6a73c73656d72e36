//! An executor that runs each sequence on both versions, and notes where they differ.
//!
//! To the search it is one program whose state is the pair of both states and whose edges are those of both: a state that only
//! one version tells apart is a new one. Where only states differ, calls are added that may show it.

use super::difference::{self, Difference};
use super::neighbours;
use super::observers::Observers;
use super::versions::Versions;
use host::supervisor::WorkerExecutor;
use model::execution::{Comparison, Detail, EdgeHit, Execution, Executor, ExecutorError, Fingerprint, Outcome};
use model::options::Access;
use model::sequence::{Action, OperationId, Sequence};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use search::generator::Focus;
use search::redundancy::sequence_hash;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Sequences of which only states differ that are extended, by their last operation.
const EXTENDED_PER_OPERATION: u32 = 30;
/// Sequences that are observed at once.
const BATCH: usize = 128;
/// Of so many sequences one at most gets neighbours because it ends in changed code, and one because it calls such before.
const VARIED: usize = 12;
/// For so many sequences one neighbour at most whose literal is beside what it was compared with.
const BESIDE_OPERANDS: usize = 2;
/// Candidates that are kept for the same operation and the same changed methods.
const KEPT: usize = 3;

/// A sequence that the versions run differently.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Ends with the statement that differs.
    pub sequence: Sequence,
    /// How the older version ran it.
    pub older: Execution,
    /// What differs.
    pub difference: Difference,
    /// The changed methods that ran, by their numbers.
    pub through: Vec<u32>,
}

/// What the executor noted.
#[derive(Default)]
pub struct Log {
    /// By the operation that differs and the changed methods that ran.
    pub found: BTreeMap<(Option<OperationId>, Vec<u32>), Vec<Candidate>>,
    /// The differences in the last batch that was observed, by the hash of the sequence.
    pub last: FxHashMap<u64, Candidate>,
    /// Whether each changed method ran in some version.
    pub reached: Vec<bool>,
}

impl Log {
    /// Whether the candidate is smaller than those that are kept, or there are few.
    fn wants(&self, candidate: &Candidate) -> bool {
        let kept = self.found.get(&key(candidate));
        kept.is_none_or(|kept| {
            kept.len() < KEPT || kept.iter().any(|kept| kept.sequence.len() > candidate.sequence.len())
        })
    }

    fn note(&mut self, candidate: Candidate) {
        let kept = self.found.entry(key(&candidate)).or_default();
        kept.push(candidate);
        kept.sort_by_key(|candidate| candidate.sequence.len());
        kept.truncate(KEPT);
    }
}

fn key(candidate: &Candidate) -> (Option<OperationId>, Vec<u32>) {
    (last_operation(&candidate.sequence), candidate.through.clone())
}

fn last_operation(sequence: &Sequence) -> Option<OperationId> {
    match sequence.statements().last().map(|statement| &statement.action) {
        Some(Action::Call(operation)) => Some(*operation),
        _ => None,
    }
}

/// A log that is read between rounds.
pub type SharedLog = Arc<Mutex<Log>>;

/// The log, whatever happened to another thread.
pub fn lock(log: &SharedLog) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs sequences on both versions.
pub struct SideBySide {
    older: WorkerExecutor,
    newer: WorkerExecutor,
    versions: Arc<Versions>,
    observers: Observers,
    extended: FxHashMap<OperationId, u32>,
    /// Neighbours that were made.
    tried: FxHashSet<u64>,
    /// How often neighbours were made.
    turn: usize,
    log: SharedLog,
}

impl SideBySide {
    /// An executor with a worker of each version.
    pub fn new(workers: [WorkerExecutor; 2], versions: Arc<Versions>, access: Access) -> (SideBySide, SharedLog) {
        let [older, newer] = workers;
        let reached = vec![false; versions.changed.len()];
        let log = Arc::new(Mutex::new(Log { reached, ..Log::default() }));
        let observers = Observers::new(&versions, access);
        let executor = SideBySide {
            older,
            newer,
            versions,
            observers,
            extended: FxHashMap::default(),
            tried: FxHashSet::default(),
            turn: 0,
            log: log.clone(),
        };
        (executor, log)
    }

    fn both(
        &mut self,
        sequences: &[Sequence],
        detail: Detail,
    ) -> Result<(Vec<Execution>, Vec<Execution>), ExecutorError> {
        Ok((self.older.execute(sequences, detail)?, self.newer.execute(sequences, detail)?))
    }

    /// Observes the sequences in both versions; the difference of each, and the older version's runs.
    fn observe(
        &mut self,
        sequences: &[Sequence],
        detail: Detail,
    ) -> Result<Vec<(Option<Candidate>, Execution)>, ExecutorError> {
        let (older, newer) = self.both(sequences, detail)?;
        let mut observed = Vec::new();
        for ((sequence, older), newer) in sequences.iter().zip(older).zip(newer) {
            observed.push((self.candidate(sequence, &older, &newer), older));
        }
        Ok(observed)
    }

    fn candidate(&self, sequence: &Sequence, older: &Execution, newer: &Execution) -> Option<Candidate> {
        let difference = difference::difference(older, newer, &self.versions)?;
        let sequence = sequence.prefix(difference.statement + 1);
        Some(Candidate { sequence, older: older.clone(), through: self.through(older, newer), difference })
    }

    /// The changed methods that ran.
    fn through(&self, older: &Execution, newer: &Execution) -> Vec<u32> {
        let hits = older.edges.iter().chain(&newer.edges);
        let mut through: Vec<u32> = hits.filter_map(|hit| self.versions.changed_of[hit.edge as usize]).collect();
        through.sort_unstable();
        through.dedup();
        through
    }

    /// Observes sequences whose runs may differ; of those that show nothing, some are extended.
    fn look_closer(&mut self, suspects: &[Sequence]) -> Result<(), ExecutorError> {
        let (mut found, mut extended) = (Vec::new(), Vec::new());
        for batch in suspects.chunks(BATCH) {
            let (older, newer) = self.both(batch, Detail::Observe)?;
            for ((sequence, older), newer) in batch.iter().zip(&older).zip(&newer) {
                [older, newer].into_iter().for_each(|run| self.note_reached(run));
                let candidate = self.candidate(sequence, older, newer);
                let is_hidden = candidate.is_none() && older.outcome == Outcome::Completed;
                if is_hidden && difference::may_differ(older, newer) && self.may_extend(sequence) {
                    extended.extend(self.observers.extend(sequence, &self.versions));
                }
                found.extend(candidate);
            }
        }
        for batch in extended.chunks(BATCH) {
            found.extend(self.observe(batch, Detail::Observe)?.into_iter().filter_map(|(candidate, _)| candidate));
        }
        found.retain(|candidate| lock(&self.log).wants(candidate));
        // What differs by chance differs otherwise the next time.
        let sequences: Vec<Sequence> = found.iter().map(|candidate| candidate.sequence.clone()).collect();
        for (candidate, (again, _)) in found.into_iter().zip(self.observe(&sequences, Detail::Observe)?) {
            if again.is_some_and(|again| again.difference == candidate.difference) {
                lock(&self.log).note(candidate);
            }
        }
        Ok(())
    }

    /// Neighbours of some of the sequences that call changed code.
    fn neighbours(&mut self, sequences: &[Sequence], older: &[Execution], newer: &[Execution]) -> Vec<Sequence> {
        let versions = self.versions.clone();
        let is_changed = |called: OperationId| versions.focus[called.0 as usize] == Focus::Changed;
        let ran = sequences.iter().zip(older.iter().zip(newer));
        let calling = ran.filter(|(sequence, _)| sequence.calls().any(is_changed));
        let (ending, others): (Vec<_>, Vec<_>) =
            calling.partition(|(sequence, _)| last_operation(sequence).is_some_and(is_changed));
        let beside = ending.iter().flat_map(|(sequence, (older, newer))| {
            let compared: Vec<&Comparison> = older.comparisons.iter().chain(&newer.comparisons).collect();
            neighbours::beside_operands(sequence, &compared)
        });
        let beside = beside.filter(|one| self.tried.insert(sequence_hash(one)));
        let mut neighbours: Vec<Sequence> = beside.take(sequences.len() / BESIDE_OPERANDS).collect();
        let most = sequences.len().div_ceil(VARIED);
        for (sequence, _) in ending.into_iter().take(most).chain(others.into_iter().take(most)) {
            self.turn += 1;
            let near = neighbours::of(sequence, &versions, self.turn);
            neighbours.extend(near.into_iter().filter(|one| self.tried.insert(sequence_hash(one))));
        }
        neighbours
    }

    /// Whether one more sequence of its last operation is to be extended.
    fn may_extend(&mut self, sequence: &Sequence) -> bool {
        let Some(last) = last_operation(sequence) else { return false };
        let times = self.extended.entry(last).or_default();
        *times += 1;
        *times <= EXTENDED_PER_OPERATION
    }

    fn note_reached(&self, run: &Execution) {
        let mut log = lock(&self.log);
        for hit in &run.edges {
            if let Some(method) = self.versions.changed_of[hit.edge as usize] {
                log.reached[method as usize] = true;
            }
        }
    }
}

impl Executor for SideBySide {
    fn execute(&mut self, sequences: &[Sequence], detail: Detail) -> Result<Vec<Execution>, ExecutorError> {
        if detail != Detail::Search {
            let observed = self.observe(sequences, detail)?;
            let differing = sequences.iter().zip(&observed).filter_map(|(sequence, (candidate, _))| {
                candidate.clone().map(|candidate| (sequence_hash(sequence), candidate))
            });
            lock(&self.log).last = differing.collect();
            return Ok(observed.into_iter().map(|(_, older)| older).collect());
        }
        let (older, newer) = self.both(sequences, Detail::Search)?;
        let mut suspects: Vec<Sequence> = (sequences.iter().zip(older.iter().zip(&newer)))
            .filter(|(_, (older, newer))| difference::may_differ(older, newer))
            .map(|(sequence, _)| sequence.clone())
            .collect();
        suspects.extend(self.neighbours(sequences, &older, &newer));
        if !suspects.is_empty() {
            self.look_closer(&suspects)?;
        }
        let merged: Vec<Execution> = older.into_iter().zip(newer).map(|(older, newer)| merged(older, newer)).collect();
        merged.iter().for_each(|run| self.note_reached(run));
        Ok(merged)
    }

    fn restart(&mut self) -> Result<(), ExecutorError> {
        self.older.restart()?;
        self.newer.restart()
    }
}

/// The run of the pair of both versions; what the older returned or threw stands for both.
fn merged(older: Execution, newer: Execution) -> Execution {
    let mut edges: BTreeMap<u32, u8> = BTreeMap::new();
    for hit in older.edges.iter().chain(&newer.edges) {
        let bucket = edges.entry(hit.edge).or_default();
        *bucket = hit.bucket.max(*bucket);
    }
    let mut comparisons = older.comparisons;
    comparisons.extend(newer.comparisons);
    let states = match older.states.len() == newer.states.len() {
        true => older.states.into_iter().zip(newer.states).map(|(one, other)| pair(one, other)).collect(),
        false => older.states,
    };
    Execution {
        edges: edges.into_iter().map(|(edge, bucket)| EdgeHit { edge, bucket }).collect(),
        comparisons,
        states,
        cost: older.cost.max(newer.cost),
        environment_dependent: older.environment_dependent || newer.environment_dependent,
        timed: older.timed || newer.timed,
        denied: older.denied.or(newer.denied),
        ..older
    }
}

/// The state of a pair; that of the older where both are equal, so that it is what a search of one version sees.
fn pair(older: Option<Fingerprint>, newer: Option<Fingerprint>) -> Option<Fingerprint> {
    match (older, newer) {
        (Some(older), Some(newer)) if older != newer => {
            let mut hasher = FxHasher::default();
            (older, newer).hash(&mut hasher);
            Some(hasher.finish())
        }
        (older, _) => older,
    }
}
