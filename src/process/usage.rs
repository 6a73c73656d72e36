//! What this process and its ended children have used.

use std::time::Duration;

/// Sums and peaks so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time of this process and of its children that have ended and been waited for.
    pub cpu: Duration,
    /// Largest resident size of this process.
    pub own_peak_bytes: u64,
    /// Largest resident size of any one ended child.
    pub child_peak_bytes: u64,
}

/// Asks the system.
pub fn usage() -> Usage {
    let (own, children) = (of(libc::RUSAGE_SELF), of(libc::RUSAGE_CHILDREN));
    let cpu = |usage: &libc::rusage| time(usage.ru_utime) + time(usage.ru_stime);
    // Linux counts in KiB.
    let peak = |usage: &libc::rusage| u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024;
    Usage { cpu: cpu(&own) + cpu(&children), own_peak_bytes: peak(&own), child_peak_bytes: peak(&children) }
}

fn of(who: libc::c_int) -> libc::rusage {
    // SAFETY: rusage is plain numbers, for which all zeroes is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live rusage; a failure leaves the zeroes.
    unsafe { libc::getrusage(who, &mut usage) };
    usage
}

fn time(value: libc::timeval) -> Duration {
    Duration::new(value.tv_sec.max(0) as u64, value.tv_usec.max(0) as u32 * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_uses_memory() {
        assert!(usage().own_peak_bytes > 100_000);
    }
}
