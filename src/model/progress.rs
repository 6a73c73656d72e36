//! The closed list of events that a run announces while it works.
//!
//! Events say what happened and, apart from warnings, carry no text for people: `cli` decides how they look. They may carry what a clock or a
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
    /// Running the tests of an existing suite.
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
        /// As its build calls it.
        module: String,
        /// Classes under test, of this shard alone.
        classes: usize,
    },
    /// The stage before it, if there was one, is over.
    StageStarted(Stage),
    /// A round of the search was merged; all figures are sums since the search began.
    RoundFinished {
        /// Sequences executed.
        sequences: u64,
        /// Edges of classes under test that some sequence took.
        edges: u64,
        /// Edges of all classes under test, reachable or not.
        total_edges: u64,
        /// Distinct violations, before they are minimized.
        findings: usize,
        /// How much of the budget that ends the search first is used, in thousandths.
        used: u16,
    },
    /// So many of the runs of existing tests are done.
    TestRun {
        /// Finished runs.
        done: usize,
        /// Runs that there will be.
        total: usize,
    },
    /// So many of the mutants have been run with existing tests.
    MutantRun {
        /// Mutants with a result.
        done: usize,
        /// Mutants that there will be.
        total: usize,
    },
    /// Something that the user should know; a full sentence without a full stop.
    Warned(String),
}

/// Is told of events, from any thread.
pub trait Listener: Send + Sync {
    /// Must return quickly: the run waits for it.
    fn announce(&self, event: Event);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Listener for Silent {
    fn announce(&self, _event: Event) {}
}
