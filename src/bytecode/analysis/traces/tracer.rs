//! Follows one test method along one path, and notes its calls.

use super::{OwnMethod, Tests, TraceCall, TraceInput};
use crate::analysis::STRING_LIMIT;
use crate::analysis::fold;
use crate::analysis::interpret::{AbstractFrame, Evaluate, is_wide, run_straight};
use crate::classfile::instruction::{FieldAccess, InvokeKind};
use crate::classfile::{CallSite, Constant, FieldMember, Instruction, MethodMember, Step, constant_of_type};
use model::jvm::{ClassName, Literal, MethodDescriptor, Primitive, Type};
use model::sequence::OperationKind;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Calls of one test that are noted.
pub(super) const CALL_LIMIT: usize = 400;
/// Arrays of one test that are followed, which is also how deep they can lie in each other.
pub(super) const ARRAYS: usize = CALL_LIMIT;
/// Elements of an array that are followed.
const ARRAY_LIMIT: i32 = 16;
/// How deep a test's own methods are followed into each other, and how many of them in one test.
const DEPTH_LIMIT: usize = 4;
const ENTRY_LIMIT: usize = 200;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TracedValue {
    /// A constant as the stack has it.
    Known(Literal),
    Null,
    /// What a call of the trace made.
    Made(usize),
    /// An object that no constructor was called on yet.
    New(usize),
    /// An array of known length.
    Array(usize),
    /// The test itself.
    This,
    Unknown,
}

#[derive(Clone)]
struct Array {
    element: Type,
    elements: Vec<TracedValue>,
    /// The call that makes it, with what it held when something took it first.
    made: Option<usize>,
}

pub(super) struct Tracer<'a> {
    tests: &'a Tests<'a>,
    class: &'a ClassName,
    pub(super) calls: Vec<TraceCall>,
    arrays: Vec<Array>,
    /// Of the test, by name.
    fields: FxHashMap<Arc<str>, TracedValue>,
    returned: TracedValue,
    created: usize,
    depth: usize,
    entered: usize,
}

