//! What a stage of a run takes.

use std::time::{Duration, Instant};

/// Wall-clock time, and CPU time of this process and all that it started.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Wall-clock time.
    pub time: Duration,
    /// CPU time.
    pub cpu: Duration,
}

/// The beginning of a stage.
pub struct Stopwatch {
    started: Instant,
    cpu: Duration,
}

impl Stopwatch {
    /// Begins now.
    pub fn start() -> Stopwatch {
        Stopwatch { started: Instant::now(), cpu: host::process::usage().cpu }
    }

    /// What the stage took until now.
    pub fn spent(&self) -> Spent {
        let cpu = host::process::usage().cpu.saturating_sub(self.cpu);
        Spent { time: self.started.elapsed(), cpu }
    }
}
