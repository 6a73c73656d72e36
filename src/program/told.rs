//! What a project tells randgen in annotations. They are known by their simple names, so that a project may declare its own
//! instead of depending on `dev.randgen:randgen-annotations` (docs/annotations.md).

use super::{PlainValue, Program};
use bytecode::classfile::Method;
use model::execution::{StackFrame, Thrown};
use model::jvm::annotations::{Annotation, ElementValue};
use model::jvm::types::unboxed;
use model::jvm::{ClassName, JavaString, Literal, Primitive, Type};
use model::sequence::{Operation, OperationId, OperationKind, Sequence};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Leaves a class, constructor, method or field out of tests.
pub const DO_NOT_TEST: &str = "DoNotTest";
/// Gives the values that an argument is limited to.
pub(crate) const TEST_VALUES: &str = "TestValues";
/// Is on the one maker of a class's objects.
pub(crate) const TEST_OBJECT_FACTORY: &str = "TestObjectFactory";
/// Says that exceptions of a constructor or method are its purpose.
const THROWS_ON_PURPOSE: &str = "ThrowsOnPurpose";

/// What the annotations of a program say of values and exceptions.
#[derive(Clone, Debug, Default)]
pub struct Told {
    values: BTreeMap<(OperationId, usize), Vec<GivenValue>>,
    on_purpose: BTreeMap<(ClassName, Arc<str>), Vec<Overload>>,
}

/// A value that an annotation gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenValue {
    /// A text, or a value of a primitive type.
    Literal(Literal),
    /// A number in its box, a constant of an enum, or what is made of a text.
    Made(PlainValue),
}

/// One of the methods of a class with the same name, as stack traces tell them apart.
#[derive(Clone, Debug)]
struct Overload {
    /// The line on which it begins, 0 if it is not known.
    line: i32,
    /// The exceptions that it throws on purpose, any if there are none; `None` if it does not throw on purpose.
    purpose: Option<Vec<ClassName>>,
}

/// The annotation with the simple name, if it is among them.
pub fn named<'a>(annotations: &'a [Annotation], name: &str) -> Option<&'a Annotation> {
    annotations.iter().find(|annotation| annotation.of.simple().rsplit('$').next() == Some(name))
}

impl Told {
    /// Limits an input of an operation to the values that its annotation gives, as far as the program can make them of the texts.
    /// An annotation without such a value says nothing.
    pub(crate) fn limit(&mut self, (id, input): (OperationId, usize), annotation: &Annotation, all: &[Operation]) {
        let of = &all[id.0 as usize].inputs[input];
        let texts = annotation.elements.iter().filter(|(name, _)| &**name == "value");
        let texts = texts.flat_map(|(_, value)| value.strings());
        let values: Vec<GivenValue> = texts.filter_map(|text| given_value(of, text, all)).collect();
        if !values.is_empty() {
            self.values.insert((id, input), values);
        }
    }

    /// Adds the class's methods that throw on purpose.
    pub(crate) fn add_purposes(&mut self, class: &ClassName, methods: &[Method]) {
        let purpose = |method: &Method| {
            let annotation = named(&method.annotations, THROWS_ON_PURPOSE)?;
            let values = annotation.elements.iter().filter(|(name, _)| &**name == "value");
            Some(values.flat_map(|(_, value)| classes_in(value)).collect())
        };
        let annotated = methods.iter().filter(|method| named(&method.annotations, THROWS_ON_PURPOSE).is_some());
        for name in annotated.map(|method| method.name.clone()) {
            let with_name = methods.iter().filter(|method| method.name == name);
            let mut overloads: Vec<Overload> = with_name
                .map(|method| {
                    let line = method.code.as_ref().and_then(|code| code.line(0)).unwrap_or_default();
                    Overload { line: line.into(), purpose: purpose(method) }
                })
                .collect();
            overloads.sort_by_key(|overload| overload.line);
            self.on_purpose.insert((class.clone(), name), overloads);
        }
    }

    /// The values that the input is limited to, if it is.
    pub fn values(&self, operation: OperationId, input: usize) -> Option<&[GivenValue]> {
        self.values.get(&(operation, input)).map(Vec::as_slice)
    }

