//! Stops a sequence that does not return.
//!
//! Time is counted in the watchdog's own naps: a worker that was stopped and continued (SIGTSTP, a suspended machine)
//! does not find that its sequence took hours.

use super::jvmti::Jvmti;
use super::output::Output;
use crate::protocol::Kind;
use jni_sys::jobject;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const NAP: Duration = Duration::from_millis(10);

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
    let patience = timeout.as_millis().div_ceil(NAP.as_millis()).max(1);
    let mut seen = 0;
    let mut naps = 0;
    loop {
        std::thread::sleep(NAP);
        let running = watch.running.load(Ordering::SeqCst);
        if running == 0 || running != seen {
            seen = running;
            naps = 0;
            continue;
        }
        naps += 1;
        if naps < patience {
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
