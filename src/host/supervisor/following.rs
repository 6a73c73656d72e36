//! Runs sequences as tests are traced: what methods under test they call, in which states, and how each call ends.

use super::connection::{Answer, Connection};
use super::history::append_sequence;
use super::{Launch, SupervisorError};
use model::execution::trace::{Descriptions, TestTrace};
use model::sequence::Sequence;
use protocol::Kind;
use protocol::outcomes::{self, Names};
use protocol::traces::{self, Report, States};
use std::sync::atomic::Ordering;

/// Sequences of one message.
const BATCH: usize = 64;

/// Sequences after which a worker is replaced, because it keeps all states that it saw.
const LIFETIME: usize = 20_000;

/// Follows sequences in one worker, as long as that lives.
pub struct Follower<'l> {
    launch: &'l Launch,
    worker: Option<Worker>,
    /// Sequences of earlier calls: no two that a worker follows may have the same number.
    earlier: usize,
}

impl<'l> Follower<'l> {
    /// Starts no worker yet.
    pub fn new(launch: &'l Launch) -> Follower<'l> {
        Follower { launch, worker: None, earlier: 0 }
    }

    /// Follows the sequences in order and hands over, for each, its trace and what is new in it; `None` of a sequence that did
    /// not end by itself.
    pub fn follow(
        &mut self,
        sequences: &[Sequence],
        take: &mut dyn FnMut(usize, Option<TestTrace>, Descriptions),
    ) -> Result<(), SupervisorError> {
        let launch = self.launch;
        std::fs::create_dir_all(&launch.scratch)
            .map_err(|source| SupervisorError::Scratch { path: launch.scratch.clone(), source })?;
        let mut next = 0;
        // A sequence that ended its worker runs once more, alone: only one that ends two workers is to blame.
        let mut suspect = None;
        while next < sequences.len() {
            if launch.interrupt.load(Ordering::Relaxed) {
                return Err(SupervisorError::Interrupted);
            }
            let running = match &mut self.worker {
                Some(running) if running.followed < LIFETIME => running,
                _ => self.worker.insert(Worker::open(launch)?),
            };
            let until = if suspect == Some(next) { next + 1 } else { sequences.len().min(next + BATCH) };
            let mut message = Vec::new();
            for (number, sequence) in (next..until).zip(&sequences[next..until]) {
                append_sequence(&mut message, &traces::encode_follow(sequence, (self.earlier + number) as u32));
            }
            let mut is_alive = running.connection.send(Kind::Run, &message).is_ok();
            while is_alive && next < until {
                let Some((trace, descriptions, is_spent)) = running.report(launch)? else {
                    is_alive = false;
                    break;
                };
                take(next, trace, descriptions);
                next += 1;
                is_alive = !is_spent;
            }
            if !is_alive {
                self.worker = None;
                if next < until && suspect == Some(next) {
                    take(next, None, Descriptions::default());
                    next += 1;
                }
                suspect = Some(next);
            }
        }
        self.earlier += sequences.len();
        Ok(())
    }
}

struct Worker {
    connection: Connection,
    names: Names,
    states: States,
    followed: usize,
}

/// A trace if the sequence ended by itself, what is new in it, and whether the worker runs nothing more.
type Followed = (Option<TestTrace>, Descriptions, bool);

impl Worker {
    fn open(launch: &Launch) -> Result<Worker, SupervisorError> {
        let connection = Connection::open(launch, "follow", &launch.operations)?;
        Ok(Worker { connection, names: Names::default(), states: States::new(launch.describes), followed: 0 })
    }

    /// The next report; `None` if the worker has none to give.
    fn report(&mut self, launch: &Launch) -> Result<Option<Followed>, SupervisorError> {
        let bytes = match self.connection.report(launch.call_timeout) {
            Answer::Report(bytes) => bytes,
            Answer::Hung | Answer::Silent | Answer::Died(_) => return Ok(None),
            Answer::Interrupted => return Err(SupervisorError::Interrupted),
        };
        self.followed += 1;
        let Ok(report) = traces::decode_trace(&bytes, launch.probe_count, &mut self.names, &mut self.states) else {
            return Ok(None);
        };
        let trace = match report {
            Report::Passed(trace) => Some(trace),
            _ => None,
        };
        Ok(Some((trace, self.states.take_descriptions(), outcomes::is_spent(&bytes))))
    }
}
