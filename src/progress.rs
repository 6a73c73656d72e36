//! The closed list of events that a run announces while it works.
//!
//! Events say what happened and carry no text for people: `cli` decides how they look. They may carry what a clock or a
//! scheduler decided, so nothing that ends in a report or a test may be made from them.

use crate::execution::KillReason;

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
    /// Compiling and running the emitted tests.
    Verifying,
    /// Replacing files in the project.
    Writing,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A module's run began, with so many classes under test.
    ModuleStarted { module: String, classes: usize },
    /// A stage began; `total` is how many steps it has, where that is known beforehand.
    StageStarted { stage: Stage, total: Option<u64> },
    /// So many of the stage's steps are done.
    StageAdvanced { stage: Stage, done: u64 },
    /// A round of the search was merged; all figures are sums since the search began.
    RoundFinished {
        round: u64,
        sequences: u64,
        /// `None` when only time limits the run.
        sequence_limit: Option<u64>,
        edges: u64,
        total_edges: u64,
        /// Classes for which the search is over, because of their limits or because nothing is left to cover.
        classes_done: usize,
        classes: usize,
        findings: usize,
        /// How much of the budget that ends the search first is used, in thousandths.
        used: u16,
    },
    /// A worker ended while it ran `operation`, if that is known, and is replaced.
    WorkerDied { reason: KillReason, operation: Option<String> },
    /// An operation is not used any more, as it did the same thing twice alone.
    Quarantined { operation: String, reason: KillReason },
    /// A contract was found broken for the first time.
    FindingFound { class: String, contract: &'static str },
    /// Something that the user should know; a full sentence without a full stop.
    Warned(String),
    /// The module's run ended.
    ModuleFinished { tests: usize, findings: usize, files: usize },
}

/// Is told of events, from any thread.
pub trait Listener: Send + Sync {
    fn announce(&self, event: Event);
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silence;

impl Listener for Silence {
    fn announce(&self, _event: Event) {}
}
