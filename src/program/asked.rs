//! What code under test asks of objects: the virtual methods that it calls, class by class.

use bytecode::classfile::instruction::{InvokeKind, StackOperation};
use bytecode::classfile::{ClassFile, Decoder, Instruction, MethodMember};
use model::jvm::types::TypeTable;
use model::jvm::{ClassName, MethodDescriptor, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A method by its name and its types as callers link to it.
pub(super) type CalledMethod = (Arc<str>, MethodDescriptor);

/// The methods that each class under test calls on objects; nested classes count as those around them.
#[derive(Default)]
pub(super) struct Asked {
    /// By the class that calls, then by the class that the call names: whether all calls of a method leave its result unused.
    by_class: BTreeMap<ClassName, BTreeMap<ClassName, BTreeMap<CalledMethod, bool>>>,
    /// By the class that a call names: what is caught around calls of a method.
    caught: BTreeMap<ClassName, BTreeMap<CalledMethod, BTreeSet<ClassName>>>,
}

impl Asked {
    /// Reads the code of the classes; a body that cannot be decoded asks nothing.
    pub fn by(classes: &BTreeMap<ClassName, ClassFile>) -> Asked {
        let mut asked = Asked::default();
        for (name, file) in classes {
            let mut decoder = Decoder::new(file);
            let of_class = asked.by_class.entry(ClassName::new(name.outermost())).or_default();
            for code in file.methods.iter().filter_map(|method| method.code.as_ref()) {
                let Ok(body) = decoder.body(code) else { continue };
                let mut steps = body.steps.iter().map(|step| &step.instruction).enumerate().peekable();
                while let Some((at, instruction)) = steps.next() {
                    let is_popped = matches!(
                        steps.peek(),
                        Some((_, Instruction::Stack(StackOperation::Pop | StackOperation::Pop2)))
                    );
                    for (method, is_discarded) in called(instruction, is_popped) {
                        let around = body.handlers.iter().filter(|handler| handler.steps.contains(&at));
                        let caught: BTreeSet<ClassName> =
                            around.filter_map(|handler| handler.catches.clone()).collect();
                        if !caught.is_empty() {
                            let of_owner = asked.caught.entry(method.owner.clone()).or_default();
                            let called = (method.name.clone(), method.descriptor.clone());
                            of_owner.entry(called).or_default().extend(caught);
                        }
                        let methods = of_class.entry(method.owner).or_default();
                        let known = methods.entry((method.name, method.descriptor)).or_insert(true);
                        *known &= is_discarded;
                    }
                }
            }
        }
        asked
    }

    /// All exceptions that are caught around calls.
    pub fn exceptions(&self) -> BTreeSet<ClassName> {
        self.caught.values().flat_map(BTreeMap::values).flatten().cloned().collect()
    }

    /// What is caught around calls of a method of objects of the interface, if it is called on the interface or on one above it.
    pub fn caught(&self, interface: &ClassName, method: &CalledMethod, types: &TypeTable) -> BTreeSet<ClassName> {
        let of = Type::Class(interface.clone());
        let above = self.caught.iter().filter(|(owner, _)| types.is_assignable(&of, &Type::Class((*owner).clone())));
        above.filter_map(|(_, methods)| methods.get(method)).flatten().cloned().collect()
    }

    /// What each class asks of objects of the interface: methods that it calls on the interface or on one above it.
    pub fn of(&self, interface: &ClassName, types: &TypeTable) -> Vec<BTreeMap<CalledMethod, bool>> {
        let of = Type::Class(interface.clone());
        let is_above = |owner: &ClassName| types.is_assignable(&of, &Type::Class(owner.clone()));
        let of_class = |called: &BTreeMap<ClassName, BTreeMap<CalledMethod, bool>>| {
            let mut found: BTreeMap<CalledMethod, bool> = BTreeMap::new();
            // What is called on a type above alone may be meant for other objects.
            if !called.contains_key(interface) {
                return found;
            }
            for (method, is_discarded) in called.iter().filter(|(owner, _)| is_above(owner)).flat_map(|(_, all)| all) {
                *found.entry(method.clone()).or_insert(true) &= is_discarded;
            }
            found
        };
        self.by_class.values().map(of_class).filter(|found| !found.is_empty()).collect()
    }
}

/// The methods that an instruction calls on objects, and whether their results are left unused.
fn called(instruction: &Instruction, is_popped: bool) -> Vec<(MethodMember, bool)> {
    match instruction {
        Instruction::Invoke { kind: InvokeKind::Interface | InvokeKind::Virtual, method } => {
            vec![(MethodMember::clone(method), is_popped)]
        }
        // A method reference: who calls it takes what it returns.
        Instruction::InvokeDynamic(site) => site.handles.iter().map(|handle| (handle.clone(), false)).collect(),
        _ => Vec::new(),
    }
}
