//! What a supervisor needs of the machine: a clock, a file for the history, and processes that run workers.
//!
//! [`Machine`](super::machine::Machine) is the machine itself. In the simulation (`tests/robustness/simulation.rs`) it is another, where
//! workers die, channels are cut, clocks jump and disks are full as a seed says.

use super::{Launch, SupervisorError};
use model::execution::KillReason;
use protocol::Kind;
use std::fmt::Debug;
use std::io;
use std::path::Path;
use std::time::Duration;

/// How long a worker's [`receive`](Process::receive) waits at the most.
pub const TICK: Duration = Duration::from_millis(50);

/// A clock, files and workers.
pub trait World: Debug + Send + Sync {
    /// The time since some moment, which nobody can set.
    fn now(&self) -> Duration;

    /// An empty file without a name in the directory, which is made if need be.
    fn file(&self, directory: &Path) -> io::Result<Box<dyn Storage>>;

    /// Starts a worker in a fresh directory of its own; of its name no other runs.
    fn start(&self, launch: &Launch, name: &str) -> Result<Box<dyn Process>, SupervisorError>;
}

/// A file that is written at its end.
pub trait Storage: Send {
    /// Writes the bytes at the end.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Fills `bytes` from the offset on.
    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;

    /// Nothing is in it any more.
    fn clear(&mut self) -> io::Result<()>;
}

/// A worker's process and the channel to it. Dropping it ends the process with all it started, and removes its directory.
pub trait Process: Send {
    /// The id of the process.
    fn id(&self) -> u32;

    /// The directory that is the worker's own.
    fn directory(&self) -> &Path;

    /// Sends a message.
    fn send(&mut self, kind: Kind, content: &[u8]) -> io::Result<()>;

    /// Takes some of what the worker has sent; 0 bytes are the channel's end. An error of kind `WouldBlock` or `TimedOut` says that
    /// nothing came for a [`TICK`].
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Ends the process, if it has not ended by itself, and says how it ended.
    fn end(&mut self) -> KillReason;
}
