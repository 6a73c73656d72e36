//! The operations of the Java platform and of dependencies that make argument values.

use super::instantiation::Instantiation;
use model::jvm::types::{TypeTable, access};
use model::jvm::{ClassName, Literal, MethodDescriptor, Type};
use model::sequence::{Answer, Implemented, Operation, OperationId, OperationKind, TEMPORARY_FILES};
use std::collections::BTreeSet;

/// Packages whose classes are never made for an argument: they reach files, the network, other processes, threads,
/// the screen, or the JVM itself.
const UNSAFE_PACKAGES: [&str; 12] = [
    "java/awt/",
    "java/net/",
    "java/nio/channels/",
    "java/nio/file/",
    "java/rmi/",
    "java/lang/invoke/",
    "java/lang/reflect/",
    "java/util/prefs/",
    "java/util/logging/",
    "javax/swing/",
    "sun/",
    "jdk/",
];
const UNSAFE_CLASSES: [&str; 19] = [
    "java/io/Console",
    "java/io/File",
    "java/io/FileDescriptor",
    "java/io/FileInputStream",
    "java/io/FileOutputStream",
    "java/io/FileReader",
    "java/io/FileWriter",
    "java/io/RandomAccessFile",
    "java/lang/ClassLoader",
    "java/lang/Process",
    "java/lang/ProcessBuilder",
    "java/lang/Runtime",
    "java/lang/SecurityManager",
    "java/lang/System",
    "java/lang/Thread",
    "java/lang/ThreadGroup",
    "java/util/ResourceBundle",
    "java/util/Scanner",
    "java/util/Timer",
];

/// Its entries come in an order of their identities, which differs from run to run.
const ORDERED_BY_IDENTITY: &str = "java/util/IdentityHashMap";

/// Whether tests may make instances of the class by whatever constructors and factories it has.
pub(super) fn is_safe_to_make(class: &ClassName) -> bool {
    let name = class.internal();
    let is_unsafe = UNSAFE_PACKAGES.iter().any(|package| name.starts_with(package)) || UNSAFE_CLASSES.contains(&name);
    !is_unsafe && name != ORDERED_BY_IDENTITY
}

/// One line of the list: class, member, descriptor.
pub(super) struct Entry {
    pub owner: ClassName,
    pub member: &'static str,
    pub descriptor: &'static str,
}

/// The list that ships with randgen.
pub(super) fn entries() -> Vec<Entry> {
    include_str!("platform_operations.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let mut words = line.split(' ');
            let mut word = || words.next().expect("each line has three words");
            Entry { owner: ClassName::new(word()), member: word(), descriptor: word() }
        })
        .collect()
}

/// The classes that operations of the list say they make.
pub(super) fn made_classes() -> impl Iterator<Item = ClassName> {
    entries().into_iter().filter_map(|entry| match MethodDescriptor::parse(entry.descriptor) {
        Some(descriptor) => descriptor.returns.and_then(|of| of.class_name().cloned()),
        None => Type::parse(entry.descriptor).and_then(|of| of.class_name().cloned()),
    })
}

/// What makes files in the directory of a sequence: one with a text, the name of one that is not there, and the directory.
pub(super) fn temporary_files() -> Vec<Operation> {
    let operation = |name: &str, parameters: Vec<Type>| {
        let descriptor = MethodDescriptor { parameters, returns: Some(Type::class("java/nio/file/Path")) };
        Operation::new(OperationKind::StaticMethod, ClassName::new(TEMPORARY_FILES), name, descriptor)
    };
    let throwing = Operation {
        exceptions: vec![ClassName::new("java/io/IOException")],
        parameter_names: vec!["text".into()],
        ..operation("file", vec![Type::string()])
    };
    vec![throwing, operation("missing", Vec::new()), operation("directory", Vec::new())]
}

