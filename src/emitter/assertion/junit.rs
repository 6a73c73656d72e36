//! Assertions as JUnit 4 and 5 say them.
//!
//! Overloads of `assertEquals` are met exactly: the expected value is written in the static type of the actual one, so
//! that neither boxing nor a choice between `(long, long)` and `(Object, Object)` is left to the compiler.

use super::{ValueCheck, content_check, copied, has_size};
use crate::literal::{canonical, literal_text};
use crate::names::Names;
use crate::value_text::{array_text, value_text};
use crate::{JUnitVersion, Style};
use model::execution::described::{Described, ElementsKind};
use model::jvm::{ClassName, Literal, Primitive, Type};

/// The statement, without its semicolon, that checks `actual`, an expression of the static type.
pub(super) fn statement(
    check: &ValueCheck,
    actual: &str,
    static_type: &Type,
    style: &Style,
    names: &mut Names<'_>,
) -> Result<String, String> {
    let (expected, actual, delta) = match check {
        ValueCheck::True => return Ok(format!("{}({actual})", names.assertion("assertTrue"))),
        ValueCheck::False => return Ok(format!("{}({actual})", names.assertion("assertFalse"))),
        ValueCheck::Null => return Ok(format!("{}({actual})", names.assertion("assertNull"))),
        ValueCheck::NotNull => return Ok(format!("{}({actual})", names.assertion("assertNotNull"))),
        ValueCheck::Value(described) => return object_statement(described, actual, static_type, style, names),
        ValueCheck::Equals(literal) => {
            let delta = match (literal, style.junit) {
                (Literal::Float(_), JUnitVersion::Four { .. }) => ", 0.0f",
                (Literal::Double(_), JUnitVersion::Four { .. }) => ", 0.0",
                _ => "",
            };
            (literal_text(&canonical(literal), names)?, actual.to_string(), delta)
        }
        ValueCheck::Sign(sign) => {
            let compared = if sign.is_lt() { "<" } else { ">" };
            return Ok(format!("{}({actual} {compared} 0)", names.assertion("assertTrue")));
        }
        ValueCheck::Present => return Ok(format!("{}({actual}.isPresent())", names.assertion("assertTrue"))),
        ValueCheck::ArrayLength(length) => (length.to_string(), format!("{actual}.length"), ""),
        ValueCheck::StringLength(length) => (length.to_string(), format!("{actual}.length()"), ""),
        ValueCheck::Size(size) => (size.to_string(), format!("{actual}.size()"), ""),
    };
    Ok(format!("{}({expected}, {actual}{delta})", names.assertion("assertEquals")))
}

fn object_statement(
    described: &Described,
    actual: &str,
    static_type: &Type,
    style: &Style,
    names: &mut Names<'_>,
) -> Result<String, String> {
    let (expected, actual) = match described {
        Described::Literal(literal @ (Literal::String(_) | Literal::Class(_))) => {
            (literal_text(literal, names)?, actual.to_string())
        }
        Described::Literal(Literal::Boolean(is_true)) if *static_type == Type::class("java/lang/Boolean") => {
            let check = if *is_true { ValueCheck::True } else { ValueCheck::False };
            return statement(&check, actual, static_type, style, names);
        }
        Described::Literal(literal) => (boxed_text(literal, names)?, actual.to_string()),
        Described::Array(of, elements) => return array_statement(of, elements, actual, static_type, style, names),
        Described::Content(class, content) => {
            let (check, actual, of) = content_check(class, content, actual, static_type, names)?;
            return statement(&check, &actual, &of, style, names);
        }
        _ if described.size() == Some(0) && has_size(static_type, names) => {
            return Ok(format!("{}({actual}.isEmpty())", names.assertion("assertTrue")));
        }
        Described::Elements(ElementsKind::Collection, elements) => {
            let copy = copied(actual, static_type, names)?;
            let list = Described::Elements(ElementsKind::List, elements.clone());
            (value_text(&list, style.source_level, names)?, copy)
        }
        _ => (value_text(described, style.source_level, names)?, actual.to_string()),
    };
    Ok(format!("{}({expected}, {actual})", names.assertion("assertEquals")))
}

fn array_statement(
    of: &Type,
    elements: &[Described],
    actual: &str,
    static_type: &Type,
    style: &Style,
    names: &mut Names<'_>,
) -> Result<String, String> {
    let Type::Array(element) = of else { return Err("elements of what is no array".to_string()) };
    let expected = array_text(of, elements, style.source_level, names)?;
    let actual = match static_type {
        Type::Array(_) => actual.to_string(),
        _ => format!("({}) {actual}", names.type_name(of)?),
    };
    if **element == Type::BOOLEAN && style.junit == (JUnitVersion::Four { assert_throws: false }) {
        // `assertArrayEquals(boolean[], boolean[])` came with 4.12.
        let arrays = names.class_name(&ClassName::new("java/util/Arrays"))?;
        return Ok(format!("{}({arrays}.equals(new {expected}, {actual}))", names.assertion("assertTrue")));
    }
    let delta = match (&**element, style.junit) {
        (Type::Primitive(Primitive::Float), JUnitVersion::Four { .. }) => ", 0.0f",
        (Type::Primitive(Primitive::Double), JUnitVersion::Four { .. }) => ", 0.0",
        _ => "",
    };
    Ok(format!("{}(new {expected}, {actual}{delta})", names.assertion("assertArrayEquals")))
}

/// `Integer.valueOf(3)`
fn boxed_text(literal: &Literal, names: &mut Names<'_>) -> Result<String, String> {
    let Type::Primitive(primitive) = literal.literal_type() else {
        return Err("a boxed value that is no primitive".to_string());
    };
    let wrapper = names.java_lang(primitive.wrapper().simple());
    Ok(match literal {
        Literal::Boolean(true) => wrapper + ".TRUE",
        Literal::Boolean(false) => wrapper + ".FALSE",
        literal => format!("{wrapper}.valueOf({})", literal_text(&canonical(literal), names)?),
    })
}
