//! Which probes belong to what.

use model::execution::Edge;
use model::sequence::OperationId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Which probes belong to what.
#[derive(Clone, Debug, Default)]
pub struct ProbeMap {
    /// Probes in all.
    pub count: u32,
    /// Whether the probe is an edge; the others are boundaries, or only name a comparison's place.
    pub is_edge: Vec<bool>,
    /// Whether the probe is a boundary: that the operands of a comparison were equal. Boundaries are goals as edges are.
    pub is_boundary: Vec<bool>,
    /// For each operation, the probes of its body.
    pub of_operation: Vec<Vec<Edge>>,
    /// For each operation, the first with the same body: a generic member is an operation for each of its type arguments.
    pub members: Vec<OperationId>,
    /// For each back door, the probes of the code that is behind it.
    pub behind: BTreeMap<OperationId, Vec<Edge>>,
    /// First probe of each class under test, ascending, in the order of `Program::targets`.
    pub first_of_class: Vec<Edge>,
}

impl ProbeMap {
    /// Gives the operations, in order, the probes of their bodies.
    pub fn set_bodies(&mut self, of_operation: Vec<Vec<Edge>>) {
        let mut members: FxHashMap<Edge, OperationId> = FxHashMap::default();
        let member = |(id, probes): (u32, &Vec<Edge>)| match probes.first() {
            Some(first) => *members.entry(*first).or_insert(OperationId(id)),
            None => OperationId(id),
        };
        self.members = (0..).zip(&of_operation).map(member).collect();
        self.of_operation = of_operation;
    }

    /// The operation that stands for all that run the same body with other type arguments.
    pub fn member_of(&self, id: OperationId) -> OperationId {
        self.members.get(id.0 as usize).copied().unwrap_or(id)
    }

    /// The class under test a probe lies in.
    pub(super) fn class_of(&self, probe: Edge) -> Option<usize> {
        self.first_of_class.partition_point(|&first| first <= probe).checked_sub(1)
    }
}
