//! One worker process and the socket to it.

use super::world::{Process, TICK, World};
use super::{ATTEMPTS, Launch, SupervisorError};
use model::execution::KillReason;
use model::sequence::Operation;
use protocol::{Frames, Kind};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A JVM that has not come up after this long never will.
const START_PATIENCE: Duration = Duration::from_secs(30);

/// Added to four times the time limit of a sequence, it is how long a report is waited for: on a busy machine, the watchdog
/// lets a sequence take up to four times its limit.
const REPORT_PATIENCE: Duration = Duration::from_secs(3);

/// Time within which a stopped thread must end before its worker is killed.
const STOP_PATIENCE: Duration = Duration::from_millis(300);

/// A running worker. Dropping it kills the process and all it started.
pub struct Connection {
    world: Arc<dyn World>,
    process: Box<dyn Process>,
    frames: Frames,
    interrupt: Arc<AtomicBool>,
}

/// Why no frame arrived.
#[derive(Debug, PartialEq, Eq)]
pub enum Silence {
    /// The worker closed the channel, or sent what cannot be read.
    Closed,
    /// Nothing came for as long as the caller was willing to wait.
    TooLong,
    Interrupted,
}

/// What a worker has to say of what it runs.
pub enum Answer {
    Report(Vec<u8>),
    /// It said that what it runs hangs.
    Hung,
    /// It says nothing. How far it got is not known, because workers buffer their reports.
    Silent,
    Died(KillReason),
    Interrupted,
}

impl Connection {
    /// Starts a worker in a fresh directory of its own and waits until its JVM runs.
    pub fn open(launch: &Launch, name: &str, operations: &[Operation]) -> Result<Connection, SupervisorError> {
        let mut attempts = 1;
        loop {
            match Connection::try_open(launch, name, operations) {
                Err(SupervisorError::Died(_)) if attempts < ATTEMPTS => attempts += 1,
                result => return result,
            }
        }
    }

    fn try_open(launch: &Launch, name: &str, operations: &[Operation]) -> Result<Connection, SupervisorError> {
        let process = launch.world.start(launch, name)?;
        let setup = launch.setup(&process.directory().to_string_lossy(), operations);
        let (world, interrupt) = (launch.world.clone(), launch.interrupt.clone());
        let mut connection = Connection { world, process, frames: Frames::default(), interrupt };
        match connection.send(Kind::Setup, &setup).and_then(|()| connection.next(START_PATIENCE)) {
            Ok((Kind::Ready, _)) => Ok(connection),
            Ok((Kind::Failed, message)) => Err(SupervisorError::Jvm {
                java_home: launch.java_home.clone(),
                jvm_args: launch.jvm_args.clone(),
                message: String::from_utf8_lossy(&message).into_owned(),
            }),
            Ok(_) => Err(SupervisorError::Broken),
            Err(Silence::Interrupted) => Err(SupervisorError::Interrupted),
            Err(Silence::TooLong) => Err(SupervisorError::Died("its JVM did not start in time".to_string())),
            Err(Silence::Closed) => Err(SupervisorError::Died(format!("{:?}", connection.end()))),
        }
    }

    /// Sends a message and waits for the one answer.
    pub fn ask(&mut self, kind: Kind, content: &[u8], answer: Kind) -> Result<Vec<u8>, SupervisorError> {
        match self.send(kind, content).and_then(|()| self.next(START_PATIENCE)) {
            Ok((kind, content)) if kind == answer => Ok(content),
            Ok(_) => Err(SupervisorError::Broken),
            Err(Silence::Interrupted) => Err(SupervisorError::Interrupted),
            Err(_) => Err(SupervisorError::Died(format!("{:?}", self.end()))),
        }
    }

    /// Sends a message.
    pub fn send(&mut self, kind: Kind, content: &[u8]) -> Result<(), Silence> {
        self.process.send(kind, content).map_err(|_| Silence::Closed)
    }

    /// The next message, waited for at most as long as `patience`.
    ///
    /// A clock measures the deadline, not the number of reads: otherwise a worker that sends a byte now and then would be
    /// waited for forever. Between two readings of the clock at most one tick counts, so that a supervisor that was
    /// suspended and resumed does not conclude that its workers hang.
    pub fn next(&mut self, patience: Duration) -> Result<(Kind, Vec<u8>), Silence> {
        let (mut left, mut before) = (patience, self.world.now());
        let mut buffer = [0; 64 << 10];
        loop {
            match self.frames.next_frame() {
                Ok(Some((kind, content))) => return Ok((kind, content.to_vec())),
                Ok(None) => {}
                Err(_) => return Err(Silence::Closed),
            }
            let now = self.world.now();
            left = left.saturating_sub(now.saturating_sub(before).min(TICK));
            before = now;
            if self.interrupt.load(Ordering::Relaxed) {
                return Err(Silence::Interrupted);
            }
            if left.is_zero() {
                return Err(Silence::TooLong);
            }
            match self.process.receive(&mut buffer) {
                Ok(0) => return Err(Silence::Closed),
                Ok(count) => self.frames.push(&buffer[..count]),
                Err(error) if is_nothing_yet(&error) => {}
                Err(_) => return Err(Silence::Closed),
            }
        }
    }

    /// The report of the next sequence or test, which may take `time`.
    pub fn report(&mut self, time: Duration) -> Answer {
        let mut hanging = false;
        loop {
            return match self.next(if hanging { STOP_PATIENCE } else { time * 4 + REPORT_PATIENCE }) {
                Ok((Kind::Outcome, content)) => Answer::Report(content),
                Ok((Kind::Hanging, _)) if !hanging => {
                    hanging = true;
                    continue;
                }
                Ok(_) => Answer::Died(KillReason::WorkerExit(-1)),
                Err(Silence::Interrupted) => Answer::Interrupted,
                Err(Silence::TooLong | Silence::Closed) if hanging => Answer::Hung,
                Err(Silence::TooLong) => Answer::Silent,
                Err(Silence::Closed) => Answer::Died(self.end()),
            };
        }
    }

    /// The process id of the worker.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Ends the process, if it has not ended by itself, and says how it ended.
    pub fn end(&mut self) -> KillReason {
        self.process.end()
    }
}

fn is_nothing_yet(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}
