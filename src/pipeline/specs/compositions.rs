//! Sequences for equations: calls that different tests made, one after the other on one object.

use super::observed::{self, Opened};
use bytecode::analysis::purity::Effects;
use model::execution::described::Described;
use model::execution::trace::{Datum, TracedMethod};
use model::execution::{Execution, Observed, Outcome, Value};
use model::jvm::Literal;
use model::sequence::{Action, Operation, OperationId, OperationKind, Sequence};
use rustc_hash::FxHashMap;
use search::redundancy;
use specification::algebraic::{self, Aspect, Composition, Equation, EquationCondition, Right};
use specification::observations::{CallId, Ending};
use std::collections::BTreeSet;

/// Where calls were first made.
pub struct Compositions<'a> {
    opened: &'a Opened,
    observed: &'a observed::Observed,
    /// By call, the test and its statement.
    places: FxHashMap<CallId, (usize, usize)>,
}

impl<'a> Compositions<'a> {
    /// Of a call that several tests make, the first is remembered.
    pub fn new(opened: &'a Opened, observed: &'a observed::Observed) -> Compositions<'a> {
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
            let object = if self.makes(inner) { statement } else { sequence.inputs_of(statement).next()? };
            self.call(&mut sequence, self.led_to(inner, object, statement), outer)?;
        }
        Some(redundancy::clean(&sequence, 2, &self.opened.subject.program.effects))
    }

    /// Calls that show an equation in an example: its condition, its left side, and its right side where that is calls too,
    /// on an object that is made again. `None` if the outer call takes objects.
    pub fn shown(&self, equation: &Equation, (inner, outer): Composition) -> Option<Shown> {
        let &(test, statement) = self.places.get(&inner)?;
        let own = &self.observed.sequences[test];
        let Action::Call(operation) = own.statements()[statement].action else { return None };
        let start = own.prefix(statement);
        let receivers = usize::from(!self.makes(inner));
        // Of a constructor, there is no object yet.
        let object = own.inputs_of(statement).take(receivers).next().unwrap_or(statement);
        // The inner call on any object, with its arguments as the start that begins at the offset has them.
        let inner_on = |sequence: &mut Sequence, offset: usize, object: usize| {
            let arguments = own.inputs_of(statement).skip(receivers).map(|argument| argument + offset);
            let inputs: Vec<usize> = [object].into_iter().take(receivers).chain(arguments).collect();
            sequence.push_call(operation, &inputs)
        };
        let mut sequence = start.clone();
        let (mut assertions, mut asserted) = (Vec::new(), Vec::new());
        if let Some(EquationCondition::Observer(method, value)) = equation.condition {
            let observer = sequence.push_call(self.observer(method)?, &[object]);
            assertions.push(ComposedAssertion::Is(observer, Datum::Boolean(value)));
            asserted.push(observer);
        }
        let inner_call = inner_on(&mut sequence, 0, object);
        let (mut left, mut left_object) = (inner_call, self.led_to(inner, object, inner_call));
        if let Some(outer) = outer {
            left = self.call(&mut sequence, left_object, outer)?;
            left_object = self.led_to(outer, left_object, left);
        }
        let argument = |sequence: &Sequence, call: usize, index: usize| {
            let receivers = if call == inner_call { receivers } else { 1 };
            sequence.inputs_of(call).nth(index + receivers)
        };
        if let Some(EquationCondition::SameArguments(same)) = equation.condition {
            let (first, second) = (argument(&sequence, inner_call, 0)?, argument(&sequence, left, 0)?);
            assertions.push(if same {
                ComposedAssertion::Equal(first, second, 0)
            } else {
                ComposedAssertion::Differ(first, second)
            });
        }
        let is_copied = equation.aspect == Aspect::State || matches!(equation.right, Right::Outer | Right::Commuted);
        let (right, right_object) = match &equation.right {
            Right::Constant(constant) => {
                assertions.push(ComposedAssertion::Is(left, constant.clone()));
                (None, None)
            }
            Right::InnerArgument(index) => {
                let argument = argument(&sequence, inner_call, *index)?;
                (Some(argument), Some(argument))
            }
            Right::OuterArgument(index) => {
                let argument = argument(&sequence, left, *index)?;
                (Some(argument), Some(argument))
            }
            Right::Inner if !is_copied => (Some(inner_call), Some(inner_call)),
            Right::Start | Right::Inner | Right::Outer | Right::Commuted => {
                let offset = sequence.append(&start);
                let (mut right, mut object) = (None, object + offset);
                if matches!(equation.right, Right::Outer | Right::Commuted) {
                    let made = self.call(&mut sequence, object, outer?)?;
                    (right, object) = (Some(made), self.led_to(outer?, object, made));
                }
                if matches!(equation.right, Right::Inner | Right::Commuted) {
                    let made = inner_on(&mut sequence, offset, object);
                    (right, object) = (Some(made), self.led_to(inner, object, made));
                }
                (right, Some(object))
            }
        };
        let both = match equation.aspect {
            Aspect::State => Some((left_object, right_object?)),
            Aspect::Result if self.returns_object(outer.unwrap_or(inner)) => Some((left, right?)),
            Aspect::Result => None,
        };
        if let Some((left, right)) = both {
            let equals = sequence.push_call(self.opened.subject.program.checks.equals, &[left, right]);
            assertions.push(ComposedAssertion::Is(equals, Datum::Boolean(true)));
            asserted.push(equals);
        } else {
            assertions.extend(right.map(|right| ComposedAssertion::Equal(left, right, equation.difference)));
            let is_call = matches!(equation.right, Right::Inner | Right::Outer | Right::Commuted);
            asserted.extend(right.filter(|_| is_call).into_iter().chain([left]));
        }
        Some(Shown { sequence, assertions, asserted }.cleaned(&self.opened.subject.program.effects))
    }

    fn observer(&self, method: TracedMethod) -> Option<OperationId> {
        let method = self.opened.methods.get(method as usize)?;
        let is_observer = |operation: &&Operation| {
            operation.kind == OperationKind::InstanceMethod
                && operation.name == method.name
                && operation.owner == method.class
                && operation.inputs.len() == 1
        };
        let operations = &self.opened.subject.program.operations;
        let at = operations.iter().position(|operation| is_observer(&operation))?;
        Some(OperationId(at as u32))
    }

    fn returns_object(&self, call: CallId) -> bool {
        let observations = &self.observed.observations;
        match observations.call(call).ending {
            Ending::Returned(Some(result)) => observations.state_of(result).is_some(),
            _ => false,
        }
    }

    /// Makes the call on another object, with its own literals; its statement.
    fn call(&self, sequence: &mut Sequence, object: usize, call: CallId) -> Option<usize> {
        let &(test, at) = self.places.get(&call)?;
        let from = &self.observed.sequences[test];
        let Action::Call(operation) = from.statements()[at].action else { return None };
        let mut inputs = vec![object];
        for input in from.inputs_of(at).skip(1) {
            let Action::Literal(literal) = &from.statements()[input].action else { return None };
            inputs.push(sequence.push_literal(literal.clone()));
        }
        Some(sequence.push_call(operation, &inputs))
    }

    fn makes(&self, call: CallId) -> bool {
        !self.observed.observations.call(call).has_receiver
    }

    /// The object that the call on this one leads to.
    fn led_to(&self, call: CallId, object: usize, result: usize) -> usize {
        let leads_on = self.makes(call) || algebraic::made(&self.observed.observations, call).is_some();
        if leads_on { result } else { object }
    }
}

