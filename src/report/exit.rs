//! The exit codes: the one list that scripts, plugins and readers of `report.json` may rely on.

/// How a run ended, for whoever started it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitCode {
    /// All went well; findings, if any, are in the baseline.
    #[default]
    Clean = 0,
    /// The gate fails: findings that are not in the baseline, an unmet threshold, a behavioural change, or accepted
    /// specifications that are violated. Also if the test of a replayed finding still fails.
    NewFailures = 1,
    /// Flags or `randgen.toml` are wrong.
    Usage = 2,
    /// The project's modules, class path or JDK could not be found, or its output directory not be used.
    ProjectNotResolved = 3,
    /// No class could be tested.
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
