//! Assertions as AssertJ says them: `assertThat(actual).isEqualTo(expected)`.
//!
//! `assertThat` has overloads for many types. Of an object whose type could be taken by two of them, or by one that compares in
//! another way than `equals`, it becomes `assertThatObject`. The expected value is written in the static type of the actual one.

use super::{ValueCheck, content_check, copied, has_size};
use crate::literal::{canonical, element_text, literal_text};
use crate::names::Names;
use crate::value_text::{array_text, takes, value_text};
use crate::{AssertionLibrary, Style};
use model::execution::described::{Described, ElementsKind};
use model::jvm::{ClassName, Literal, Type, TypeArgument};

/// The statement, without its semicolon, that checks `actual`, an expression of the static type.
pub(super) fn statement(
    check: &ValueCheck,
    actual: &str,
    static_type: &Type,
    style: &Style,
    names: &mut Names<'_>,
) -> Result<String, String> {
    let actual = Actual { text: actual.to_string(), of: static_type.clone(), style };
    Ok(match check {
        ValueCheck::True => actual.has("isTrue()", names),
        ValueCheck::False => actual.has("isFalse()", names),
        ValueCheck::Null => actual.has("isNull()", names),
        ValueCheck::NotNull => actual.has("isNotNull()", names),
        ValueCheck::Sign(sign) if sign.is_lt() => actual.has("isNegative()", names),
        ValueCheck::Sign(_) => actual.has("isPositive()", names),
        ValueCheck::Present if actual.is_plain(names) => actual.has("isPresent()", names),
        ValueCheck::Present => actual.after(".isPresent()", Type::BOOLEAN).has("isTrue()", names),
        ValueCheck::Equals(literal) => actual.equals_literal(literal, names)?,
        ValueCheck::Value(described) => actual.equals(described, names)?,
        ValueCheck::ArrayLength(length) if actual.element().is_some() => actual.has_size(*length, names),
        ValueCheck::ArrayLength(length) => actual.after(".length", Type::INT).equals_text(&length.to_string(), names),
        ValueCheck::StringLength(length) => actual.has_size(*length, names),
        ValueCheck::Size(size) if actual.is_plain(names) => actual.has_size(*size, names),
        ValueCheck::Size(size) => actual.after(".size()", Type::INT).equals_text(&size.to_string(), names),
    })
}

/// That what a lambda does is rejected with an exception of the class, and this message; a line for each link of the chain if
/// it is too long for one of `width` columns.
pub(crate) fn rejection(body: &str, class: &str, message: Option<&str>, width: usize, names: &mut Names<'_>) -> String {
    let call = format!("{}(() -> {body})", names.assertion("assertThatThrownBy"));
    let instance = format!(".isInstanceOf({class}.class)");
    let links: Vec<String> =
        [call, instance].into_iter().chain(message.map(|message| format!(".hasMessage({message})"))).collect();
    let line = links.concat() + ";";
    if line.chars().count() <= width { line } else { links.join("\n        ") + ";" }
}

/// That a call throws nothing.
pub(crate) fn acceptance(call: &str, names: &mut Names<'_>) -> String {
    format!("{}(() -> {call}).doesNotThrowAnyException();", names.assertion("assertThatCode"))
}

/// The statement that checks that `actual` is the object of the variable.
pub(super) fn same(expected: &str, actual: &str, of: &Type, style: &Style, names: &mut Names<'_>) -> String {
    let actual = Actual { text: actual.to_string(), of: of.clone(), style };
    actual.has(&format!("isSameAs({expected})"), names)
}

/// The expression whose value is checked.
struct Actual<'a> {
    text: String,
    of: Type,
    style: &'a Style,
}

