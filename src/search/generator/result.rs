//! Limits, statistics and result of a search.

use model::execution::{Denial, Edge, KillReason};
use model::jvm::ClassName;
use model::sequence::{OperationId, Sequence};
use oracle::Finding;
use oracle::rules::RuleHits;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Limits of a search.
#[derive(Clone, Debug)]
pub struct SearchLimits {
    /// Sequences to execute; the round in which the limit is reached is completed.
    pub sequences: Option<u64>,
    /// Threads that drive executors.
    pub threads: usize,
}

/// Statistics of a search, after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchStatistics {
    /// Rounds completed.
    pub rounds: u64,
    /// Sequences executed.
    pub sequences: u64,
    /// Edges that some sequence covered.
    pub covered_edges: u32,
    /// Edges in all.
    pub edges: u32,
    /// Findings, one per distinct cause.
    pub findings: usize,
    /// Sequences archived for a goal.
    pub archived: usize,
    /// Whether next to nothing is to be expected of further sequences: by counts alone, so that it is the same on every machine.
    pub is_saturated: bool,
}

/// What an archive entry, and the test made from it, is kept for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Goal {
    /// The edge is covered.
    Edge(Edge),
    /// The operation returned, whatever its type arguments, as in the others.
    Returns(OperationId),
    /// The operation returned, given a constant of an enum as its input of the index.
    ReturnsFor(OperationId, u32, OperationId),
    /// The operation threw the class of exception.
    Throws(OperationId, ClassName),
    /// A mutant is killed, by the number of its site.
    Mutant(u32),
}

/// A sequence that the search keeps because it reaches a goal.
#[derive(Clone, Debug)]
pub struct ArchiveEntry {
    /// Ends with the statement that threw, if one did.
    pub sequence: Arc<Sequence>,
    /// The goals for which it is kept; a goal may have several entries.
    pub goals: Vec<Goal>,
    /// Among the entries of a goal, the least is the best.
    pub rank: Rank,
}

/// What speaks against an entry: that it needs a back door, how its run ended, and what it costs a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// It calls what only tests in the package can.
    pub through_back_door: bool,
    /// How its run ended.
    pub merit: Merit,
    /// See [`reader_cost`](crate::reader_cost).
    pub cost: u32,
}

/// What speaks for an archive entry, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Merit {
    /// Its run completed.
    Completed,
    /// It ended in an exception that was thrown on purpose.
    Rejected,
    /// It completed and read a clock: whether it does the same at other times is found out later.
    TimedCompleted,
    /// It ended in an exception that was thrown on purpose, and read a clock.
    TimedRejected,
    /// It ended in another exception.
    Failed,
    /// What it did depends on the environment.
    Volatile,
}

/// An operation that the search no longer calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// The operation.
    pub operation: OperationId,
    /// Why it was given up.
    pub why: QuarantineReason,
}

/// Why an operation is given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuarantineReason {
    /// It ended the run too often.
    Killed(KillReason),
    /// It does not link, with the JVM's message.
    Unlinkable(String),
}

/// The result of a search.
#[derive(Debug)]
pub struct SearchResult {
    /// The sequences that reach a goal.
    pub archive: Vec<ArchiveEntry>,
    /// For each operation a few that end in a call of it, where mutants choose tests.
    pub samples: Vec<Arc<Sequence>>,
    /// Not minimized yet; one per distinct cause, in order of the cause.
    pub findings: Vec<Finding>,
    /// A few of the sequences that did not end within their limits, which may have no end.
    pub endless: Vec<Sequence>,
    /// How often each rule suppressed a violation.
    pub rule_hits: RuleHits,
    /// Operations that were given up.
    pub quarantined: Vec<Quarantined>,
    /// How often each operation was ended from outside, by reason; sorted.
    pub kills: Vec<(OperationId, KillReason, u64)>,
    /// Statistics at the end of the search.
    pub statistics: SearchStatistics,
    /// Sequences run per class under test, in the order of `Program::targets`.
    pub sequences_of_class: Vec<u64>,
    /// Trials of each operation.
    pub trials: Vec<Trials>,
    /// For operations that never returned, the exception class that they threw most often.
    pub always_thrown: FxHashMap<OperationId, ClassName>,
    /// For each probe, whether some sequence hit it.
    pub seen: Vec<bool>,
    /// For each probe, whether only sequences hit it that ended in an exception which nobody threw on purpose.
    pub only_implicitly: Vec<bool>,
}

/// Outcomes of the sequences that end in a call of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trials {
    /// Sequences that ended in a call of it.
    pub tries: u64,
    /// Those of them that returned.
    pub completed: u64,
    /// An input explained the exception.
    pub illegal: u64,
    /// What one of them was denied first.
    pub denied: Option<Denial>,
}
