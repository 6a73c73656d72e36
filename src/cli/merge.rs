//! `randgen merge`.

use super::args::MergeArgs;
use super::console::{Console, Display};
use super::exit::ExitCode;
use super::{CommandError, step_summary};

/// Joins what the directories hold, module by module.
pub fn run(args: &MergeArgs) -> Result<ExitCode, CommandError> {
    let console = Console::new(Display::chosen(args.console));
    for (report, directory) in pipeline::merge::merge(&args.directories, &args.output)? {
        print!("{}", report::text(&report, None, &directory.display().to_string()));
        step_summary::append(&report::markdown(&report), &console);
    }
    Ok(ExitCode::Clean)
}
