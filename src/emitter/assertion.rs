//! What a test asserts about a value; how JUnit and AssertJ say it is up to `junit` and `assertj`.

pub(super) mod assertj;
mod junit;

use super::literal::canonical;
use super::names::Names;
use super::value_text::{TEXT_ASSERTED, differs_between_runs, value_text};
use super::{AssertionLibrary, Style};
use model::execution::described::{Described, ElementsKind};
use model::execution::{Observed, Value};
use model::jvm::types::is_java_identifier;
use model::jvm::{ClassName, Literal, Type};
use std::cmp::Ordering;

/// An assertion about one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ValueCheck {
    True,
    False,
    Null,
    NotNull,
    /// A primitive, or a string of any static type.
    Equals(Literal),
    /// An object that equals one with this content, or that shows this content itself.
    Value(Described),
    StringLength(usize),
    /// Of a collection or map.
    Size(usize),
    ArrayLength(usize),
    /// Of an optional with a value.
    Present,
    /// Below or above zero: how far is an accident of what compares.
    Sign(Ordering),
}

impl ValueCheck {
    /// The assertion for a value of the static type, if there is one that says something and holds in every run.
    pub fn of(value: &Value, static_type: &Type, style: &Style, names: &Names<'_>) -> Option<ValueCheck> {
        match value {
            Value::Void => None,
            Value::Null => Some(ValueCheck::Null),
            Value::Literal(Literal::Boolean(value)) if *static_type == Type::BOOLEAN => {
                Some(if *value { ValueCheck::True } else { ValueCheck::False })
            }
            Value::Literal(Literal::String(text)) if differs_between_runs(text) => None,
            Value::Literal(Literal::String(text)) if text.units().len() > TEXT_ASSERTED => {
                static_type.is_string().then_some(ValueCheck::StringLength(text.units().len()))
            }
            Value::Literal(literal @ Literal::String(_)) if !static_type.is_primitive() => {
                Some(ValueCheck::Equals(literal.clone()))
            }
            Value::Literal(literal) => {
                (literal.literal_type() == *static_type).then(|| ValueCheck::Equals(literal.clone()))
            }
            Value::Object { .. } if static_type.is_primitive() => None,
            Value::Object { observed, .. } => ValueCheck::of_object(observed, static_type, style, names),
        }
    }

    /// The assertion for what a comparison returned: of another number than -1, 0 and 1 only the sign is promised
    /// (contract of `java.lang.Comparable`).
    pub fn of_compared(value: &Value) -> Option<ValueCheck> {
        match value {
            Value::Literal(Literal::Int(number)) if number.unsigned_abs() > 1 => Some(ValueCheck::Sign(number.cmp(&0))),
            _ => None,
        }
    }

    fn of_object(observed: &Observed, static_type: &Type, style: &Style, names: &Names<'_>) -> Option<ValueCheck> {
        if let Observed::Value(described) = observed {
            let check = ValueCheck::Value(described.clone());
            let is_well_named = |part: &&Described| match part {
                Described::Constant(_, name) => is_java_identifier(name),
                _ => true,
            };
            // What cannot be written is found out by writing it.
            if described.all().iter().all(is_well_named)
                && check.statement("", static_type, style, &mut names.unused()).is_ok()
            {
                return Some(check);
            }
        }
        let size = observed.size()?;
        match static_type {
            Type::Array(_) => Some(ValueCheck::ArrayLength(size)),
            _ if static_type.is_string() => Some(ValueCheck::StringLength(size)),
            _ if static_type.class_name().is_some_and(|class| class.internal() == "java/util/Optional") => {
                (size == 1).then_some(ValueCheck::Present)
            }
            _ => has_size(static_type, names).then_some(ValueCheck::Size(size)),
        }
    }

