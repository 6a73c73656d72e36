//! Why a command ended without doing what it was asked for.

use crate::engine::EngineError;
use crate::explore::ExploreError;
use crate::findings::FindingError;
use crate::gate::GateError;
use crate::merge::MergeError;
use crate::revision::RevisionError;
use crate::specs::SpecsError;
use host::classpath::ClassPathError;
use host::output::OutputError;
use host::supervisor::junit::JunitError;
use host::supervisor::verification::VerificationError;
use report::ReportError;
use sandbox::SandboxError;
use std::io;
use std::path::PathBuf;

/// Why a command ended without doing what it was asked for, but for its arguments.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// No temporary directory can be made.
    #[error("cannot make a scratch directory")]
    Scratch(#[source] io::Error),
    /// The settings leave nothing to do.
    #[error("{0}")]
    NothingSelected(String),
    /// There are no test classes where they should be.
    #[error("no compiled tests in {}{}", path.display(), if *of_build { "; let the build compile them first (`mvn test-compile`)" } else { "" })]
    NoTests { path: PathBuf, of_build: bool },
    /// Two suites that are to be compared share a class.
    #[error("the class {0} is in both suites")]
    InBothSuites(String),
    #[error(transparent)]
    Finding(#[from] FindingError),
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
    Gate(#[from] GateError),
    #[error(transparent)]
    Explore(#[from] ExploreError),
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error(transparent)]
    Revision(#[from] RevisionError),
    #[error(transparent)]
    Specs(#[from] SpecsError),
}
