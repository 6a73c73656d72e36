//! The closed list of events that a run announces while it works.
//!
//! Events say what happened and carry no text for people: `cli` decides how they look. They may carry what a clock or a
//! scheduler decided, so nothing that ends in a report or a test may be made from them.

/// A stage of a run, in the order in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Asking the build tool for modules and class paths.
    Resolving,
    /// Reading class files and collecting operations.
    Reading,
    /// The search.
    Generating,
    /// Making error-revealing sequences small.
    Minimizing,
    /// Replaying kept sequences in fresh workers, for their assertions.
    Observing,
    /// Running the tests of a suite that is there.
    Tracing,
    /// Running them with mutants.
    Mutating,
    /// Compiling and running the emitted tests.
    Verifying,
    /// Replacing files in the project.
    Writing,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A module's run began, with so many classes under test.
    ModuleStarted {
        module: String,
        classes: usize,
    },
    StageStarted(Stage),
    /// A round of the search was merged; all figures are sums since the search began.
    RoundFinished {
        sequences: u64,
        edges: u64,
        total_edges: u64,
        findings: usize,
        /// How much of the budget that ends the search first is used, in thousandths.
        used: u16,
    },
    /// So many of the runs of existing tests are done.
    TestRun {
        done: usize,
        total: usize,
    },
    /// So many of the mutants have been run with existing tests.
    MutantRun {
        done: usize,
        total: usize,
    },
    /// Something that the user should know; a full sentence without a full stop.
    Warned(String),
}

/// Is told of events, from any thread.
pub trait Listener: Send + Sync {
    fn announce(&self, event: Event);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Listener for Silent {
    fn announce(&self, _event: Event) {}
}