    /// Whether later statements that change the object can break the assertion.
    pub fn is_of_mutable_state(&self) -> bool {
        match self {
            ValueCheck::Value(described) => described.is_mutable(),
            ValueCheck::Size(_) => true,
            _ => false,
        }
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
            (ValueCheck::Value(expected), Value::Object { observed: Observed::Value(described), .. }) => {
                described == expected
            }
            (
                ValueCheck::Size(expected) | ValueCheck::ArrayLength(expected) | ValueCheck::StringLength(expected),
                Value::Object { observed, .. },
            ) => observed.size().is_none_or(|size| size == *expected),
            (ValueCheck::Sign(sign), Value::Literal(Literal::Int(number))) => number.cmp(&0) == *sign,
            (ValueCheck::Present, Value::Object { observed, .. }) => observed.size().is_none_or(|size| size == 1),
            _ => false,
        }
    }

    /// How much a reader has to take in: less comes first where either will do.
    pub fn effort(&self) -> u32 {
        match self {
            ValueCheck::True | ValueCheck::False => 0,
            ValueCheck::Equals(Literal::String(text)) => 1 + text.units().len() as u32 / 20,
            ValueCheck::Equals(Literal::Double(bits)) => 1 + f64::from_bits(*bits).to_string().len() as u32 / 8,
            ValueCheck::Equals(Literal::Float(bits)) => 1 + f32::from_bits(*bits).to_string().len() as u32 / 8,
            ValueCheck::Equals(_) | ValueCheck::Size(_) | ValueCheck::Sign(_) => 1,
            ValueCheck::Null => 2,
            ValueCheck::Value(described) => 1 + described.all().len() as u32 / 4,
            ValueCheck::ArrayLength(_) | ValueCheck::StringLength(_) | ValueCheck::Present => 3,
            ValueCheck::NotNull => 4,
        }
    }

    /// The statement, without its semicolon, that checks `actual`, an expression of the static type.
    pub fn statement(
        &self,
        actual: &str,
        static_type: &Type,
        style: &Style,
        names: &mut Names<'_>,
    ) -> Result<String, String> {
        match style.assertions {
            AssertionLibrary::JUnit => junit::statement(self, actual, static_type, style, names),
            AssertionLibrary::AssertJ { .. } => assertj::statement(self, actual, static_type, style, names),
        }
    }
}

/// The statement, without its semicolon, that checks that `actual` is the object of the variable.
pub(super) fn same_statement(
    expected: &str,
    actual: &str,
    static_type: &Type,
    style: &Style,
    names: &mut Names<'_>,
) -> String {
    match style.assertions {
        AssertionLibrary::JUnit => format!("{}({expected}, {actual})", names.assertion("assertSame")),
        AssertionLibrary::AssertJ { .. } => assertj::same(expected, actual, static_type, style, names),
    }
}

/// Objects of the JDK that equal none but themselves show their content by a call: what to check of it, the call, and its type.
fn content_check(
    class: &ClassName,
    content: &Described,
    actual: &str,
    static_type: &Type,
    names: &Names<'_>,
) -> Result<(ValueCheck, String, Type), String> {
    if !class.internal().starts_with("java/util/concurrent/atomic/") {
        let Described::Literal(Literal::String(_)) = content else { return Err("no text".to_string()) };
        value_text(content, 8, &mut names.unused())?;
        return Ok((ValueCheck::Value(content.clone()), format!("{actual}.toString()"), Type::string()));
    }
    if static_type.class_name() != Some(class) {
        return Err(format!("{class} as an object of another type"));
    }
    let (check, of) = match content {
        Described::Literal(literal) if class.simple() != "AtomicReference" => {
            let check = match literal {
                Literal::Boolean(true) => ValueCheck::True,
                Literal::Boolean(false) => ValueCheck::False,
                number => ValueCheck::Equals(number.clone()),
            };
            (check, literal.literal_type())
        }
        Described::Array(..) | Described::Elements(ElementsKind::Collection, _) | Described::Content(..) => {
            return Err("a reference to what equals none but itself".to_string());
        }
        content => (ValueCheck::Value(content.clone()), Type::object()),
    };
    Ok((check, format!("{actual}.get()"), of))
}

/// A collection that equals none but itself, as a list that does.
fn copied(actual: &str, static_type: &Type, names: &mut Names<'_>) -> Result<String, String> {
    if !is_a(static_type, "java/util/Collection", names) {
        return Err("a collection as an object of another type".to_string());
    }
    let collection = ClassName::new("java/util/Collection");
    let is_raw = names.types.is_generic(&collection)
        && matches!(names.types.as_super(static_type, &collection), Some(Type::Class(_)));
    // A copy that is made of a raw collection is unchecked.
    Ok(match is_raw {
        true => format!("{}.asList({actual}.toArray())", names.class_name(&ClassName::new("java/util/Arrays"))?),
        false => format!("new {}<>({actual})", names.class_name(&ClassName::new("java/util/ArrayList"))?),
    })
}

