//! Sequences as the interpreter runs them: to be compared with what a JVM did, and to be followed with other arguments.

use super::heap::{Heap, HeapObject, Reference, SymbolicValue};
use super::interpreter::{AbruptEnd, Interpreter, InterpreterWorld, RunResult, Stop};
use super::path::Path;
use super::solver::Oracle;
use super::state::{self, StateGraph};
use super::term::number;
use model::execution::described::Described;
use model::execution::{Execution, Observed, Outcome, Value as Seen};
use model::jvm::{ClassName, JavaString, Literal, Type, types};
use model::sequence::{Action, Operation, OperationKind, Sequence};

/// What became of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// One per statement that completed, as an [`model::execution::Execution`] has them.
    pub values: Vec<Seen>,
    /// How it ended.
    pub end: ReplayEnd,
    /// Of the object that was asked for, if there is one.
    pub state: Option<StateGraph>,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplayEnd {
    /// All statements were executed.
    Completed,
    /// The class of what the statement after the last value threw.
    Threw(ClassName),
    /// The interpreter ended before the sequence did.
    Stopped(Stop),
}

/// Runs the sequence with the arguments that it has. `object` is the statement whose object's state is wanted.
pub fn replay(
    world: &mut InterpreterWorld,
    oracle: &mut Oracle,
    operations: &[Operation],
    sequence: &Sequence,
    object: Option<usize>,
    steps: u64,
) -> Replayed {
    let machine = &mut Interpreter::new(world, oracle, Heap::default(), Path::default(), steps);
    let mut made = Vec::new();
    let mut literal = |machine: &mut Interpreter, _, literal: &Literal| machine.constant(literal);
    let mut values = Vec::new();
    // As a worker does, objects are looked at when a statement returned them.
    let mut look = |machine: &Interpreter, value, of: Option<&Type>| {
        values.push(of.map_or(Seen::Void, |of| machine.seen(value, of)));
    };
    let end = match machine.run_all(operations, sequence, &mut made, &mut literal, &mut look) {
        Ok(()) => ReplayEnd::Completed,
        Err(AbruptEnd::Stopped(stop)) => ReplayEnd::Stopped(stop),
        Err(AbruptEnd::Threw(exception)) => match machine.type_of(exception) {
            Type::Class(class) => ReplayEnd::Threw(class),
            other => ReplayEnd::Stopped(Stop::Unsupported(format!("the exception {other}"))),
        },
    };
    let state = object.and_then(|object| match made.get(object) {
        Some((SymbolicValue::Reference(object), _)) => {
            Some(state::graph(&mut machine.world.terms, &machine.heap, *object))
        }
        _ => None,
    });
    Replayed { values, end, state }
}

