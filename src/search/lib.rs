//! The search: what is built, what is worth keeping, and how small it can be made. No files, no clock, no processes.

pub mod explorer;
pub mod generator;
pub mod minimizer;
mod reader_cost;
pub mod redundancy;
pub mod spelling;