fn is_a(static_type: &Type, class: &str, names: &Names<'_>) -> bool {
    names.types.as_super(static_type, &ClassName::new(class)).is_some()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JUnitVersion;
    use model::jvm::Primitive;
    use model::jvm::types::{ClassFacts, TypeTable, access};

    const JUNIT_4: JUnitVersion = JUnitVersion::Four { assert_throws: false };

    #[track_caller]
    fn check(value: Value, static_type: &Type, junit: JUnitVersion, expected: Option<&str>) {
        check_with(&TypeTable::default(), value, static_type, junit, expected);
    }

    fn check_with(types: &TypeTable, value: Value, static_type: &Type, junit: JUnitVersion, expected: Option<&str>) {
        let mut names = Names::new(types, "p", "ATest");
        let style = Style::new(junit, 17);
        let given = ValueCheck::of(&value, static_type, &style, &names)
            .map(|check| check.statement("x", static_type, &style, &mut names).unwrap());
        assert_eq!(given.as_deref(), expected);
    }

    fn object(class: Type, observed: Observed) -> Value {
        Value::Object { class, observed }
    }

    fn described(class: &str, described: Described) -> Value {
        object(Type::class(class), Observed::Value(described))
    }

    fn int(value: i32) -> Described {
        Described::Literal(Literal::Int(value))
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
        let three = || object(Type::class("java/lang/Integer"), Observed::boxed(Literal::Int(3)));
        check(three(), &Type::object(), JUnitVersion::Five, Some("assertEquals(Integer.valueOf(3), x)"));
    }

    #[test]
    fn of_a_comparison_only_the_sign_is_asserted() {
        let of = |number| ValueCheck::of_compared(&Value::Literal(Literal::Int(number)));
        assert_eq!([of(1).is_none(), of(0).is_none(), of(-1).is_none()], [true; 3]);
        let types = TypeTable::default();
        let mut names = Names::new(&types, "p", "ATest");
        let check = of(-15).unwrap();
        let text = check.statement("x", &Type::INT, &Style::new(JUNIT_4, 17), &mut names).unwrap();
        assert_eq!(text, "assertTrue(x < 0)");
        let holds = [-1, 0, 15].map(|number| check.holds(&Value::Literal(Literal::Int(number))));
        assert_eq!(holds, [true, false, false]);
    }

    #[test]
    fn array_of_static_type_object_is_cast() {
        let ints = Type::array(Type::INT);
        let array = |elements| Described::Array(ints.clone(), elements);
        let value = || object(ints.clone(), Observed::Value(array(vec![int(1), int(2)])));
        check(value(), &ints, JUNIT_4, Some("assertArrayEquals(new int[] {1, 2}, x)"));
        check(value(), &Type::object(), JUNIT_4, Some("assertArrayEquals(new int[] {1, 2}, (int[]) x)"));
        let nested = Type::array(ints.clone());
        let value = |elements| object(nested.clone(), Observed::Value(Described::Array(nested.clone(), elements)));
        let rows = value(vec![array(vec![int(1)]), array(Vec::new()), Described::Null]);
        check(rows, &nested, JUNIT_4, Some("assertArrayEquals(new int[][] {{1}, {}, null}, x)"));
        check(value(Vec::new()), &nested, JUNIT_4, Some("assertArrayEquals(new int[0][], x)"));
    }

    #[test]
    fn string_with_identity_hash_or_temporary_path_is_not_asserted() {
        let string = |text: &str| Value::Literal(Literal::String(text.into()));
        check(string("p.A@1b6d3586"), &Type::string(), JUNIT_4, None);
        check(string("in /tmp/x1"), &Type::string(), JUNIT_4, None);
        check(string("a@bc"), &Type::string(), JUNIT_4, Some("assertEquals(\"a@bc\", x)"));
        let longest = "a".repeat(TEXT_ASSERTED);
        check(string(&longest), &Type::string(), JUNIT_4, Some(&format!("assertEquals(\"{longest}\", x)")));
        check(string(&"a".repeat(321)), &Type::string(), JUNIT_4, Some("assertEquals(321, x.length())"));
        let longer = || object(Type::string(), Observed::Size(2000));
        check(longer(), &Type::string(), JUNIT_4, Some("assertEquals(2000, x.length())"));
    }

    #[test]
    fn size_is_asserted_if_the_static_type_declares_it() {
        let sized = || object(Type::class("java/util/ArrayList"), Observed::Size(2));
        check(sized(), &Type::class("java/util/List"), JUNIT_4, Some("assertEquals(2, x.size())"));
        check(sized(), &Type::object(), JUNIT_4, None);
        let ints = Type::array(Type::INT);
        check(object(ints.clone(), Observed::Size(20)), &ints, JUNIT_4, Some("assertEquals(20, x.length)"));
    }

    #[test]
    fn optional_with_an_unknown_value_is_present() {
        let optional = Type::class("java/util/Optional");
        let value = || object(optional.clone(), Observed::Size(1));
        check(value(), &optional, JUNIT_4, Some("assertTrue(x.isPresent())"));
        check(value(), &Type::object(), JUNIT_4, None);
        let empty = described("java/util/Optional", Described::Optional(ClassName::new("java/util/Optional"), None));
        check(empty, &optional, JUNIT_4, Some("assertEquals(Optional.empty(), x)"));
    }

    #[test]
    fn collections_are_compared_with_an_equal_one_or_by_a_copy() {
        let elements = |kind, elements| described("java/util/ArrayDeque", Described::elements(kind, elements));
        let list = |values| elements(ElementsKind::List, values);
        check(list(vec![int(1)]), &Type::object(), JUNIT_4, Some("assertEquals(List.of(1), x)"));
        check(list(Vec::new()), &Type::class("java/util/List"), JUNIT_4, Some("assertTrue(x.isEmpty())"));
        check(list(Vec::new()), &Type::object(), JUNIT_4, Some("assertEquals(List.of(), x)"));
        let queue = || elements(ElementsKind::Collection, vec![int(1)]);
        let copied = "assertEquals(List.of(1), new ArrayList<>(x))";
        check(queue(), &Type::class("java/util/Collection"), JUNIT_4, Some(copied));
        check(queue(), &Type::object(), JUNIT_4, None);
        let unknown = Described::Array(Type::array(Type::INT), Vec::new());
        let fallback = Some("assertEquals(1, x.size())");
        check(list(vec![unknown]), &Type::class("java/util/List"), JUNIT_4, fallback);
    }

    #[test]
    fn raw_collection_is_copied_without_an_unchecked_warning() {
        let mut types = TypeTable::default();
        types.insert(ClassFacts {
            name: ClassName::new("java/util/Collection"),
            access: access::PUBLIC | access::INTERFACE,
            super_class: Some(ClassName::new("java/lang/Object")),
            interfaces: Vec::new(),
            outer: None,
            source_simple_name: Some("Collection".into()),
            signature: Some("<E:Ljava/lang/Object;>Ljava/lang/Object;".into()),
            methods: Vec::new(),
            constants: Vec::new(),
        });
        let queue = described("java/util/ArrayDeque", Described::elements(ElementsKind::Collection, vec![int(1)]));
        let copied = "assertEquals(List.of(1), Arrays.asList(x.toArray()))";
        check_with(&types, queue, &Type::class("java/util/Collection"), JUNIT_4, Some(copied));
    }

    #[test]
    fn truth_value_is_asserted_as_such_where_the_type_says_that_it_is_one() {
        let boolean = "java/lang/Boolean";
        let yes = || described(boolean, Described::Literal(Literal::Boolean(true)));
        check(yes(), &Type::class(boolean), JUNIT_4, Some("assertTrue(x)"));
        check(yes(), &Type::object(), JUNIT_4, Some("assertEquals(Boolean.TRUE, x)"));
    }

    #[test]
    fn objects_that_equal_none_but_themselves_are_asked_for_their_content() {
        let content =
            |class: &str, content| described(class, Described::Content(ClassName::new(class), Box::new(content)));
        let atomic = "java/util/concurrent/atomic/AtomicLong";
        let long = || content(atomic, Described::Literal(Literal::Long(3)));
        check(long(), &Type::class(atomic), JUNIT_4, Some("assertEquals(3L, x.get())"));
        check(long(), &Type::object(), JUNIT_4, None);
        let flag = "java/util/concurrent/atomic/AtomicBoolean";
        let value = content(flag, Described::Literal(Literal::Boolean(false)));
        check(value, &Type::class(flag), JUNIT_4, Some("assertFalse(x.get())"));
        let reference = "java/util/concurrent/atomic/AtomicReference";
        let value = content(reference, Described::Literal(Literal::Long(3)));
        check(value, &Type::class(reference), JUNIT_4, Some("assertEquals(Long.valueOf(3L), x.get())"));
        let text = content("java/lang/StringBuilder", Described::Literal(Literal::String("a".into())));
        check(text, &Type::object(), JUNIT_4, Some("assertEquals(\"a\", x.toString())"));
    }

    #[test]
    fn mutant_with_another_element_breaks_the_assertion() {
        let value =
            |number| described("java/util/ArrayList", Described::elements(ElementsKind::List, vec![int(number)]));
        let types = TypeTable::default();
        let style = Style::new(JUNIT_4, 17);
        let check = ValueCheck::of(&value(1), &Type::object(), &style, &Names::new(&types, "p", "ATest")).unwrap();
        assert!(check.holds(&value(1)));
        assert!(!check.holds(&value(2)));
        assert!(!check.holds(&object(Type::class("java/util/ArrayList"), Observed::Size(1))));
    }
}
