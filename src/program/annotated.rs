//! Operations that make objects with annotated members, for code that looks at the classes of its callers' objects by
//! reflection: no search gets such an object from the program alone.
//!
//! Which objects would be worth having only the code under test knows, so each annotation is seen a few times with each
//! of its elements and each kind of field somewhere, first alone and then several in one object. All is counted, nothing
//! drawn: the operations depend on the class files alone.

#[cfg(test)]
mod tests;

use super::implementation::Known;
use super::reading::names_are_java;
use bytecode::classfile::{ClassFile, Field, Method};
use model::jvm::annotations::{Annotation, ElementValue};
use model::jvm::types::{ClassFacts, access, is_java_identifier, unboxed};
use model::jvm::{ClassName, Literal, MethodDescriptor, Primitive, Type};
use model::sequence::{Declared, DeclaredField, Operation, OperationKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Types of fields that are taken from the class literals of the code.
const MENTIONED_TYPES: usize = 7;
/// Objects of one field per way to annotate it.
const ALONE: usize = 3;
/// Objects of one field in all.
const MOST_ALONE: usize = 120;
/// Objects of several fields, or with annotations of their own.
const TOGETHER: usize = 48;
/// Strings that describe rather than name something are at most so long, in UTF-16 units.
const WORD: usize = 20;
/// How deep annotations in annotations go.
const NESTING: u32 = 2;
/// The platform's types of fields; they must be known.
pub(super) const FIELD_TYPES: [&str; 3] = ["java/util/List", "java/util/Map", "java/math/RoundingMode"];

/// What the annotations of one package make possible.
pub(super) struct Family {
    pub operations: Vec<Operation>,
    /// Packages whose code under test looks at the annotations, with dots.
    pub readers: BTreeSet<String>,
}

/// The families of annotations that code under test looks at, by package.
pub(super) fn families<'a>(
    targets: &'a BTreeMap<ClassName, ClassFile>,
    constants: &BTreeMap<ClassName, Vec<(Literal, u32)>>,
    known: &'a Known<'a>,
) -> Vec<Family> {
    let mut found: BTreeMap<String, (BTreeSet<ClassName>, BTreeSet<String>)> = BTreeMap::new();
    for (name, file) in targets {
        let mentioned = file.mentioned_classes().into_iter().filter(|class| class != name);
        for annotation in mentioned.filter(|class| targets.get(class).is_some_and(|file| is_readable(file, known))) {
            let (annotations, readers) = found.entry(annotation.package()).or_default();
            annotations.insert(annotation);
            readers.insert(name.package());
        }
    }
    let family = |(annotations, readers): (BTreeSet<ClassName>, BTreeSet<String>)| {
        let read = || targets.keys().filter(|name| readers.contains(&name.package()));
        let literals = read().filter_map(|name| constants.get(name)).flatten().map(|(literal, _)| literal);
        let (types, words) = (field_types(read(), literals.clone(), known), words(literals));
        let mut maker = Maker { targets, known, types, words, words_taken: 0, drawn: BTreeMap::new() };
        let files = annotations.iter().map(|name| &targets[name]);
        let (on_fields, on_classes) = maker.usages(files);
        let mut operations = maker.operations(&on_fields, &on_classes);
        // Tests of what reads the annotations are in its package, as a rule that of the annotations.
        operations.iter_mut().for_each(|operation| operation.declared.beside = annotations.first().cloned());
        Family { operations, readers }
    };
    found.into_values().map(family).filter(|family| !family.operations.is_empty()).collect()
}

/// An annotation type that is there at run time, on classes or fields that any package may have.
fn is_readable(file: &ClassFile, known: &Known<'_>) -> bool {
    file.access & access::ANNOTATION != 0
        && meta(file, "Retention").is_some_and(|value| is_constant(value, "RUNTIME"))
        && (admits(file, "FIELD") || admits(file, "TYPE"))
        && is_public(&file.name, known)
}

/// The value of an annotation of `java.lang.annotation` on the type.
fn meta<'a>(file: &'a ClassFile, simple: &str) -> Option<&'a ElementValue> {
    let is_it = |annotation: &&Annotation| {
        annotation.of.internal().strip_prefix("java/lang/annotation/").is_some_and(|name| name == simple)
    };
    file.annotations.iter().find(is_it)?.element("value")
}

fn is_constant(value: &ElementValue, expected: &str) -> bool {
    matches!(value, ElementValue::Enum(_, name) if &**name == expected)
}

/// Whether the annotation may stand on the kind of element; without `@Target` on any declaration (JLS §9.6.4.1).
fn admits(file: &ClassFile, kind: &str) -> bool {
    match meta(file, "Target") {
        Some(ElementValue::Array(kinds)) => kinds.iter().any(|value| is_constant(value, kind)),
        _ => true,
    }
}

