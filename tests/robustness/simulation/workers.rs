//! Workers that exist in memory: what they run are numbers, what they report is the number and a hash of all that they ran
//! before it, and they die, hang and lie when their seed says so.

use host::supervisor::world::{Process, Storage, TICK, World};
use host::supervisor::{Launch, SupervisorError};
use model::execution::KillReason;
use model::jvm::Literal;
use model::seed::Seed;
use model::sequence::{Action, Sequence, Statement};
use protocol::{Decoder, Kind, append_frame, outcomes};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// What a sequence may take.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(2);

/// A worker that has not come up, or that says nothing, is to be given up after so long, and a little.
const START: Duration = Duration::from_secs(30);
const REPORT: Duration = Duration::from_secs(4 * 2 + 3);
const LITTLE: Duration = Duration::from_millis(500);

/// A sequence is given up after some workers, and each of them after some replays.
const MOST_IDLE_LIVES: u64 = 80;

/// What a sequence does to every worker that runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Returns,
    /// The worker is gone.
    Ends(KillReason),
    /// It is gone after the report.
    Spends,
    /// The watchdog stops it, and the worker is gone.
    IsStopped,
    /// The watchdog cannot stop it.
    Hangs,
    /// Nobody says anything any more.
    Freezes,
    /// It writes to the worker's channel.
    Forges(Forgery),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgery {
    UnknownKind,
    /// A kind that does not belong there.
    OtherKind,
    TooLong,
    /// Half a frame, and then nothing.
    Half,
    /// A frame without an end, byte by byte.
    Drip,
    /// A report that says what cannot be.
    Impossible,
}

const FORGERIES: [Forgery; 6] =
    [Forgery::UnknownKind, Forgery::OtherKind, Forgery::TooLong, Forgery::Half, Forgery::Drip, Forgery::Impossible];

impl Deed {
    /// What the sequence of the number does; the last three digits say that one of so many is bad.
    fn of(seed: &Seed, number: u64) -> Deed {
        let rng = &mut seed.child("deed").nth(number).rng();
        if rng.random_range(0..number % 1_000) > 0 { Deed::Returns } else { Deed::bad(rng) }
    }

    /// What somebody else does to a worker: nobody else has it end after a report.
    fn from_outside(rng: &mut ChaCha8Rng) -> Deed {
        match Deed::bad(rng) {
            Deed::Spends => Deed::Ends(KillReason::Signal(9)),
            deed => deed,
        }
    }

    fn bad(rng: &mut ChaCha8Rng) -> Deed {
        match rng.random_range(0..8) {
            0 => Deed::Ends(KillReason::Signal(11)),
            1 => Deed::Ends(KillReason::WorkerExit(0)),
            2 => Deed::Spends,
            3 => Deed::IsStopped,
            4 => Deed::Hangs,
            5 => Deed::Freezes,
            _ => Deed::Forges(FORGERIES[rng.random_range(0..FORGERIES.len())]),
        }
    }
}

/// The report of the last of these sequences by a worker that ran them and nothing else.
pub fn report_of(sequences: &[Sequence]) -> String {
    let number = |sequence: &Sequence| match sequence.statements() {
        [Statement { action: Action::Literal(Literal::Long(number)), .. }] => *number as u64,
        other => panic!("a simulated sequence is a number, and not {other:?}"),
    };
    report(sequences.last().map_or(0, number), sequences.iter().map(number).fold(0, with))
}

/// What a worker has run, and one more.
fn with(past: u64, number: u64) -> u64 {
    (past ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31)
}

fn report(number: u64, past: u64) -> String {
    format!("{number} after {past:x}")
}

/// What happens to workers beside what their sequences do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faults {
    None,
    /// Answers come late and in pieces, and the supervisor is stopped for an hour now and then.
    Delays,
    /// Also, a worker is killed, hangs, or sends nonsense, but not the one after it.
    Apart,
    /// Any number in a row, disks that are full, sequences that do another thing the second time, and a machine that has no
    /// room for a worker any more.
    Any,
}

