//! Objects with a known content: what an object that equals them is made of.

use crate::jvm::{ClassName, JavaString, Literal, MethodDescriptor, Type};
use crate::sequence::Operation;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The content of an object when a statement returned it. Fields were read, no code under test was run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Described {
    /// An element, value or component that is null.
    Null,
    /// A boxed primitive, a string or a class.
    Literal(Literal),
    /// An enum constant: the enum, and the name of the constant.
    Constant(ClassName, String),
    /// A value of a class of the JDK, and the canonical text from which it can be made again: `2024-02-29`.
    Text(ClassName, JavaString),
    /// One of the four optional classes, and what it contains.
    Optional(ClassName, Option<Box<Described>>),
    /// A collection of the JDK; the elements of a set are sorted.
    Elements(ElementsKind, Vec<Described>),
    /// A map of the JDK, sorted by its keys.
    Map(Vec<(Described, Described)>),
    /// An entry of a map.
    Entry(Box<(Described, Described)>),
    /// A record and its components.
    Record(ClassName, Vec<Described>),
    /// The type of an array, and its elements.
    Array(Type, Vec<Described>),
    /// A class of the JDK that is equal only to itself, and what `get()` of it returns, or `toString()` of texts:
    /// `AtomicInteger`, `StringBuilder`.
    Content(ClassName, Box<Described>),
    /// An object of another class that says itself what equals it, with the content of its fields; and how one that is equal
    /// is made, once that is known.
    Object(ClassName, Vec<Described>, Spelling),
}

/// How an object is made again. It says nothing of the object that its fields do not say, so that all spellings are equal.
#[derive(Clone, Debug, Default)]
pub struct Spelling(pub Option<Arc<Made>>);

/// A call of a constructor or static method, or a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The class that has it.
    pub owner: ClassName,
    /// `<init>` for a constructor.
    pub name: Arc<str>,
    /// It is a constant of the class: `Money.ZERO`.
    pub is_constant: bool,
    /// Its erased types.
    pub descriptor: MethodDescriptor,
    /// One for each parameter.
    pub arguments: Vec<Described>,
}

impl PartialEq for Spelling {
    fn eq(&self, _: &Spelling) -> bool {
        true
    }
}

impl Eq for Spelling {}

impl Hash for Spelling {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl PartialOrd for Spelling {
    fn partial_cmp(&self, other: &Spelling) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Spelling {
    fn cmp(&self, _: &Spelling) -> Ordering {
        Ordering::Equal
    }
}

/// By which contract a collection equals others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementsKind {
    /// That of `java.util.List`.
    List,
    /// That of `java.util.Set`.
    Set,
    /// It equals only itself, but has a defined order.
    Collection,
}

impl Described {
    /// A boxed primitive, a string or a class. All NaNs are the same, as they are equal to each other.
    pub fn literal(literal: Literal) -> Described {
        Described::Literal(match literal {
            Literal::Float(bits) if f32::from_bits(bits).is_nan() => Literal::Float(0x7fc0_0000),
            Literal::Double(bits) if f64::from_bits(bits).is_nan() => Literal::Double(0x7ff8_0000_0000_0000),
            other => other,
        })
    }

    /// A collection; sets are brought into an order that no hash code decides.
    pub fn elements(kind: ElementsKind, mut elements: Vec<Described>) -> Described {
        if kind == ElementsKind::Set {
            elements.sort();
        }
        Described::Elements(kind, elements)
    }

    /// A map, in an order that no hash code decides.
    pub fn map(mut entries: Vec<(Described, Described)>) -> Described {
        entries.sort();
        Described::Map(entries)
    }

    /// The number of elements of an array, a collection or a map, or of values in an optional.
    pub fn size(&self) -> Option<usize> {
        match self {
            Described::Optional(_, value) => Some(usize::from(value.is_some())),
            Described::Elements(_, elements) | Described::Array(_, elements) => Some(elements.len()),
            Described::Map(entries) => Some(entries.len()),
            _ => None,
        }
    }

    /// The descriptions directly in this one; of an object that can be made again, those of the arguments.
    pub fn parts(&self) -> Vec<&Described> {
        match self {
            Described::Null | Described::Literal(_) | Described::Constant(..) | Described::Text(..) => Vec::new(),
            Described::Optional(_, value) => value.iter().map(|value| &**value).collect(),
            Described::Elements(_, parts) | Described::Record(_, parts) | Described::Array(_, parts) => {
                parts.iter().collect()
            }
            Described::Map(entries) => entries.iter().flat_map(|(key, value)| [key, value]).collect(),
            Described::Entry(entry) => vec![&entry.0, &entry.1],
            Described::Content(_, content) => vec![content],
            Described::Object(_, fields, Spelling(None)) => fields.iter().collect(),
            Described::Object(_, _, Spelling(Some(made))) => made.arguments.iter().collect(),
        }
    }

    /// This description and all those in it.
    pub fn all(&self) -> Vec<&Described> {
        let mut found = vec![self];
        let mut next = 0;
        while next < found.len() {
            found.extend(found[next].parts());
            next += 1;
        }
        found
    }

    /// Whether an object that equals it can be made: nothing in it is an object of which that is not known.
    pub fn can_be_made(&self) -> bool {
        !self.all().iter().any(|part| matches!(part, Described::Object(_, _, Spelling(None))))
    }

    /// Whether the object would be made by the operation that returned it, so that comparing both says nothing.
    pub fn is_spelled_by(&self, operation: &Operation) -> bool {
        matches!(self, Described::Object(_, _, Spelling(Some(made)))
            if made.owner == operation.owner && made.name == operation.name
                && (made.is_constant || made.descriptor == operation.descriptor))
    }

    /// Whether later calls can change the object, or one in it.
    pub fn is_mutable(&self) -> bool {
        let is_itself = |part: &&Described| match part {
            Described::Elements(..) | Described::Map(_) | Described::Entry(_) => true,
            Described::Array(..) | Described::Content(..) | Described::Object(..) => true,
            Described::Null | Described::Literal(_) | Described::Constant(..) | Described::Text(..) => false,
            Described::Optional(..) | Described::Record(..) => false,
        };
        self.all().iter().any(is_itself)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: i32) -> Described {
        Described::Literal(Literal::Int(value))
    }

    #[test]
    fn sets_and_maps_are_sorted_and_lists_are_not() {
        let set = Described::elements(ElementsKind::Set, vec![int(2), int(1)]);
        assert_eq!(set, Described::Elements(ElementsKind::Set, vec![int(1), int(2)]));
        let list = Described::elements(ElementsKind::List, vec![int(2), int(1)]);
        assert_eq!(list, Described::Elements(ElementsKind::List, vec![int(2), int(1)]));
        let map = Described::map(vec![(int(2), int(0)), (int(1), int(3))]);
        assert_eq!(map, Described::Map(vec![(int(1), int(3)), (int(2), int(0))]));
    }

    #[test]
    fn record_with_a_list_is_mutable() {
        let record = |part| Described::Record(ClassName::new("p/R"), vec![int(1), part]);
        assert!(!record(int(2)).is_mutable());
        assert!(record(Described::Elements(ElementsKind::List, Vec::new())).is_mutable());
    }
}