impl Interpreter<'_, '_, '_> {
    /// Runs the statements; `made` gets the values, with their types where they have one, `look` is told each, and `literal`
    /// says what a statement with a literal makes.
    pub fn run_all(
        &mut self,
        operations: &[Operation],
        sequence: &Sequence,
        made: &mut Vec<(SymbolicValue, Option<Type>)>,
        literal: &mut dyn FnMut(&mut Self, usize, &Literal) -> RunResult<SymbolicValue>,
        look: &mut dyn FnMut(&Self, SymbolicValue, Option<&Type>),
    ) -> RunResult<()> {
        for (index, statement) in sequence.statements().iter().enumerate() {
            let value = match &statement.action {
                Action::Literal(value) => (literal(self, index, value)?, Some(value.literal_type())),
                Action::Call(id) => {
                    let operation = &operations[id.0 as usize];
                    let inputs = statement.inputs.iter().map(|&back| made[index - back as usize].clone());
                    let value = self.perform(operation, inputs.collect())?;
                    (value.unwrap_or(SymbolicValue::Null), operation.output.clone())
                }
            };
            look(self, value.0, value.1.as_ref());
            made.push(value);
        }
        Ok(())
    }

    /// The value that the sequence's last statement makes, and its type.
    pub fn last_of(
        &mut self,
        operations: &[Operation],
        sequence: &Sequence,
    ) -> RunResult<(SymbolicValue, Option<Type>)> {
        let mut made = Vec::new();
        let mut literal = |machine: &mut Self, _: usize, literal: &Literal| machine.constant(literal);
        self.run_all(operations, sequence, &mut made, &mut literal, &mut |_, _, _| {})?;
        Ok(made.pop().expect("what makes an argument has a statement"))
    }

    /// A number as an input of a reference type takes it: boxed (JLS §5.1.7).
    fn fitting(&mut self, value: SymbolicValue, from: Option<&Type>, to: &Type) -> RunResult<SymbolicValue> {
        let Some(Type::Primitive(primitive)) = from.filter(|_| !to.is_primitive()) else { return Ok(value) };
        self.boxed(value, *primitive)
    }

    /// Does what the operation does, with values and their types.
    pub fn perform(
        &mut self,
        operation: &Operation,
        inputs: Vec<(SymbolicValue, Option<Type>)>,
    ) -> RunResult<Option<SymbolicValue>> {
        // Arrays take any number of inputs of one type.
        let types = operation.inputs.iter().chain(operation.inputs.last().into_iter().cycle());
        let mut fitting = Vec::with_capacity(inputs.len());
        for ((value, from), to) in inputs.into_iter().zip(types) {
            fitting.push(self.fitting(value, from.as_ref(), to)?);
        }
        let inputs = &fitting[..];
        let unsupported = || AbruptEnd::Stopped(Stop::Unsupported(operation.to_string()));
        let method = |machine: &mut Self| {
            machine.world.classes.find_method(&operation.owner, &operation.name, &operation.descriptor)
        };
        match operation.kind {
            OperationKind::Constructor if !operation.injected.is_empty() => Err(unsupported()),
            OperationKind::Constructor => {
                let method = method(self).ok_or_else(unsupported)?;
                let class = self.link(&operation.owner)?;
                let object = SymbolicValue::Reference(self.instantiate(class)?);
                let inputs: Vec<SymbolicValue> = [object].iter().chain(inputs).copied().collect();
                self.invoke(method, &inputs)?;
                Ok(Some(object))
            }
            OperationKind::StaticMethod => {
                let method = method(self).ok_or_else(unsupported)?;
                self.invoke(method, inputs)
            }
            OperationKind::InstanceMethod => {
                let method = method(self).ok_or_else(unsupported)?;
                self.invoke_virtual(method, inputs)
            }
            OperationKind::GetStatic | OperationKind::GetField => {
                let of = operation.output.clone().ok_or_else(unsupported)?;
                let found = self.world.classes.find_field(&operation.owner, &operation.name, &of);
                let (field, is_static) = found.ok_or_else(unsupported)?;
                if is_static {
                    self.initialise(field.class)?;
                    return Ok(self.heap.statics(field.class).map(|values| values[field.slot]));
                }
                let object = self.receiver(inputs[0])?;
                Ok(self.heap.fields(object).get(field.slot).copied())
            }
            OperationKind::Array => {
                let of = operation.output.clone().ok_or_else(unsupported)?;
                Ok(Some(SymbolicValue::Reference(self.array(of, inputs.to_vec())?)))
            }
            OperationKind::Cast => {
                let of = operation.output.as_ref().ok_or_else(unsupported)?;
                self.cast(inputs[0], of)?;
                Ok(Some(inputs[0]))
            }
            OperationKind::SetStatic | OperationKind::SetField => {
                let of = operation.descriptor.parameters.last().ok_or_else(unsupported)?;
                let found = self.world.classes.find_field(&operation.owner, &operation.name, of);
                let (field, is_static) = found.ok_or_else(unsupported)?;
                if is_static {
                    self.initialise(field.class)?;
                    self.heap.set_static(field.class, field.slot, inputs[0]);
                } else {
                    let object = self.receiver(inputs[0])?;
                    self.heap.set_field(object, field.slot, inputs[1]);
                }
                Ok(None)
            }
            OperationKind::Implementation => Err(unsupported()),
        }
    }

    /// A value as an execution reports it.
    fn seen(&self, value: SymbolicValue, of: &Type) -> Seen {
        let reference = match value {
            SymbolicValue::Reference(reference) => reference,
            SymbolicValue::Null => return if of.is_primitive() { Seen::Void } else { Seen::Null },
            value => return value.literal().map_or(Seen::Void, |literal| Seen::Literal(typed(&literal, of))),
        };
        if let Some(units) = self.units(reference) {
            return Seen::Literal(Literal::String(JavaString::from_units(&units)));
        }
        let class = self.type_of(reference);
        let observed = match (self.heap.object(reference), &class) {
            (HeapObject::Instance { fields, .. }, Type::Class(name)) => match (types::unboxed(name), &fields[..]) {
                (Some(primitive), [value]) => {
                    let literal = value.literal().map(|literal| typed(&literal, &Type::Primitive(primitive)));
                    literal.map_or(Observed::Nothing, Observed::boxed)
                }
                _ => Observed::Nothing,
            },
            (HeapObject::Array { elements, .. }, Type::Array(element)) if element.is_primitive() => {
                let literal = |value: &SymbolicValue| Some(Described::literal(typed(&value.literal()?, element)));
                let literals: Option<Vec<Described>> = elements.iter().map(literal).collect();
                literals
                    .map_or(Observed::Nothing, |literals| Observed::Value(Described::Array(class.clone(), literals)))
            }
            _ => Observed::Nothing,
        };
        Seen::Object { class, observed }
    }

    fn receiver(&mut self, value: SymbolicValue) -> RunResult<Reference> {
        match value {
            SymbolicValue::Reference(reference) => Ok(reference),
            _ => Err(AbruptEnd::Stopped(Stop::Unsupported("a field of null".to_string()))),
        }
    }
}

