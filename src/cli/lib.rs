//! The command line: arguments in, exit code out.

// std's print macros panic if the reader has closed the pipe; a run must still write its files. Nothing that is printed
// steers the terminal or the build server.
macro_rules! say {
    ($to:expr, $($text:tt)*) => {{
        let _ = std::io::Write::write_all(&mut $to, report::plain_lines(&format!($($text)*)).as_bytes());
    }};
}
macro_rules! print {
    ($($text:tt)*) => { say!(std::io::stdout(), $($text)*) };
}
macro_rules! println {
    ($($text:tt)*) => { say!(std::io::stdout(), "{}\n", format_args!($($text)*)) };
}
macro_rules! eprint {
    ($($text:tt)*) => { say!(std::io::stderr(), $($text)*) };
}
macro_rules! eprintln {
    ($($text:tt)*) => { say!(std::io::stderr(), "{}\n", format_args!($($text)*)) };
}

pub mod args;
pub mod config;

mod assess;
mod check;
mod completions;
mod console;
mod doctor;
mod exit;
mod explain;
mod explore;
mod generate;
mod log;
mod man;
mod merge;
mod minimize;
mod modules;
mod replay;
mod select;
mod settings;
mod signals;
mod specs;
mod step_summary;
mod suites;

use args::{Arguments, Command};
use clap::Parser;
use config::ConfigError;
use exit::ExitCode;
use host::classpath::request::RequestError;
use host::classpath::{ClassPathError, JdkError, ResolveError};
use host::project::ProjectError;
use model::options::Overreach;
use oracle::rules::UnknownRule;
use pipeline::PipelineError;
use std::io;
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
            return exit::of_process(code);
        }
    };
    match &arguments.command {
        Command::Worker(args) => return args.run(),
        Command::Confine(args) => return args.run(),
        _ => {}
    }
    if let Err(error) = log::start(arguments.log.clone()) {
        eprintln!("error: {error}");
        return exit::of_process(ExitCode::Usage);
    }
    let interrupt = Arc::new(AtomicBool::new(false));
    if let Err(error) = signals::listen(&interrupt) {
        eprintln!("warning: cannot listen for signals: {error}");
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
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
        Command::Worker(_) | Command::Confine(_) => unreachable!("these have returned above"),
    };
    match result {
        Ok(code) => exit::of_process(code),
        Err(error) => {
            eprintln!("error: {}", exit::message(&error));
            exit::of_process(exit::of_error(&error))
        }
    }
}

/// Why a command ended without doing what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The directory that randgen was started in is gone or cannot be entered.
    #[error("cannot tell the current directory")]
    CurrentDirectory(#[source] io::Error),
    /// `randgen.toml` cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A file of the project chooses what only the user may.
    #[error(transparent)]
    Overreach(#[from] Overreach),
    /// A plugin's request file cannot be used.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The directory has no build files that randgen can read.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The build tool does not tell the modules and class paths of the project.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// `--module` names none of the modules.
    #[error("there is no module {name}; the modules with classes are {}", known.join(", "))]
    UnknownModule {
        /// As the user wrote it.
        name: String,
        /// The modules that have classes.
        known: Vec<String>,
    },
    /// No module has a class file to test, mostly as nothing was compiled.
    #[error("no class files{}", if names.is_empty() { ", as no module has any code".to_string() } else { format!(" in {}", names.join(", ")) })]
    NoClasses {
        /// The directories and jars that were looked at.
        names: Vec<String>,
    },
    /// There are classes, and the settings exclude each of them; the text says which setting does.
    #[error("{0}")]
    NothingSelected(String),
    /// The build file or plugin names a rule in `disabled-rules` that does not exist.
    #[error("`disabled-rules`: {0}")]
    UnknownRule(#[from] UnknownRule),
    /// A man page was asked for of a command that does not exist.
    #[error("there is no command {name}{}", suggestion.as_ref().map(|known| format!(", did you mean {known}?")).unwrap_or_default())]
    UnknownCommand {
        /// As the user wrote it.
        name: String,
        /// The command with the nearest name, if one is near enough.
        suggestion: Option<String>,
    },
    /// The date of a reproducible build is no number; the text is the variable.
    #[error("SOURCE_DATE_EPOCH is {0:?}, expected a number of seconds")]
    WrongDate(String),
    /// There is no JDK to run code with, or it is too old.
    #[error(transparent)]
    Jdk(#[from] JdkError),
    /// A class path cannot be read, or has nothing to test.
    #[error(transparent)]
    ClassPath(#[from] ClassPathError),
    /// The run itself failed.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
}
