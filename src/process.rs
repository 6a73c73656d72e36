//! Child processes: groups, deadlines, captured output.

pub mod group;
mod usage;

pub use usage::{Usage, usage};
