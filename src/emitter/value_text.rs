//! The Java expression for an object that equals one with a known content: `List.of("a", "b")`, `new Money(…)`.
//!
//! What Java cannot write, or a reader would not read, is refused with a reason, and the assertion then says less.

use super::literal::{canonical, element_text, element_texts, literal_text};
use super::names::Names;
use super::platform_value::platform_value;
use model::execution::described::{Described, ElementsKind, Made, Spelling};
use model::jvm::types::{ClassFacts, MethodFacts, access};
use model::jvm::{ClassName, JavaString, Literal, Type};

/// Longer expressions are not written.
const LONGEST: usize = 300;

/// Longer strings inside a value are not written.
const STRING_SHOWN: usize = 200;

/// Of longer strings that are asserted by themselves only the length is.
pub(super) const TEXT_ASSERTED: usize = 320;

/// The expression for the value; `source_level` is that of the tests.
pub(super) fn value_text(value: &Described, source_level: u8, names: &mut Names<'_>) -> Result<String, String> {
    if value.all().iter().any(|part| !is_stable(part)) {
        return Err("a value that another run would print differently".to_string());
    }
    let text = ValueWriter { source_level, names }.text(value)?;
    if text.chars().count() > LONGEST { Err("a value that is too long to read".to_string()) } else { Ok(text) }
}

/// `int[] {1, 2}`, which follows `new`.
pub(super) fn array_text(
    of: &Type,
    elements: &[Described],
    source_level: u8,
    names: &mut Names<'_>,
) -> Result<String, String> {
    let Type::Array(element) = of else { return Err("elements of what is no array".to_string()) };
    let initializer = array_initializer(element, elements, source_level, names)?;
    let type_text = names.type_name(of)?;
    Ok(match elements.is_empty() {
        true => type_text.replacen("[]", "[0]", 1),
        false => format!("{type_text} {initializer}"),
    })
}

/// `{1, 2}`, in which the elements of arrays of arrays are initializers too.
fn array_initializer(
    element: &Type,
    elements: &[Described],
    source_level: u8,
    names: &mut Names<'_>,
) -> Result<String, String> {
    let mut texts = Vec::new();
    for value in elements {
        texts.push(match (value, element) {
            (Described::Array(of, elements), Type::Array(inner)) if of == element => {
                array_initializer(inner, elements, source_level, names)?
            }
            _ => element_text(&value_text(value, source_level, names)?, element).to_string(),
        });
    }
    Ok(format!("{{{}}}", element_texts(texts, element).join(", ")))
}

/// Whether a parameter of the type takes the expression for a value.
pub(super) fn takes(parameter: &Type, value: &Described, names: &Names<'_>) -> bool {
    ValueWriter { source_level: 0, names: &mut names.unused() }.fits(value, parameter)
}

fn is_stable(value: &Described) -> bool {
    match value {
        Described::Literal(Literal::String(text)) | Described::Text(_, text) => {
            !differs_between_runs(text) && text.units().len() <= STRING_SHOWN
        }
        _ => true,
    }
}

struct ValueWriter<'w, 'n> {
    source_level: u8,
    names: &'w mut Names<'n>,
}

impl ValueWriter<'_, '_> {
    fn text(&mut self, value: &Described) -> Result<String, String> {
        match value {
            Described::Null => Ok("null".to_string()),
            Described::Literal(literal) => literal_text(&canonical(literal), self.names),
            Described::Constant(class, name) => Ok(format!("{}.{name}", self.names.class_name(class)?)),
            Described::Text(class, text) => platform_value(class, text, self.source_level, self.names),
            Described::Optional(class, None) => Ok(self.owner(class)? + ".empty()"),
            Described::Optional(class, Some(value)) => {
                let value = self.text(value)?;
                Ok(format!("{}.of({value})", self.owner(class)?))
            }
            Described::Elements(ElementsKind::List, elements) => self.list(elements),
            Described::Elements(ElementsKind::Set, elements) => self.set(elements),
            Described::Map(entries) => self.map(entries),
            Described::Entry(entry) => self.entry(entry),
            Described::Record(class, components) => self.record(class, components),
            Described::Object(_, _, Spelling(Some(made))) => self.made(made),
            Described::Object(class, _, Spelling(None)) => Err(format!("a {class} that nothing is known to make")),
            Described::Elements(ElementsKind::Collection, _) | Described::Array(..) | Described::Content(..) => {
                Err("an object that equals none but itself".to_string())
            }
        }
    }