/// Calls that show an equation.
#[derive(Debug, PartialEq)]
pub struct Shown {
    /// The calls of both sides, on inputs that were observed.
    pub sequence: Sequence,
    /// Relations between their values that must hold if the calls show the equation.
    assertions: Vec<ComposedAssertion>,
    /// The statements whose values show it to a reader.
    asserted: Vec<usize>,
}

/// What has to hold of values of statements.
#[derive(Debug, PartialEq)]
enum ComposedAssertion {
    Is(usize, Datum),
    /// The first is the second and the number.
    Equal(usize, usize, i64),
    Differ(usize, usize),
}

impl Shown {
    /// The statements whose values a test asserts.
    pub fn asserted(&self) -> BTreeSet<usize> {
        self.asserted.iter().copied().collect()
    }

    /// Whether the calls did what the equation says. Objects that were made again may differ from those that were observed.
    pub fn holds(&self, execution: &Execution) -> bool {
        let is_reproducible = execution.outcome == Outcome::Completed && !execution.may_vary();
        let datum = |at: &usize| datum(execution.values.get(*at)?);
        let holds = |assertion: &ComposedAssertion| match assertion {
            ComposedAssertion::Is(at, expected) => datum(at).as_ref() == Some(expected),
            ComposedAssertion::Equal(left, right, difference) => match (datum(left), datum(right)) {
                (Some(Datum::Integer(left)), Some(Datum::Integer(right))) => left == right.wrapping_add(*difference),
                (Some(left), Some(right)) => *difference == 0 && left == right,
                _ => false,
            },
            ComposedAssertion::Differ(left, right) => datum(left) != datum(right),
        };
        is_reproducible && execution.denied.is_none() && self.assertions.iter().all(holds)
    }

