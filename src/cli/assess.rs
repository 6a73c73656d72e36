//! `randgen assess`.

use super::args::AssessArgs;
use super::exit::ExitCode;
use super::{CommandError, suites};
use pipeline::assess::assess;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Assesses the tests of every module that the arguments select.
pub fn run(args: &AssessArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    suites::each(&args.suite, args.console, interrupt, &assess)
}
