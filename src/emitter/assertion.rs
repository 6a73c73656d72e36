//! What a test asserts about a value, and how JUnit 4 and 5 say it.
//!
//! Overloads of `assertEquals` are met exactly: the expected value is written in the static type of the actual one, so
//! that neither boxing nor a choice between `(long, long)` and `(Object, Object)` is left to the compiler.

use super::JUnitVersion;
use super::literal::{element_text, literal_text};
use super::names::Names;
use model::execution::{Observed, Value};
use model::jvm::types::is_java_identifier;
use model::jvm::{ClassName, JavaString, Literal, Primitive, Type};

/// Longer strings are asserted by their length, which a reader can check.
const STRING_SHOWN: usize = 200;

/// Larger arrays are asserted by their length.
const ELEMENTS_SHOWN: usize = 16;

/// An observation of so many elements may be a part of the array ([`Observed::Array`]).
const ELEMENTS_OBSERVED: usize = 64;

/// An assertion about one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ValueCheck {
    True,
    False,
    Null,
    NotNull,
    /// A primitive, or a string of any static type.
    Equals(Literal),
    Boxed(Literal),
    EnumConstant(ClassName, String),
    /// The array's type and elements.
    Elements(Type, Vec<Option<Literal>>),
    ArrayLength(usize),
    StringLength(usize),
    /// Of a collection or map.
    Size(u32),
}

impl ValueCheck {
    /// The assertion for a value of the static type, if there is one that says something and holds in every run.
    pub fn of(value: &Value, static_type: &Type, names: &Names<'_>) -> Option<ValueCheck> {
        match value {
            Value::Void => None,
            Value::Null => Some(ValueCheck::Null),
            Value::Literal(Literal::Boolean(value)) if *static_type == Type::BOOLEAN => {
                Some(if *value { ValueCheck::True } else { ValueCheck::False })
            }
            Value::Literal(Literal::String(text)) if differs_between_runs(text) => None,
            Value::Literal(Literal::String(text)) if text.units().len() > STRING_SHOWN => {
                static_type.is_string().then_some(ValueCheck::StringLength(text.units().len()))
            }
            Value::Literal(literal @ Literal::String(_)) if !static_type.is_primitive() => {
                Some(ValueCheck::Equals(literal.clone()))
            }
            Value::Literal(literal) => {
                (literal.literal_type() == *static_type).then(|| ValueCheck::Equals(literal.clone()))
            }
            Value::Object { class, observed } => match observed {
                Observed::Nothing => None,
                Observed::Boxed(literal) if !static_type.is_primitive() => Some(ValueCheck::Boxed(literal.clone())),
                Observed::Boxed(_) => None,
                Observed::EnumConstant(name) => match class {
                    Type::Class(owner) if names.can_name(class) && is_java_identifier(name) => {
                        Some(ValueCheck::EnumConstant(owner.clone(), name.clone()))
                    }
                    _ => None,
                },
                Observed::Array(elements) => ValueCheck::of_array(class, elements, static_type),
                Observed::Size(size) => has_size(static_type, names).then_some(ValueCheck::Size(*size)),
            },
        }
    }

    fn of_array(class: &Type, elements: &[Option<Literal>], static_type: &Type) -> Option<ValueCheck> {
        let stable = |element: &Option<Literal>| match element {
            Some(Literal::String(text)) => !differs_between_runs(text) && text.units().len() <= STRING_SHOWN,
            _ => true,
        };
        if elements.len() <= ELEMENTS_SHOWN && elements.iter().all(stable) {
            return Some(ValueCheck::Elements(class.clone(), elements.to_vec()));
        }
        let complete = elements.len() < ELEMENTS_OBSERVED;
        (complete && matches!(static_type, Type::Array(_))).then_some(ValueCheck::ArrayLength(elements.len()))
    }

    /// Whether later statements that change the object can break the assertion.
    pub fn is_of_mutable_state(&self) -> bool {
        matches!(self, ValueCheck::Elements(..) | ValueCheck::Size(_))
    }

