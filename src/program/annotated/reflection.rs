//! Which annotation types code looks at by reflection, and where.

use crate::implementation::Known;
use crate::reading::names_are_java;
use bytecode::classfile::{ClassFile, Instruction, bodies};
use model::jvm::annotations::{Annotation, ElementValue};
use model::jvm::types::access;
use model::jvm::{ClassName, Literal, Type};
use std::collections::{BTreeMap, BTreeSet};

/// The class that a literal stands for.
pub(super) fn class_literal(literal: &Literal) -> Option<&ClassName> {
    match literal {
        Literal::Class(Type::Class(class)) => Some(class),
        _ => None,
    }
}

/// The annotation types, of these, that the class's code reads: it has a class literal of the type, tests for it, or calls
/// its elements. An annotation that a class only has may be among its constants too (JVMS §4.7.6).
pub(super) fn read_annotations<'a>(
    file: &ClassFile,
    of: &BTreeMap<&'a ClassName, &ClassFile>,
) -> BTreeSet<&'a ClassName> {
    if !file.mentioned_classes().iter().any(|class| of.contains_key(class)) {
        return BTreeSet::new();
    }
    let mut found = BTreeSet::new();
    for step in bodies(file).iter().flat_map(|body| &body.steps) {
        let class = match &step.instruction {
            Instruction::Invoke { method, .. } => Some(&method.owner),
            Instruction::InstanceOf(Type::Class(class)) | Instruction::CheckCast(Type::Class(class)) => Some(class),
            instruction => instruction.literal().and_then(class_literal),
        };
        found.extend(class.and_then(|class| of.get_key_value(class)).map(|(name, _)| *name));
    }
    found
}

/// Whether the class's code asks methods, or elements of any kind, for their annotations.
pub(super) fn asks_methods(file: &ClassFile) -> bool {
    let asks = |instruction: &Instruction| {
        instruction.invoked().is_some_and(|method| {
            let owner = method.owner.internal().strip_prefix("java/lang/reflect/");
            let is_query = ["getAnnotation", "getDeclaredAnnotation", "isAnnotationPresent"];
            owner.is_some_and(|owner| ["Method", "Executable", "AccessibleObject", "AnnotatedElement"].contains(&owner))
                && is_query.iter().any(|query| method.name.starts_with(query))
        })
    };
    let mentioned = file.mentioned_classes();
    mentioned.iter().any(|class| class.internal().starts_with("java/lang/reflect/"))
        && bodies(file).iter().flat_map(|body| &body.steps).any(|step| asks(&step.instruction))
}

/// An annotation type that is there at run time, on classes or members that any package may have.
pub(super) fn is_readable(file: &ClassFile, known: &Known<'_>) -> bool {
    file.access & access::ANNOTATION != 0
        // The compiler has a say in where those of the language stand, such as `@SafeVarargs`.
        && !file.name.internal().starts_with("java/lang/")
        && meta(file, "Retention").is_some_and(|value| is_constant(value, "RUNTIME"))
        && ["FIELD", "METHOD", "TYPE"].iter().any(|kind| admits(file, kind))
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
pub(super) fn admits(file: &ClassFile, kind: &str) -> bool {
    match meta(file, "Target") {
        Some(ElementValue::Array(kinds)) => kinds.iter().any(|value| is_constant(value, kind)),
        _ => true,
    }
}

/// Whether any package may name the class, and source can.
pub(super) fn is_public(class: &ClassName, known: &Known<'_>) -> bool {
    known.types.is_public(class) && names_are_java(known.types, class)
}
