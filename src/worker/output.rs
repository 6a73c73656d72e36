//! The worker's end of the channel for reports: buffered, and shared with the watchdog.

use protocol::{self, Kind};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// More than this is sent at once.
const FULL: usize = 64 << 10;

/// A report waits no longer than this while others follow.
const STALE: Duration = Duration::from_millis(20);

/// Frames on their way out.
pub struct Output {
    stream: UnixStream,
    buffer: Vec<u8>,
    flushed: Instant,
}

impl Output {
    pub fn new(stream: UnixStream) -> Output {
        Output { stream, buffer: Vec::new(), flushed: Instant::now() }
    }

    /// Adds a frame; sends what is there when it is much or old.
    pub fn push(&mut self, kind: Kind, parts: &[&[u8]]) -> std::io::Result<()> {
        protocol::append_frame(&mut self.buffer, kind, parts);
        if self.buffer.len() >= FULL || self.flushed.elapsed() >= STALE {
            return self.flush();
        }
        Ok(())
    }

    /// Sends all frames.
    pub fn flush(&mut self) -> std::io::Result<()> {
        self.stream.write_all(&self.buffer)?;
        self.buffer.clear();
        self.flushed = Instant::now();
        Ok(())
    }
}
