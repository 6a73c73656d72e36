//! An end to what takes too long: a flag that workers look at, set when the time is over or the user interrupts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the user's flag is looked at.
const STEP: Duration = Duration::from_millis(50);

/// Sets its flag at a moment, or when the user's is set, as long as it lives.
pub struct Deadline {
    /// Set when no more work is to be done.
    pub is_over: Arc<AtomicBool>,
    is_dropped: Arc<(Mutex<bool>, Condvar)>,
    watch: Option<JoinHandle<()>>,
}

impl Deadline {
    /// A deadline at the moment, or none but the user's.
    pub fn at(end: Option<Instant>, interrupted: &Arc<AtomicBool>) -> Deadline {
        let is_over = Arc::new(AtomicBool::new(false));
        let is_dropped = Arc::new((Mutex::new(false), Condvar::new()));
        let (flag, dropped, interrupted) = (is_over.clone(), is_dropped.clone(), interrupted.clone());
        let watch = std::thread::spawn(move || {
            let (lock, changed) = &*dropped;
            let mut is_dropped = lock.lock().unwrap_or_else(PoisonError::into_inner);
            while !*is_dropped {
                if interrupted.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end) {
                    flag.store(true, Ordering::Relaxed);
                    return;
                }
                let waited = changed.wait_timeout(is_dropped, STEP).unwrap_or_else(PoisonError::into_inner);
                is_dropped = waited.0;
            }
        });
        Deadline { is_over, is_dropped, watch: Some(watch) }
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        let (lock, changed) = &*self.is_dropped;
        *lock.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_all();
        if let Some(watch) = self.watch.take() {
            let _ = watch.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flag_is_set_when_the_time_is_over_or_the_user_interrupts() {
        let interrupted = Arc::new(AtomicBool::new(false));
        let over = Deadline::at(Some(Instant::now()), &interrupted);
        let waiting = Deadline::at(None, &interrupted);
        let wait_for = |flag: &AtomicBool| {
            while !flag.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        wait_for(&over.is_over);
        assert!(!waiting.is_over.load(Ordering::Relaxed));
        interrupted.store(true, Ordering::Relaxed);
        wait_for(&waiting.is_over);
    }
}