/// What a world is made of, and how it went.
#[derive(Debug)]
pub struct State {
    seed: Seed,
    rng: ChaCha8Rng,
    faults: Faults,
    now: Duration,
    /// Time in which the supervisor was stopped.
    stopped: Duration,
    pub lives: u64,
    /// The worker before this one met with a fault.
    was_hit: bool,
    /// More workers than this are started by somebody who does not come to an end.
    most_lives: u64,
    /// After so many lives no worker starts any more.
    last_life: u64,
    /// What has been run by any worker, and how many have been started since there was something new.
    known: BTreeSet<u64>,
    idle_lives: u64,
}

/// A world for one run.
#[derive(Clone, Debug)]
pub struct Simulated(Arc<Mutex<State>>);

impl Simulated {
    pub fn new(seed: Seed, faults: Faults, most_lives: u64) -> Simulated {
        let mut rng = seed.child("world").rng();
        let is_short = faults == Faults::Any && rng.random_range(0..10) == 0;
        Simulated(Arc::new(Mutex::new(State {
            seed,
            last_life: if is_short { rng.random_range(0..10) } else { u64::MAX },
            rng,
            faults,
            now: Duration::from_secs(1_000_000),
            stopped: Duration::ZERO,
            lives: 0,
            was_hit: false,
            most_lives,
            known: BTreeSet::new(),
            idle_lives: 0,
        })))
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl State {
    fn one_in(&mut self, most: u32) -> bool {
        self.faults != Faults::None && self.rng.random_range(0..most) == 0
    }

    /// What the sequence of the number does this time.
    fn deed(&mut self, number: u64) -> Deed {
        let is_new = self.known.insert(number);
        if is_new {
            self.idle_lives = 0;
        }
        let changes = || self.seed.child("change").nth(number).rng().random_range(0..30) == 0;
        match Deed::of(&self.seed, number) {
            Deed::Returns if self.faults == Faults::Any && !is_new && changes() => Deed::Ends(KillReason::Signal(6)),
            deed => deed,
        }
    }
}

impl World for Simulated {
    fn now(&self) -> Duration {
        self.state().now
    }

    fn file(&self, _directory: &Path) -> io::Result<Box<dyn Storage>> {
        Ok(Box::new(SimulatedFile { bytes: Vec::new(), world: self.clone() }))
    }

    fn start(&self, _launch: &Launch, _name: &str) -> Result<Box<dyn Process>, SupervisorError> {
        let state = &mut *self.state();
        state.lives += 1;
        assert!(state.lives <= state.most_lives, "workers are started without end");
        let no_room =
            || SupervisorError::Spawn { program: "randgen".to_string(), source: io::ErrorKind::OutOfMemory.into() };
        if state.lives > state.last_life {
            return Err(no_room());
        }
        state.idle_lives += 1;
        assert!(state.idle_lives <= MOST_IDLE_LIVES, "workers are started, and none runs what is next");
        let may_be_hit = match state.faults {
            Faults::None | Faults::Delays => false,
            Faults::Apart => !state.was_hit,
            Faults::Any => true,
        };
        state.was_hit = may_be_hit && state.rng.random_range(0..2) == 0;
        let mut fault = None;
        if state.was_hit {
            let at = if state.rng.random_range(0..5) == 0 { 0 } else { state.rng.random_range(0..40) };
            fault = Some((at, Deed::from_outside(&mut state.rng)));
            if at == 0 && state.lives > 1 && state.rng.random_range(0..3) == 0 {
                return Err(no_room());
            }
        }
        Ok(Box::new(Worker {
            world: self.clone(),
            rng: state.seed.child("life").nth(state.lives).rng(),
            fault,
            number: 0,
            past: 0,
            sent: VecDeque::new(),
            then: Then::Waits,
            waiting: None,
            lost: state.stopped,
        }))
    }
}

struct SimulatedFile {
    bytes: Vec<u8>,
    world: Simulated,
}

impl Storage for SimulatedFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let state = &mut *self.world.state();
        if state.faults == Faults::Any && state.one_in(4) {
            self.bytes.extend(&bytes[..state.rng.random_range(0..bytes.len())]);
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend(bytes);
        Ok(())
    }

    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        let from = self.bytes.get(offset as usize..).and_then(|rest| rest.get(..bytes.len()));
        bytes.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.bytes.clear();
        Ok(())
    }
}