    /// Whether no input of any operation is limited.
    pub fn is_without_values(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether each limited input of the sequence has one of its values.
    pub fn allows(&self, sequence: &Sequence) -> bool {
        self.values.is_empty()
            || (0..sequence.len()).all(|at| {
                let limited = sequence.call_at(at).map(|called| self.values.range((called, 0)..=(called, usize::MAX)));
                limited.into_iter().flatten().all(|((_, input), values)| {
                    let given = sequence.inputs_of(at).nth(*input);
                    given.is_some_and(|given| values.iter().any(|value| value.is_at(sequence, given)))
                })
            })
    }

    /// Whether the exception left the method of the frame, which throws such on purpose.
    fn is_on_purpose(&self, frame: &StackFrame, thrown: &Thrown) -> bool {
        let Some(overloads) = self.on_purpose.get(&(frame.class.clone(), frame.method.as_str().into())) else {
            return false;
        };
        let is_meant = |overload: &Overload| {
            let mut meant = overload.purpose.iter();
            meant.any(|meant| meant.is_empty() || meant.iter().any(|class| thrown.superclasses.contains(class)))
        };
        match overloads.iter().rfind(|overload| overload.line <= frame.line) {
            Some(overload) => is_meant(overload),
            // Nothing is known of lines.
            None => overloads.iter().any(is_meant),
        }
    }
}

impl Program {
    /// Whether the exception left a method that throws such on purpose, as an annotation says.
    pub fn throws_on_purpose(&self, thrown: &Thrown) -> bool {
        thrown.stack.iter().any(|frame| self.told.is_on_purpose(frame, thrown))
    }
}

impl GivenValue {
    /// Whether the statement makes this value.
    fn is_at(&self, sequence: &Sequence, statement: usize) -> bool {
        match self {
            GivenValue::Literal(literal) => sequence.literal_at(statement) == Some(literal),
            GivenValue::Made(PlainValue { operation, arguments }) => {
                sequence.call_at(statement) == Some(*operation)
                    && sequence
                        .inputs_of(statement)
                        .map(|input| sequence.literal_at(input))
                        .eq(arguments.iter().map(Some))
            }
        }
    }
}

fn classes_in(value: &ElementValue) -> Vec<ClassName> {
    match value {
        ElementValue::Constant(Literal::Class(of)) => of.class_name().into_iter().cloned().collect(),
        ElementValue::Array(values) => values.iter().flat_map(classes_in).collect(),
        _ => Vec::new(),
    }
}

/// The value of the type that the text says: the text itself, a number or truth value, a constant of an enum, or what one of the
/// operations makes of the text.
fn given_value(of: &Type, literal: Literal, all: &[Operation]) -> Option<GivenValue> {
    let Literal::String(text) = &literal else { return None };
    if of.is_string()
        || of.is_any_object()
        || of.class_name().is_some_and(|it| it.internal() == "java/lang/CharSequence")
    {
        return Some(GivenValue::Literal(literal));
    }
    if let Type::Primitive(primitive) = of {
        return parsed(text, *primitive).map(GivenValue::Literal);
    }
    let class = of.class_name()?;
    let boxed = unboxed(class).and_then(|primitive| parsed(text, primitive));
    let is_maker = |operation: &&Operation| {
        let takes = |taken: &Type| operation.inputs.len() == 1 && operation.inputs[0] == *taken;
        let is_static = matches!(operation.kind, OperationKind::Constructor | OperationKind::StaticMethod);
        operation.owner == *class
            && operation.output.as_ref().is_some_and(|output| output.erased() == of.erased())
            && match &boxed {
                Some(number) => &*operation.name == "valueOf" && is_static && takes(&number.literal_type()),
                None if operation.is_enum_constant => *operation.name == *text.to_string(),
                None => is_static && takes(&Type::string()),
            }
    };
    let at = all.iter().position(|operation| is_maker(&operation))?;
    let arguments = match boxed {
        Some(number) => vec![number],
        None if all[at].is_enum_constant => Vec::new(),
        None => vec![literal],
    };
    Some(GivenValue::Made(PlainValue { operation: OperationId(at as u32), arguments }))
}

/// The value of the primitive type that the text says, if it fits.
fn parsed(text: &JavaString, of: Primitive) -> Option<Literal> {
    let said = text.to_string();
    match of {
        Primitive::Boolean => said.parse().ok().map(Literal::Boolean),
        Primitive::Char => (text.units().len() == 1).then(|| Literal::Char(text.units()[0])),
        Primitive::Float => said.parse().ok().map(Literal::float),
        Primitive::Double => said.parse().ok().map(Literal::double),
        Primitive::Byte => said.parse().ok().map(Literal::Byte),
        Primitive::Short => said.parse().ok().map(Literal::Short),
        Primitive::Int => said.parse().ok().map(Literal::Int),
        Primitive::Long => said.parse().ok().map(Literal::Long),
    }
}
