//! What the tests of earlier runs hold: no further test is chosen for it.
//!
//! A suite that goes on from run to run keeps its tests as long as they pass. What they reach is reached, so that new tests are
//! chosen for the rest alone. Where a test of an earlier run fails, the behaviour has changed, and nobody has said yet whether
//! on purpose: until somebody does, no new test may expect the new behaviour.

use super::TestCandidate;
use crate::generator::Goal;
use model::execution::Edge;
use program::Program;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// What the tests of earlier runs hold. By default, there are none.
#[derive(Clone, Debug, Default)]
pub struct Held {
    /// The goals that they reach.
    pub goals: FxHashSet<Goal>,
    /// Classes of which a test fails, by their numbers among the targets: they get no new test.
    pub frozen: BTreeSet<usize>,
    /// The edges of the methods that these tests call: a test that runs one of them is not chosen, whatever it is about.
    pub in_doubt: FxHashSet<Edge>,
}

impl Held {
    /// Whether a candidate may become a test for the goals that are not held.
    pub(super) fn admits(&self, one: &TestCandidate, program: &Program) -> bool {
        let is_frozen = || program.class_of_sequence(&one.subject()).is_some_and(|class| self.frozen.contains(&class));
        let is_in_doubt = || one.execution.edges.iter().any(|hit| self.in_doubt.contains(&hit.edge));
        (self.frozen.is_empty() || !is_frozen()) && (self.in_doubt.is_empty() || !is_in_doubt())
    }

    /// Whether the goal needs no test.
    pub(super) fn has(&self, goal: &Goal) -> bool {
        self.goals.contains(goal)
    }
}
