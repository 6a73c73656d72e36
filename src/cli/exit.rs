//! Exit codes and one-line messages: what becomes of an error.

use crate::CommandError;
use host::classpath::{ClassPathError, ResolveError};
use host::supervisor::SupervisorError;
use host::supervisor::junit::JunitError;
use host::supervisor::verification::{CutShort, VerificationError};
use pipeline::explore::ExploreError;
use pipeline::gate::GateError;
use pipeline::revision::RevisionError;
use pipeline::specs::SpecsError;
use pipeline::{EngineError, PipelineError};
use search::explorer::PlanError;

pub use report::exit::ExitCode;

/// As the process ends with it.
pub fn of_process(code: ExitCode) -> std::process::ExitCode {
    std::process::ExitCode::from(code as u8)
}

/// An error, its causes and the flag that helps, in one line.
pub fn message(error: &CommandError) -> String {
    chain(error) + hint(error)
}

/// What the user can do with a flag, as the end of the message.
fn hint(error: &CommandError) -> &'static str {
    match error {
        CommandError::Pipeline(PipelineError::Explore(ExploreError::NothingMade { .. })) => {
            "; --arguments can give other values, such as 'new=1'"
        }
        CommandError::Pipeline(PipelineError::Specs(SpecsError::Refused { .. })) => {
            "; restore the file, or delete it and let specs write it with --accept"
        }
        _ => "",
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

/// The exit code of an error.
pub fn of_error(error: &CommandError) -> ExitCode {
    match error {
        CommandError::Config(_)
        | CommandError::Request(_)
        | CommandError::UnknownRule(_)
        | CommandError::WrongDate(_)
        | CommandError::UnknownModule { .. }
        | CommandError::UnknownCommand { .. }
        | CommandError::Resolve(ResolveError::Setting(_) | ResolveError::Answer(_)) => ExitCode::Usage,
        CommandError::Resolve(ResolveError::Interrupted) => ExitCode::Interrupted,
        CommandError::NoClasses { .. }
        | CommandError::NothingSelected(_)
        | CommandError::ClassPath(ClassPathError::NoClasses { .. }) => ExitCode::NothingTestable,
        CommandError::Project(_) | CommandError::Resolve(_) | CommandError::Jdk(_) | CommandError::ClassPath(_) => {
            ExitCode::ProjectNotResolved
        }
        CommandError::CurrentDirectory(_) => ExitCode::Internal,
        CommandError::Pipeline(error) => of_pipeline(error),
    }
}

fn of_pipeline(error: &PipelineError) -> ExitCode {
    match error {
        PipelineError::InBothSuites(_)
        | PipelineError::Finding(_)
        | PipelineError::Merge(_)
        | PipelineError::Engine(EngineError::UnknownRule(_)) => ExitCode::Usage,
        PipelineError::Revision(RevisionError::Interrupted)
        | PipelineError::Junit(JunitError::Interrupted)
        | PipelineError::Verification(VerificationError::CutShort(CutShort::Interrupted)) => ExitCode::Interrupted,
        PipelineError::Explore(
            ExploreError::Plan(PlanError::NoObject { .. } | PlanError::NoMethod { .. })
            | ExploreError::NothingMade { .. }
            | ExploreError::Unreadable { .. },
        )
        | PipelineError::NothingSelected(_)
        | PipelineError::NoTests { .. }
        | PipelineError::ClassPath(ClassPathError::NoClasses { .. }) => ExitCode::NothingTestable,
        PipelineError::Explore(_) => ExitCode::Usage,
        PipelineError::Engine(EngineError::Supervisor(SupervisorError::Jvm { .. }))
        | PipelineError::ClassPath(_)
        | PipelineError::Output(_)
        | PipelineError::Revision(RevisionError::NoGit(_) | RevisionError::Refused { .. })
        | PipelineError::Junit(_) => ExitCode::ProjectNotResolved,
        PipelineError::Sandbox(_) => ExitCode::SandboxUnavailable,
        PipelineError::Engine(error) if error.is_interrupt() => ExitCode::Interrupted,
        PipelineError::Gate(GateError::Baseline { .. } | GateError::BaselineUnreadable { .. })
        | PipelineError::Specs(_) => ExitCode::BaselineUnreadable,
        PipelineError::Gate(GateError::EndedEarly { .. })
        | PipelineError::Scratch(_)
        | PipelineError::Revision(RevisionError::Scratch(_))
        | PipelineError::Engine(_)
        | PipelineError::Verification(_)
        | PipelineError::Report(_) => ExitCode::Internal,
    }
}
