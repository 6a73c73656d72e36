//! Names of local variables, from parameters, methods and types.

use super::names::Names;
use model::jvm::types::{is_java_identifier, unboxed};
use model::jvm::{ClassName, Parameterized, Type, TypeArgument};
use model::sequence::HOLDER;
use model::sequence::{Operation, OperationKind};
pub(super) use model::words::{capitalized, decapitalized};
use std::collections::BTreeSet;

/// Whether a name in camel case has the word, with a capital.
pub(super) fn has_word(name: &str, word: &str) -> bool {
    name.split(word).skip(1).any(|rest| !rest.starts_with(|letter: char| letter.is_ascii_lowercase()))
}

/// What parameters of lambdas and anonymous classes are called; no variable is. The last one stands alone.
pub(super) const PARAMETERS: [&str; 13] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "x"];

/// The variables of one method.
#[derive(Default)]
pub(super) struct Variables {
    /// In the order of their declarations.
    taken: Vec<String>,
    /// Names of fields, which would hide variables.
    reserved: BTreeSet<String>,
    /// Several cases share the method, so that another object of a type has nothing to do with the first one.
    is_shared: bool,
}

impl Variables {
    /// The variables of a method that several cases share.
    pub fn shared() -> Variables {
        Variables { is_shared: true, ..Variables::default() }
    }

    /// A variable called `wanted`, or that with the first free number from 2.
    pub fn add(&mut self, wanted: &str, names: &Names<'_>) -> String {
        self.add_first(&[wanted.to_string()], names)
    }

    /// A parameter called `wanted`, or `otherWanted` beside one of that name.
    pub fn add_parameter(&mut self, wanted: &str, names: &Names<'_>) -> String {
        let is_second = self.taken.iter().any(|taken| taken == wanted);
        let candidates = [wanted.to_string()].into_iter().chain(others_of(wanted).into_iter().filter(|_| is_second));
        self.add_first(&candidates.collect::<Vec<String>>(), names)
    }

    /// A variable called `wanted`, or a second or third object beside one of that name, which may be declared later: as the
    /// `parameter` that it is for, or `otherOption`.
    pub fn add_object(&mut self, wanted: &str, parameter: Option<&str>, is_beside: bool, names: &Names<'_>) -> String {
        if self.is_shared {
            return self.add(wanted, names);
        }
        let first = Some(wanted.to_string()).filter(|_| !is_beside);
        let second = parameter.filter(|name| is_telling(name) && *name != wanted).map(str::to_string);
        let candidates: Vec<String> = first.into_iter().chain(second).chain(others_of(wanted)).collect();
        self.add_first(&candidates, names)
    }

    /// A variable with the first of the names that is free, or else the first one with a number.
    fn add_first(&mut self, candidates: &[String], names: &Names<'_>) -> String {
        // Names of the catch clauses that a test may end with.
        const OWN: [&str; 3] = ["expected", "thrown", "throwable"];
        let free = |name: &str| {
            !self.taken.iter().any(|taken| taken == name)
                && !self.reserved.contains(name)
                && !OWN.contains(&name)
                && !PARAMETERS.contains(&name)
                && !names.is_taken(name)
                && is_java_identifier(name)
        };
        let numbered = (2..).map(|number| format!("{}{number}", candidates[0]));
        let chosen = candidates.iter().cloned().chain(numbered).find(|name| free(name));
        let chosen = chosen.expect("numbers do not run out");
        self.taken.push(chosen.clone());
        chosen
    }

    /// Lets no variable have the name from here on.
    pub fn reserve(&mut self, name: &str) {
        self.reserved.insert(name.to_string());
    }
}

/// `otherOption` and `anotherOption` beside `option`.
fn others_of(wanted: &str) -> [String; 2] {
    ["other", "another"].map(|which| format!("{which}{}", capitalized(wanted)))
}

/// What a result is called of which no word says what it is.
const NO_NAME: &str = "result";