impl<'a> Tracer<'a> {
    pub(super) fn new(tests: &'a Tests<'a>, class: &'a ClassName) -> Tracer<'a> {
        Tracer {
            tests,
            class,
            calls: Vec::new(),
            arrays: Vec::new(),
            fields: FxHashMap::default(),
            returned: TracedValue::Unknown,
            created: 0,
            depth: 0,
            entered: 0,
        }
    }

    /// Follows a method of the tests; `given` begins with the receiver, if there is one, and what is missing is unknown.
    pub(super) fn enter(&mut self, method: Option<&'a OwnMethod>, given: &[TracedValue]) -> TracedValue {
        let Some(method) = method.filter(|_| self.depth < DEPTH_LIMIT && self.entered < ENTRY_LIMIT) else {
            return TracedValue::Unknown;
        };
        let mut given = given.iter().cloned().chain(std::iter::repeat(TracedValue::Unknown));
        let receiver = if method.is_static { None } else { given.next() };
        let frame = AbstractFrame::at_entry(receiver, given.zip(method.parameters.iter().map(is_wide)));
        self.entered += 1;
        self.depth += 1;
        let outer = std::mem::replace(&mut self.returned, TracedValue::Unknown);
        run_straight(&method.body, frame, self);
        self.depth -= 1;
        std::mem::replace(&mut self.returned, outer)
    }

    fn note(&mut self, call: TraceCall) -> TracedValue {
        if self.calls.len() == CALL_LIMIT {
            return TracedValue::Unknown;
        }
        self.calls.push(call);
        TracedValue::Made(self.calls.len() - 1)
    }

    /// The value as an input of the type; an array that was none yet is made.
    fn give(&mut self, value: &TracedValue, of: &Type) -> TraceInput {
        match value {
            TracedValue::Known(literal) if of.is_primitive() => {
                constant_of_type(literal.clone(), of).map_or(TraceInput::Unknown, TraceInput::Literal)
            }
            TracedValue::Known(literal) => TraceInput::Literal(literal.clone()),
            TracedValue::Null => TraceInput::Literal(Literal::Null(of.clone())),
            TracedValue::Made(call) => TraceInput::Call(*call),
            TracedValue::Array(index) => self.array(*index).map_or(TraceInput::Unknown, TraceInput::Call),
            TracedValue::New(_) | TracedValue::This | TracedValue::Unknown => TraceInput::Unknown,
        }
    }

    fn array(&mut self, index: usize) -> Option<usize> {
        if self.arrays[index].made.is_none() {
            // Past the limit nothing is noted as made, and arrays in arrays would be looked into again and again.
            if self.calls.len() == CALL_LIMIT {
                return None;
            }
            let Array { element, elements, .. } = self.arrays[index].clone();
            let inputs = elements.iter().map(|value| self.give(value, &element)).collect();
            let returns = Some(Type::array(element.clone()));
            let descriptor = MethodDescriptor { parameters: vec![element], returns };
            let owner = ClassName::new("java/lang/Object");
            let call = TraceCall { kind: OperationKind::Array, owner, name: Arc::from(""), descriptor, inputs };
            if let TracedValue::Made(made) = self.note(call) {
                self.arrays[index].made = Some(made);
            }
        }
        self.arrays[index].made
    }

    fn new_array(&mut self, of: &Type, length: &TracedValue) -> TracedValue {
        let (Type::Array(element), TracedValue::Known(Literal::Int(length @ 0..=ARRAY_LIMIT))) = (of, length) else {
            return TracedValue::Unknown;
        };
        if self.arrays.len() == ARRAYS {
            return TracedValue::Unknown;
        }
        let empty = match &**element {
            Type::Primitive(Primitive::Long) => TracedValue::Known(Literal::Long(0)),
            Type::Primitive(Primitive::Float) => TracedValue::Known(Literal::float(0.0)),
            Type::Primitive(Primitive::Double) => TracedValue::Known(Literal::double(0.0)),
            Type::Primitive(_) => TracedValue::Known(Literal::Int(0)),
            _ => TracedValue::Null,
        };
        self.arrays.push(Array { element: (**element).clone(), elements: vec![empty; *length as usize], made: None });
        TracedValue::Array(self.arrays.len() - 1)
    }

    fn element(&mut self, array: &TracedValue, index: &TracedValue) -> Option<&mut TracedValue> {
        let (TracedValue::Array(array), TracedValue::Known(Literal::Int(index))) = (array, index) else { return None };
        self.arrays[*array].elements.get_mut(usize::try_from(*index).ok()?)
    }

    fn call(
        &mut self,
        invoke: InvokeKind,
        method: &MethodMember,
        operands: &[TracedValue],
        frame: &mut AbstractFrame<TracedValue>,
    ) -> TracedValue {
        let is_static = invoke == InvokeKind::Static;
        let class = match operands.first() {
            _ if is_static => Some(&method.owner),
            Some(TracedValue::This) if invoke == InvokeKind::Special => Some(&method.owner),
            Some(TracedValue::This) => Some(self.class),
            _ => None,
        };
        let tests = self.tests;
        let own = class.and_then(|class| tests.find(class, &(method.name.clone(), method.descriptor.clone())));
        if own.is_some() {
            return self.enter(own, operands);
        }
        if let Some(literal) = folded(method, operands) {
            return TracedValue::Known(literal);
        }
        let (kind, receiver) = match (&*method.name, operands.first()) {
            ("<init>", Some(TracedValue::New(_))) => (OperationKind::Constructor, None),
            ("<init>", _) => return TracedValue::Unknown,
            _ if is_static => (OperationKind::StaticMethod, None),
            _ => (OperationKind::InstanceMethod, operands.first()),
        };
        let owner =
            if method.owner.internal().starts_with('[') { Type::object() } else { Type::Class(method.owner.clone()) };
        // What a null receiver throws is no use of the method.
        let receiver = receiver
            .map(|value| if *value == TracedValue::Null { TraceInput::Unknown } else { self.give(value, &owner) });
        let parameters = &method.descriptor.parameters;
        let arguments = operands[operands.len() - parameters.len()..].iter().zip(parameters);
        let arguments: Vec<TraceInput> = arguments.map(|(value, of)| self.give(value, of)).collect();
        let made = self.note(TraceCall {
            kind,
            owner: method.owner.clone(),
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            inputs: receiver.into_iter().chain(arguments).collect(),
        });
        if kind == OperationKind::Constructor {
            frame.values_mut().filter(|value| **value == operands[0]).for_each(|value| *value = made.clone());
        }
        made
    }

    /// A lambda of the tests, taken as run here; of other call sites nothing is known.
    fn call_site(&mut self, site: &CallSite, operands: &[TracedValue]) -> TracedValue {
        if let Some(handle) = site.handles.first() {
            let tests = self.tests;
            self.enter(tests.find(&handle.owner, &(handle.name.clone(), handle.descriptor.clone())), operands);
        }
        TracedValue::Unknown
    }

    /// Fields of the test are followed, and those of other classes noted.
    fn access(&mut self, access: FieldAccess, field: &FieldMember, operands: &[TracedValue]) -> TracedValue {
        let is_own = match access {
            FieldAccess::GetStatic | FieldAccess::PutStatic => self.tests.classes.contains_key(&field.owner),
            FieldAccess::Get | FieldAccess::Put => operands[0] == TracedValue::This,
        };
        match access {
            FieldAccess::GetStatic | FieldAccess::Get if is_own => {
                self.fields.get(&field.name).cloned().unwrap_or(TracedValue::Unknown)
            }
            FieldAccess::PutStatic | FieldAccess::Put if is_own => {
                let value = operands.last().expect("a field is set to something");
                self.fields.insert(field.name.clone(), value.clone());
                TracedValue::Unknown
            }
            FieldAccess::GetStatic => self.field(OperationKind::GetStatic, field, operands),
            FieldAccess::Get => self.field(OperationKind::GetField, field, operands),
            FieldAccess::Put => self.field(OperationKind::SetField, field, operands),
            FieldAccess::PutStatic => TracedValue::Unknown,
        }
    }

    /// A field of an object or class that is not the tests' own.
    fn field(&mut self, kind: OperationKind, field: &FieldMember, operands: &[TracedValue]) -> TracedValue {
        let of = &field.field_type;
        let (parameters, returns) = match kind {
            OperationKind::SetField => (vec![of.clone()], None),
            _ => (Vec::new(), Some(of.clone())),
        };
        let types = [Type::Class(field.owner.clone()), of.clone()];
        let inputs = operands.iter().zip(&types).map(|(value, of)| self.give(value, of)).collect();
        let descriptor = MethodDescriptor { parameters, returns };
        self.note(TraceCall { kind, owner: field.owner.clone(), name: field.name.clone(), descriptor, inputs })
    }
}

fn literal_of(value: &TracedValue) -> Option<Literal> {
    match value {
        TracedValue::Known(literal) => Some(literal.clone()),
        _ => None,
    }
}

/// What a method of `String` returns whose receiver and arguments are known.
fn folded(method: &MethodMember, operands: &[TracedValue]) -> Option<Literal> {
    let literals = operands.iter().map(literal_of).collect::<Option<Vec<Literal>>>()?;
    match &literals[..] {
        [Literal::String(text), arguments @ ..] if method.owner.internal() == "java/lang/String" => {
            fold::string_method(&method.name, text.units(), arguments)
        }
        _ => None,
    }
}

impl Evaluate for Tracer<'_> {
    type Value = TracedValue;

