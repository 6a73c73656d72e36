//! The [`Executor`] over worker processes: history, replay, and who is to blame for a worker's end.

use super::connection::{Answer, Connection};
use super::history::{CHUNK, History, append_sequence};
use super::{Launch, SupervisorError, texts};
use model::execution::{Detail, Execution, Executor, ExecutorError, KillReason, Outcome};
use model::sequence::Sequence;
use protocol::outcomes::{self, Names};
use protocol::{Kind, sequences};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// After this many failed replays the history is dropped.
const REPLAYS: u32 = 3;

/// A sequence that ended this many workers is to blame, even if no two of them ended in the same way.
const MOST_ENDS: usize = 4;

/// A chunk's reports together are no longer: all are kept until the chunk is done.
const REPORTED: usize = 256 << 20;

/// Once a sequence has ended workers, later workers are replaced after this many sequences: each such end costs two
/// replays.
const RECYCLE_AFTER_DEATH: u64 = 30_000;

/// A worker that has run no more sequences is kept where a fresh one is not needed: should it die, they are soon replayed.
const FRESH: u64 = 4_000;

/// Runs sequences in one worker after the other.
pub struct WorkerExecutor {
    launch: Arc<Launch>,
    name: String,
    worker: Option<Worker>,
    history: History,
    /// After so many sequences the worker is replaced.
    recycle_after: u64,
    /// Whether sequences of the history shared the JVM.
    shared: bool,
}

struct Worker {
    connection: Connection,
    names: Names,
}

/// Why a worker stopped reporting.
enum End {
    /// It ran all.
    Done,
    /// Its last report said that it runs nothing more.
    Spent,
    Hung,
    Silent,
    Died(KillReason),
}

impl WorkerExecutor {
    /// Starts the first worker; `name` is unique in the run.
    pub fn start(launch: Arc<Launch>, name: &str) -> Result<WorkerExecutor, SupervisorError> {
        let scratch = |source| SupervisorError::Scratch { path: launch.scratch.clone(), source };
        let history = History::new(launch.world.file(&launch.scratch).map_err(scratch)?);
        let recycle_after = launch.recycle_after.max(1);
        let mut executor =
            WorkerExecutor { launch, name: name.to_string(), worker: None, history, recycle_after, shared: false };
        executor.worker = Some(executor.spawn()?);
        Ok(executor)
    }

    /// Process id of the present worker, for tests that kill it.
    pub fn worker_id(&self) -> Option<u32> {
        self.worker.as_ref().map(|worker| worker.connection.id())
    }

    fn spawn(&self) -> Result<Worker, SupervisorError> {
        let connection = Connection::open(&self.launch, &self.name, &self.launch.operations)
            .inspect_err(|error| tracing::warn!(worker = self.name, %error, "worker did not start"))?;
        tracing::debug!(worker = self.name, pid = connection.id(), "worker started");
        Ok(Worker { connection, names: Names::default() })
    }

    /// The next worker starts with nothing to replay.
    fn forget(&mut self) -> Result<(), ExecutorError> {
        (self.worker, self.shared) = (None, false);
        self.history.clear().map_err(lost)
    }

    /// Ends a worker that has run so many sequences that replaying them would take too long.
    fn recycle_if_due(&mut self) -> Result<(), ExecutorError> {
        if self.history.count >= self.recycle_after {
            tracing::debug!(worker = self.name, sequences = self.history.count, "worker recycled");
            self.forget()?;
        }
        Ok(())
    }

    /// Starts a worker and replays the history in it, unless there is a worker.
    fn ensure_worker(&mut self) -> Result<(), ExecutorError> {
        let mut failures = 0;
        while self.worker.is_none() {
            match self.spawn() {
                Ok(worker) => self.worker = Some(worker),
                Err(SupervisorError::Interrupted) => return Err(ExecutorError::Interrupted),
                Err(error) if failures >= REPLAYS => return Err(ExecutorError::Unavailable(error.to_string())),
                Err(_) => failures += 1,
            }
            if self.worker.is_some() && !self.replay()? {
                failures += 1;
                tracing::warn!(worker = self.name, failures, sequences = self.history.count, "replay failed");
                self.worker = None;
                if failures >= REPLAYS {
                    self.forget()?;
                }
            }
        }
        Ok(())
    }

