//! What this process and its children have used.

use std::time::Duration;

/// Sums and peaks so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time of this process and all that it started, ended or not. Of those that run it is counted in hundredths of a second,
    /// and only where the system lists children (Linux).
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
    Usage { cpu: cpu(&own) + cpu(&children) + of_children(std::process::id()), own_peak_bytes }
}

/// CPU time of the children of a process that have not ended, and of all theirs.
fn of_children(pid: u32) -> Duration {
    let children = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("children")).ok();
    let of_tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten().filter_map(children);
    let times = of_tasks.map(|children| {
        let children = children.split_whitespace().filter_map(|child| child.parse().ok());
        children.map(|child| of_process(child).unwrap_or_default() + of_children(child)).sum::<Duration>()
    });
    times.sum()
}

/// CPU time of a process and of its children that have ended.
fn of_process(pid: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // A name in parentheses, which may have some in it; the times are 12 fields behind it.
    let ticks = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
    let ticks: u64 = ticks.map(|ticks| ticks.parse::<u64>().unwrap_or(0)).sum();
    // SAFETY: it takes a number and returns one.
    let in_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    Some(Duration::from_secs_f64(ticks as f64 / in_second.max(1) as f64))
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
    fn cpu_time_of_a_child_that_runs_is_counted() {
        let mut child = std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let started = std::time::Instant::now();
        let of_child = || of_children(std::process::id());
        while of_child() < Duration::from_millis(50) && started.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let counted = of_child();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(counted >= Duration::from_millis(50), "{counted:?}");
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
