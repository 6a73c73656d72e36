//! Detective: producers of a type wherever they are (GRT §3.4, docs/bibliography.md).
//!
//! Randoop looks for them in the type itself. The detective takes every operation of the program that makes the type,
//! those of dependencies and of the platform too, and makes their inputs in the same way, on demand. What a candidate
//! made by the way is the secondary pool: it stands in that candidate alone until the candidate succeeds, and then
//! moves to the pool. It hurts where a type has many producers and few of them work.

use model::jvm::Type;
use model::sequence::Operation;

/// Which operations are asked for a value that the pool does not have.
pub trait Producing: Send + Sync {
    /// Whether an operation whose output fits the needed type is asked.
    fn asks(&self, operation: &Operation, need: &Type) -> bool;
}

pub(super) struct Detective;

impl Producing for Detective {
    fn asks(&self, _: &Operation, _: &Type) -> bool {
        true
    }
}

pub(super) struct OwnFactories;

impl Producing for OwnFactories {
    fn asks(&self, operation: &Operation, need: &Type) -> bool {
        need.class_name() == Some(&operation.owner)
    }
}
