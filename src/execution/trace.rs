//! What a test of a user's suite did: its *method executions*, the calls of code under test that the test itself made.
//!
//! A method execution is a method and its input: the receiver's state at entry and the arguments (Rostra; text 3 of the
//! papers). Calls that code under test makes itself follow from these and are not among them.

use super::{EdgeHit, Fingerprint};
use crate::jvm::ClassName;

/// A method of a class under test: its class's number and its index in the class file, as one number.
pub type TracedMethod = u32;

/// One run of one test that passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestTrace {
    /// In the order of the calls.
    pub executions: Vec<MethodExecution>,
    /// Sorted.
    pub edges: Vec<EdgeHit>,
    /// Probes executed.
    pub cost: u64,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodExecution {
    pub method: TracedMethod,
    /// The first input is the receiver. There is none to see at the entry of a constructor.
    pub has_receiver: bool,
    pub inputs: Vec<Input>,
    pub end: End,
}

/// A receiver or an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    Null,
    Primitive {
        /// The letter of its type's descriptor.
        letter: u8,
        bits: u64,
    },
    /// A string, a boxed primitive, a constant of an enum or a class: its identity does not matter.
    Value(Fingerprint),
    Object {
        object: ObjectId,
        before: State,
        after: State,
    },
}

/// The same number for the same object all through one test.
pub type ObjectId = u32;

/// A state as the concrete representations see it; equal numbers, equal states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Of the whole object graph.
    pub whole: Fingerprint,
    /// Of the part that `obj.equals(obj)` reads.
    pub monitored: Fingerprint,
    /// The whole state of the first object that `equals` did not tell from it.
    pub equal: Fingerprint,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It returned, and not an object.
    Returned,
    /// It returned, or as a constructor made, this object.
    Made {
        object: ObjectId,
        state: State,
    },
    Threw(ClassName),
}