/// In what the JVM's run of the sequence differs; `None` if in nothing that both know.
pub fn difference(replayed: &Replayed, execution: &Execution) -> Option<String> {
    // What the JVM ran beyond that may have changed objects.
    let is_whole = !matches!(replayed.end, ReplayEnd::Stopped(_));
    for (index, (here, there)) in replayed.values.iter().zip(&execution.values).enumerate() {
        let is_same = match (here, there) {
            (Seen::Object { class, observed }, Seen::Object { class: other_class, observed: other }) => {
                class == other_class && (!is_whole || is_known_as(observed, other))
            }
            // Long strings are not reported.
            (Seen::Literal(Literal::String(_)), Seen::Object { class, .. }) => class.is_string(),
            (here, there) => here == there,
        };
        if !is_same {
            return Some(format!("statement {index} makes {here:?} here and {there:?} there"));
        }
    }
    let (end, outcome) = (&replayed.end, &execution.outcome);
    let is_same = match (end, outcome) {
        _ if !is_whole => true,
        (ReplayEnd::Completed, Outcome::Completed) => true,
        (ReplayEnd::Threw(class), Outcome::Threw { statement, exception }) => {
            *class == exception.class && *statement == replayed.values.len()
        }
        _ => false,
    };
    (!is_same).then(|| format!("it ends with {end:?} here and {outcome:?} there"))
}

fn is_known_as(here: &Observed, there: &Observed) -> bool {
    match (here, there) {
        (Observed::Value(here), Observed::Value(there)) => here == there,
        _ => true,
    }
}

/// What the stack holds as the type has it.
fn typed(literal: &Literal, of: &Type) -> Literal {
    match (of, number(literal)) {
        (Type::Primitive(primitive), Some(value)) => Literal::of_number(value, *primitive),
        _ => literal.clone(),
    }
}
