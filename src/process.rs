//! Child processes: groups, deadlines, captured output.

pub mod group;
mod run;
mod usage;

pub use run::{End, Finished, Limits, run};
pub use usage::{Usage, peak_bytes, usage};
