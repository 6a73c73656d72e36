//! `randgen minimize`.

use super::args::MinimizeArgs;
use super::exit::ExitCode;
use super::{CommandError, suites};
use pipeline::minimize::minimize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Minimizes the suite of every module that the arguments select.
pub fn run(args: &MinimizeArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    suites::each(&args.suite, args.console, interrupt, &|context, module, options| {
        minimize(context, module, options, args.state_abstraction)
    })
}
