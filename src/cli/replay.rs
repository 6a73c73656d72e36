//! `randgen replay`.

use super::args::ReplayArgs;
use super::exit::ExitCode;
use super::{CommandError, explain};
use pipeline::PipelineError;
use pipeline::findings::FindingError;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Replays the finding that the argument names; exit code 1 if its test still fails.
pub fn run(args: &ReplayArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    let unknown = || PipelineError::from(FindingError::UnknownId(args.id.clone()));
    explain::of_last_run(&args.modules, &args.id, interrupt, unknown, &mut |task, console, class, finding| {
        let reason = pipeline::replay::replay(task, &finding)?;
        console.finish();
        print!("{}", report::finding(class, &finding));
        Ok(match reason {
            None => {
                println!("\nIt does not fail any more.");
                ExitCode::Clean
            }
            Some(reason) => {
                println!("\nIt still fails: {reason}");
                ExitCode::NewFailures
            }
        })
    })
}
