//! Annotations as class files hold them (JVMS §4.7.16).

use super::{ClassName, Literal};
use std::fmt;
use std::sync::Arc;

/// An annotation, with the elements that it gives values to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Annotation {
    /// The annotation interface.
    pub of: ClassName,
    /// Names with values, in the order of the class file; those left to their defaults are missing.
    pub elements: Vec<(Arc<str>, ElementValue)>,
}

/// What an element can be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ElementValue {
    /// A primitive, a string or a class literal.
    Constant(Literal),
    /// `void.class`, the one class literal that is of no value's type.
    Void,
    /// An enum constant: its class and name.
    Enum(ClassName, Arc<str>),
    /// A nested annotation.
    Annotation(Annotation),
    /// Elements in order, all of one kind.
    Array(Vec<ElementValue>),
}

impl ElementValue {
    /// The strings in it, in order.
    pub fn strings(&self) -> Vec<Literal> {
        match self {
            ElementValue::Constant(literal @ Literal::String(_)) => vec![literal.clone()],
            ElementValue::Annotation(annotation) => annotation.strings(),
            ElementValue::Array(values) => values.iter().flat_map(ElementValue::strings).collect(),
            _ => Vec::new(),
        }
    }
}

impl Annotation {
    /// The value that the annotation itself gives to the element, not the default of its type.
    pub fn element(&self, name: &str) -> Option<&ElementValue> {
        self.elements.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
    }

    /// The strings in its elements, in order.
    pub fn strings(&self) -> Vec<Literal> {
        self.elements.iter().flat_map(|(_, value)| value.strings()).collect()
    }
}

/// For reports and messages.
impl fmt::Display for Annotation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elements: Vec<String> = self.elements.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        write!(formatter, "@{}({})", self.of, elements.join(", "))
    }
}

impl fmt::Display for ElementValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElementValue::Constant(Literal::Class(of)) => write!(formatter, "{of}.class"),
            ElementValue::Constant(Literal::String(text)) => write!(formatter, "{text:?}"),
            ElementValue::Constant(literal) => write!(formatter, "{literal:?}"),
            ElementValue::Void => formatter.write_str("void.class"),
            ElementValue::Enum(class, name) => write!(formatter, "{class}.{name}"),
            ElementValue::Annotation(annotation) => annotation.fmt(formatter),
            ElementValue::Array(values) => {
                let values: Vec<String> = values.iter().map(ElementValue::to_string).collect();
                write!(formatter, "{{{}}}", values.join(", "))
            }
        }
    }
}