struct Worker {
    world: Simulated,
    /// What it decides by itself.
    rng: ChaCha8Rng,
    /// Before which of its sequences a fault comes.
    fault: Option<(u64, Deed)>,
    /// Of sequences so far.
    number: u64,
    /// A hash of what it ran.
    past: u64,
    /// What is on its way, and when it arrives.
    sent: VecDeque<(Duration, Vec<u8>)>,
    then: Then,
    /// Since when the supervisor waits for a frame, and how long it may.
    waiting: Option<(Duration, Duration)>,
    /// How long the supervisor had been stopped until then.
    lost: Duration,
}

/// What comes after all that was sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Waits,
    Drips,
    Closes(KillReason),
}

impl Worker {
    /// Runs a sequence; whether it runs the next.
    fn run(&mut self, encoded: &[u8], now: &mut Duration, out: &mut Vec<u8>) -> bool {
        let number = u64::from_le_bytes(*encoded.last_chunk().expect("a sequence holds a number"));
        let fault = self.fault.filter(|(at, _)| *at == self.number).map(|(_, fault)| fault);
        self.number += 1;
        self.past = with(self.past, number);
        let mut report = outcomes::unlinkable(&report(number, self.past));
        *now += Duration::from_millis(1);
        // What has not been sent is lost with a worker, or stays with it.
        let own = self.world.state().deed(number);
        let deed = fault.unwrap_or(own);
        match deed {
            Deed::Returns => append_frame(out, Kind::Outcome, &[&report]),
            Deed::Ends(reason) => {
                append_frame(out, Kind::Outcome, &[&report]);
                out.truncate(self.rng.random_range(0..out.len()));
                self.then = Then::Closes(reason);
            }
            Deed::Spends => {
                report[1] |= outcomes::SPENT;
                append_frame(out, Kind::Outcome, &[&report]);
                self.then = Then::Closes(KillReason::WorkerExit(0));
            }
            Deed::IsStopped => {
                *now += CALL_TIMEOUT;
                append_frame(out, Kind::Hanging, &[]);
                append_frame(out, Kind::Outcome, &[&outcomes::stopped()]);
                self.then = Then::Closes(KillReason::WorkerExit(0));
            }
            Deed::Hangs => {
                *now += CALL_TIMEOUT;
                append_frame(out, Kind::Hanging, &[]);
            }
            Deed::Freezes => out.clear(),
            Deed::Forges(forgery) => self.forge(forgery, report, out),
        }
        deed == Deed::Returns
    }

    fn forge(&mut self, forgery: Forgery, mut report: Vec<u8>, out: &mut Vec<u8>) {
        match forgery {
            Forgery::UnknownKind => out.extend([1, 0, 0, 0, 99, 0]),
            Forgery::OtherKind => append_frame(out, Kind::Ready, &[&report]),
            Forgery::TooLong => out.extend([0xFF, 0xFF, 0xFF, 0xFF, Kind::Outcome as u8]),
            Forgery::Half | Forgery::Drip => {
                append_frame(out, Kind::Outcome, &[&report, &[0; 1000]]);
                out.truncate(out.len() - 1000);
                if forgery == Forgery::Drip {
                    self.then = Then::Drips;
                }
            }
            Forgery::Impossible => {
                // The number of a statement that the sequence does not have.
                report[2..6].copy_from_slice(&7_u32.to_le_bytes());
                append_frame(out, Kind::Outcome, &[&report]);
            }
        }
    }