/// Whether any package may name the class, and source can.
fn is_public(class: &ClassName, known: &Known<'_>) -> bool {
    known.types.is_public(class) && names_are_java(known.types, class)
}

/// Strings of the code that could be a word or sign.
fn words<'a>(literals: impl Iterator<Item = &'a Literal>) -> Vec<Literal> {
    let is_word = |literal: &&Literal| match literal {
        Literal::String(text) => (1..=WORD).contains(&text.units().len()) && !text.to_string().contains(' '),
        _ => false,
    };
    let mut found: Vec<Literal> = literals.filter(is_word).cloned().collect::<BTreeSet<_>>().into_iter().collect();
    found.insert(0, Literal::String("text".into()));
    found
}

/// A kind of field.
#[derive(Clone)]
struct FieldType {
    of: Type,
    arguments: Vec<Type>,
    name: String,
    /// It begins with an input.
    is_given: bool,
}

/// Plain types, and those that the code has class literals of.
fn field_types<'a>(
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
    let mentioned = literals.filter_map(|literal| match literal {
        Literal::Class(of @ Type::Class(class)) if class.internal().starts_with("java/") => Some((of, class)),
        _ => None,
    });
    let mentioned = mentioned.filter(|(_, class)| is_public(class, known)).collect::<BTreeSet<_>>();
    let is_new = |(of, _): &(&Type, &ClassName)| types.iter().all(|known| known.of != **of);
    let new: Vec<FieldType> = (mentioned.into_iter().filter(is_new))
        .take(MENTIONED_TYPES)
        .map(|(of, class)| field(of.clone(), 0, &field_name(class), false))
        .collect();
    types.extend(new);
    types
}

/// `bigDecimal`, `longValue`
fn field_name(class: &ClassName) -> String {
    let simple = class.simple().replace('$', "");
    let mut letters = simple.chars();
    let name: String = letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect();
    match name.as_str() {
        "" => "value".to_string(),
        _ if unboxed(class).is_some() || !is_java_identifier(&name) => name + "Value",
        _ => name,
    }
}

/// One way to annotate something: the annotation, and which of its elements are given besides those that must be.
#[derive(Clone, Copy)]
struct Usage<'a> {
    of: &'a ClassFile,
    named: bool,
    given: Option<usize>,
}

struct Maker<'a> {
    targets: &'a BTreeMap<ClassName, ClassFile>,
    known: &'a Known<'a>,
    types: Vec<FieldType>,
    words: Vec<Literal>,
    /// How often a word was taken. There are many, so all elements together go through them.
    words_taken: usize,
    /// How often one of several other values was taken for an element.
    drawn: BTreeMap<(ClassName, Arc<str>), usize>,
}

/// An element of an annotation type.
#[derive(Clone, Copy)]
struct Element<'a> {
    of: &'a ClassName,
    method: &'a Method,
}

impl<'a> Maker<'a> {
    /// The ways to annotate fields, and classes.
    fn usages(&mut self, annotations: impl Iterator<Item = &'a ClassFile>) -> (Vec<Usage<'a>>, Vec<Usage<'a>>) {
        let (mut on_fields, mut on_classes) = (Vec::new(), Vec::new());
        for of in annotations {
            let naming = naming_element(of);
            let given = (0..of.methods.len()).filter(|&at| is_element(&of.methods[at]) && Some(at) != naming).map(Some);
            let usages = std::iter::once(None).chain(given).map(|given| Usage { of, named: true, given });
            let usages: Vec<Usage> = usages.filter(|usage| self.annotation(*usage, "name", 0).is_some()).collect();
            if admits(of, "FIELD") {
                on_fields.extend(usages.iter().copied());
            }
            if admits(of, "TYPE") {
                on_classes.extend(usages);
            }
        }
        (on_fields, on_classes)
    }

    fn operations(&mut self, on_fields: &[Usage<'a>], on_classes: &[Usage<'a>]) -> Vec<Operation> {
        let mut all: Vec<Declared> = Vec::new();
        let step = self.types.len().div_ceil(ALONE);
        for round in 0..ALONE {
            for (at, &usage) in on_fields.iter().enumerate().take(MOST_ALONE.saturating_sub(round * on_fields.len())) {
                // What has no name may mean something else, such as what is left.
                let usage = Usage { named: round + 1 < ALONE, ..usage };
                let fields = self.fields(std::iter::once((usage, at + round * step, round)));
                all.push(Declared { fields, ..Declared::default() });
            }
        }
        let mut next = 0;
        for number in 0..TOGETHER {
            let count = if on_fields.is_empty() { 0 } else { 1 + number % 4 };
            // Each round through one of the cycles meets other members of the others.
            let pick = |at: usize| {
                let round = at / on_fields.len();
                (on_fields[at % on_fields.len()], at + round, round)
            };
            let picks = (next..next + count).map(pick);
            let fields = self.fields(picks);
            next += count;
            let annotations = match on_classes.len() {
                0 => None,
                several if number % 2 == 0 => {
                    let at = number / 2;
                    self.annotation(on_classes[at % several], &spelled("part", at / several), 0)
                }
                _ => None,
            };
            all.push(Declared { annotations: annotations.into_iter().collect(), fields, ..Declared::default() });
        }
        let mut seen = Vec::new();
        for declared in all.into_iter().filter(Declared::shows) {
            if !seen.contains(&declared) {
                seen.push(declared);
            }
        }
        seen.into_iter().map(operation).collect()
    }

