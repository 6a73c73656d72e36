//! Stops a sequence that does not return.
//!
//! Time is counted in naps: a worker that was stopped and continued (SIGTSTP, a suspended machine) does not find that its
//! sequence took hours. And a nap counts as what the process had of a processor during it, unless the process wanted none:
//! on a busy machine a sequence gets the same work done as on an idle one.

use super::jvmti::Jvmti;
use super::output::Output;
use jni_sys::jobject;
use protocol::Kind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const NAP: Duration = Duration::from_millis(10);

/// With less than such a part of a nap on a processor, a process was asleep or had to wait.
const IDLE: u32 = 10;

/// So many times its time is the most that anything gets of the wall clock.
const STARVED: u128 = 4;

/// Time of the process's own, measured by naps that the caller takes.
pub struct OwnTime {
    limit: Duration,
    nap: Duration,
    naps: u128,
    spent: Duration,
    /// The processor time at the end of the last nap.
    before: Duration,
}

impl OwnTime {
    pub fn new(limit: Duration, nap: Duration) -> OwnTime {
        OwnTime { limit, nap, naps: 0, spent: Duration::ZERO, before: processor_time() }
    }

    /// Whether it is over, after one nap more.
    pub fn is_over(&mut self) -> bool {
        let now = processor_time();
        let had = now.saturating_sub(self.before);
        self.before = now;
        self.naps += 1;
        let wanted_none = had < self.nap / IDLE && !is_waiting_for_a_processor();
        self.spent += if wanted_none { self.nap } else { had.min(self.nap) };
        self.spent >= self.limit || self.naps >= self.limit.as_nanos().div_ceil(self.nap.as_nanos()).max(1) * STARVED
    }
}

/// What the thread that runs sequences and the watchdog share.
pub struct Watch {
    /// Number of the running sequence; 0 between sequences.
    running: AtomicU64,
    /// Number of the sequence that was stopped.
    stopped: AtomicU64,
    pub output: Mutex<Output>,
}

impl Watch {
    pub fn new(output: Output) -> Arc<Watch> {
        Arc::new(Watch { running: AtomicU64::new(0), stopped: AtomicU64::new(0), output: Mutex::new(output) })
    }

    /// A sequence begins; numbers start at 1 and grow.
    pub fn begin(&self, number: u64) {
        self.running.store(number, Ordering::SeqCst);
    }

    /// The running sequence returned.
    pub fn end(&self) {
        self.running.store(0, Ordering::SeqCst);
    }

    /// Whether the sequence was stopped. To be asked while the output is locked: what a stop does, it does under it.
    pub fn was_stopped(&self, number: u64) -> bool {
        self.stopped.load(Ordering::SeqCst) == number
    }
}

/// References that the watchdog uses from its own thread; all are global.
pub struct Target {
    pub jvmti: Jvmti,
    pub thread: jobject,
    pub exception: jobject,
}

// SAFETY: the references are global ones, which any attached thread may use.
unsafe impl Send for Target {}

/// Watches for as long as the process lives; the calling thread is attached to the JVM.
pub fn watch(watch: &Watch, target: &Target, timeout: Duration) {
    let mut seen = 0;
    // Most sequences end within a nap: the processor is asked for its time only where one does not.
    let mut time: Option<OwnTime> = None;
    loop {
        std::thread::sleep(NAP);
        let running = watch.running.load(Ordering::SeqCst);
        if running == 0 || running != seen {
            (seen, time) = (running, None);
            continue;
        }
        if time.is_none() {
            time = Some(OwnTime::new(timeout, NAP));
            continue;
        }
        if !time.as_mut().is_some_and(OwnTime::is_over) {
            continue;
        }
        let Ok(mut output) = watch.output.lock() else { return };
        if watch.running.load(Ordering::SeqCst) != running {
            continue;
        }
        watch.stopped.store(running, Ordering::SeqCst);
        // A closed channel ends the process elsewhere; a thread that cannot be stopped is the supervisor's to kill.
        let _ = output.push(Kind::Hanging, &[]).and_then(|()| output.flush());
        let _ = target.jvmti.stop(target.thread, target.exception);
        return;
    }
}

/// What all threads of the process have had of the processors.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists on every Linux, and the struct is ours to fill.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Whether some other thread of the process could run if it were given a processor.
fn is_waiting_for_a_processor() -> bool {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return false };
    // The one that asks runs right now.
    let running = tasks.flatten().filter(|task| {
        let stat = std::fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'))
    });
    running.count() > 1
}