impl Actual<'_> {
    /// The expression followed by a call or a field, whose type this is.
    fn after(&self, member: &str, of: Type) -> Actual<'_> {
        Actual { text: format!("{}{member}", self.text), of, style: self.style }
    }

    /// `assertThat(actual).isTrue()`
    fn has(&self, property: &str, names: &mut Names<'_>) -> String {
        format!("{}.{property}", subject(&self.text, &self.of, self.style, names))
    }

    fn equals_text(&self, expected: &str, names: &mut Names<'_>) -> String {
        self.has(&format!("isEqualTo({expected})"), names)
    }

    fn has_size(&self, size: usize, names: &mut Names<'_>) -> String {
        if size == 0 { self.has("isEmpty()", names) } else { self.has(&format!("hasSize({size})"), names) }
    }

    fn is_plain(&self, names: &Names<'_>) -> bool {
        is_plain(&self.of, names)
    }

    /// What an array of one dimension consists of.
    fn element(&self) -> Option<&Type> {
        match &self.of {
            Type::Array(element) if !matches!(**element, Type::Array(_)) => Some(element),
            _ => None,
        }
    }

    fn is_class(&self, class: &ClassName) -> bool {
        self.of.class_name() == Some(class)
    }

    fn equals_literal(&self, literal: &Literal, names: &mut Names<'_>) -> Result<String, String> {
        let literal = canonical(literal);
        let expected = literal_text(&literal, names)?;
        let is_number = self.of.is_primitive() || self.is_class(&ClassName::new("java/lang/Double"));
        let is_number = is_number || self.is_class(&ClassName::new("java/lang/Float"));
        let (is_nan, is_negative_zero) = match literal {
            Literal::Float(bits) => (f32::from_bits(bits).is_nan(), bits == (-0.0f32).to_bits()),
            Literal::Double(bits) => (f64::from_bits(bits).is_nan(), bits == (-0.0f64).to_bits()),
            _ => (false, false),
        };
        // Primitives are compared by `==`.
        Ok(match &literal {
            _ if is_nan && is_number => self.has("isNaN()", names),
            Literal::Float(_) if is_negative_zero && is_number => {
                let class = names.java_lang("Float");
                self.equals_text(&format!("{class}.valueOf({expected})"), names)
            }
            Literal::Double(_) if is_negative_zero && is_number => {
                let class = names.java_lang("Double");
                self.equals_text(&format!("{class}.valueOf({expected})"), names)
            }
            _ => self.equals_text(&expected, names),
        })
    }

    fn equals(&self, described: &Described, names: &mut Names<'_>) -> Result<String, String> {
        let style = self.style;
        match described {
            Described::Literal(Literal::Boolean(is_true)) if self.is_class(&ClassName::new("java/lang/Boolean")) => {
                return Ok(self.has(if *is_true { "isTrue()" } else { "isFalse()" }, names));
            }
            Described::Literal(literal) => return self.equals_literal(literal, names),
            Described::Array(of, elements) => return self.equals_array(of, elements, names),
            Described::Content(class, content) => {
                let (check, text, of) = content_check(class, content, &self.text, &self.of, names)?;
                return statement(&check, &text, &of, style, names);
            }
            _ if described.size() == Some(0) && has_size(&self.of, names) => {
                return Ok(match self.is_plain(names) {
                    true => self.has("isEmpty()", names),
                    false => self.after(".isEmpty()", Type::BOOLEAN).has("isTrue()", names),
                });
            }
            Described::Optional(class, value) if self.is_class(class) => {
                if let Some(property) = self.optional_property(class, value.as_deref(), names)? {
                    return Ok(self.has(&property, names));
                }
            }
            Described::Elements(kind, elements) => {
                if let Some(property) = self.elements_property(*kind, elements, names)? {
                    return Ok(self.has(&property, names));
                }
            }
            _ => {}
        }
        if let Described::Elements(ElementsKind::Collection, elements) = described {
            let list = Described::Elements(ElementsKind::List, elements.clone());
            let expected = value_text(&list, style.source_level, names)?;
            let copy = copied(&self.text, &self.of, names)?;
            return Ok(Actual { text: copy, of: Type::class("java/util/List"), style }.equals_text(&expected, names));
        }
        let expected = value_text(described, style.source_level, names)?;
        Ok(self.equals_text(&expected, names))
    }

    /// `contains("a")` of an optional; `None` if that does not compile.
    fn optional_property(
        &self,
        class: &ClassName,
        value: Option<&Described>,
        names: &mut Names<'_>,
    ) -> Result<Option<String>, String> {
        let Some(value) = value else { return Ok(Some("isEmpty()".to_string())) };
        let method = match class.simple() {
            "Optional" if type_argument(&self.of).is_some_and(|of| is_passed_as(value, &of, names)) => "contains",
            "OptionalInt" | "OptionalLong" => "hasValue",
            _ => return Ok(None),
        };
        Ok(Some(format!("{method}({})", value_text(value, self.style.source_level, names)?)))
    }

    /// `containsExactly("a", "b")` of a collection; `None` if that does not compile.
    fn elements_property(
        &self,
        kind: ElementsKind,
        elements: &[Described],
        names: &mut Names<'_>,
    ) -> Result<Option<String>, String> {
        let element = names.types.as_super(&self.of, &ClassName::new("java/util/Collection"));
        let element = element.as_ref().and_then(type_argument).filter(|_| self.is_plain(names));
        let Some(element) = element.filter(|element| are_passed_as(elements, element, names)) else {
            return Ok(None);
        };
        // What is too long as a whole is refused.
        let whole = Described::Elements(ElementsKind::List, elements.to_vec());
        value_text(&whole, self.style.source_level, &mut names.unused())?;
        let method = match kind {
            ElementsKind::Set if elements.len() > 1 => "containsExactlyInAnyOrder",
            _ => "containsExactly",
        };
        Ok(Some(format!("{method}({})", self.arguments(elements, &element, names)?)))
    }

    fn equals_array(&self, of: &Type, elements: &[Described], names: &mut Names<'_>) -> Result<String, String> {
        if let Some(element) = self.element().filter(|element| are_passed_as(elements, element, names)) {
            // What cannot be written as a whole is refused.
            array_text(of, elements, self.style.source_level, &mut names.unused())?;
            return Ok(match elements {
                [] => self.has("isEmpty()", names),
                _ => {
                    let arguments = self.arguments(elements, element, names)?;
                    self.has(&format!("containsExactly({arguments})"), names)
                }
            });
        }
        let expected = array_text(of, elements, self.style.source_level, names)?;
        Ok(self.equals_text(&format!("new {expected}"), names))
    }

    fn arguments(&self, values: &[Described], of: &Type, names: &mut Names<'_>) -> Result<String, String> {
        let mut texts = Vec::new();
        for value in values {
            let text = value_text(value, self.style.source_level, names)?;
            // Arrays of bytes and shorts take ints, too.
            texts.push(element_text(&text, of).to_string());
        }
        Ok(texts.join(", "))
    }
}

