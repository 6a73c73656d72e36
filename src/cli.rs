//! The command line: arguments in, exit code out.

// Where nobody reads what a run says, those of the standard library panic. What it writes matters more than what it says.
macro_rules! say {
    ($to:expr, $($text:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut $to, format_args!($($text)*));
    }};
}
macro_rules! print {
    ($($text:tt)*) => { say!(std::io::stdout(), $($text)*) };
}
macro_rules! println {
    ($($text:tt)*) => { say!(std::io::stdout(), "{}\n", format_args!($($text)*)) };
}
macro_rules! eprintln {
    ($($text:tt)*) => { say!(std::io::stderr(), "{}\n", format_args!($($text)*)) };
}

pub mod args;
pub mod assess;
pub mod check;
pub mod config;
pub mod console;
pub mod doctor;
pub mod exit;
pub mod explain;
pub mod explore;
pub mod generate;
mod kills;
pub mod merge;
pub mod minimize;
pub mod modules;
mod mutants;
pub mod replay;
pub mod select;
pub mod specs;
pub mod subject;

mod advisor;
mod budget;
mod changes;
mod coverage;
mod engine;
mod explored;
mod explored_symbolically;
mod inputs;
mod interpreted;
mod last_run;
mod reporting;
mod rounds;
mod search;
mod settings;
mod since;
mod sources;
mod step_summary;
mod suites;
mod traced;

use crate::classpath::request::RequestError;
use crate::classpath::{ClassPathError, JdkError, ResolveError};
use crate::explorer::PlanError;
use crate::output::OutputError;
use crate::project::ProjectError;
use crate::report::ReportError;
use crate::sandbox::SandboxError;
use crate::supervisor::SupervisorError;
use crate::supervisor::junit::JunitError;
use crate::supervisor::verification::{CutShort, VerificationError};
use args::{Arguments, Command};
use check::CheckError;
use clap::Parser;
use config::ConfigError;
use engine::EngineError;
use exit::ExitCode;
use explain::FindingError;
use explore::ExploreError;
use merge::MergeError;
use since::SinceError;
use specs::SpecsError;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Runs the command of the process's arguments.
pub fn main() -> std::process::ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come as errors too.
            let code = if error.use_stderr() { ExitCode::Usage } else { ExitCode::Clean };
            let _ = error.print();
            return code.into();
        }
    };
    if let Command::Worker(worker) = &arguments.command {
        return crate::worker::main(worker.channel, &worker.policy.policy());
    }
    if let Command::Confine(args) = &arguments.command {
        return crate::worker::confine(&args.policy.policy(), &args.command);
    }
    let interrupt = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // The first asks the run to end, the second ends it.
        let hooked = signal_hook::flag::register_conditional_shutdown(signal, 130, interrupt.clone())
            .and_then(|_| signal_hook::flag::register(signal, interrupt.clone()));
        if let Err(error) = hooked {
            eprintln!("warning: cannot listen for signal {signal}: {error}");
        }
    }
    let result = match &arguments.command {
        Command::Generate(args) => generate::run(args, &interrupt),
        Command::Check(args) => check::run(args, &interrupt),
        Command::Replay(args) => replay::run(args, &interrupt),
        Command::Explain(args) => explain::run(args, &interrupt),
        Command::Explore(args) => explore::run(args, &interrupt),
        Command::Assess(args) => assess::run(args, &interrupt),
        Command::Select(args) => select::run(args, &interrupt),
        Command::Minimize(args) => minimize::run(args, &interrupt),
        Command::Specs(args) => specs::run(args, &interrupt),
        Command::Merge(args) => merge::run(args),
        Command::Doctor(args) => doctor::run(args, &interrupt),
        Command::Worker(_) | Command::Confine(_) => unreachable!("these have returned above"),
    };
    match result {
        Ok(code) => code.into(),
        Err(error) => {
            eprintln!("error: {}", chain(&error));
            error.exit_code().into()
        }
    }
}

