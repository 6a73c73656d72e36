//! The search: what is built, what is worth keeping, and how small it can be made. No files, no clock, no processes.

#![warn(missing_docs, clippy::too_many_lines, clippy::too_many_arguments)]

pub mod explorer;
pub mod generator;
pub mod minimizer;
pub mod redundancy;