/// Whether a method with variable arguments of the type takes the values: each of them, and not one that could be the array of
/// all. A generic type would make an unchecked array.
fn are_passed_as(values: &[Described], of: &Type, names: &Names<'_>) -> bool {
    let is_lone_null = matches!(values, [Described::Null]);
    !is_lone_null && values.iter().all(|value| is_passed_as(value, of, names))
}

fn is_passed_as(value: &Described, of: &Type, names: &Names<'_>) -> bool {
    let is_reifiable = match of {
        Type::Primitive(_) => true,
        Type::Class(class) => !names.types.is_generic(class),
        Type::Array(_) | Type::Parameterized(_) => false,
    };
    is_reifiable && takes(of, value, names)
}

/// The one type argument, if it is a type and no wildcard.
fn type_argument(of: &Type) -> Option<Type> {
    let Type::Parameterized(of) = of else { return None };
    match &of.arguments[..] {
        [TypeArgument::Exact(of)] => Some(of.clone()),
        _ => None,
    }
}

/// `assertThat(x)`, or a form that compiles where that would not.
pub(crate) fn subject(text: &str, of: &Type, style: &Style, names: &mut Names<'_>) -> String {
    let has_object = style.assertions == AssertionLibrary::AssertJ { assert_that_object: true };
    match is_plain(of, names) {
        true => format!("{}({text})", names.assertion("assertThat")),
        false if has_object => format!("{}({text})", names.assertion("assertThatObject")),
        false => format!("{}(({}) {text})", names.assertion("assertThat"), names.java_lang("Object")),
    }
}

/// Classes of which `assertThat` has just one overload, or one that javac prefers to the others (JLS §15.12.2.5).
const PLAIN: [&str; 45] = [
    "java/io/File",
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Class",
    "java/lang/Double",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Number",
    "java/lang/Object",
    "java/lang/Short",
    "java/lang/String",
    "java/math/BigDecimal",
    "java/math/BigInteger",
    "java/net/URI",
    "java/nio/charset/Charset",
    "java/nio/file/Path",
    "java/time/DayOfWeek",
    "java/time/Duration",
    "java/time/Instant",
    "java/time/LocalDate",
    "java/time/LocalDateTime",
    "java/time/LocalTime",
    "java/time/Month",
    "java/time/Period",
    "java/time/Year",
    "java/time/YearMonth",
    "java/util/ArrayList",
    "java/util/Collection",
    "java/util/Currency",
    "java/util/Date",
    "java/util/HashMap",
    "java/util/HashSet",
    "java/util/LinkedHashMap",
    "java/util/LinkedHashSet",
    "java/util/List",
    "java/util/Locale",
    "java/util/Map",
    "java/util/Optional",
    "java/util/OptionalDouble",
    "java/util/OptionalInt",
    "java/util/OptionalLong",
    "java/util/Set",
    "java/util/UUID",
];