    /// Without what shows nothing.
    fn cleaned(self, effects: &[Effects]) -> Shown {
        let Shown { sequence, assertions, asserted } = self;
        let is_wanted = |at: usize| asserted.contains(&at) || assertions.iter().any(|assertion| assertion.is_about(at));
        let alive = redundancy::alive_for(&sequence, is_wanted, effects);
        let moved = |at: usize| alive[..at].iter().filter(|is_alive| **is_alive).count();
        Shown {
            sequence: sequence.retain(|at| alive[at]).expect("what is alive needs nothing dead"),
            assertions: assertions.into_iter().map(|assertion| assertion.map(&moved)).collect(),
            asserted: asserted.into_iter().map(moved).collect(),
        }
    }
}

impl ComposedAssertion {
    fn is_about(&self, at: usize) -> bool {
        match *self {
            ComposedAssertion::Is(value, _) => value == at,
            ComposedAssertion::Equal(left, right, _) | ComposedAssertion::Differ(left, right) => {
                left == at || right == at
            }
        }
    }

    fn map(self, to: &dyn Fn(usize) -> usize) -> ComposedAssertion {
        match self {
            ComposedAssertion::Is(value, expected) => ComposedAssertion::Is(to(value), expected),
            ComposedAssertion::Equal(left, right, difference) => {
                ComposedAssertion::Equal(to(left), to(right), difference)
            }
            ComposedAssertion::Differ(left, right) => ComposedAssertion::Differ(to(left), to(right)),
        }
    }
}

/// The value as equations compare it; `None` of objects.
fn datum(value: &Value) -> Option<Datum> {
    match value {
        Value::Null => Some(Datum::Null),
        Value::Literal(literal) => Some(Datum::from(literal)),
        Value::Object { observed: Observed::Value(Described::Literal(literal)), .. }
            if !matches!(literal, Literal::Class(_)) =>
        {
            Some(Datum::from(literal))
        }
        Value::Void | Value::Object { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::{ClassName, Type};

    fn int(value: i32) -> Value {
        Value::Literal(Literal::Int(value))
    }

    /// Whether statements that returned these values keep the assertions.
    #[track_caller]
    fn check(values: &[Value], assertions: Vec<ComposedAssertion>, expected: bool) {
        let shown = Shown { sequence: Sequence::new(), assertions, asserted: Vec::new() };
        let execution = Execution { values: values.to_vec(), ..Execution::ended(Outcome::Completed) };
        assert_eq!(shown.holds(&execution), expected);
        assert!(!shown.holds(&Execution { environment_dependent: true, ..execution }));
    }

    #[test]
    fn equation_is_shown_only_by_calls_with_equal_sides() {
        check(&[int(3), int(3)], vec![ComposedAssertion::Equal(1, 0, 0)], true);
        check(&[int(3), int(4)], vec![ComposedAssertion::Equal(1, 0, 0)], false);
        check(&[int(3), int(4)], vec![ComposedAssertion::Equal(1, 0, 1)], true);
        check(&[int(4)], vec![ComposedAssertion::Is(0, Datum::Integer(4))], true);
        check(&[int(4)], vec![ComposedAssertion::Is(0, Datum::Integer(3))], false);
        check(&[Value::Null, Value::Null], vec![ComposedAssertion::Equal(1, 0, 0)], true);
        let object = Value::Object { class: Type::Class(ClassName::new("p/A")), observed: Observed::Nothing };
        check(&[object.clone(), object], vec![ComposedAssertion::Equal(1, 0, 0)], false);
    }

    #[test]
    fn equation_is_shown_only_by_calls_that_meet_its_condition() {
        let result = || ComposedAssertion::Equal(2, 0, 0);
        check(&[int(3), int(3), int(3)], vec![ComposedAssertion::Equal(0, 1, 0), result()], true);
        check(&[int(3), int(3), int(3)], vec![ComposedAssertion::Differ(0, 1), result()], false);
        check(&[int(3), int(5), int(3)], vec![ComposedAssertion::Differ(0, 1), result()], true);
    }
}