/// An error and its causes in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        let shown = source.to_string();
        if !text.contains(&shown) {
            text.push_str(": ");
            text.push_str(&shown);
        }
        cause = source.source();
    }
    text
}

/// Why a command ended without doing what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error("cannot tell the current directory")]
    CurrentDirectory(#[source] io::Error),
    #[error("cannot make a scratch directory")]
    Scratch(#[source] io::Error),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Project(#[from] ProjectError),
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    #[error("there is no module {name}; the modules with classes are {}", known.join(", "))]
    UnknownModule { name: String, known: Vec<String> },
    #[error("no class files{}", if names.is_empty() { ", as no module has any code".to_string() } else { format!(" in {}", names.join(", ")) })]
    NoClasses { names: Vec<String> },
    #[error("{0}")]
    NothingSelected(String),
    #[error(transparent)]
    Finding(#[from] FindingError),
    #[error("no compiled tests in {}{}", path.display(), if *of_build { "; let the build compile them first (`mvn test-compile`)" } else { "" })]
    NoTests { path: PathBuf, of_build: bool },
    #[error("the class {0} is in both suites")]
    InBothSuites(String),
    #[error(transparent)]
    Jdk(#[from] JdkError),
    #[error(transparent)]
    ClassPath(#[from] ClassPathError),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Junit(#[from] JunitError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Verification(#[from] VerificationError),
    #[error(transparent)]
    Check(#[from] CheckError),
    #[error(transparent)]
    Explore(#[from] ExploreError),
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error(transparent)]
    Since(#[from] SinceError),
    #[error(transparent)]
    Specs(#[from] SpecsError),
}

impl CommandError {
    fn exit_code(&self) -> ExitCode {
        match self {
            CommandError::Config(_)
            | CommandError::Request(_)
            | CommandError::Check(CheckError::WrongDate(_))
            | CommandError::UnknownModule { .. }
            | CommandError::InBothSuites(_)
            | CommandError::Finding(_)
            | CommandError::Merge(_)
            | CommandError::Resolve(ResolveError::Setting(_) | ResolveError::Answer(_)) => ExitCode::Usage,
            CommandError::Since(SinceError::Interrupted)
            | CommandError::Resolve(ResolveError::Interrupted)
            | CommandError::Junit(JunitError::Interrupted)
            | CommandError::Verification(VerificationError::CutShort(CutShort::Interrupted)) => ExitCode::Interrupted,
            CommandError::Explore(
                ExploreError::Plan(PlanError::NoObject { .. } | PlanError::NoMethod { .. })
                | ExploreError::NothingMade { .. }
                | ExploreError::Unreadable { .. },
            )
            | CommandError::NoClasses { .. }
            | CommandError::NothingSelected(_)
            | CommandError::NoTests { .. }
            | CommandError::ClassPath(ClassPathError::NoClasses { .. }) => ExitCode::NothingTestable,
            CommandError::Explore(_) => ExitCode::Usage,
            CommandError::Engine(EngineError::Supervisor(SupervisorError::Jvm { .. }))
            | CommandError::Project(_)
            | CommandError::Resolve(_)
            | CommandError::Jdk(_)
            | CommandError::ClassPath(_)
            | CommandError::Output(_)
            | CommandError::Since(SinceError::NoGit(_) | SinceError::Refused { .. })
            | CommandError::Junit(_) => ExitCode::ProjectNotResolved,
            CommandError::Sandbox(_) => ExitCode::SandboxUnavailable,
            CommandError::Engine(error) if error.is_interrupt() => ExitCode::Interrupted,
            CommandError::Check(CheckError::Baseline { .. } | CheckError::BaselineUnreadable { .. })
            | CommandError::Specs(_) => ExitCode::BaselineUnreadable,
            CommandError::CurrentDirectory(_)
            | CommandError::Check(CheckError::EndedEarly { .. })
            | CommandError::Scratch(_)
            | CommandError::Since(SinceError::Scratch(_))
            | CommandError::Engine(_)
            | CommandError::Verification(_)
            | CommandError::Report(_) => ExitCode::Internal,
        }
    }
}