/// Types with an overload of their own, of which a class may have one: the assertions that it makes compare by `equals`.
const OVERLOADED: [&str; 10] = [
    "java/io/InputStream",
    "java/lang/CharSequence",
    "java/lang/Comparable",
    "java/lang/Iterable",
    "java/lang/Throwable",
    "java/util/Map",
    "java/util/function/DoublePredicate",
    "java/util/function/IntPredicate",
    "java/util/function/LongPredicate",
    "java/util/function/Predicate",
];

/// Types with an overload that looks into the object, may compare in another way, or depends on AssertJ's version.
const PECULIAR: [&str; 13] = [
    "java/io/File",
    "java/net/URL",
    "java/time/OffsetDateTime",
    "java/time/OffsetTime",
    "java/time/ZonedDateTime",
    "java/util/Date",
    "java/util/Iterator",
    "java/util/Spliterator",
    "java/util/concurrent/CompletionStage",
    "java/util/concurrent/Future",
    "java/util/stream/BaseStream",
    "org/assertj/core/api/AssertDelegateTarget",
    "org/assertj/core/api/AssertProvider",
];

/// Whether `assertThat` of an expression of the type compiles and compares by `equals`.
fn is_plain(of: &Type, names: &Names<'_>) -> bool {
    let class = match of {
        Type::Primitive(_) => return true,
        Type::Array(element) => return !matches!(**element, Type::Array(_)),
        Type::Class(class) => class,
        Type::Parameterized(of) => &of.class,
    };
    if PLAIN.contains(&class.internal()) {
        return true;
    }
    let ancestry = names.types.ancestry(class);
    let is_known = |parent: &ClassName| ancestry.iter().any(|facts| facts.name == *parent);
    let all_known = ancestry.iter().flat_map(|facts| facts.super_class.iter().chain(&facts.interfaces)).all(is_known);
    let among = |types: &[&str]| ancestry.iter().filter(|facts| types.contains(&facts.name.internal())).count();
    // Of which type argument a plain `Comparable` is, nothing says.
    let is_comparable = class.internal() == "java/lang/Comparable";
    !ancestry.is_empty() && all_known && !is_comparable && among(&PECULIAR) == 0 && among(&OVERLOADED) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JUnitVersion;
    use model::execution::{Observed, Value};
    use model::jvm::Primitive;
    use model::jvm::types::{ClassFacts, TypeTable, access};

    fn style(assert_that_object: bool) -> Style {
        let assertions = AssertionLibrary::AssertJ { assert_that_object };
        Style { assertions, ..Style::new(JUnitVersion::Five, 17) }
    }

    #[track_caller]
    fn check(value: Value, static_type: &Type, expected: Option<&str>) {
        let types = types();
        let mut names = Names::new(&types, "p", "ATest");
        let given = ValueCheck::of(&value, static_type, &style(true), &names)
            .map(|check| check.statement("x", static_type, &style(true), &mut names).unwrap());
        assert_eq!(given.as_deref(), expected);
    }

    /// A generic interface `Collection` with the subinterfaces `List` and `Set`, and classes `p.C` with these parents.
    fn types() -> TypeTable {
        let mut types = TypeTable::default();
        let mut insert = |name: &str, parents: &[&str], signature: Option<&str>| {
            types.insert(ClassFacts {
                name: ClassName::new(name),
                access: access::PUBLIC,
                super_class: (name != "java/lang/Object").then(|| ClassName::new("java/lang/Object")),
                interfaces: parents.iter().map(|parent| ClassName::new(parent)).collect(),
                outer: None,
                source_simple_name: name.rsplit('/').next().map(Into::into),
                signature: signature.map(Into::into),
                methods: Vec::new(),
                constants: Vec::new(),
            });
        };
        insert("java/lang/Object", &[], None);
        insert("java/lang/Integer", &[], None);
        insert("java/lang/String", &[], None);
        let of = |parent: &str| format!("<E:Ljava/lang/Object;>Ljava/lang/Object;L{parent}<TE;>;");
        insert("java/lang/Iterable", &[], Some("<E:Ljava/lang/Object;>Ljava/lang/Object;"));
        insert("java/util/Collection", &["java/lang/Iterable"], Some(&of("java/lang/Iterable")));
        insert("java/util/List", &["java/util/Collection"], Some(&of("java/util/Collection")));
        insert("java/util/Set", &["java/util/Collection"], Some(&of("java/util/Collection")));
        insert("java/util/Queue", &["java/util/Collection"], Some(&of("java/util/Collection")));
        insert("java/util/Iterator", &[], None);
        insert("java/lang/Comparable", &[], None);
        insert("p/Plain", &[], None);
        insert("p/Sortable", &["java/lang/Comparable"], None);
        insert("p/Walker", &["java/util/Iterator"], None);
        insert("p/Both", &["java/lang/Comparable", "java/lang/Iterable"], None);
        insert("p/Open", &["elsewhere/Unknown"], None);
        types
    }

    fn object(class: Type, observed: Observed) -> Value {
        Value::Object { class, observed }
    }

    fn described(described: Described) -> Value {
        object(Type::object(), Observed::Value(described))
    }

    fn text(text: &str) -> Described {
        Described::Literal(Literal::String(text.into()))
    }

    fn int(value: i32) -> Described {
        Described::Literal(Literal::Int(value))
    }

    fn of(class: &str, argument: TypeArgument) -> Type {
        Type::parameterized(ClassName::new(class), vec![argument])
    }

    #[test]
    fn primitives_are_written_in_the_type_of_the_actual_value() {
        let primitive = Type::Primitive;
        check(Value::Literal(Literal::Boolean(true)), &Type::BOOLEAN, Some("assertThat(x).isTrue()"));
        check(Value::Literal(Literal::Int(3)), &Type::INT, Some("assertThat(x).isEqualTo(3)"));
        check(Value::Literal(Literal::Long(3)), &primitive(Primitive::Long), Some("assertThat(x).isEqualTo(3L)"));
        let byte = Value::Literal(Literal::Byte(3));
        check(byte, &primitive(Primitive::Byte), Some("assertThat(x).isEqualTo((byte) 3)"));
        let double = primitive(Primitive::Double);
        check(Value::Literal(Literal::double(0.5)), &double, Some("assertThat(x).isEqualTo(0.5)"));
        check(Value::Literal(Literal::double(f64::NAN)), &double, Some("assertThat(x).isNaN()"));
        let zero = Value::Literal(Literal::double(-0.0));
        check(zero, &double, Some("assertThat(x).isEqualTo(Double.valueOf(-0.0))"));
        let boxed = || object(Type::class("java/lang/Double"), Observed::boxed(Literal::double(f64::NAN)));
        check(boxed(), &Type::class("java/lang/Double"), Some("assertThat(x).isNaN()"));
        check(boxed(), &Type::object(), Some("assertThat(x).isEqualTo(Double.NaN)"));
    }

    #[test]
    fn strings_and_sizes() {
        let string = Value::Literal(Literal::String("a".into()));
        check(string, &Type::string(), Some("assertThat(x).isEqualTo(\"a\")"));
        let long = Value::Literal(Literal::String("a".repeat(400).as_str().into()));
        check(long, &Type::string(), Some("assertThat(x).hasSize(400)"));
        let sized = |class: &str, size| object(Type::class(class), Observed::Size(size));
        check(sized("java/util/List", 20), &Type::class("java/util/List"), Some("assertThat(x).hasSize(20)"));
        check(sized("java/util/Map", 20), &Type::class("java/util/Map"), Some("assertThat(x).hasSize(20)"));
        let ints = Type::array(Type::INT);
        check(object(ints.clone(), Observed::Size(20)), &ints, Some("assertThat(x).hasSize(20)"));
        let rows = Type::array(ints);
        check(object(rows.clone(), Observed::Size(20)), &rows, Some("assertThat(x.length).isEqualTo(20)"));
        check(Value::Null, &Type::class("p/Plain"), Some("assertThat(x).isNull()"));
    }

    #[test]
    fn elements_are_listed_where_the_type_argument_is_known() {
        let list = |elements| described(Described::elements(ElementsKind::List, elements));
        let strings = of("java/util/List", TypeArgument::Exact(Type::string()));
        let names = || vec![text("a"), text("b")];
        check(list(names()), &strings, Some("assertThat(x).containsExactly(\"a\", \"b\")"));
        check(list(Vec::new()), &strings, Some("assertThat(x).isEmpty()"));
        check(list(vec![Described::Null]), &strings, Some("assertThat(x).isEqualTo(Collections.singletonList(null))"));
        let unknown = of("java/util/List", TypeArgument::Any);
        check(list(names()), &unknown, Some("assertThat(x).isEqualTo(List.of(\"a\", \"b\"))"));
        check(list(vec![int(1)]), &Type::object(), Some("assertThat(x).isEqualTo(List.of(1))"));
        let set = described(Described::elements(ElementsKind::Set, names()));
        let of_set = of("java/util/Set", TypeArgument::Exact(Type::string()));
        check(set, &of_set, Some("assertThat(x).containsExactlyInAnyOrder(\"a\", \"b\")"));
        let queue = || described(Described::elements(ElementsKind::Collection, vec![text("a")]));
        let of_queue = |argument| of("java/util/Queue", argument);
        check(queue(), &of_queue(TypeArgument::Exact(Type::string())), Some("assertThat(x).containsExactly(\"a\")"));
        let copied = "assertThat(new ArrayList<>(x)).isEqualTo(List.of(\"a\"))";
        check(queue(), &of_queue(TypeArgument::Any), Some(copied));
        check(queue(), &Type::object(), None);
    }

    #[test]
    fn arrays_of_one_dimension_list_their_elements() {
        let bytes = Type::array(Type::Primitive(Primitive::Byte));
        let byte = |value| Described::Literal(Literal::Byte(value));
        let array = |of: &Type, elements: Vec<Described>| described(Described::Array(of.clone(), elements));
        check(array(&bytes, vec![byte(1), byte(-1)]), &bytes, Some("assertThat(x).containsExactly(1, -1)"));
        check(array(&bytes, Vec::new()), &bytes, Some("assertThat(x).isEmpty()"));
        check(array(&bytes, vec![byte(1)]), &Type::object(), Some("assertThat(x).isEqualTo(new byte[] {1})"));
        let rows = Type::array(Type::array(Type::INT));
        let row = Described::Array(Type::array(Type::INT), vec![int(1)]);
        check(array(&rows, vec![row]), &rows, Some("assertThatObject(x).isEqualTo(new int[][] {{1}})"));
        let strings = Type::array(Type::string());
        check(
            array(&strings, vec![text("a"), Described::Null]),
            &strings,
            Some("assertThat(x).containsExactly(\"a\", null)"),
        );
        let lone = array(&strings, vec![Described::Null]);
        check(lone, &strings, Some("assertThat(x).isEqualTo(new String[] {null})"));
    }

    #[test]
    fn optional_has_assertions_of_its_own() {
        let class = || ClassName::new("java/util/Optional");
        let optional = |value: Option<Described>| described(Described::Optional(class(), value.map(Box::new)));
        let strings = of("java/util/Optional", TypeArgument::Exact(Type::string()));
        check(optional(None), &strings, Some("assertThat(x).isEmpty()"));
        check(optional(Some(text("a"))), &strings, Some("assertThat(x).contains(\"a\")"));
        check(optional(None), &Type::object(), Some("assertThat(x).isEqualTo(Optional.empty())"));
        check(object(Type::Class(class()), Observed::Size(1)), &strings, Some("assertThat(x).isPresent()"));
        let number = Described::Optional(ClassName::new("java/util/OptionalInt"), Some(Box::new(int(3))));
        check(described(number), &Type::class("java/util/OptionalInt"), Some("assertThat(x).hasValue(3)"));
    }

    #[test]
    fn object_that_two_overloads_could_take_is_asserted_as_an_object() {
        let types = types();
        let mut names = Names::new(&types, "p", "ATest");
        let mut shown = |class: &str, has_object| subject("x", &Type::class(class), &style(has_object), &mut names);
        for plain in ["p/Plain", "p/Sortable", "java/util/Queue", "java/nio/file/Path"] {
            assert_eq!(shown(plain, true), "assertThat(x)", "{plain}");
        }
        for other in ["p/Both", "p/Walker", "p/Open", "java/lang/Comparable", "java/time/ZonedDateTime"] {
            assert_eq!(shown(other, true), "assertThatObject(x)", "{other}");
            assert_eq!(shown(other, false), "assertThat((Object) x)", "{other}");
        }
    }

    #[test]
    fn rejection_that_is_too_long_for_one_line_has_one_for_each_link() {
        let types = types();
        let mut names = Names::new(&types, "p", "ATest");
        let line = "assertThatThrownBy(() -> f()).isInstanceOf(E.class).hasMessage(\"m\");";
        assert_eq!(rejection("f()", "E", Some("\"m\""), 80, &mut names), line);
        let links = "assertThatThrownBy(() -> f())\n        .isInstanceOf(E.class);";
        assert_eq!(rejection("f()", "E", None, 40, &mut names), links);
    }
}