/// What to call the result of `operation` seen as a value of the type, which `parameter` is to take.
pub(super) fn base_name(operation: Option<&Operation>, of: &Type, parameter: Option<&str>) -> String {
    let method = operation.filter(|operation| {
        matches!(
            operation.kind,
            OperationKind::StaticMethod
                | OperationKind::InstanceMethod
                | OperationKind::GetField
                | OperationKind::GetStatic
        )
    });
    let found = method.and_then(|operation| property(&operation.name));
    let from_method = found.clone().filter(|name| name != NO_NAME);
    let telling = parameter.filter(|name| is_telling(name));
    // `ofMinutes` says less than what the minutes are for.
    let is_factory = method.is_some_and(|operation| is_platform_value(&operation.owner));
    let named = |method: Option<String>, parameter: Option<&str>| match parameter.map(str::to_string) {
        parameter if is_factory => parameter.or(method),
        parameter => method.or(parameter),
    };
    let name = match of {
        Type::Class(class) if !is_vague(class) => decapitalized(short(last_segment(class))),
        Type::Parameterized(of) if !is_vague(&of.class) => decapitalized(short(last_segment(&of.class))),
        Type::Array(element) => {
            from_method.or(telling.map(str::to_string)).unwrap_or_else(|| format!("{}s", plain_name(element)))
        }
        of => named(from_method, telling).unwrap_or_else(|| match of {
            Type::Primitive(_) => NO_NAME.to_string(),
            Type::Parameterized(of) => elements_name(of).unwrap_or_else(|| plain_name(&Type::Class(of.class.clone()))),
            other => found.unwrap_or_else(|| plain_name(other)),
        }),
    };
    if is_java_identifier(&name) { name } else { format!("a{}", capitalized(&name)) }
}

/// `getName` → `name`, `toArray` → `array`, `size` → `size`, `parse` → `result`.
fn property(method: &str) -> Option<String> {
    const VERBS: [&str; 34] = [
        "add", "append", "apply", "as", "build", "clone", "compare", "compute", "convert", "copy", "create", "find",
        "format", "from", "get", "has", "is", "load", "make", "new", "next", "of", "parse", "peek", "poll", "pop",
        "push", "put", "read", "remove", "resolve", "set", "to", "valueOf",
    ];
    const PREPOSITIONS: [&str; 9] = ["As", "At", "By", "For", "From", "In", "Of", "To", "With"];
    let rest =
        VERBS.iter().find_map(|prefix| method.strip_prefix(prefix).filter(|rest| rest.starts_with(char::is_uppercase)));
    let name = match rest {
        _ if VERBS.contains(&method) => NO_NAME.to_string(),
        Some(rest) if PREPOSITIONS.contains(&rest) => NO_NAME.to_string(),
        Some(rest) => decapitalized(rest),
        None if method.chars().all(char::is_uppercase) => method.to_lowercase(),
        None if method.contains(['_', '$']) => return None,
        None => method.to_string(),
    };
    is_java_identifier(&name).then_some(name)
}

/// Whether the name of a parameter says something.
fn is_telling(parameter: &str) -> bool {
    parameter.len() >= 3 && is_java_identifier(parameter) && !is_numbered(parameter)
}

/// `arg0`, `p1`: names that the class file did not have.
fn is_numbered(name: &str) -> bool {
    name.ends_with(|letter: char| letter.is_ascii_digit()) && (name.starts_with("arg") || name.len() <= 3)
}

/// Types whose names say little about a value.
fn is_vague(class: &ClassName) -> bool {
    unboxed(class).is_some()
        || matches!(
            class.internal(),
            "java/lang/Object"
                | "java/lang/String"
                | "java/lang/CharSequence"
                | "java/lang/Comparable"
                | "java/lang/Number"
                | "java/lang/Class"
                | "java/util/Collection"
                | "java/util/List"
                | "java/util/ArrayList"
                | "java/util/Set"
                | "java/util/Map"
                | HOLDER
        )
        || is_platform_value(class)
        || class.internal().starts_with("java/util/function/")
}

/// Values of the platform that do not change, such as amounts and dates: what they are for says more than what they are, and who writes one
/// down twice means the same.
pub(super) fn is_platform_value(class: &ClassName) -> bool {
    const TIMES: [&str; 11] = [
        "Duration",
        "Instant",
        "LocalDate",
        "LocalDateTime",
        "LocalTime",
        "OffsetDateTime",
        "Period",
        "Year",
        "YearMonth",
        "MonthDay",
        "ZonedDateTime",
    ];
    match class.internal().strip_prefix("java/time/") {
        Some(name) => TIMES.contains(&name),
        None => matches!(
            class.internal(),
            "java/math/BigDecimal" | "java/math/BigInteger" | "java/util/UUID" | "java/net/URI"
        ),
    }
}

