//! What this process and its children have used.

use std::time::Duration;

/// Sums and peaks so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time of this process and of its children that have ended and been waited for.
    pub cpu: Duration,
    /// Largest resident size of this process.
    pub own_peak_bytes: u64,
}

/// Asks the system.
pub fn usage() -> Usage {
    let (own, children) = (of(libc::RUSAGE_SELF), of(libc::RUSAGE_CHILDREN));
    let cpu = |usage: &libc::rusage| time(usage.ru_utime) + time(usage.ru_stime);
    // Linux counts in KiB.
    let own_peak_bytes = u64::try_from(own.ru_maxrss).unwrap_or(0) * 1024;
    Usage { cpu: cpu(&own) + cpu(&children), own_peak_bytes }
}

/// Largest resident size of a process that has not ended, where the system says it.
///
/// Not asked of `getrusage`: there a child has at least the size that this process had when it started the child.
pub fn peak_bytes(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(peak.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
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
    fn own_process_reports_peak_memory() {
        assert!(usage().own_peak_bytes > 100_000);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn peak_memory_of_a_child_excludes_other_processes() {
        let ballast = vec![1_u8; 64 << 20];
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let peak = peak_bytes(child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(peak_bytes(std::process::id()).unwrap() > ballast.len() as u64);
        assert!((1..32 << 20).contains(&peak.unwrap()), "{peak:?}");
        assert_eq!(peak_bytes(child.id()), None);
    }
}
