//! Which types the annotated fields have.

use super::reflection::{class_literal, is_public};
use crate::implementation::Known;
use model::jvm::types::{ClassFacts, access, is_java_identifier, unboxed};
use model::jvm::{ClassName, Literal, Primitive, Type};
use std::collections::BTreeSet;

/// Types of fields that are taken from the class literals of the code.
const MENTIONED_TYPES: usize = 7;
/// The platform's types of fields; they must be known.
pub(crate) const FIELD_TYPES: [&str; 3] = ["java/util/List", "java/util/Map", "java/math/RoundingMode"];

/// A kind of field.
#[derive(Clone)]
pub(super) struct FieldType {
    pub of: Type,
    pub arguments: Vec<Type>,
    pub name: String,
    /// It begins with an input.
    pub is_given: bool,
}

/// Plain types, and those that the code has class literals of.
pub(super) fn field_types<'a>(
    read: impl Iterator<Item = &'a ClassName>,
    literals: impl Iterator<Item = &'a Literal>,
    known: &Known<'_>,
) -> Vec<FieldType> {
    let field = |of: Type, arguments: usize, name: &str, is_given: bool| FieldType {
        of,
        arguments: vec![Type::string(); arguments],
        name: name.to_string(),
        is_given,
    };
    let is_enum = |name: &&ClassName| known.types.get(name).is_some_and(ClassFacts::is_enum) && is_public(name, known);
    let [list, map, rounding] = FIELD_TYPES.map(Type::class);
    let choice = read.into_iter().find(is_enum).map_or(rounding, |name| Type::Class(name.clone()));
    let mut types = vec![
        field(Type::Primitive(Primitive::Boolean), 0, "flag", false),
        field(Type::INT, 0, "number", false),
        field(Type::string(), 0, "text", false),
        field(list.clone(), 1, "items", false),
        field(map, 2, "map", true),
        field(Type::object(), 0, "part", true),
        field(choice, 0, "choice", false),
        field(list, 1, "list", true),
        field(Type::array(Type::string()), 0, "array", false),
    ];
    let is_field_type = |class: &&ClassName| {
        let is_annotation = known.types.get(class).is_some_and(|facts| facts.access & access::ANNOTATION != 0);
        class.internal().starts_with("java/") && !is_annotation && is_public(class, known)
    };
    let mentioned: BTreeSet<&ClassName> = literals.filter_map(class_literal).filter(is_field_type).collect();
    let is_new = |class: &&ClassName| types.iter().all(|known| known.of != Type::Class((*class).clone()));
    let new: Vec<FieldType> = (mentioned.into_iter().filter(is_new))
        .take(MENTIONED_TYPES)
        .map(|class| field(Type::Class(class.clone()), 0, &field_name(class), false))
        .collect();
    types.extend(new);
    types
}

/// `bigDecimal`, `longValue`
pub(super) fn field_name(class: &ClassName) -> String {
    let simple = class.simple().replace('$', "");
    let mut letters = simple.chars();
    let name: String = letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect();
    match name.as_str() {
        "" => "value".to_string(),
        _ if unboxed(class).is_some() || !is_java_identifier(&name) => name + "Value",
        _ => name,
    }
}
