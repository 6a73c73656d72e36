//! `randgen completions`.

use super::CommandError;
use super::args::{Arguments, CompletionsArgs};
use super::exit::ExitCode;
use clap::{Command, CommandFactory};

/// Prints the script that completes commands, flags and their values.
pub fn run(args: &CompletionsArgs) -> Result<ExitCode, CommandError> {
    // clap_complete lists hidden commands too.
    let defined = Arguments::command();
    let mut shown = Command::new("randgen")
        .version(env!("CARGO_PKG_VERSION"))
        .args(defined.get_arguments().cloned())
        .subcommands(defined.get_subcommands().filter(|command| !command.is_hide_set()).cloned());
    // Into memory first: it panics where nobody reads the output to its end.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut shown, "randgen", &mut script);
    print!("{}", String::from_utf8_lossy(&script));
    Ok(ExitCode::Clean)
}
