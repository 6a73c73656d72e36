//! What a project tells randgen in annotations. They are known by their simple names, so that a project may declare its own
//! instead of depending on `dev.randgen:randgen-annotations` (docs/annotations.md).

mod values;

use super::Program;
use bytecode::classfile::Method;
use model::execution::{StackFrame, Thrown};
use model::jvm::annotations::{Annotation, ElementValue};
use model::jvm::types::TypeTable;
use model::jvm::{ClassName, Literal};
use model::sequence::{Operation, OperationId, Sequence};
use std::collections::BTreeMap;
use std::sync::Arc;
pub use values::{GivenValue, Limit};

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
    limits: BTreeMap<(OperationId, usize), Limit>,
    on_purpose: BTreeMap<(ClassName, Arc<str>), Vec<Overload>>,
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
    /// Limits an input of an operation, or its elements, to the values that its annotation gives, as far as the program can make
    /// them of the texts. An annotation without such a value says nothing.
    pub(crate) fn limit(
        &mut self,
        (id, input): (OperationId, usize),
        annotation: &Annotation,
        (all, types): (&[Operation], &TypeTable),
    ) {
        let texts = annotation.elements.iter().filter(|(name, _)| &**name == "value");
        let texts: Vec<Literal> = texts.flat_map(|(_, value)| value.strings()).collect();
        if let Some(limit) = Limit::new(&all[id.0 as usize].inputs[input], &texts, all, types) {
            self.limits.insert((id, input), limit);
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

    /// What the input is limited to, if it is.
    pub fn limit_of(&self, operation: OperationId, input: usize) -> Option<&Limit> {
        self.limits.get(&(operation, input))
    }

    /// Whether no input of any operation is limited.
    pub fn is_without_values(&self) -> bool {
        self.limits.is_empty()
    }

    /// Whether each limited input of the sequence has one of its values.
    pub fn allows(&self, sequence: &Sequence) -> bool {
        self.limits.is_empty()
            || (0..sequence.len()).all(|at| {
                let limited = sequence.call_at(at).map(|called| self.limits.range((called, 0)..=(called, usize::MAX)));
                limited.into_iter().flatten().all(|((_, input), limit)| {
                    sequence.inputs_of(at).nth(*input).is_some_and(|given| limit.allows(sequence, given, at))
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

fn classes_in(value: &ElementValue) -> Vec<ClassName> {
    match value {
        ElementValue::Constant(Literal::Class(of)) => of.class_name().into_iter().cloned().collect(),
        ElementValue::Array(values) => values.iter().flat_map(classes_in).collect(),
        _ => Vec::new(),
    }
}
