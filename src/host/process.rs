//! Child processes: groups, deadlines, captured output.

#![expect(unsafe_code, reason = "calls of libc that the standard library does not have")]

pub mod group;
mod memory;
mod run;
mod usage;

pub use memory::share_arenas;
pub use run::{End, Finished, ProcessLimits, run};
pub use usage::{Usage, peak_bytes, usage};
