//! Operations that make objects with annotated members, for code that looks at the classes of its callers' objects by
//! reflection: no search gets such an object from the program alone.
//!
//! Which objects would be worth having only the code under test knows, so each annotation is seen a few times with each
//! of its elements and each kind of field somewhere, first alone and then several in one object. All is counted, nothing
//! drawn: the operations depend on the class files alone.

mod field_types;
mod reflection;
mod spelling;
#[cfg(test)]
mod tests;

use super::implementation::Known;
use bytecode::classfile::{ClassFile, Field, Method};
use field_types::{FieldType, field_types};
use model::jvm::annotations::{Annotation, ElementValue};
use model::jvm::types::{ClassFacts, access, is_java_identifier};
use model::jvm::{ClassName, Literal, MethodDescriptor, Primitive, Type};
use model::sequence::{Accessor, Declared, DeclaredField, Operation, OperationKind};
use reflection::{admits, asks_methods, class_literal, is_public, is_readable, read_annotations};
use spelling::{Name, naming_value, prefixes, signs, words};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) use field_types::FIELD_TYPES;

/// Objects of one field per way to annotate it.
const ALONE: usize = 3;
/// Objects of one field in all.
const MOST_ALONE: usize = 120;
/// Objects of several fields, or with annotations of their own.
const TOGETHER: usize = 48;
/// How deep annotations in annotations go.
const NESTING: u32 = 2;

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
    let literals = constants.values().flatten().filter_map(|(literal, _)| class_literal(literal));
    let classes: BTreeSet<&ClassName> = targets.keys().chain(literals).collect();
    let file_of = |name: &&ClassName| (known.file)(name).filter(|file| is_readable(file, known));
    let annotations: BTreeMap<&ClassName, &ClassFile> =
        classes.into_iter().filter_map(|name| Some((name, file_of(&name)?))).collect();
    let mut found: BTreeMap<String, (Vec<&ClassFile>, BTreeSet<&ClassName>)> = BTreeMap::new();
    for (name, file) in targets {
        for annotation in read_annotations(file, &annotations) {
            let (files, readers) = found.entry(annotation.package()).or_default();
            if !files.iter().any(|file| file.name == *annotation) {
                files.push(annotations[annotation]);
            }
            readers.insert(name);
        }
    }
    let packages: BTreeSet<String> = targets.keys().map(ClassName::package).collect();
    let family = |(package, (mut annotations, read)): (String, (Vec<&'a ClassFile>, BTreeSet<&ClassName>))| {
        annotations.sort_by_key(|file| &file.name);
        let readers: BTreeSet<String> = read.iter().map(|name| name.package()).collect();
        let classes = || targets.iter().filter(|(name, _)| readers.contains(&name.package()));
        let constants = || classes().filter_map(|(name, _)| constants.get(name)).flatten();
        let literals = || constants().map(|(literal, _)| literal);
        let mut maker = Maker {
            targets,
            known,
            types: field_types(classes().map(|(name, _)| name), literals(), known),
            prefixes: prefixes(constants()),
            words: words(literals()),
            signs: signs(literals()),
            words_taken: 0,
            drawn: BTreeMap::new(),
        };
        let places = places(classes().any(|(_, file)| asks_methods(file)));
        let (on_members, on_classes) = maker.usages(annotations.iter().copied(), places);
        // Tests of what reads the annotations are in its package, as a rule that of the annotations.
        let beside = if packages.contains(&package) {
            annotations.first().map(|file| &file.name)
        } else {
            read.first().copied()
        };
        let operations = maker.operations(&on_members, &on_classes);
        let operations =
            operations.into_iter().map(|declared| operation(Declared { beside: beside.cloned(), ..declared }));
        Family { operations: operations.collect(), readers }
    };
    found.into_iter().map(family).filter(|family| !family.operations.is_empty()).collect()
}

/// One way to annotate something: the annotation, and which of its elements are given besides those that must be.
#[derive(Clone, Copy)]
struct Usage<'a> {
    of: &'a ClassFile,
    named: bool,
    given: Option<usize>,
}

/// Where a member's annotation stands: on the field, or on a method that accesses it.
type Place = Option<Accessor>;

/// The ways to annotate members, and where each may stand, in turns.
type Members<'a> = Vec<(Usage<'a>, &'static [Place])>;

/// Where annotations of members may stand, by what the annotation type admits.
struct Places {
    on_fields: &'static [Place],
    on_methods: &'static [Place],
    on_both: &'static [Place],
}

fn places(asks_methods: bool) -> Places {
    match asks_methods {
        true => Places {
            on_fields: &[None],
            on_methods: &[Some(Accessor::Setter), Some(Accessor::Getter)],
            on_both: &[None, Some(Accessor::Setter), None, Some(Accessor::Getter)],
        },
        false => Places { on_fields: &[None], on_methods: &[], on_both: &[None] },
    }
}

