//! Which classes, beside interfaces, tests write as mocks: those whose objects are there to be asked, and cost much to make.
//!
//! Such a class is abstract, has collaborators of its own, is made by a container, or belongs to a library. Values, which have an
//! `equals` of their own, and classes of the platform are made as without Mockito.

use super::super::Known;
use crate::asked::Asked;
use crate::reading::{is_set_by_container, names_are_java};
use bytecode::classfile::{ClassFile, Method};
use model::jvm::types::access;
use model::jvm::{ClassName, Type};

/// Annotations of classes whose objects a container makes begin so.
const COMPONENTS: [&str; 6] = [
    "jakarta/ejb/",
    "jakarta/enterprise/context/",
    "jakarta/inject/",
    "javax/ejb/",
    "javax/inject/",
    "org/springframework/stereotype/",
];
/// So many classes are looked at, one holding the next.
const DEPTH: usize = 3;

/// Whether tests write objects of the class as mocks: other code under test asks them, source can extend the class and override what
/// is asked, and they are no values.
pub(crate) fn is_collaborator(of: &ClassFile, asked: &Asked, known: &Known) -> bool {
    let Some(facts) = known.types.get(&of.name) else { return false };
    let closed = access::INTERFACE | access::ENUM | access::ANNOTATION | access::SYNTHETIC | access::FINAL;
    if facts.access & closed != 0 || !of.permitted_subclasses.is_empty() || facts.is_inner() {
        return false;
    }
    let calls = asked.by_others(&of.name, known.types);
    let is_final = |method: &Method| {
        let named = |(name, descriptor): &(_, _)| method.name == *name && method.descriptor == *descriptor;
        method.access & access::FINAL != 0 && calls.iter().flat_map(|of_class| of_class.keys()).any(named)
    };
    !calls.is_empty()
        && known.types.is_accessible(&of.name, &of.name.package())
        && names_are_java(known.types, &of.name)
        && is_no_value(of, known)
        && !of.methods.iter().any(is_final)
        && is_expensive(of, asked, known, DEPTH)
}

/// Whether all objects of the class differ, and it is no class of the platform, nor one that is thrown.
fn is_no_value(of: &ClassFile, known: &Known) -> bool {
    let mut at = Some(of);
    // A forged class may be its own ancestor.
    for _ in 0..64 {
        let Some(file) = at.filter(|file| file.name.internal() != "java/lang/Object") else { return at.is_some() };
        if file.name.internal().starts_with("java/") || file.methods.iter().any(|method| &*method.name == "equals") {
            return false;
        }
        at = file.super_class.as_ref().and_then(known.file);
    }
    false
}

/// Whether objects of the class have collaborators of their own, or a container or a library makes them.
fn is_expensive(of: &ClassFile, asked: &Asked, known: &Known, depth: usize) -> bool {
    let is_component = |name: &str| COMPONENTS.iter().any(|known| name.starts_with(known));
    let takes_collaborator = |constructor: &Method| {
        constructor
            .descriptor
            .parameters
            .iter()
            .filter_map(Type::class_name)
            .any(|class| holds(class, asked, known, depth))
    };
    let mut constructors = of.methods.iter().filter(|method| &*method.name == "<init>");
    of.access & access::ABSTRACT != 0
        || asked.is_held(&of.name) && !asked.is_own(&of.name)
        || of.annotations.iter().any(|annotation| is_component(annotation.of.internal()))
        || of.fields.iter().any(is_set_by_container)
        || constructors.any(takes_collaborator)
}

/// Whether who holds an object of the class has a collaborator.
fn holds(class: &ClassName, asked: &Asked, known: &Known, depth: usize) -> bool {
    if class.internal().starts_with("java/") {
        return false;
    }
    let Some(file) = (known.file)(class) else { return false };
    file.access & access::INTERFACE != 0
        || depth > 0 && is_no_value(file, known) && is_expensive(file, asked, known, depth - 1)
}