/// An object whose `toString` answers what the operation is given.
pub(super) fn described() -> Operation {
    let (owner, text) = (ClassName::new("java/lang/Object"), Type::string());
    let descriptor = MethodDescriptor { parameters: Vec::new(), returns: Some(text.clone()) };
    let to_string = Implemented {
        name: "toString".into(),
        linked: vec![descriptor.clone()],
        descriptor,
        access: access::PUBLIC,
        generic: false,
        answer: Answer::Input(0),
        recording: None,
    };
    let constructor = MethodDescriptor { parameters: Vec::new(), returns: None };
    Operation {
        inputs: vec![text],
        output: Some(Type::object()),
        implemented: vec![to_string],
        ..Operation::new(OperationKind::Implementation, owner, "<init>", constructor)
    }
}

/// What reads a file of the directory, to show what was written.
pub(super) fn file_content() -> Operation {
    let parameters = vec![Type::class("java/nio/file/Path")];
    let descriptor = MethodDescriptor { parameters, returns: Some(Type::string()) };
    Operation {
        exceptions: vec![ClassName::new("java/io/IOException")],
        ..Operation::new(OperationKind::StaticMethod, ClassName::new(TEMPORARY_FILES), "read", descriptor)
    }
}

/// Files are made where files are asked for, and not where anything that can be compared is.
fn is_asked_for(operation: &Operation, need: &Type) -> bool {
    let file = operation.output.as_ref().filter(|output| {
        output.class_name().is_some_and(|class| matches!(class.internal(), "java/nio/file/Path" | "java/io/File"))
    });
    file.is_none_or(|file| file == need)
}

/// A call with literals that makes a value of a platform type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainValue {
    /// What makes it.
    pub operation: OperationId,
    /// What the operation is given.
    pub arguments: Vec<Literal>,
}

/// The plain values that ship with randgen, as far as the operations make them.
pub(super) fn plain_values(operations: &[Operation]) -> Vec<PlainValue> {
    let lines = include_str!("plain_values.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let value = |line: &str| {
        let mut words = line.splitn(4, ' ');
        let (owner, member, descriptor) = (ClassName::new(words.next()?), words.next()?, words.next()?);
        let descriptor = MethodDescriptor::parse(descriptor)?;
        let text = words.next()?;
        let is_it = |operation: &Operation| {
            operation.owner == owner && &*operation.name == member && operation.descriptor == descriptor
        };
        let operation = OperationId(operations.iter().position(is_it)? as u32);
        let arguments = match &descriptor.parameters[..] {
            [of] if !of.is_primitive() => vec![Literal::String(text.into())],
            parameters => (parameters.iter().zip(text.split(' ')))
                .map(|(of, number)| match of {
                    Type::Primitive(primitive) => Some(Literal::of_number(number.parse().ok()?, *primitive)),
                    _ => None,
                })
                .collect::<Option<_>>()?,
        };
        Some(PlainValue { operation, arguments })
    };
    lines.filter_map(value).collect()
}

/// Whether the operation is one that Java 8 lacks, although it has the class.
pub fn is_newer_than_8(operation: &Operation) -> bool {
    let owner = operation.owner.internal();
    matches!(owner, "java/util/List" | "java/util/Set" | "java/util/Map")
        && operation.kind == OperationKind::StaticMethod
        && matches!(&*operation.name, "of" | "entry")
}

/// Type arguments that the operations of the list have in all; a program that mentions more types makes the others with
/// its own code.
const INSTANTIATIONS: usize = 3_000;

