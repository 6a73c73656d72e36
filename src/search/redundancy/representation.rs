//! When two method executions are equivalent: the same method with an equivalent input (Rostra, docs/bibliography.md).
//!
//! What makes inputs equivalent is a [`Representation`]'s to say, one of five; all agree on what has no state, and on which
//! inputs of a call are one object.

use super::made::Made;
use super::modifying_seq::ModifyingSeq;
use super::monitor_equals::MonitorEquals;
use super::pairwise_equals::PairwiseEquals;
use super::whole_seq::WholeSeq;
use super::whole_state::WholeState;
use model::execution::Fingerprint;
use model::execution::trace::{Input, MethodExecution, State, TestTrace, TracedMethod};
use model::options::StateRepresentation;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Tells method executions apart.
pub trait Representation {
    /// The method executions of one more test, as numbers: equivalent ones have the same, in whatever tests they are.
    fn executions(&mut self, test: &TestTrace) -> Vec<ExecutionKey>;

    /// What stands for the state of a value that a sequence made: equal for redundant ones. The worker reports states as
    /// the representation tells them apart, so those that go by the sequence alone have more to do.
    fn state_of(&self, made: &Made) -> Fingerprint {
        made.reported
    }
}

/// Stands for all method executions that are equivalent to one.
pub type ExecutionKey = u32;

/// A representation that has seen no test.
pub fn of(representation: StateRepresentation) -> Box<dyn Representation> {
    match representation {
        StateRepresentation::WholeSeq => Box::new(WholeSeq::default()),
        StateRepresentation::ModifyingSeq => Box::new(ModifyingSeq::default()),
        StateRepresentation::WholeState => Box::new(WholeState::default()),
        StateRepresentation::MonitorEquals => Box::new(MonitorEquals::default()),
        StateRepresentation::PairwiseEquals => Box::new(PairwiseEquals::default()),
    }
}

/// Numbers things in the order in which they are met.
pub(super) struct Numbers<T>(FxHashMap<T, u32>);

impl<T> Default for Numbers<T> {
    fn default() -> Numbers<T> {
        Numbers(FxHashMap::default())
    }
}

impl<T: Eq + Hash> Numbers<T> {
    pub(super) fn of(&mut self, thing: T) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(thing).or_insert(next)
    }
}

/// An input as far as it tells executions apart.
#[derive(PartialEq, Eq, Hash)]
enum Part {
    Null,
    Primitive(u8, u64),
    Value(Fingerprint),
    /// An object, by what a representation has for its state.
    State(u64),
    /// The same object as an earlier input.
    Same(usize),
}

/// The executions met so far.
#[derive(Default)]
pub(super) struct Executions(Numbers<(TracedMethod, Vec<Part>)>);

impl Executions {
    /// The number of an execution; `state` says what stands for the object that is the input of the index.
    pub(super) fn key(
        &mut self,
        execution: &MethodExecution,
        mut state: impl FnMut(usize, &Input) -> u64,
    ) -> ExecutionKey {
        let parts = execution.inputs.iter().enumerate().map(|(index, input)| match input {
            Input::Null => Part::Null,
            Input::Primitive { letter, bits } => Part::Primitive(*letter, *bits),
            Input::Value(fingerprint) => Part::Value(*fingerprint),
            Input::Object { .. } => match first_place(execution, index) {
                earlier if earlier < index => Part::Same(earlier),
                _ => Part::State(state(index, input)),
            },
        });
        let parts = parts.collect();
        self.0.of((execution.method, parts))
    }

    /// The numbers of a test's executions where a number of each state decides.
    pub(super) fn by_state(&mut self, test: &TestTrace, of: impl Fn(&State) -> Fingerprint) -> Vec<ExecutionKey> {
        let state = |_: usize, input: &Input| match input {
            Input::Object { before, .. } => of(before),
            _ => 0,
        };
        test.executions.iter().map(|execution| self.key(execution, state)).collect()
    }
}

/// The first input that is the same object as the one of the index.
pub(super) fn first_place(execution: &MethodExecution, index: usize) -> usize {
    let object = |input: &Input| match input {
        Input::Object { object, .. } => Some(*object),
        _ => None,
    };
    let this = object(&execution.inputs[index]);
    execution.inputs.iter().position(|input| this.is_some() && object(input) == this).unwrap_or(index)
}