/// `strings`, `orderItems`: a collection is called after its elements.
fn elements_name(of: &Parameterized) -> Option<String> {
    let [TypeArgument::Exact(element) | TypeArgument::Extends(element)] = &of.arguments[..] else { return None };
    let element = element.class_name().filter(|class| class.internal() != "java/lang/Object")?;
    let name = decapitalized(short(last_segment(element)));
    Some(match name.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => format!("{stem}ies"),
        None if name.ends_with(['s', 'x']) => format!("{name}es"),
        None => format!("{name}s"),
    })
}

fn plain_name(of: &Type) -> String {
    match of {
        Type::Primitive(primitive) => primitive.keyword().to_string(),
        Type::Class(class) => decapitalized(short(last_segment(class))),
        Type::Parameterized(of) => decapitalized(short(last_segment(&of.class))),
        Type::Array(element) => format!("{}s", plain_name(element)),
    }
}

/// What a long name of more than two words ends with: `Field` of `UnsupportedDateTimeField`, `FieldType` of
/// `DateTimeFieldType`, as `Type` alone would say little.
fn short(name: &str) -> &str {
    let is_begin = |(at, letter): &(usize, char)| letter.is_uppercase() && !name[..*at].ends_with(char::is_uppercase);
    let words: Vec<usize> = name.char_indices().filter(is_begin).map(|(at, _)| at).collect();
    if name.len() <= 16 || words.len() <= 2 {
        return name;
    }
    let ending = words.into_iter().rev().find(|at| name.len() - at >= 5);
    ending.map_or(name, |at| &name[at..])
}

/// The simple name of the class, `Entry` of `Map$Entry`.
pub(super) fn last_segment(class: &ClassName) -> &str {
    let simple = class.simple();
    simple.rsplit('$').find(|segment| !segment.is_empty()).unwrap_or(simple)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_variable_is_named_after_the_method() {
        let expected = [
            ("getName", Some("name")),
            ("size", Some("size")),
            ("compareTo", Some("result")),
            ("parse", Some("result")),
            ("parseOffset", Some("offset")),
            ("a$b", None),
        ];
        for (method, name) in expected {
            assert_eq!(property(method).as_deref(), name);
        }
    }

    #[test]
    fn object_beside_a_later_one_leaves_it_its_name() {
        let types = model::jvm::types::TypeTable::default();
        let names = Names::new(&types, "p", "ATest");
        let named = |parameter: Option<&str>| {
            let mut variables = Variables::default();
            let beside = variables.add_object("interval", parameter, true, &names);
            [beside, variables.add_object("interval", None, false, &names)]
        };
        assert_eq!(named(Some("earlier")), ["earlier", "interval"]);
        assert_eq!(named(Some("interval")), ["otherInterval", "interval"]);
        assert_eq!(named(None), ["otherInterval", "interval"]);
    }

    #[test]
    fn parameter_says_something_unless_the_class_file_has_no_names() {
        assert_eq!(["other", "arg0", "p1", "id"].map(is_telling), [true, false, false, false]);
    }

    #[test]
    fn type_names_become_variable_names() {
        for (name, expected) in [("Option", "option"), ("URL", "url"), ("XMLReader", "xmlReader"), ("a", "a")] {
            assert_eq!(decapitalized(name), expected);
        }
        assert_eq!(base_name(None, &Type::class("p/Default"), None), "aDefault");
        for (name, expected) in [
            ("DateTimeZone", "dateTimeZone"),
            ("DateTimeFieldType", "fieldType"),
            ("UnsupportedDateTimeField", "field"),
            ("BuddhistChronology", "buddhistChronology"),
            ("SAXParserXMLReader", "saxParserXMLReader"),
        ] {
            assert_eq!(base_name(None, &Type::class(name), None), expected);
        }
        assert_eq!(base_name(None, &Type::array(Type::string()), None), "strings");
        assert_eq!(base_name(None, &Type::object(), Some("key")), "key");
    }
}
