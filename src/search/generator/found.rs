//! What a search is told and what it tells: its limits, how far it is, and what it found.

use model::execution::{Denial, Edge, KillReason};
use model::jvm::ClassName;
use model::sequence::{OperationId, Sequence};
use oracle::Finding;
use oracle::rules::RuleHits;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// When a search ends.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Sequences to run, to the next end of a round.
    pub sequences: Option<u64>,
    /// Threads that drive executors.
    pub threads: usize,
}

/// How far a search is, after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standings {
    /// Rounds completed.
    pub rounds: u64,
    /// Sequences run.
    pub sequences: u64,
    /// Edges that some sequence took.
    pub covered_edges: u32,
    /// Edges in all.
    pub edges: u32,
    /// Findings by now, one per distinct cause.
    pub findings: usize,
}

/// What a kept sequence is kept for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Goal {
    /// The edge is taken.
    Edge(Edge),
    /// An operation of the class under test (an index into `Program::targets`) threw the class of exception.
    Throws(u32, ClassName),
    /// A mutant is killed, by the number of its site.
    Mutant(u32),
}

/// A sequence that reached a goal first.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Ends with the statement that threw, if one did.
    pub sequence: Arc<Sequence>,
    /// What it reached first, or again where a goal has several keepers.
    pub goals: Vec<Goal>,
}

/// An operation that is no longer tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// Which.
    pub operation: OperationId,
    /// What it did.
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

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// The sequences that reached a goal.
    pub kept: Vec<Kept>,
    /// For each operation a few that end in a call of it, where mutants choose tests.
    pub samples: Vec<Arc<Sequence>>,
    /// Not minimized yet; one per distinct cause, in order of the cause.
    pub findings: Vec<Finding>,
    /// How often each rule suppressed a violation.
    pub rule_hits: RuleHits,
    /// Operations that were given up.
    pub quarantined: Vec<Quarantined>,
    /// How often each operation was ended from outside, by reason; sorted.
    pub kills: Vec<(OperationId, KillReason, u64)>,
    /// How far the search came.
    pub standings: Standings,
    /// Sequences run per class under test, in the order of `Program::targets`.
    pub sequences_of_class: Vec<u64>,
    /// Of each operation.
    pub trials: Vec<Trials>,
    /// What operations that never returned threw most often.
    pub always_thrown: FxHashMap<OperationId, ClassName>,
    /// Of each probe, whether it was seen.
    pub seen: Vec<bool>,
}

/// How the sequences went that ended in a call of an operation.
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
