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
use host::supervisor::test_library::{TestLibrary, TestLibraryError};
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
    /// The module's build could not compile the tests.
    #[error(
        "the test class path of {module} has no {}; add {} with scope test",
        listed(libraries, TestLibrary::name),
        listed(libraries, TestLibrary::dependency)
    )]
    MissingLibraries {
        /// The module's name in the build.
        module: String,
        /// What the tests need, at least one.
        libraries: Vec<TestLibrary>,
    },
    /// The build would compile the tests with the main sources.
    #[error(
        "the build of {module} would compile its tests with the main sources, as {} is in {}; set output-directory to another one",
        output.display(),
        sources.display()
    )]
    AmongMainSources {
        /// The module's name in the build.
        module: String,
        /// Where the tests would be written.
        output: PathBuf,
        /// The root of main sources.
        sources: PathBuf,
    },
    /// There are no test classes where they should be.
    #[error("no compiled tests in {}{}", path.display(), if *of_build { "; let the build compile them first (`mvn test-compile`)" } else { "" })]
    NoTests {
        /// Where they were looked for.
        path: PathBuf,
        /// Whether the build was to compile them, rather than the user naming them.
        of_build: bool,
    },
    /// Two suites that are to be compared share a class.
    #[error("the class {0} is in both suites")]
    InBothSuites(String),
    /// The id of a finding leads to no test.
    #[error(transparent)]
    Finding(#[from] FindingError),
    /// The classes or what they depend on cannot be read.
    #[error(transparent)]
    ClassPath(#[from] ClassPathError),
    /// This machine does not offer the isolation level.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// Tests or reports cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The search did not start, or ended without workers.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// There is no JUnit or no assertion library to compile the tests with.
    #[error(transparent)]
    TestLibrary(#[from] TestLibraryError),
    /// A report cannot be rendered.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The tests can be compiled or run by no JVM.
    #[error(transparent)]
    Verification(#[from] VerificationError),
    /// The gate has no answer.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// There is nothing to explore.
    #[error(transparent)]
    Explore(#[from] ExploreError),
    /// Shards do not make a whole run.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Git does not give the other revision.
    #[error(transparent)]
    Revision(#[from] RevisionError),
    /// Accepted specifications cannot be used.
    #[error(transparent)]
    Specs(#[from] SpecsError),
}

fn listed(libraries: &[TestLibrary], name: fn(TestLibrary) -> &'static str) -> String {
    libraries.iter().map(|library| name(*library)).collect::<Vec<_>>().join(" and ")
}
