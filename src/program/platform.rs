//! The operations of the Java platform and of dependencies that make argument values.

use model::jvm::types::TypeTable;
use model::jvm::{ClassName, Type};
use model::sequence::Operation;
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

/// Whether tests may make instances of the class by whatever constructors and factories it has.
pub(super) fn is_safe_to_make(class: &ClassName) -> bool {
    let name = class.internal();
    !UNSAFE_PACKAGES.iter().any(|package| name.starts_with(package)) && !UNSAFE_CLASSES.contains(&name)
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

/// The operations of `offered` that make values for the `needed` types, or change values so made; the types that they
/// need themselves are added. `Object` is served by the ones that make boxes and plain objects.
pub(super) fn relevant(offered: Vec<Operation>, needed: &mut BTreeSet<Type>, types: &TypeTable) -> Vec<Operation> {
    let mut waiting = offered;
    let mut chosen = Vec::new();
    let mut made: BTreeSet<Type> = BTreeSet::new();
    loop {
        let (now, later): (Vec<Operation>, Vec<Operation>) = waiting.into_iter().partition(|operation| {
            let makes = operation.output.as_ref().filter(|output| !output.is_primitive()).is_some_and(|output| {
                needed.iter().any(|need| {
                    types.is_assignable(output, need) && (*need != Type::object() || serves_object(operation))
                })
            });
            let changes = operation.has_receiver()
                && made.iter().any(|made| types.is_assignable(made, &operation.inputs[0]))
                && !operation.output.as_ref().is_some_and(|output| is_other_value(output, operation));
            makes || changes
        });
        if now.is_empty() {
            return chosen;
        }
        for operation in &now {
            needed.extend(operation.inputs.iter().cloned());
            if !operation.has_receiver() {
                made.extend(operation.output.clone());
            }
        }
        chosen.extend(now);
        waiting = later;
    }
}

/// What a mutator returns is a flag, the old value, or the receiver; another class is a value of its own.
fn is_other_value(output: &Type, operation: &Operation) -> bool {
    !output.is_primitive() && *output != Type::object() && *output != operation.inputs[0]
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
            let by_hand = ["java/net/URI"];
            assert!(is_safe_to_make(&entry.owner) || by_hand.contains(&entry.owner.internal()), "{}", entry.owner);
        }
    }
}
