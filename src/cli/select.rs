//! `randgen select`.

use super::args::SelectArgs;
use super::exit::ExitCode;
use super::{CommandError, suites};
use pipeline::select::select;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Selects from the other suite for every module that the arguments select.
pub fn run(args: &SelectArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    let here = std::env::current_dir().map_err(CommandError::CurrentDirectory)?;
    let candidates = here.join(&args.candidates);
    suites::each(&args.suite, args.console, interrupt, &|context, module, options| {
        select(context, module, options, args.state_abstraction, &candidates)
    })
}