    /// Whether the assertion would pass for another value. Where nothing is known of the value, it is taken to.
    pub fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (ValueCheck::True, _) => *value == Value::Literal(Literal::Boolean(true)),
            (ValueCheck::False, _) => *value == Value::Literal(Literal::Boolean(false)),
            (ValueCheck::Null, _) => *value == Value::Null,
            (ValueCheck::NotNull, _) => *value != Value::Null,
            (ValueCheck::Equals(expected), Value::Literal(literal)) => canonical(literal) == canonical(expected),
            (ValueCheck::StringLength(length), Value::Literal(Literal::String(text))) => text.units().len() == *length,
            (ValueCheck::Boxed(expected), Value::Object { observed: Observed::Boxed(literal), .. }) => {
                canonical(literal) == canonical(expected)
            }
            (
                ValueCheck::EnumConstant(owner, expected),
                Value::Object { class, observed: Observed::EnumConstant(name) },
            ) => *class == Type::Class(owner.clone()) && name == expected,
            (ValueCheck::Elements(_, expected), Value::Object { observed: Observed::Array(elements), .. }) => {
                let canonical = |elements: &[Option<Literal>]| -> Vec<Option<Literal>> {
                    elements.iter().map(|element| element.as_ref().map(canonical)).collect()
                };
                canonical(elements) == canonical(expected)
            }
            (ValueCheck::ArrayLength(length), Value::Object { observed: Observed::Array(elements), .. }) => {
                elements.len() == *length
            }
            (ValueCheck::Size(expected), Value::Object { observed: Observed::Size(size), .. }) => size == expected,
            (ValueCheck::Size(_), Value::Object { .. }) => true,
            _ => false,
        }
    }

    /// How much a reader has to take in: less comes first where either will do.
    pub fn effort(&self) -> u32 {
        match self {
            ValueCheck::True | ValueCheck::False => 0,
            ValueCheck::Equals(Literal::String(text)) => 1 + text.units().len() as u32 / 20,
            ValueCheck::Equals(_) | ValueCheck::EnumConstant(..) | ValueCheck::Size(_) => 1,
            ValueCheck::Null | ValueCheck::Boxed(_) => 2,
            ValueCheck::Elements(_, elements) => 2 + elements.len() as u32 / 4,
            ValueCheck::ArrayLength(_) | ValueCheck::StringLength(_) => 3,
            ValueCheck::NotNull => 4,
        }
    }

    /// The statement, without its semicolon, that checks `actual`, an expression of the static type.
    pub fn statement(
        &self,
        actual: &str,
        static_type: &Type,
        junit: JUnitVersion,
        names: &mut Names<'_>,
    ) -> Result<String, String> {
        Ok(match self {
            ValueCheck::True => format!("{}({actual})", names.assertion("assertTrue")),
            ValueCheck::False => format!("{}({actual})", names.assertion("assertFalse")),
            ValueCheck::Null => format!("{}({actual})", names.assertion("assertNull")),
            ValueCheck::NotNull => format!("{}({actual})", names.assertion("assertNotNull")),
            ValueCheck::Equals(literal) => {
                let delta = match (literal, junit) {
                    (Literal::Float(_), JUnitVersion::Four { .. }) => ", 0.0f",
                    (Literal::Double(_), JUnitVersion::Four { .. }) => ", 0.0",
                    _ => "",
                };
                let expected = literal_text(&canonical(literal), names)?;
                format!("{}({expected}, {actual}{delta})", names.assertion("assertEquals"))
            }
            ValueCheck::Boxed(literal) => {
                let expected = boxed_text(literal, names)?;
                format!("{}({expected}, {actual})", names.assertion("assertEquals"))
            }
            ValueCheck::EnumConstant(owner, name) => {
                let owner = names.class_name(owner)?;
                format!("{}({owner}.{name}, {actual})", names.assertion("assertEquals"))
            }
            ValueCheck::Elements(of, elements) => elements_statement(of, elements, actual, static_type, junit, names)?,
            ValueCheck::ArrayLength(length) => {
                format!("{}({length}, {actual}.length)", names.assertion("assertEquals"))
            }
            ValueCheck::StringLength(length) => {
                format!("{}({length}, {actual}.length())", names.assertion("assertEquals"))
            }
            ValueCheck::Size(size) => format!("{}({size}, {actual}.size())", names.assertion("assertEquals")),
        })
    }
}

fn elements_statement(
    of: &Type,
    elements: &[Option<Literal>],
    actual: &str,
    static_type: &Type,
    junit: JUnitVersion,
    names: &mut Names<'_>,
) -> Result<String, String> {
    let Type::Array(element) = of else { return Err("elements of what is no array".to_string()) };
    let type_text = names.type_name(element)?;
    let mut texts = Vec::new();
    for value in elements {
        texts.push(match value {
            Some(literal) => element_text(&literal_text(&canonical(literal), names)?, element).to_string(),
            None => "null".to_string(),
        });
    }
    let expected = match texts.is_empty() {
        true => format!("new {type_text}[0]"),
        false => format!("new {type_text}[] {{{}}}", texts.join(", ")),
    };
    let actual = match static_type {
        Type::Array(_) => actual.to_string(),
        _ => format!("({type_text}[]) {actual}"),
    };
    if **element == Type::BOOLEAN && junit == (JUnitVersion::Four { assert_throws: false }) {
        // `assertArrayEquals(boolean[], boolean[])` came with 4.12.
        let arrays = names.class_name(&ClassName::new("java/util/Arrays"))?;
        return Ok(format!("{}({arrays}.equals({expected}, {actual}))", names.assertion("assertTrue")));
    }
    let delta = match (&**element, junit) {
        (Type::Primitive(Primitive::Float), JUnitVersion::Four { .. }) => ", 0.0f",
        (Type::Primitive(Primitive::Double), JUnitVersion::Four { .. }) => ", 0.0",
        _ => "",
    };
    Ok(format!("{}({expected}, {actual}{delta})", names.assertion("assertArrayEquals")))
}

