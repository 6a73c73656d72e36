//! The command line: arguments in, exit code out.

pub mod args;
pub mod config;
pub mod console;
pub mod exit;