struct Maker<'a> {
    targets: &'a BTreeMap<ClassName, ClassFile>,
    known: &'a Known<'a>,
    types: Vec<FieldType>,
    prefixes: Vec<String>,
    words: Vec<Literal>,
    signs: Vec<Literal>,
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
    /// The ways to annotate members, and classes.
    fn usages(
        &mut self,
        annotations: impl Iterator<Item = &'a ClassFile>,
        places: Places,
    ) -> (Members<'a>, Vec<Usage<'a>>) {
        let (mut on_members, mut on_classes) = (Vec::new(), Vec::new());
        for of in annotations {
            let naming = naming_element(of);
            let given = (0..of.methods.len()).filter(|&at| is_element(&of.methods[at]) && Some(at) != naming).map(Some);
            let usages = std::iter::once(None).chain(given).map(|given| Usage { of, named: true, given });
            let name = Name { prefix: "", word: "name" };
            let usages: Vec<Usage> = usages.filter(|usage| self.annotation(*usage, name, 0).is_some()).collect();
            let places = match (admits(of, "FIELD"), admits(of, "METHOD")) {
                (true, true) => places.on_both,
                (true, false) => places.on_fields,
                (false, true) => places.on_methods,
                (false, false) => &[],
            };
            if !places.is_empty() {
                on_members.extend(usages.iter().map(|usage| (*usage, places)));
            }
            if admits(of, "TYPE") {
                on_classes.extend(usages);
            }
        }
        (on_members, on_classes)
    }

    /// What each of the objects declares.
    fn operations(&mut self, on_members: &[(Usage<'a>, &[Place])], on_classes: &[Usage<'a>]) -> Vec<Declared> {
        let mut all: Vec<Declared> = Vec::new();
        let step = self.types.len().div_ceil(ALONE);
        for round in 0..ALONE {
            let left = MOST_ALONE.saturating_sub(round * on_members.len());
            for (at, &(usage, places)) in on_members.iter().enumerate().take(left) {
                // What has no name may mean something else, such as what is left.
                let usage = Usage { named: round + 1 < ALONE, ..usage };
                let place = places[(at + round) % places.len()];
                let fields = self.fields(std::iter::once((usage, place, at + round * step, at + round)));
                all.push(Declared { fields, ..Declared::default() });
            }
        }
        let mut next = 0;
        for number in 0..TOGETHER {
            let count = if on_members.is_empty() { 0 } else { 1 + number % 4 };
            // Each round through one of the cycles meets other members of the others.
            let pick = |at: usize| {
                let (round, member) = (at / on_members.len(), at % on_members.len());
                let (usage, places) = on_members[member];
                (usage, places[(member + round) % places.len()], at + round, round)
            };
            let picks = (next..next + count).map(pick);
            let fields = self.fields(picks);
            next += count;
            let annotations = match on_classes.len() {
                0 => None,
                several if number % 2 == 0 => {
                    let at = number / 2;
                    let prefix = self.prefix(at / several);
                    self.annotation(on_classes[at % several], Name { prefix: &prefix, word: "part" }, 0)
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
        seen
    }

    /// What names begin with in each of the rounds: the longest prefix, nothing, then the other prefixes.
    fn prefix(&self, round: usize) -> String {
        let mut spellings: Vec<&str> = self.prefixes.iter().map(String::as_str).collect();
        spellings.insert(spellings.len().min(1), "");
        spellings[round % spellings.len()].to_string()
    }

    /// Fields that are annotated so and there, of the types at the indices, as far as there are values for their elements;
    /// the round says how names are spelled.
    fn fields(&mut self, wanted: impl Iterator<Item = (Usage<'a>, Place, usize, usize)>) -> Vec<DeclaredField> {
        let mut fields: Vec<DeclaredField> = Vec::new();
        let mut inputs = 0;
        for (usage, accessor, at, round) in wanted {
            let kind = self.types[at % self.types.len()].clone();
            let same = fields.iter().filter(|field| field.name.trim_end_matches(char::is_numeric) == kind.name).count();
            let name = if same == 0 { kind.name } else { format!("{}{}", kind.name, same + 1) };
            let prefix = self.prefix(round);
            let spelled = Name { prefix: &prefix, word: &name };
            let Some(annotation) = self.annotation(usage, spelled, 0) else { continue };
            fields.push(DeclaredField {
                annotations: vec![annotation],
                accessor,
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
    fn annotation(&mut self, usage: Usage<'a>, name: Name<'_>, depth: u32) -> Option<Annotation> {
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

    fn value(&mut self, element: Element<'_>, of: &Type, name: Name<'_>, depth: u32) -> Option<ElementValue> {
        let literal = match of {
            Type::Array(of) => return Some(ElementValue::Array(vec![self.value(element, of, name, depth)?])),
            Type::Primitive(Primitive::Boolean) => {
                let is_on = ElementValue::Constant(Literal::Boolean(true));
                Literal::Boolean(element.method.annotation_default.as_ref() != Some(&is_on))
            }
            Type::Primitive(Primitive::Char) => {
                let at = self.draw(element, self.signs.len());
                self.signs[at].clone()
            }
            Type::Primitive(primitive) => Literal::of_number([1, 2, 0][self.draw(element, 3)], *primitive),
            of if of.is_string() => {
                self.words_taken += 1;
                self.words[self.words_taken % self.words.len()].clone()
            }
            Type::Class(class) if class.internal() == "java/lang/Class" => {
                let classes = self.classes(element.method);
                let at = self.draw(element, classes.len().max(1));
                Literal::Class(Type::Class(classes.get(at)?.clone()))
            }
            Type::Parameterized(_) => return None,
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

fn operation(declared: Declared) -> Operation {
    let given = declared.fields.iter().filter(|field| field.input.is_some());
    let constructor = MethodDescriptor { parameters: Vec::new(), returns: None };
    Operation {
        inputs: given.map(DeclaredField::generic_type).collect(),
        declared,
        ..Operation::new(OperationKind::Implementation, ClassName::new("java/lang/Object"), "<init>", constructor)
    }
}
