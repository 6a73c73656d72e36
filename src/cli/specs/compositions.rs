//! Sequences for equations: calls that different tests made, one after the other on one object.

use super::observed::{Observed, Opened};
use crate::redundancy;
use crate::sequence::{Action, OperationId, OperationKind, Sequence};
use crate::specification::algebraic::{self, Aspect, Composition, Equation, Right};
use crate::specification::observations::CallId;
use rustc_hash::FxHashMap;

/// Where calls were first made.
pub struct Compositions<'a> {
    opened: &'a Opened,
    observed: &'a Observed,
    /// By call, the test and its statement.
    places: FxHashMap<CallId, (usize, usize)>,
}

impl<'a> Compositions<'a> {
    pub fn new(opened: &'a Opened, observed: &'a Observed) -> Compositions<'a> {
        let mut places = FxHashMap::default();
        for (test, calls) in observed.tests.iter().enumerate() {
            for (call, statement) in calls {
                places.entry(*call).or_insert((test, *statement as usize));
            }
        }
        Compositions { opened, observed, places }
    }

    /// The calls on the object of the first; `None` if the second takes objects.
    pub fn sequence(&self, (inner, outer): Composition) -> Option<Sequence> {
        let &(test, statement) = self.places.get(&inner)?;
        let mut sequence = self.observed.sequences[test].prefix(statement + 1);
        if let Some(outer) = outer {
            let object = sequence.inputs_of(statement).next()?;
            self.call(&mut sequence, self.led_to(inner, object, statement), outer)?;
        }
        Some(self.cleaned(&sequence, 2))
    }

    /// Calls that show an equation in an example: what the last returns is the left side, or, of states, whether both sides
    /// are equal.
    pub fn shown(&self, equation: &Equation, (inner, outer): Composition) -> Option<Sequence> {
        if equation.aspect == Aspect::Result {
            return self.sequence((inner, outer));
        }
        let &(test, statement) = self.places.get(&inner)?;
        let start = self.observed.sequences[test].prefix(statement);
        let object = self.observed.sequences[test].inputs_of(statement).next()?;
        let mut sequence = start.clone();
        let mut left = self.call(&mut sequence, object, inner)?;
        if let Some(outer) = outer {
            left = self.call(&mut sequence, left, outer)?;
        }
        let object = object + sequence.append(&start);
        let right = match equation.right {
            Right::Start => object,
            Right::Inner => self.call(&mut sequence, object, inner)?,
            Right::Outer => self.call(&mut sequence, object, outer?)?,
            Right::Commuted => {
                let object = self.call(&mut sequence, object, outer?)?;
                self.call(&mut sequence, object, inner)?
            }
            Right::Constant(_) | Right::InnerArgument(_) | Right::OuterArgument(_) => return None,
        };
        let operations = &self.opened.subject.program.operations;
        let is_equals = |id: &OperationId| {
            let operation = &operations[id.0 as usize];
            operation.kind == OperationKind::InstanceMethod
                && *operation.name == *"equals"
                && operation.inputs.len() == 2
                && operation.owner == equation.class
        };
        let equals = (0..operations.len() as u32).map(OperationId).find(is_equals)?;
        sequence.push_call(equals, &[left, right]);
        Some(self.cleaned(&sequence, 1))
    }

    /// Makes the call on another object, with its own literals; the object that it leads to.
    fn call(&self, sequence: &mut Sequence, object: usize, call: CallId) -> Option<usize> {
        let &(test, at) = self.places.get(&call)?;
        let from = &self.observed.sequences[test];
        let Action::Call(operation) = from.statements()[at].action else { return None };
        let mut inputs = vec![object];
        for input in from.inputs_of(at).skip(1) {
            let Action::Literal(literal) = &from.statements()[input].action else { return None };
            inputs.push(sequence.push_literal(literal.clone()));
        }
        let made = sequence.push_call(operation, &inputs);
        Some(self.led_to(call, object, made))
    }

    fn led_to(&self, call: CallId, object: usize, result: usize) -> usize {
        if algebraic::made(&self.observed.observations, call).is_some() { result } else { object }
    }

    /// Without what the last statements do not need.
    fn cleaned(&self, sequence: &Sequence, last: usize) -> Sequence {
        redundancy::clean(sequence, last, &self.opened.subject.program.effects)
    }
}
