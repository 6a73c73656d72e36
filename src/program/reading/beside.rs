//! What the other classes of a module are to those under test: makers of what they take, and bases that they extend.
//!
//! Settings, shards and earlier runs limit what is tested, not which objects a test may use.

use super::{ClassName, Reader, Selection, Type};
use bytecode::classfile::ClassFile;
use model::jvm::types::{ClassFacts, TypeTable, access};
use model::sequence::{Operation, OperationKind};
use std::collections::BTreeSet;

/// Makers taken from one class that is not under test, and as many methods that prepare its objects.
const MEMBERS_PER_CLASS: usize = 16;
/// Most classes whose objects stand for an interface or an abstract class.
const SUBCLASSES: usize = 4;

impl Reader<'_, '_> {
    /// Public methods that a class under test inherits from another class of the module, and that are wanted of both. They
    /// are called on its objects; those of generic bases are left out.
    pub(super) fn inherited(&self, file: &ClassFile, wanted: &Selection) -> Vec<Operation> {
        let mut found: Vec<Operation> = Vec::new();
        // By name and types of the parameters: a method that overrides another may return more (JLS §8.4.5).
        let mut overridden: BTreeSet<(&str, &[Type])> = BTreeSet::new();
        for facts in self.types.ancestry(&file.name) {
            let Some(class) = self.file(&facts.name) else { continue };
            let is_beside = facts.name != file.name && self.beside.contains_key(&facts.name);
            if is_beside && !self.types.is_generic(&facts.name) {
                let is_wanted = |_: &ClassName, member: &str| wanted(&class.name, member) && wanted(&file.name, member);
                let members = self.members_of(class, Some(&is_wanted), &mut Vec::new()).unwrap_or_default();
                let is_passed_on = |member: &Operation| {
                    member.kind == OperationKind::InstanceMethod
                        && member.public
                        && !overridden.contains(&(&*member.name, &member.inputs[1..]))
                };
                found.extend(members.into_iter().filter(is_passed_on).map(|member| {
                    let mut inputs = member.inputs.clone();
                    inputs[0] = Type::Class(file.name.clone());
                    let owner_is_interface = file.access & access::INTERFACE != 0;
                    // A method is found in the classes above the one that a call names (JVMS §5.4.3.3).
                    Operation { owner: file.name.clone(), owner_is_interface, inputs, ..member }
                }));
            }
            // What another interface only declares, a class above may well implement.
            if is_beside || !facts.is_interface() {
                let declared = class.methods.iter().filter(|method| method.access & access::STATIC == 0);
                overridden.extend(declared.map(|method| (&*method.name, &*method.descriptor.parameters)));
            }
        }
        found
    }

    /// What makes objects of a class that is not under test: constructors, static factories and constants, for what is
    /// abstract those of its subclasses in the module.
    pub(super) fn makers(&self, class: &ClassName) -> Vec<Operation> {
        let mut found = self.makers_of(class);
        if self.types.get(class).is_some_and(ClassFacts::is_abstract) {
            let of = Type::Class(class.clone());
            let is_subclass = |name: &&ClassName| {
                let is_concrete = self.types.get(name).is_some_and(|facts| !facts.is_abstract());
                *name != class && is_concrete && self.types.is_assignable(&Type::Class((*name).clone()), &of)
            };
            let of_subclasses = self.beside.keys().filter(is_subclass).map(|name| self.makers_of(name));
            found.extend(of_subclasses.filter(|makers| !makers.is_empty()).take(SUBCLASSES).flatten());
        }
        found
    }

    fn makers_of(&self, class: &ClassName) -> Vec<Operation> {
        let of = Type::Class(class.clone());
        let is_own = |output: &Type| self.types.is_assignable(output, &of);
        let makes =
            |operation: &Operation| is_maker(operation, &self.types) && operation.output.as_ref().is_some_and(is_own);
        self.public_members(class).into_iter().filter(makes).take(MEMBERS_PER_CLASS).collect()
    }

    /// Methods that change objects of another class of the module; none of a generic one.
    pub(super) fn preparing(&self, class: &ClassName) -> Vec<Operation> {
        if !self.beside.contains_key(class) || self.types.is_generic(class) {
            return Vec::new();
        }
        let of = Type::Class(class.clone());
        // A builder's methods return the builder.
        let prepares = |operation: &Operation| {
            operation.kind == OperationKind::InstanceMethod
                && operation.inputs.len() > 1
                && operation.output.as_ref().is_none_or(|output| *output == of)
        };
        self.public_members(class).into_iter().filter(prepares).take(MEMBERS_PER_CLASS).collect()
    }

    /// Those with few inputs first.
    fn public_members(&self, class: &ClassName) -> Vec<Operation> {
        let file = self.file(class);
        let members = file.and_then(|file| self.members_of(file, None, &mut Vec::new()).ok()).unwrap_or_default();
        let mut members: Vec<Operation> = members.into_iter().filter(|operation| operation.public).collect();
        members.sort_by_key(|operation| operation.inputs.len());
        members
    }
}

/// Whether the operation can make objects from nothing. A getter is no maker, nor is a static method that takes what it
/// returns: somebody made that before.
pub(super) fn is_maker(operation: &Operation, types: &TypeTable) -> bool {
    let takes = |output: &Type| operation.inputs.iter().any(|input| types.is_assignable(output, input));
    match operation.kind {
        OperationKind::Constructor | OperationKind::GetStatic => true,
        OperationKind::StaticMethod => !operation.output.as_ref().is_some_and(takes),
        _ => false,
    }
}