    fn evaluate(
        &mut self,
        _: usize,
        step: &Step,
        operands: &[TracedValue],
        frame: &mut AbstractFrame<TracedValue>,
    ) -> TracedValue {
        match &step.instruction {
            Instruction::Null => TracedValue::Null,
            Instruction::Constant(Constant::Literal(Literal::String(text))) if text.units().len() > STRING_LIMIT => {
                TracedValue::Unknown
            }
            Instruction::Constant(Constant::Literal(literal)) => TracedValue::Known(literal.clone()),
            Instruction::Increment { by, .. } => match operands[0] {
                TracedValue::Known(Literal::Int(value)) => {
                    TracedValue::Known(Literal::Int(value.wrapping_add(i32::from(*by))))
                }
                _ => TracedValue::Unknown,
            },
            Instruction::ArrayLoad(_) => {
                self.element(&operands[0], &operands[1]).cloned().unwrap_or(TracedValue::Unknown)
            }
            Instruction::ArrayStore(_) => {
                // One that is older may hold this one.
                let is_older =
                    matches!(operands, [TracedValue::Array(array), _, TracedValue::Array(held)] if held <= array);
                if let Some(element) = self.element(&operands[0], &operands[1]) {
                    *element = if is_older { TracedValue::Unknown } else { operands[2].clone() };
                }
                TracedValue::Unknown
            }
            Instruction::ArrayLength => match operands[0] {
                TracedValue::Array(array) => TracedValue::Known(Literal::Int(self.arrays[array].elements.len() as i32)),
                _ => TracedValue::Unknown,
            },
            Instruction::Arithmetic(arithmetic) => {
                let literals: Option<Vec<Literal>> = operands.iter().map(literal_of).collect();
                let folded = literals.and_then(|literals| fold::arithmetic(*arithmetic, &literals));
                folded.map_or(TracedValue::Unknown, TracedValue::Known)
            }
            Instruction::Return(Some(_)) => {
                if operands[0] != TracedValue::Unknown {
                    self.returned = operands[0].clone();
                }
                TracedValue::Unknown
            }
            Instruction::Field { access, field } => self.access(*access, field, operands),
            Instruction::Invoke { kind, method } => self.call(*kind, method, operands, frame),
            Instruction::InvokeDynamic(site) => self.call_site(site, operands),
            Instruction::New(Type::Class(name)) if !self.tests.classes.contains_key(name) => {
                self.created += 1;
                TracedValue::New(self.created)
            }
            Instruction::NewArray(of) => self.new_array(of, &operands[0]),
            Instruction::CheckCast(_) => operands[0].clone(),
            _ => TracedValue::Unknown,
        }
    }
}