    /// Fields that are annotated so and of the types at the indices, as far as there are values for their elements; the
    /// round says how names are spelled.
    fn fields(&mut self, wanted: impl Iterator<Item = (Usage<'a>, usize, usize)>) -> Vec<DeclaredField> {
        let mut fields: Vec<DeclaredField> = Vec::new();
        let mut inputs = 0;
        for (usage, at, round) in wanted {
            let kind = self.types[at % self.types.len()].clone();
            let same = fields.iter().filter(|field| field.name.trim_end_matches(char::is_numeric) == kind.name).count();
            let name = if same == 0 { kind.name } else { format!("{}{}", kind.name, same + 1) };
            let Some(annotation) = self.annotation(usage, &spelled(&name, round), 0) else { continue };
            fields.push(DeclaredField {
                annotations: vec![annotation],
                accessor: None,
                of: kind.of,
                arguments: kind.arguments,
                name: Arc::from(name),
                input: kind.is_given.then_some(inputs),
            });
            inputs += u32::from(kind.is_given);
        }
        fields
    }

    /// `None` if an element that must have a value has none, or a name that source cannot write.
    fn annotation(&mut self, usage: Usage<'a>, name: &str, depth: u32) -> Option<Annotation> {
        let naming = naming_element(usage.of);
        let mut elements = Vec::new();
        for (at, method) in usage.of.methods.iter().enumerate().filter(|(_, method)| is_element(method)) {
            let is_name = naming == Some(at);
            let must = method.annotation_default.is_none() || usage.given == Some(at);
            if !(must || is_name && usage.named) {
                continue;
            }
            if !is_java_identifier(&method.name) {
                return None;
            }
            let returns = method.descriptor.returns.as_ref()?;
            let element = Element { of: &usage.of.name, method };
            let value = if is_name { naming_value(returns, name) } else { self.value(element, returns, name, depth)? };
            elements.push((method.name.clone(), value));
        }
        Some(Annotation { of: usage.of.name.clone(), elements })
    }

    fn value(&mut self, element: Element<'_>, of: &Type, name: &str, depth: u32) -> Option<ElementValue> {
        let literal = match of {
            Type::Array(of) => return Some(ElementValue::Array(vec![self.value(element, of, name, depth)?])),
            Type::Primitive(Primitive::Boolean) => {
                let is_on = ElementValue::Constant(Literal::Boolean(true));
                Literal::Boolean(element.method.annotation_default.as_ref() != Some(&is_on))
            }
            Type::Primitive(primitive) => {
                let number = [1, 2, 0][self.draw(element, 3)];
                match primitive {
                    Primitive::Char => Literal::Char(b",=:"[number as usize].into()),
                    primitive => Literal::of_number(number, *primitive),
                }
            }
            of if of.is_string() => {
                self.words_taken += 1;
                self.words[self.words_taken % self.words.len()].clone()
            }
            Type::Class(class) if class.internal() == "java/lang/Class" => {
                let classes = self.classes(element.method);
                let at = self.draw(element, classes.len().max(1));
                Literal::Class(Type::Class(classes.get(at)?.clone()))
            }
            Type::Class(class) => {
                let file = (self.known.file)(class).filter(|_| is_public(class, self.known))?;
                if file.access & access::ANNOTATION != 0 {
                    let usage = Usage { of: file, named: true, given: None };
                    let annotation = if depth < NESTING { self.annotation(usage, name, depth + 1) } else { None };
                    return annotation.map(ElementValue::Annotation);
                }
                let is_constant = |field: &&Field| field.access & access::ENUM != 0 && is_java_identifier(&field.name);
                let constants: Vec<&Field> = file.fields.iter().filter(is_constant).collect();
                let at = self.draw(element, constants.len().max(1));
                return Some(ElementValue::Enum(class.clone(), constants.get(at)?.name.clone()));
            }
        };
        Some(ElementValue::Constant(literal))
    }

    /// Classes that the element's type argument admits: those of the program that have instances, or plain ones. What
    /// is no wildcard, or has a lower bound, admits the class that it names.
    fn classes(&self, method: &Method) -> Vec<ClassName> {
        let signature = method.signature.as_deref().unwrap_or_default().trim_start_matches(['(', ')', '[']);
        let argument = signature.strip_prefix("Ljava/lang/Class<").and_then(|rest| rest.strip_suffix(">;"));
        let plain = ["java/lang/String", "java/lang/Integer"].map(ClassName::new);
        let Some(bound) = argument.and_then(|argument| argument.strip_prefix('+')) else {
            let named = argument.and_then(|argument| Type::parse(argument.trim_start_matches('-')));
            let classes = match named {
                Some(Type::Class(class)) => vec![class],
                _ if argument.is_none_or(|argument| argument == "*") => plain.to_vec(),
                _ => Vec::new(),
            };
            return classes.into_iter().filter(|class| is_public(class, self.known)).collect();
        };
        let (raw, arguments) = bound.split_once('<').map_or((bound, None), |(raw, rest)| (raw, Some(rest)));
        let Some(bound) = Type::parse(&format!("{};", raw.trim_end_matches(';'))) else { return Vec::new() };
        // Which other arguments a class gives to the bound is not worth asking: `Converter<?>` is what libraries write.
        if arguments.is_some_and(|arguments| arguments.trim_start_matches('*') != ">;") {
            return Vec::new();
        }
        let fits = |class: &&ClassName| {
            self.known.types.get(class).is_some_and(|facts| !facts.is_abstract() && !facts.is_inner())
                && is_public(class, self.known)
                && self.known.types.is_assignable(&Type::Class((*class).clone()), &bound)
                && (arguments.is_none() || self.is_parameterized(class))
        };
        self.targets.keys().chain(&plain).filter(fits).cloned().collect()
    }

    /// Whether neither the class nor a supertype is a raw type where the class is named: of such a one no parameterized
    /// type is a supertype (JLS §4.8).
    fn is_parameterized(&self, class: &ClassName) -> bool {
        let types = self.known.types;
        let is_generic = |name: &ClassName| types.get(name).is_some_and(ClassFacts::is_generic);
        let gives_arguments = |facts: &ClassFacts, parent: &ClassName| {
            let parent = format!("L{}<", parent.internal());
            facts.signature.as_deref().is_some_and(|signature| signature.contains(&parent))
        };
        let is_raw = |facts: &&ClassFacts| {
            let mut parents = facts.super_class.iter().chain(&facts.interfaces);
            parents.any(|parent| is_generic(parent) && !gives_arguments(facts, parent))
        };
        !is_generic(class) && !types.ancestry(class).iter().any(is_raw)
    }

    /// An index below `count`, another one each time that the element is asked for.
    fn draw(&mut self, element: Element<'_>, count: usize) -> usize {
        let drawn = self.drawn.entry((element.of.clone(), element.method.name.clone())).or_default();
        *drawn += 1;
        *drawn % count
    }
}

fn is_element(method: &Method) -> bool {
    method.access & (access::STATIC | access::SYNTHETIC) == 0 && method.descriptor.parameters.is_empty()
}

/// The element that most likely names what is annotated: the first that is text and must be given, else that is text.
fn naming_element(of: &ClassFile) -> Option<usize> {
    let is_text = |at: &usize| {
        let method = &of.methods[*at];
        let returns = method.descriptor.returns.as_ref();
        is_element(method)
            && is_java_identifier(&method.name)
            && returns.is_some_and(|of| of.is_string() || *of == Type::array(Type::string()))
    };
    let mut texts = (0..of.methods.len()).filter(is_text);
    texts.clone().find(|&at| of.methods[at].annotation_default.is_none()).or_else(|| texts.next())
}

/// As options of commands are named, or as the field is: what else maps members by name takes that.
fn spelled(name: &str, round: usize) -> String {
    if round.is_multiple_of(2) { format!("--{name}") } else { name.to_string() }
}

/// The name, and a short one where there may be several.
fn naming_value(of: &Type, name: &str) -> ElementValue {
    let text = |text: &str| ElementValue::Constant(Literal::String(text.into()));
    let Type::Array(_) = of else { return text(name) };
    let (dash, word) = name.strip_prefix("--").map_or(("", name), |word| ("-", word));
    let first: String = word.chars().take(1).collect();
    let digits = word.trim_start_matches(|letter: char| !letter.is_numeric());
    ElementValue::Array(vec![text(&format!("{dash}{first}{digits}")), text(name)])
}

fn operation(declared: Declared) -> Operation {
    let given = declared.fields.iter().filter(|field| field.input.is_some());
    let constructor = MethodDescriptor { parameters: Vec::new(), returns: None };
    Operation {
        inputs: given.map(|field| field.of.clone()).collect(),
        declared,
        ..Operation::new(OperationKind::Implementation, ClassName::new("java/lang/Object"), "<init>", constructor)
    }
}