/// What JUnit compares with: every NaN is the same to it, and which one a calculation makes is up to the processor.
fn canonical(literal: &Literal) -> Literal {
    match literal {
        Literal::Float(bits) if f32::from_bits(*bits).is_nan() => Literal::Float(0x7fc0_0000),
        Literal::Double(bits) if f64::from_bits(*bits).is_nan() => Literal::Double(0x7ff8_0000_0000_0000),
        other => other.clone(),
    }
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

/// The static type has `size()` as collections and maps have.
fn has_size(static_type: &Type, names: &Names<'_>) -> bool {
    let Some(class) = static_type.class_name() else { return false };
    const SIZED: [&str; 7] = [
        "java/util/Collection",
        "java/util/Map",
        "java/util/List",
        "java/util/Set",
        "java/util/ArrayList",
        "java/util/HashMap",
        "java/util/HashSet",
    ];
    SIZED.contains(&class.internal())
        || names.types.ancestry(class).iter().any(|facts| SIZED.contains(&facts.name.internal()))
}

/// Text that another run or machine would print differently: identity hashes, lambda names, paths.
fn differs_between_runs(text: &JavaString) -> bool {
    let text = text.to_string();
    has_identity_hash(&text)
        || ["$$Lambda", "RandgenStub", "/tmp/", "/home/", "/root/", "/Users/", "/var/folders/", ":\\"]
            .iter()
            .any(|part| text.contains(part))
}

/// `@` and at least four hexadecimal digits, as `Object.toString` prints.
fn has_identity_hash(text: &str) -> bool {
    text.match_indices('@').any(|(at, _)| {
        let digits = text[at + 1..].bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
        digits >= 4
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::types::TypeTable;

    const JUNIT_4: JUnitVersion = JUnitVersion::Four { assert_throws: false };

    fn check(value: Value, static_type: &Type, junit: JUnitVersion, expected: Option<&str>) {
        let types = TypeTable::default();
        let mut names = Names::new(&types, "p", "ATest");
        let given = ValueCheck::of(&value, static_type, &names)
            .map(|check| check.statement("x", static_type, junit, &mut names).unwrap());
        assert_eq!(given.as_deref(), expected);
    }

    fn object(class: Type, observed: Observed) -> Value {
        Value::Object { class, observed }
    }

    #[test]
    fn primitives_are_compared_in_their_own_type() {
        let long = Type::Primitive(Primitive::Long);
        check(Value::Literal(Literal::Long(3)), &long, JUNIT_4, Some("assertEquals(3L, x)"));
        check(Value::Literal(Literal::Boolean(true)), &Type::BOOLEAN, JUNIT_4, Some("assertTrue(x)"));
        let double = Type::Primitive(Primitive::Double);
        let nan = || Value::Literal(Literal::double(f64::NAN));
        check(nan(), &double, JUNIT_4, Some("assertEquals(Double.NaN, x, 0.0)"));
        check(nan(), &double, JUnitVersion::Five, Some("assertEquals(Double.NaN, x)"));
        let negative = Value::Literal(Literal::Double(0xfff8_0000_0000_0000));
        check(negative, &double, JUnitVersion::Five, Some("assertEquals(Double.NaN, x)"));
    }

    #[test]
    fn boxed_values_are_compared_as_objects() {
        let three = || object(Type::class("java/lang/Integer"), Observed::Boxed(Literal::Int(3)));
        check(three(), &Type::object(), JUnitVersion::Five, Some("assertEquals(Integer.valueOf(3), x)"));
    }

    #[test]
    fn array_of_static_type_object_is_cast() {
        let ints = Type::array(Type::INT);
        let value = || object(ints.clone(), Observed::Array(vec![Some(Literal::Int(1)), Some(Literal::Int(2))]));
        check(value(), &ints, JUNIT_4, Some("assertArrayEquals(new int[] {1, 2}, x)"));
        check(value(), &Type::object(), JUNIT_4, Some("assertArrayEquals(new int[] {1, 2}, (int[]) x)"));
    }

    #[test]
    fn string_with_identity_hash_or_temporary_path_is_not_asserted() {
        let string = |text: &str| Value::Literal(Literal::String(JavaString::from(text)));
        check(string("p.A@1b6d3586"), &Type::string(), JUNIT_4, None);
        check(string("in /tmp/x1"), &Type::string(), JUNIT_4, None);
        check(string("a@bc"), &Type::string(), JUNIT_4, Some("assertEquals(\"a@bc\", x)"));
        check(string(&"a".repeat(300)), &Type::string(), JUNIT_4, Some("assertEquals(300, x.length())"));
    }

    #[test]
    fn size_is_asserted_if_the_static_type_declares_it() {
        let sized = || object(Type::class("java/util/ArrayList"), Observed::Size(2));
        check(sized(), &Type::class("java/util/List"), JUNIT_4, Some("assertEquals(2, x.size())"));
        check(sized(), &Type::object(), JUNIT_4, None);
    }
}