    /// Whether the factories `List.of`, `Set.of`, `Map.of` and `Map.entry` exist and take these values.
    fn has_factories(&self, values: &[&Described]) -> bool {
        self.source_level >= 9 && !values.contains(&&Described::Null)
    }

    /// The name of a class before one of its static methods.
    fn owner(&mut self, class: &ClassName) -> Result<String, String> {
        self.names.class_name(class)
    }

    fn java_util(&mut self, class: &str) -> Result<String, String> {
        self.owner(&ClassName::new(&format!("java/util/{class}")))
    }

    fn joined<'v>(&mut self, values: impl IntoIterator<Item = &'v Described>) -> Result<String, String> {
        let texts: Result<Vec<String>, String> = values.into_iter().map(|value| self.text(value)).collect();
        Ok(texts?.join(", "))
    }

    pub fn list(&mut self, elements: &[Described]) -> Result<String, String> {
        let texts = self.joined(elements)?;
        Ok(match elements {
            _ if self.has_factories(&elements.iter().collect::<Vec<_>>()) => {
                format!("{}.of({texts})", self.java_util("List")?)
            }
            [] => self.java_util("Collections")? + ".emptyList()",
            // A lone null would be the array of the elements.
            [Described::Null] => self.java_util("Collections")? + ".singletonList(null)",
            _ => format!("{}.asList({texts})", self.java_util("Arrays")?),
        })
    }

    fn set(&mut self, elements: &[Described]) -> Result<String, String> {
        let texts = self.joined(elements)?;
        Ok(match elements {
            _ if self.has_factories(&elements.iter().collect::<Vec<_>>()) => {
                format!("{}.of({texts})", self.java_util("Set")?)
            }
            [] => self.java_util("Collections")? + ".emptySet()",
            [_] => format!("{}.singleton({texts})", self.java_util("Collections")?),
            _ => format!("new {}<>({}.asList({texts}))", self.java_util("HashSet")?, self.java_util("Arrays")?),
        })
    }

    fn map(&mut self, entries: &[(Described, Described)]) -> Result<String, String> {
        let flat: Vec<&Described> = entries.iter().flat_map(|(key, value)| [key, value]).collect();
        let texts = self.joined(flat.iter().copied())?;
        match entries {
            _ if self.has_factories(&flat) => Ok(format!("{}.of({texts})", self.java_util("Map")?)),
            [] => Ok(self.java_util("Collections")? + ".emptyMap()"),
            [_] => Ok(format!("{}.singletonMap({texts})", self.java_util("Collections")?)),
            _ => Err("a map of several entries, for which there is no expression".to_string()),
        }
    }

    fn entry(&mut self, (key, value): &(Described, Described)) -> Result<String, String> {
        let texts = self.joined([key, value])?;
        Ok(match self.has_factories(&[key, value]) {
            true => format!("{}.entry({texts})", self.java_util("Map")?),
            false => format!("new {}.SimpleEntry<>({texts})", self.java_util("AbstractMap")?),
        })
    }

    fn record(&mut self, class: &ClassName, components: &[Described]) -> Result<String, String> {
        self.single(class, "<init>", components)?;
        let diamond = if self.names.types.get(class).is_some_and(ClassFacts::is_generic) { "<>" } else { "" };
        let texts = self.joined(components)?;
        Ok(format!("new {}{diamond}({texts})", self.owner(class)?))
    }

    fn made(&mut self, made: &Made) -> Result<String, String> {
        let Made { owner, name, is_constant, descriptor, arguments } = made;
        if *is_constant {
            return Ok(format!("{}.{name}", self.owner(owner)?));
        }
        let is_it = self.single(owner, name, arguments)?.descriptor == *descriptor;
        let is_generic = self.names.types.get(owner).is_some_and(ClassFacts::is_generic);
        if !is_it || is_generic {
            return Err(format!("another {name} of {owner} would be called"));
        }
        let mut texts = Vec::with_capacity(arguments.len());
        for argument in arguments {
            texts.push(match argument {
                // The object is made of its elements: that it equals none but itself does not matter.
                Described::Array(of, elements) => {
                    format!("new {}", array_text(of, elements, self.source_level, self.names)?)
                }
                _ => self.text(argument)?,
            });
        }
        let texts = texts.join(", ");
        let owner = self.owner(owner)?;
        Ok(if &**name == "<init>" { format!("new {owner}({texts})") } else { format!("{owner}.{name}({texts})") })
    }

    /// The only method or constructor of the name that takes these arguments, if the tests can use it.
    fn single(&self, class: &ClassName, name: &str, arguments: &[Described]) -> Result<&MethodFacts, String> {
        let facts = self.names.types.get(class).ok_or_else(|| format!("{class} is not on the class path"))?;
        let is_same_package = class.package() == self.names.package;
        let fits = |method: &&MethodFacts| {
            let parameters = &method.descriptor.parameters;
            &*method.name == name
                && parameters.len() == arguments.len()
                && arguments.iter().zip(parameters).all(|(value, parameter)| self.fits(value, parameter))
        };
        let is_accessible = |method: &MethodFacts| {
            method.access & access::PUBLIC != 0 || (is_same_package && method.access & access::PRIVATE == 0)
        };
        let fitting: Vec<&MethodFacts> = facts.methods.iter().filter(fits).collect();
        match fitting[..] {
            [one] if is_accessible(one) => Ok(one),
            _ => Err(format!("no single {name} of {class} takes what it is made of")),
        }
    }

    /// Whether a parameter takes the expression for a value.
    fn fits(&self, value: &Described, parameter: &Type) -> bool {
        let is = |class: &ClassName| self.names.types.is_assignable(&Type::Class(class.clone()), parameter);
        let is_any = |classes: &[&str]| match parameter {
            Type::Class(class) => class.internal() == "java/lang/Object" || classes.contains(&class.internal()),
            _ => false,
        };
        match value {
            Described::Null => !parameter.is_primitive(),
            Described::Literal(literal) => match (literal.literal_type(), parameter) {
                (own @ Type::Primitive(_), Type::Primitive(_)) => own == *parameter,
                (Type::Primitive(primitive), _) => {
                    is(&primitive.wrapper()) || is_any(&["java/lang/Number", "java/lang/Comparable"])
                }
                (own, _) => self.names.types.is_assignable(&own, parameter) || is_any(&["java/lang/CharSequence"]),
            },
            Described::Text(class, _) => is(class) || is_any(&["java/time/ZoneId"]),
            Described::Constant(class, _) | Described::Optional(class, _) => is(class),
            Described::Record(class, _) | Described::Object(class, ..) => is(class),
            Described::Elements(kind, _) => {
                let own = if *kind == ElementsKind::Set { "java/util/Set" } else { "java/util/List" };
                is_any(&[own, "java/util/Collection", "java/lang/Iterable"])
            }
            Described::Map(_) => is_any(&["java/util/Map"]),
            Described::Entry(_) => is_any(&["java/util/Map$Entry"]),
            Described::Array(of, _) => of == parameter,
            Described::Content(..) => false,
        }
    }
}

