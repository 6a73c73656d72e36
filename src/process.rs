//! Child processes: groups, deadlines, captured output.

pub mod group;
