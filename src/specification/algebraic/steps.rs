//! Calls as steps from state to state, and pairs of those that compose.

use super::Composition;
use super::equation::Aspect;
use crate::SpecifiedMethod;
use crate::observations::{CallId, Ending, Observations, StateId, ValueId};
use model::execution::Fingerprint;
use model::execution::trace::TracedMethod;
use model::jvm::ClassName;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Methods that every object has: equations are in terms of `equals`.
const OF_ALL_OBJECTS: [&str; 3] = ["equals", "hashCode", "toString"];

/// A call as a step from state to state.
pub struct CallStep {
    pub call: CallId,
    pub method: TracedMethod,
    /// What `equals` reads of the state before and after.
    pub before: Fingerprint,
    pub after: Fingerprint,
    /// The states as `equals` tells them apart.
    pub start: StateId,
    pub end: StateId,
    pub arguments: Box<[ComparedValue]>,
    pub result: Option<ComparedValue>,
    pub is_constructor: bool,
}

/// A value as far as equations compare it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComparedValue {
    Value(ValueId),
    State(StateId),
}

/// The steps of one class, and where to find them.
pub struct Steps {
    pub all: Vec<CallStep>,
    pub by_method: BTreeMap<TracedMethod, Vec<usize>>,
    /// Of constructors, which begin and end in the state that they make.
    pub by_constructor: BTreeMap<TracedMethod, Vec<usize>>,
    pub from: FxHashMap<(TracedMethod, Fingerprint), Vec<usize>>,
    /// Methods that never left another state than they began in.
    pub pure: BTreeSet<TracedMethod>,
}

/// The steps of each class among these calls.
pub fn steps(
    observations: &Observations,
    methods: &[SpecifiedMethod],
    calls: &BTreeSet<CallId>,
) -> BTreeMap<ClassName, Steps> {
    let mut by_class: BTreeMap<ClassName, Steps> = BTreeMap::new();
    for &call in calls {
        if let Some((class, step)) = step(observations, methods, call) {
            by_class.entry(class).or_insert_with(Steps::new).add(step);
        }
    }
    by_class
}

/// Constructors, and methods that are called on objects, are steps if they end normally.
fn step(observations: &Observations, methods: &[SpecifiedMethod], id: CallId) -> Option<(ClassName, CallStep)> {
    let call = observations.call(id);
    let Ending::Returned(result) = call.ending else { return None };
    let method = methods.get(call.method as usize)?;
    if !call.has_receiver && !method.is_constructor() || OF_ALL_OBJECTS.contains(&&*method.name) {
        return None;
    }
    let (first, last) = if call.has_receiver { (call.before[0], call.after[0]) } else { (result?, result?) };
    let (start, before) = observations.state_of(first)?;
    let (end, after) = observations.state_of(last)?;
    let key = |value: ValueId| match observations.state_of(value) {
        Some((state, _)) => ComparedValue::State(observations.representative(state)),
        None => ComparedValue::Value(value),
    };
    let result = result.filter(|_| call.has_receiver);
    let (end, after, result) = match made(observations, id).and_then(|made| observations.state_of(made)) {
        Some((end, after)) => (end, after, None),
        None => (end, after, result),
    };
    let step = CallStep {
        call: id,
        method: call.method,
        before: before.monitored,
        after: after.monitored,
        start: observations.representative(start),
        end: observations.representative(end),
        arguments: call.before[usize::from(call.has_receiver)..].iter().map(|&argument| key(argument)).collect(),
        result: result.map(key),
        is_constructor: !call.has_receiver,
    };
    Some((before.class.clone(), step))
}

/// The result of a call that leaves its object as it was and returns another of the class: the call leads to that one.
pub fn made(observations: &Observations, id: CallId) -> Option<ValueId> {
    let call = observations.call(id);
    let Ending::Returned(Some(result)) = call.ending else { return None };
    let (start, before) = observations.state_of(*call.before.first().filter(|_| call.has_receiver)?)?;
    let (end, _) = observations.state_of(*call.after.first()?)?;
    let (_, made) = observations.state_of(result)?;
    let is_unchanged = observations.representative(start) == observations.representative(end);
    (is_unchanged && made.class == before.class).then_some(result)
}

impl Steps {
    fn new() -> Steps {
        let (all, by_method, by_constructor) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        Steps { all, by_method, by_constructor, from: FxHashMap::default(), pure: BTreeSet::new() }
    }

    fn add(&mut self, step: CallStep) {
        let at = self.all.len();
        if step.is_constructor {
            self.by_constructor.entry(step.method).or_default().push(at);
            self.all.push(step);
            return;
        }
        let is_first = !self.by_method.contains_key(&step.method);
        if step.start != step.end {
            self.pure.remove(&step.method);
        } else if is_first {
            self.pure.insert(step.method);
        }
        self.by_method.entry(step.method).or_default().push(at);
        self.from.entry((step.method, step.before)).or_default().push(at);
        self.all.push(step);
    }

    pub fn from(&self, method: TracedMethod, state: Fingerprint) -> impl Iterator<Item = &CallStep> {
        self.from.get(&(method, state)).into_iter().flatten().map(|&at| &self.all[at])
    }

    /// The step of the method from the state with these arguments.
    pub fn step(&self, method: TracedMethod, state: Fingerprint, arguments: &[ComparedValue]) -> Option<&CallStep> {
        self.from(method, state).find(|step| *step.arguments == *arguments)
    }
}

/// A composition, or a single step.
#[derive(Clone, Copy)]
pub struct Pair<'a> {
    pub inner: &'a CallStep,
    pub outer: Option<&'a CallStep>,
}

impl<'a> Pair<'a> {
    pub fn last(&self) -> &'a CallStep {
        self.outer.unwrap_or(self.inner)
    }

    /// What is made and called without arguments is always the same.
    pub fn is_all_there_is(&self) -> bool {
        self.inner.is_constructor && self.inner.arguments.is_empty() && self.last().arguments.is_empty()
    }

    pub fn calls(&self) -> Composition {
        (self.inner.call, self.outer.map(|outer| outer.call))
    }

    pub fn left(&self, aspect: Aspect) -> Option<ComparedValue> {
        match aspect {
            Aspect::State => Some(ComparedValue::State(self.last().end)),
            Aspect::Result => self.last().result,
        }
    }
}
