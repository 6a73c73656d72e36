//! Exit codes and one-line messages: what becomes of an error.

use crate::CommandError;
use host::classpath::{ClassPathError, ResolveError};
use host::supervisor::SupervisorError;
use host::supervisor::test_library::TestLibraryError;
use host::supervisor::verification::{CutShort, VerificationError};
use pipeline::explore::ExploreError;
use pipeline::gate::GateError;
use pipeline::revision::RevisionError;
use pipeline::specs::SpecsError;
use pipeline::{EngineError, PipelineError};
use report::Outcome;
use search::explorer::PlanError;

/// How the command ended: the one list that scripts and plugins may rely on. A later variant is worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitCode {
    /// The command did what it should. `check`: findings, if any, are in the baseline; `generate` only reports them.
    #[default]
    Clean = 0,
    /// The gate fails: findings that are not in the baseline, an unmet threshold, a behavioural change, or accepted
    /// specifications that are violated. `generate`: tests of an earlier run fail. Also if the test of a replayed finding still
    /// fails.
    NewFailures = 1,
    /// Flags or `randgen.toml` are wrong, or name findings or reports that do not exist.
    Usage = 2,
    /// The project's modules, class path or JDK could not be found, its output directory not be used, or its build not compile
    /// the tests, as JUnit is not among its dependencies.
    ProjectNotResolved = 3,
    /// No class has a test, although `fail-when-no-tests` is set, or the settings select no class.
    NothingTestable = 4,
    /// The baseline or the accepted specifications cannot be read.
    BaselineUnreadable = 5,
    /// The system cannot keep the code under test from what `sandbox` says; nothing of it ran.
    SandboxUnavailable = 6,
    /// A defect of randgen, or of the machine.
    Internal = 70,
    /// SIGINT, as shells report it.
    Interrupted = 130,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        match outcome {
            Outcome::Complete => ExitCode::Clean,
            Outcome::Changed => ExitCode::NewFailures,
            Outcome::WithoutTests => ExitCode::NothingTestable,
            Outcome::Failed => ExitCode::Internal,
            Outcome::Interrupted => ExitCode::Interrupted,
        }
    }
}

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
        | CommandError::Overreach(_)
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
        | PipelineError::TestLibrary(TestLibraryError::Interrupted)
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
        | PipelineError::Revision(
            RevisionError::NoGit(_) | RevisionError::Refused { .. } | RevisionError::LeadsOut { .. },
        )
        | PipelineError::MissingLibraries { .. }
        | PipelineError::AmongMainSources { .. }
        | PipelineError::TestLibrary(_) => ExitCode::ProjectNotResolved,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_publishes_the_exit_code_of_the_process() {
        for outcome in
            [Outcome::Complete, Outcome::Changed, Outcome::WithoutTests, Outcome::Failed, Outcome::Interrupted]
        {
            assert_eq!(ExitCode::from(outcome) as u8, u8::from(outcome));
        }
    }
}
