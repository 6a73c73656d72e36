//! The front door: what callers outside of the package can use of the classes under test.
//!
//! Public and protected members of classes that are public or protected themselves. Of another class callers may hold
//! objects, because a member at the front door returns them or a class there extends it: then its public and protected
//! instance methods are at the front door, too. Its constructors and static members are not, as callers cannot name it.

use super::class_in;
use bytecode::classfile::ClassFile;
use model::jvm::types::{TypeTable, access};
use model::jvm::{ClassName, Type};
use model::sequence::OperationKind;
use std::collections::{BTreeMap, BTreeSet};

/// Public or protected.
const OPEN: u16 = access::PUBLIC | access::PROTECTED;

/// The classes under test that callers outside of the package can use.
#[derive(Default)]
pub(super) struct FrontDoor {
    /// They can name these.
    named: BTreeSet<ClassName>,
    /// Of these they hold objects.
    held: BTreeSet<ClassName>,
}

impl FrontDoor {
    pub(super) fn of(targets: &BTreeMap<ClassName, ClassFile>, types: &TypeTable) -> FrontDoor {
        let named: BTreeSet<ClassName> = targets.keys().filter(|class| is_open(types, class)).cloned().collect();
        let mut held = named.clone();
        let mut waiting: Vec<ClassName> = named.iter().cloned().collect();
        while let Some(class) = waiting.pop() {
            let file = &targets[&class];
            let is_named = named.contains(&class);
            let returned = file.methods.iter().filter(|method| {
                let is_usable = is_named || method.access & access::STATIC == 0;
                method.access & OPEN != 0 && is_usable
            });
            let returned = returned.filter_map(|method| method.descriptor.returns.as_ref());
            let fields = file.fields.iter().filter(|field| field.access & access::PUBLIC != 0);
            let types_of_values = returned.chain(fields.map(|field| &field.field_type));
            let classes: Vec<ClassName> = types_of_values.filter_map(|of: &Type| class_in(of)).collect();
            let supers = file.super_class.iter().chain(&file.interfaces).cloned();
            for next in classes.into_iter().chain(supers) {
                if targets.contains_key(&next) && held.insert(next.clone()) {
                    waiting.push(next);
                }
            }
        }
        FrontDoor { named, held }
    }

    /// Whether only tests in the package can use the member of a class under test.
    pub(super) fn is_closed_to(&self, owner: &ClassName, member: u16, kind: OperationKind) -> bool {
        let of_object =
            matches!(kind, OperationKind::InstanceMethod | OperationKind::GetField | OperationKind::SetField);
        let is_usable = self.named.contains(owner) || of_object && self.held.contains(owner);
        member & OPEN == 0 || !is_usable
    }
}

/// Whether the class and all around it are public or protected.
fn is_open(types: &TypeTable, class: &ClassName) -> bool {
    types.get(class).is_some_and(|facts| {
        facts.source_simple_name.is_some()
            && facts.access & OPEN != 0
            && facts.outer.as_ref().is_none_or(|outer| is_open(types, outer))
    })
}
