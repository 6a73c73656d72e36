//! The arguments of the hidden subcommands, as the supervisor gives them.

use clap::{Args, Parser};
use model::options::{Sandbox, from_text};
use sandbox::Policy;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// The hidden subcommands.
#[derive(Clone, Debug, Parser)]
enum Hidden {
    Worker(WorkerArgs),
    Confine(ConfineArgs),
}

/// Does what a process is asked for that a supervisor has started; `None` if that is no hidden subcommand. For programs that
/// start themselves again as workers.
pub fn run_if_asked(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    arguments.get(1).filter(|command| *command == "worker" || *command == "confine")?;
    Some(match Hidden::parse_from(arguments) {
        Hidden::Worker(arguments) => arguments.run(),
        Hidden::Confine(arguments) => arguments.run(),
    })
}

impl WorkerArgs {
    /// Runs a worker until there is no more to do.
    pub fn run(&self) -> ExitCode {
        crate::main(self.channel, &self.policy.policy())
    }
}

impl ConfineArgs {
    /// Becomes the program.
    pub fn run(&self) -> ExitCode {
        crate::confine(&self.policy.policy(), &self.command)
    }
}

/// Arguments of the hidden `randgen worker`.
#[derive(Clone, Debug, Args)]
pub struct WorkerArgs {
    /// Descriptor of the socket to the supervisor
    #[arg(long, value_name = "FD")]
    pub channel: i32,
    /// What the worker restricts itself to before the JVM starts.
    #[command(flatten)]
    pub policy: PolicyArgs,
}

/// Arguments of the hidden `randgen confine`.
#[derive(Clone, Debug, Args)]
pub struct ConfineArgs {
    /// What is restricted before the program starts.
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The program and its arguments
    #[arg(required = true, last = true)]
    pub command: Vec<OsString>,
}

/// What a process does to itself before code under test runs in it: `sandbox::Policy` as arguments.
#[derive(Clone, Debug, Args)]
pub struct PolicyArgs {
    #[arg(long, value_parser = from_text::<Sandbox>)]
    sandbox: Sandbox,
    #[arg(long)]
    readable: Vec<PathBuf>,
    #[arg(long)]
    writable: Vec<PathBuf>,
}

impl PolicyArgs {
    /// As [`Policy::enforce`] takes it.
    pub fn policy(&self) -> Policy {
        Policy { level: self.sandbox, readable: self.readable.clone(), writable: self.writable.clone() }
    }
}