/// Text that another run or machine would print differently: identity hashes, lambda names, paths.
pub(super) fn differs_between_runs(text: &JavaString) -> bool {
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
    use model::jvm::types::{ClassFacts, TypeTable};
    use model::jvm::{MethodDescriptor, Primitive};
    use std::sync::Arc;

    fn text(text: &str) -> Described {
        Described::Literal(Literal::String(JavaString::from(text)))
    }

    fn long(value: i64) -> Described {
        Described::Literal(Literal::Long(value))
    }

    fn list(elements: Vec<Described>) -> Described {
        Described::elements(ElementsKind::List, elements)
    }

    fn set(elements: Vec<Described>) -> Described {
        Described::elements(ElementsKind::Set, elements)
    }

    #[track_caller]
    fn check(value: &Described, source_level: u8, expected: Option<&str>) {
        let types = TypeTable::default();
        let given = value_text(value, source_level, &mut Names::new(&types, "p", "ATest"));
        assert_eq!(given.ok().as_deref(), expected);
    }

    #[test]
    fn collections_are_written_with_factories_from_java_9_on() {
        let pair = || vec![text("b"), text("a")];
        check(&list(pair()), 9, Some("List.of(\"b\", \"a\")"));
        check(&list(pair()), 8, Some("Arrays.asList(\"b\", \"a\")"));
        check(&list(Vec::new()), 17, Some("List.of()"));
        check(&list(Vec::new()), 7, Some("Collections.emptyList()"));
        check(&set(pair()), 9, Some("Set.of(\"a\", \"b\")"));
        check(&set(pair()), 8, Some("new HashSet<>(Arrays.asList(\"a\", \"b\"))"));
        check(&set(vec![text("a")]), 8, Some("Collections.singleton(\"a\")"));
        check(&set(Vec::new()), 8, Some("Collections.emptySet()"));
        let map = |count: usize| {
            Described::map([("b", 2), ("a", 1)].map(|(key, at)| (text(key), long(at)))[..count].to_vec())
        };
        check(&map(2), 9, Some("Map.of(\"a\", 1L, \"b\", 2L)"));
        check(&map(2), 8, None);
        check(&map(1), 8, Some("Collections.singletonMap(\"b\", 2L)"));
        check(&map(0), 8, Some("Collections.emptyMap()"));
    }

    #[test]
    fn elements_that_are_null_need_other_collections() {
        check(&list(vec![text("a"), Described::Null]), 17, Some("Arrays.asList(\"a\", null)"));
        check(&list(vec![Described::Null]), 17, Some("Collections.singletonList(null)"));
        check(&set(vec![text("a"), Described::Null]), 17, Some("new HashSet<>(Arrays.asList(null, \"a\"))"));
        let map = Described::map(vec![(text("a"), Described::Null)]);
        check(&map, 17, Some("Collections.singletonMap(\"a\", null)"));
        let entry = |value| Described::Entry(Box::new((text("a"), value)));
        check(&entry(Described::Null), 17, Some("new AbstractMap.SimpleEntry<>(\"a\", null)"));
        check(&entry(long(1)), 17, Some("Map.entry(\"a\", 1L)"));
    }

    #[test]
    fn array_is_written_where_an_object_is_made_of_it() {
        let (types, row) = (TypeTable::default(), Type::array(Type::INT));
        let number = |value| Described::Literal(Literal::Int(value));
        let rows = [vec![number(1), number(0)], Vec::new()].map(|parts| Described::Array(row.clone(), parts));
        let written = |of: &Type, parts: &[Described]| array_text(of, parts, 17, &mut Names::new(&types, "p", "ATest"));
        assert_eq!(written(&Type::array(row.clone()), &rows).as_deref(), Ok("int[][] {{1, 0}, {}}"));
        assert_eq!(written(&row, &[]).as_deref(), Ok("int[0]"));
        let names = Names::new(&types, "p", "ATest");
        assert!(takes(&row, &rows[0], &names) && !takes(&Type::array(row), &rows[0], &names));
        check(&rows[0], 17, None);
    }

    #[test]
    fn values_are_nested() {
        let amount = Described::Text(ClassName::new("java/math/BigDecimal"), "1.00".into());
        let optional = |value| Described::Optional(ClassName::new("java/util/Optional"), value);
        let nested = list(vec![optional(Some(Box::new(amount))), optional(None)]);
        check(&nested, 17, Some("List.of(Optional.of(new BigDecimal(\"1.00\")), Optional.empty())"));
        let number = Described::Optional(ClassName::new("java/util/OptionalInt"), Some(Box::new(long(3))));
        check(&number, 17, Some("OptionalInt.of(3L)"));
    }

    #[test]
    fn value_that_differs_between_runs_or_is_long_is_refused() {
        check(&list(vec![text("p.A@1b6d3586")]), 17, None);
        check(&Described::Text(ClassName::new("java/nio/file/Path"), "/tmp/x".into()), 17, None);
        check(&list(vec![text(&"a".repeat(150)), text(&"b".repeat(150))]), 17, None);
        check(&list(vec![Described::Array(Type::array(Type::INT), Vec::new())]), 17, None);
    }

    /// A class with these static methods named `of`.
    fn class(name: &str, methods: &[(u16, &[Type])]) -> ClassFacts {
        let method = |(access, parameters): &(u16, &[Type])| MethodFacts {
            name: Arc::from("of"),
            descriptor: MethodDescriptor { parameters: parameters.to_vec(), returns: Some(Type::class(name)) },
            access: *access,
            exceptions: Vec::new(),
        };
        ClassFacts {
            name: ClassName::new(name),
            access: access::PUBLIC,
            super_class: Some(ClassName::new("java/lang/Object")),
            interfaces: Vec::new(),
            outer: None,
            source_simple_name: Some(Arc::from(ClassName::new(name).simple())),
            signature: None,
            methods: methods.iter().map(method).collect(),
            constants: Vec::new(),
        }
    }

    #[test]
    fn object_is_made_by_what_is_known_to_make_it() {
        let object = |parameters: &[Type], arguments: Vec<Described>| {
            let descriptor = MethodDescriptor { parameters: parameters.to_vec(), returns: Some(Type::class("q/M")) };
            let made =
                Made { owner: ClassName::new("q/M"), name: Arc::from("of"), is_constant: false, descriptor, arguments };
            Described::Object(ClassName::new("q/M"), Vec::new(), Spelling(Some(Arc::new(made))))
        };
        #[track_caller]
        fn check(methods: &[(u16, &[Type])], value: &Described, expected: Option<&str>) {
            let mut types = TypeTable::default();
            types.insert(class("q/M", methods));
            let given = value_text(value, 17, &mut Names::new(&types, "p", "ATest"));
            assert_eq!(given.ok().as_deref(), expected);
        }
        let (text_of, long_of): (&[Type], &[Type]) = (&[Type::string()], &[Type::Primitive(Primitive::Long)]);
        let by_text = object(text_of, vec![text("3.00")]);
        check(&[(access::PUBLIC, text_of), (access::PUBLIC, long_of)], &by_text, Some("M.of(\"3.00\")"));
        check(&[(0, text_of)], &by_text, None);
        check(&[(access::PUBLIC, text_of), (access::PUBLIC, &[Type::object()])], &by_text, None);
        let zero = Made {
            owner: ClassName::new("q/M"),
            name: Arc::from("ZERO"),
            is_constant: true,
            descriptor: MethodDescriptor { parameters: Vec::new(), returns: Some(Type::class("q/M")) },
            arguments: Vec::new(),
        };
        let zero = Described::Object(ClassName::new("q/M"), Vec::new(), Spelling(Some(Arc::new(zero))));
        check(&[], &zero, Some("M.ZERO"));
        let listed = list(vec![by_text, object(long_of, vec![long(3)])]);
        check(
            &[(access::PUBLIC, text_of), (access::PUBLIC, long_of)],
            &listed,
            Some("List.of(M.of(\"3.00\"), M.of(3L))"),
        );
        check(&[], &Described::Object(ClassName::new("q/M"), vec![long(3)], Spelling::default()), None);
    }

    /// The expression for a record whose class has constructors with these parameters.
    #[track_caller]
    fn check_record(constructors: &[(u16, &[Type])], components: Vec<Described>, expected: Option<&str>) {
        let mut types = TypeTable::default();
        let constructor = |(access, parameters): &(u16, &[Type])| MethodFacts {
            name: Arc::from("<init>"),
            descriptor: MethodDescriptor { parameters: parameters.to_vec(), returns: None },
            access: *access,
            exceptions: Vec::new(),
        };
        types.insert(ClassFacts {
            name: ClassName::new("q/R"),
            access: access::PUBLIC,
            super_class: Some(ClassName::new("java/lang/Record")),
            interfaces: Vec::new(),
            outer: None,
            source_simple_name: Some(Arc::from("R")),
            signature: Some(Arc::from("<T:Ljava/lang/Object;>Ljava/lang/Record;")),
            methods: constructors.iter().map(constructor).collect(),
            constants: Vec::new(),
        });
        let mut names = Names::new(&types, "p", "ATest");
        let given = value_text(&Described::Record(ClassName::new("q/R"), components), 17, &mut names);
        assert_eq!(given.ok().as_deref(), expected);
        assert!(!names.has_raw_types());
    }

    #[test]
    fn record_is_made_by_the_only_constructor_that_takes_its_components() {
        let primitive = Type::Primitive(Primitive::Long);
        let parameters = [primitive.clone(), Type::class("java/util/List")];
        let components = || vec![long(1), list(vec![text("a")])];
        let made = Some("new R<>(1L, List.of(\"a\"))");
        check_record(&[(access::PUBLIC, &parameters)], components(), made);
        check_record(&[(0, &parameters)], components(), None);
        let other = [Type::INT, Type::string()];
        check_record(&[(access::PUBLIC, &parameters), (access::PUBLIC, &other)], components(), made);
        let boxed = [Type::object(), Type::object()];
        check_record(&[(access::PUBLIC, &parameters), (access::PUBLIC, &boxed)], components(), None);
        check_record(&[(access::PUBLIC, &[primitive])], vec![Described::Null], None);
    }
}