    /// Runs the history again; whether the worker survived it.
    fn replay(&mut self) -> Result<bool, ExecutorError> {
        let Some(worker) = &mut self.worker else { return Ok(false) };
        for index in 0..self.history.messages() {
            let (message, count) = self.history.message(index).map_err(lost)?;
            let end = worker.run(&self.launch, &message, count, |bytes, names| {
                outcomes::decode(bytes, None, &self.launch.operations, self.launch.probe_count, names)
                    .is_ok_and(|report| !report.spent)
            })?;
            if !matches!(end, End::Done) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn execute_chunk(
        &mut self,
        sequences: &[Sequence],
        detail: Detail,
        executions: &mut Vec<Execution>,
    ) -> Result<(), ExecutorError> {
        let encoded: Vec<Vec<u8>> = sequences.iter().map(|sequence| sequences::encode(sequence, detail)).collect();
        let first = executions.len();
        // Sequences before this index run one by one, as one of them ended a worker.
        let mut careful_until = 0;
        // How workers ended for which the next sequence alone can be to blame.
        let mut ends = Vec::new();
        loop {
            let next = executions.len() - first;
            if next == sequences.len() {
                return Ok(());
            }
            self.recycle_if_due()?;
            self.ensure_worker()?;
            let Some(worker) = &mut self.worker else { continue };
            let until = if next < careful_until {
                next + 1
            } else {
                let room = self.recycle_after - self.history.count;
                sequences.len().min(next.saturating_add(room as usize))
            };
            let mut message = Vec::new();
            encoded[next..until].iter().for_each(|encoded| append_sequence(&mut message, encoded));
            let mut spent = None;
            let launch = &self.launch;
            let mut reported = next;
            let (history, mut failed) = (&mut self.history, None);
            let end = worker.run(launch, &message, until - next, |bytes, names| {
                let sequence = Some(&sequences[reported]);
                let decoded = outcomes::decode(bytes, sequence, &launch.operations, launch.probe_count, names);
                let Ok(report) = decoded else { return false };
                if report.spent {
                    spent = Some(report.execution);
                } else {
                    if detail == Detail::Search {
                        texts::log(&sequences[reported], &report.execution, &launch.operations);
                    }
                    failed = history.push(&encoded[reported]).err();
                    executions.push(report.execution);
                    reported += 1;
                }
                failed.is_none()
            })?;
            if let Some(error) = failed {
                return Err(lost(error));
            }
            if reported > next {
                ends.clear();
                self.shared |= detail == Detail::SharedJvm;
            }
            let said = matches!(end, End::Spent | End::Hung);
            let reason = match (end, spent) {
                (End::Done, _) => continue,
                (End::Died(reason), _) => reason,
                (End::Spent, Some(execution)) if !is_timeout(&execution) => {
                    tracing::debug!(worker = self.name, outcome = ?execution.outcome, ?detail, "worker spent");
                    executions.push(execution);
                    ends.clear();
                    self.forget()?;
                    continue;
                }
                // Whether its thread could be stopped makes no difference to a sequence that hangs.
                (End::Spent | End::Hung | End::Silent, _) => KillReason::Timeout,
            };
            // Which sequence ended the worker is known only if the worker said that one hangs, or if one ran alone.
            let alone = until == reported + 1 && reported == next;
            tracing::info!(worker = self.name, ?reason, alone, "worker ended");
            if alone || said {
                ends.push(reason);
            }
            careful_until = careful_until.max(until);
            self.worker = None;
            // A watch ends most of those that it can tell nothing of: it waits for each of them once.
            if is_to_blame(&ends) || (self.launch.watches_loops && !ends.is_empty()) {
                let culprit = &sequences[executions.len() - first];
                executions.push(self.give_up(culprit, reason)?);
                ends.clear();
            }
        }
    }

    /// The execution of a sequence that ends workers. The next one starts without it, and is recycled sooner.
    fn give_up(&mut self, sequence: &Sequence, reason: KillReason) -> Result<Execution, ExecutorError> {
        let calls = sequence.calls().map(|call| self.launch.operations[call.0 as usize].to_string());
        let calls = || calls.collect::<Vec<String>>().join("; ");
        tracing::info!(worker = self.name, ?reason, calls = calls(), "sequence ends workers and is given up");
        let execution = self.killed(reason);
        self.forget()?;
        self.recycle_after = self.recycle_after.min(RECYCLE_AFTER_DEATH);
        Ok(execution)
    }

    fn killed(&self, reason: KillReason) -> Execution {
        let outcome = Outcome::Killed { statement: None, reason };
        Execution { cost: self.launch.probe_budget, ..Execution::ended(outcome) }
    }
}

fn is_timeout(execution: &Execution) -> bool {
    matches!(execution.outcome, Outcome::Killed { reason: KillReason::Timeout, .. })
}

/// Whether a sequence is to blame for the ends of the workers that executed it: two that ended in the same way, or
/// [`MOST_ENDS`]. One end proves nothing: load may have slowed the sequence down, or something else killed the worker.
fn is_to_blame(ends: &[KillReason]) -> bool {
    ends.len() >= MOST_ENDS || ends.split_last().is_some_and(|(last, before)| before.contains(last))
}

/// The history's file failed.
fn lost(error: std::io::Error) -> ExecutorError {
    ExecutorError::Unavailable(format!("the history of a worker is lost: {error}"))
}

impl Worker {
    /// Sends a message of `count` sequences and hands over the reports until the worker has no more; `take` says
    /// whether a report made sense.
    fn run(
        &mut self,
        launch: &Launch,
        message: &[u8],
        count: usize,
        mut take: impl FnMut(&[u8], &mut Names) -> bool,
    ) -> Result<End, ExecutorError> {
        if self.connection.send(Kind::Run, message).is_err() {
            return Ok(End::Died(self.connection.end()));
        }
        let mut reported = 0;
        for _ in 0..count {
            let content = match self.connection.report(launch.call_timeout) {
                Answer::Report(content) => content,
                Answer::Hung => return Ok(End::Hung),
                Answer::Silent => return Ok(End::Silent),
                Answer::Died(reason) => return Ok(End::Died(reason)),
                Answer::Interrupted => return Err(ExecutorError::Interrupted),
            };
            launch.first_report.get_or_init(Instant::now);
            reported += content.len();
            if reported > REPORTED || !take(&content, &mut self.names) {
                return Ok(End::Died(KillReason::WorkerExit(-1)));
            }
            if outcomes::is_spent(&content) {
                return Ok(End::Spent);
            }
        }
        Ok(End::Done)
    }
}

impl Executor for WorkerExecutor {
    fn execute(&mut self, sequences: &[Sequence], detail: Detail) -> Result<Vec<Execution>, ExecutorError> {
        let Some(admission) = self.launch.admission.clone() else { return self.execute_all(sequences, detail) };
        let is_admitted: Vec<bool> = sequences.iter().map(|sequence| admission.admits(sequence)).collect();
        let admitted = sequences.iter().zip(&is_admitted).filter(|(_, is_admitted)| **is_admitted);
        let admitted: Vec<Sequence> = admitted.map(|(sequence, _)| sequence.clone()).collect();
        let mut executions = self.execute_all(&admitted, detail)?.into_iter();
        let refused = || Outcome::Killed { statement: None, reason: KillReason::WorkerExit(0) };
        let of = |is_admitted| match is_admitted {
            true => executions.next().expect("each admitted sequence has run"),
            false => Execution::ended(refused()),
        };
        Ok(is_admitted.into_iter().map(of).collect())
    }

    fn restart(&mut self) -> Result<(), ExecutorError> {
        if self.history.count > 0 {
            self.forget()?;
        }
        self.ensure_worker()
    }

    fn freshen(&mut self) -> Result<(), ExecutorError> {
        match self.shared || self.history.count > FRESH {
            true => self.restart(),
            false => self.ensure_worker(),
        }
    }
}

impl WorkerExecutor {
    fn execute_all(&mut self, sequences: &[Sequence], detail: Detail) -> Result<Vec<Execution>, ExecutorError> {
        let started = Instant::now();
        let mut executions = Vec::with_capacity(sequences.len());
        for chunk in sequences.chunks(CHUNK) {
            // Workers that report without a pause leave no other moment to see it.
            if self.launch.interrupt.load(Ordering::Relaxed) {
                return Err(ExecutorError::Interrupted);
            }
            if let Err(error) = self.execute_chunk(chunk, detail, &mut executions) {
                // The worker is in the middle of a message that nobody will read.
                self.forget()?;
                return Err(error);
            }
        }
        let (worker, sequences, micros) = (&self.name, sequences.len(), started.elapsed().as_micros() as u64);
        tracing::trace!(worker, ?detail, sequences, micros, "sequences run");
        Ok(executions)
    }
}
