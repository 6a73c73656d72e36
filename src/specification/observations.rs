//! What was observed, each distinct value, state and call once: the paper's 12,713 executions of a stack are 63 calls.

use model::execution::Fingerprint;
use model::execution::trace::{self, Datum, Descriptions, End, Input, TestTrace, TracedMethod};
use model::jvm::ClassName;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

/// A value by its number; equal numbers, equal values.
pub type ValueId = u32;
/// A state by its number.
pub type StateId = u32;
/// A distinct call by its number.
pub type CallId = u32;

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ObservedValue {
    /// A value without a state of its own.
    Datum(Datum),
    /// An object in this state.
    State(StateId),
}

/// A state that objects were seen in.
#[derive(Clone, Debug)]
pub struct State {
    /// Of the objects.
    pub class: ClassName,
    /// Names by their number, and values.
    pub variables: Box<[(u32, ValueId)]>,
    /// What `equals` reads of it.
    pub monitored: Fingerprint,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Normally, with a value unless the method is void.
    Returned(Option<ValueId>),
    /// By the number of the exception's class.
    Threw(u32),
}

/// A call as specifications see it: others of the method with the same inputs in the same states that end alike are the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObservedCall {
    /// Which method was called.
    pub method: TracedMethod,
    /// Whether it was called on an object.
    pub has_receiver: bool,
    /// The receiver first.
    pub before: Box<[ValueId]>,
    /// What the same hold after it.
    pub after: Box<[ValueId]>,
    /// How it ended.
    pub ending: Ending,
}

/// The calls of a test or a sequence, each with its statement.
pub type ObservedTest = Vec<(CallId, u32)>;

/// Things by number, in the order of their first occurrence.
#[derive(Debug)]
struct Numbers<T> {
    numbers: FxHashMap<Arc<T>, u32>,
    things: Vec<Arc<T>>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Numbers<T> {
        Numbers { numbers: FxHashMap::default(), things: Vec::new() }
    }
}

impl<T: Eq + Hash> Numbers<T> {
    fn of(&mut self, thing: T) -> u32 {
        if let Some(&known) = self.numbers.get(&thing) {
            return known;
        }
        let (number, thing) = (self.things.len() as u32, Arc::new(thing));
        self.things.push(thing.clone());
        self.numbers.insert(thing, number);
        number
    }
}

/// All that was observed.
#[derive(Debug, Default)]
pub struct Observations {
    values: Numbers<ObservedValue>,
    names: Numbers<Arc<str>>,
    exceptions: Numbers<ClassName>,
    calls: Numbers<ObservedCall>,
    by_method: BTreeMap<TracedMethod, Vec<CallId>>,
    states: Vec<State>,
    by_whole: FxHashMap<Fingerprint, StateId>,
    /// The first state that `equals` reads the same of: workers compare no more than so many states of a class.
    by_monitored: FxHashMap<Fingerprint, StateId>,
    /// For each state one before it that `equals` does not tell from it; itself if there is none.
    equal: Vec<StateId>,
    /// Descriptions of what no call had yet.
    described: Descriptions,
}

impl Observations {
    /// Notes what a worker described.
    pub fn describe(&mut self, descriptions: Descriptions) {
        self.described.extend(descriptions);
    }

    /// Records the calls of a trace whose states and values were described.
    pub fn record(&mut self, trace: &TestTrace) -> ObservedTest {
        trace.executions.iter().map(|execution| (self.call_of(execution), execution.statement)).collect()
    }

    fn call_of(&mut self, execution: &trace::MethodExecution) -> CallId {
        let before = execution.inputs.iter().map(|input| self.input(input, |before, _| before)).collect();
        let after = execution.inputs.iter().map(|input| self.input(input, |_, after| after)).collect();
        let ending = match &execution.end {
            End::Returned(returned) => Ending::Returned(returned.map(|input| self.input(&input, |_, after| after))),
            End::Made { state, .. } => Ending::Returned(Some(self.state(state))),
            End::Threw(class) => Ending::Threw(self.exceptions.of(class.clone())),
        };
        let (method, has_receiver) = (execution.method, execution.has_receiver);
        let known = self.calls.things.len();
        let call = self.calls.of(ObservedCall { method, has_receiver, before, after, ending });
        if call as usize == known {
            self.by_method.entry(method).or_default().push(call);
        }
        call
    }

    fn input(&mut self, input: &Input, of: impl Fn(trace::State, trace::State) -> trace::State) -> ValueId {
        let datum = match *input {
            Input::Object { before, after, .. } => return self.state(&of(before, after)),
            Input::Value(fingerprint) => self.described.values.get(&fingerprint).cloned(),
            input => input.datum(),
        };
        self.values.of(ObservedValue::Datum(datum.unwrap_or(Datum::Null)))
    }

    fn state(&mut self, state: &trace::State) -> ValueId {
        let id = self.by_whole.get(&state.whole).copied().unwrap_or_else(|| self.add_state(state));
        if let Some(&other) = self.by_whole.get(&state.equal).filter(|&&other| other != id) {
            let (left, right) = (self.representative(id), self.representative(other));
            self.equal[left.max(right) as usize] = left.min(right);
        }
        self.values.of(ObservedValue::State(id))
    }

    fn add_state(&mut self, state: &trace::State) -> StateId {
        let described = self.described.states.remove(&state.whole);
        let class = described.as_ref().map_or_else(|| ClassName::new("java/lang/Object"), |found| found.class.clone());
        let variables = described.into_iter().flat_map(|found| found.variables);
        let variables =
            variables.map(|(name, datum)| (self.names.of(name), self.values.of(ObservedValue::Datum(datum)))).collect();
        let id = self.states.len() as StateId;
        self.states.push(State { class, variables, monitored: state.monitored });
        self.by_whole.insert(state.whole, id);
        self.equal.push(*self.by_monitored.entry(state.monitored).or_insert(id));
        id
    }

    /// The first of the states that `equals` does not tell from this one.
    pub fn representative(&self, mut state: StateId) -> StateId {
        while self.equal[state as usize] != state {
            state = self.equal[state as usize];
        }
        state
    }

    /// The call of this number.
    pub fn call(&self, id: CallId) -> &ObservedCall {
        &self.calls.things[id as usize]
    }

    /// How many distinct calls there are.
    pub fn call_count(&self) -> usize {
        self.calls.things.len()
    }

    /// How many states there are.
    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// The distinct calls of each method.
    pub fn by_method(&self) -> &BTreeMap<TracedMethod, Vec<CallId>> {
        &self.by_method
    }

    /// What has no state of its own; `None` of objects.
    pub fn datum(&self, id: ValueId) -> Option<&Datum> {
        match &*self.values.things[id as usize] {
            ObservedValue::Datum(datum) => Some(datum),
            ObservedValue::State(_) => None,
        }
    }

    /// The state of an object; `None` of other values.
    pub fn state_of(&self, id: ValueId) -> Option<(StateId, &State)> {
        match *self.values.things[id as usize] {
            ObservedValue::State(state) => Some((state, &self.states[state as usize])),
            ObservedValue::Datum(_) => None,
        }
    }

    /// The name of a state's variable.
    pub fn name(&self, number: u32) -> &Arc<str> {
        &self.names.things[number as usize]
    }

    /// The class of an exception.
    pub fn exception(&self, number: u32) -> &ClassName {
        &self.exceptions.things[number as usize]
    }
}