    /// Puts bytes on their way, in one piece or several.
    fn post(&mut self, at: Duration, mut bytes: &[u8]) {
        let state = &mut *self.world.state();
        // Some of it is late, and in time.
        let mut late = state.one_in(5);
        let mut at = at;
        while !bytes.is_empty() {
            let length = if state.one_in(3) { state.rng.random_range(1..=bytes.len()) } else { bytes.len() };
            if late && state.rng.random_range(0..3) == 0 {
                late = false;
                at += Duration::from_millis(state.rng.random_range(0..3000));
            }
            self.sent.push_back((at, bytes[..length].to_vec()));
            bytes = &bytes[length..];
        }
    }

    /// Begins to wait for a frame.
    fn expect(&mut self, patience: Duration) {
        let state = self.world.0.lock().unwrap();
        self.waiting = Some((state.now, patience));
        self.lost = state.stopped;
    }
}

impl Process for Worker {
    fn id(&self) -> u32 {
        4711
    }

    fn directory(&self) -> &Path {
        Path::new("/scratch/worker")
    }

    fn send(&mut self, kind: Kind, content: &[u8]) -> io::Result<()> {
        if matches!(self.then, Then::Closes(_)) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let now = self.world.now();
        match kind {
            Kind::Setup => {
                let mut ready = Vec::new();
                append_frame(&mut ready, Kind::Ready, &[]);
                match self.fault {
                    Some((0, Deed::Ends(reason))) => {
                        ready.pop();
                        self.then = Then::Closes(reason);
                    }
                    Some((0, Deed::Freezes)) => ready.clear(),
                    Some((0, Deed::Forges(Forgery::Drip))) => {
                        ready[2] = 1;
                        self.then = Then::Drips;
                    }
                    _ => {}
                }
                self.post(now + Duration::from_millis(500), &ready);
                self.expect(START);
            }
            _ => {
                let mut decoder = Decoder::new(content);
                let (mut at, mut out) = (now, Vec::new());
                while let Ok(encoded) = decoder.blob() {
                    if !self.run(encoded, &mut at, &mut out) {
                        break;
                    }
                    if self.rng.random_range(0..8) == 0 {
                        self.post(at, &out);
                        out.clear();
                    }
                }
                self.post(at, &out);
                self.expect(REPORT);
            }
        }
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let state = &mut *self.world.0.lock().unwrap();
        if state.one_in(50) {
            state.now += Duration::from_secs(3600);
            state.stopped += Duration::from_secs(3600);
        }
        if let Some((since, patience)) = self.waiting {
            let waited = (state.now - since).saturating_sub(state.stopped - self.lost);
            assert!(waited <= patience + LITTLE, "a worker that says nothing is waited for: {waited:?}");
        }
        if state.one_in(30) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match self.sent.front_mut() {
            Some((at, _)) if *at > state.now + TICK => {}
            Some((at, bytes)) => {
                state.now = state.now.max(*at);
                let count = bytes.len().min(buffer.len());
                buffer[..count].copy_from_slice(&bytes[..count]);
                bytes.drain(..count);
                if bytes.is_empty() {
                    self.sent.pop_front();
                }
                // Some of it is a frame's end, so the next wait begins.
                self.waiting = self.waiting.map(|(_, patience)| (state.now, patience));
                self.lost = state.stopped;
                return Ok(count);
            }
            None => match self.then {
                Then::Waits => {}
                Then::Closes(_) => return Ok(0),
                Then::Drips => {
                    state.now += Duration::from_millis(40);
                    buffer[0] = 0;
                    return Ok(1);
                }
            },
        }
        state.now += TICK;
        Err(io::ErrorKind::WouldBlock.into())
    }

    fn end(&mut self) -> KillReason {
        match self.then {
            Then::Closes(reason) => reason,
            _ => KillReason::Signal(9),
        }
    }
}