/// The operations of `offered` that make values for the `needed` types, or change values so made, with the type arguments
/// for that; the types that they need themselves are added. `Object` is served by the ones that make boxes and plain
/// objects.
pub(super) fn relevant(
    offered: &[Operation],
    needed: &mut BTreeSet<Type>,
    instantiation: &Instantiation,
    types: &TypeTable,
) -> Vec<Operation> {
    let mut chosen: Vec<Operation> = Vec::new();
    let mut known: BTreeSet<(usize, Vec<Type>, Option<Type>)> = BTreeSet::new();
    let mut made: BTreeSet<Type> = BTreeSet::new();
    let (mut new_needs, mut new_made) = (needed.clone(), BTreeSet::new());
    while (!new_needs.is_empty() || !new_made.is_empty()) && chosen.len() < INSTANTIATIONS {
        let mut found = Vec::new();
        for (at, operation) in offered.iter().enumerate() {
            let makes = operation.output.as_ref().is_some_and(|output| !output.is_primitive());
            let needs = new_needs.iter().filter(|need| makes && !need.is_primitive() && is_asked_for(operation, need));
            let makers = needs.filter_map(|need| match *need == Type::object() {
                true => serves_object(operation).then(|| plain(operation, instantiation)),
                false => instantiation.for_need(operation, need),
            });
            let changed = new_made.iter().filter(|_| operation.has_receiver());
            let changers = changed.filter(|made| **made != Type::object());
            let changers = changers.filter_map(|made| instantiation.for_receiver(operation, made));
            let changers =
                changers.filter(|it| !it.output.as_ref().is_some_and(|output| is_other_value(output, operation)));
            found.extend(makers.chain(changers).map(|operation| (at, operation)));
        }
        (new_needs, new_made) = (BTreeSet::new(), BTreeSet::new());
        for (at, operation) in found {
            if !known.insert((at, operation.inputs.clone(), operation.output.clone())) {
                continue;
            }
            for input in &operation.inputs {
                for input in [input.clone(), instantiation.witness(input)] {
                    if needed.insert(input.clone()) {
                        new_needs.insert(input);
                    }
                }
            }
            if let Some(output) = operation.output.as_ref()
                && (!operation.has_receiver() || is_part_of_document(output))
                && made.insert(output.clone())
            {
                new_made.insert(output.clone());
            }
            chosen.push(operation);
        }
    }
    // Type arguments can be of two packages that hide them, and private.
    chosen.retain(|operation| {
        types.are_accessible_together(&operation.inputs.iter().chain(&operation.output).collect::<Vec<_>>())
    });
    chosen
}

fn plain(operation: &Operation, instantiation: &Instantiation) -> Operation {
    let arguments = instantiation.plain_arguments(&operation.owner).unwrap_or_default();
    instantiation.for_class(operation, &arguments)
}

/// What a mutator returns is a flag, the old value, or the receiver; another class is a value of its own.
fn is_other_value(output: &Type, operation: &Operation) -> bool {
    let erased = operation.descriptor.returns.as_ref();
    !output.is_primitive() && erased != Some(&Type::object()) && erased != Some(&operation.inputs[0].erased())
}

/// What a document of XML alone makes: its elements, attributes and texts.
fn is_part_of_document(of: &Type) -> bool {
    of.class_name().is_some_and(|class| class.internal().starts_with("org/w3c/dom/"))
}

fn serves_object(operation: &Operation) -> bool {
    let owner = operation.owner.internal();
    matches!(owner, "java/lang/Object" | "java/lang/Integer" | "java/lang/Long" | "java/lang/Boolean")
        || (owner == "java/lang/Double" || owner == "java/lang/Character")
        || (matches!(owner, "java/util/ArrayList" | "java/util/Date") && &*operation.name == "<init>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::MethodDescriptor;

    #[test]
    fn platform_operations_are_well_formed_and_safe() {
        for entry in entries() {
            let is_method = MethodDescriptor::parse(entry.descriptor).is_some();
            assert!(is_method || Type::parse(entry.descriptor).is_some(), "{} {}", entry.owner, entry.member);
            let by_hand = ["java/net/URI", "java/nio/file/Path"];
            assert!(is_safe_to_make(&entry.owner) || by_hand.contains(&entry.owner.internal()), "{}", entry.owner);
        }
    }
}
