//! What code under test asks of objects: the virtual methods that it calls, class by class.

use bytecode::classfile::instruction::{Condition, InvokeKind, StackOperation};
use bytecode::classfile::{ClassFile, Decoder, Field, Instruction, MethodMember, Step};
use model::jvm::types::{TypeTable, access};
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
    /// By the class that a call names: what results of a method are cast to.
    cast: BTreeMap<ClassName, BTreeMap<CalledMethod, BTreeSet<Type>>>,
    /// By the class that a call names: methods whose results are compared with null.
    null_checked: BTreeMap<ClassName, BTreeSet<CalledMethod>>,
    /// Classes whose objects are held in fields.
    held: BTreeSet<ClassName>,
}

impl Asked {
    /// Reads the code of the classes; a body that cannot be decoded asks nothing.
    pub fn by(classes: &BTreeMap<ClassName, ClassFile>) -> Asked {
        let mut asked = Asked::default();
        for (name, file) in classes {
            let mut decoder = Decoder::new(file);
            let is_of_object = |field: &&Field| field.access & access::STATIC == 0;
            asked.held.extend(
                file.fields.iter().filter(is_of_object).filter_map(|field| field.field_type.class_name()).cloned(),
            );
            let of_class = asked.by_class.entry(ClassName::new(name.outermost())).or_default();
            for code in file.methods.iter().filter_map(|method| method.code.as_ref()) {
                let Ok(body) = decoder.body(code) else { continue };
                let mut steps = body.steps.iter().map(|step| &step.instruction).enumerate().peekable();
                while let Some((at, instruction)) = steps.next() {
                    let next = steps.peek().map(|(_, next)| *next);
                    let is_popped =
                        matches!(next, Some(Instruction::Stack(StackOperation::Pop | StackOperation::Pop2)));
                    for (method, is_discarded) in called(instruction, is_popped) {
                        if let (Some(Instruction::CheckCast(to)), Instruction::Invoke { .. }) = (next, instruction) {
                            let of_owner = asked.cast.entry(method.owner.clone()).or_default();
                            let called = (method.name.clone(), method.descriptor.clone());
                            of_owner.entry(called).or_default().insert(Type::clone(to));
                        }
                        if matches!(instruction, Instruction::Invoke { .. }) && checks_for_null(&body.steps[at + 1..]) {
                            let of_owner = asked.null_checked.entry(method.owner.clone()).or_default();
                            of_owner.insert((method.name.clone(), method.descriptor.clone()));
                        }
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

    /// What results of a method of objects of the type are cast to, if it is called on the type or on one above it.
    pub fn cast(&self, of: &ClassName, method: &CalledMethod, types: &TypeTable) -> BTreeSet<Type> {
        let of = Type::Class(of.clone());
        let above = self.cast.iter().filter(|(owner, _)| types.is_assignable(&of, &Type::Class((*owner).clone())));
        above.filter_map(|(_, methods)| methods.get(method)).flatten().cloned().collect()
    }

    /// Whether code compares with null what a method of objects of the type returns, if it is called on the type or on one above it.
    pub fn checks_for_null(&self, of: &ClassName, method: &CalledMethod, types: &TypeTable) -> bool {
        let of = Type::Class(of.clone());
        let mut above = self.null_checked.iter().filter(|(_, methods)| methods.contains(method));
        above.any(|(owner, _)| types.is_assignable(&of, &Type::Class(owner.clone())))
    }

    /// Whether an object of a class under test holds one of the class.
    pub fn is_held(&self, class: &ClassName) -> bool {
        self.held.contains(class)
    }

    /// Whether the class is under test.
    pub fn is_own(&self, class: &ClassName) -> bool {
        self.by_class.contains_key(&ClassName::new(class.outermost()))
    }

    /// What other classes than the one around it ask of objects of the class.
    pub fn by_others(&self, class: &ClassName, types: &TypeTable) -> Vec<BTreeMap<CalledMethod, bool>> {
        self.of_callers(class, types, |caller| caller.internal() != class.outermost())
    }

    /// What each class asks of objects of the interface: methods that it calls on the interface or on one above it.
    pub fn of(&self, interface: &ClassName, types: &TypeTable) -> Vec<BTreeMap<CalledMethod, bool>> {
        self.of_callers(interface, types, |_| true)
    }

    fn of_callers(
        &self,
        interface: &ClassName,
        types: &TypeTable,
        is_caller: impl Fn(&ClassName) -> bool,
    ) -> Vec<BTreeMap<CalledMethod, bool>> {
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
        let callers = self.by_class.iter().filter(|(caller, _)| is_caller(caller));
        callers.map(|(_, called)| of_class(called)).filter(|found| !found.is_empty()).collect()
    }
}

/// Whether the steps after a call compare its result with null: at once, behind a cast, a copy of it (Kotlin's `?:`), or where the
/// variable that holds it is read first; or whether they make an `Optional` of it that may be empty.
fn checks_for_null(after: &[Step]) -> bool {
    let is_check = |step: &Step| match &step.instruction {
        Instruction::Branch { condition, .. } => matches!(condition, Condition::Null | Condition::NonNull),
        Instruction::Invoke { method, .. } => {
            method.owner.internal() == "java/util/Optional" && &*method.name == "ofNullable"
        }
        _ => false,
    };
    let is_kept =
        |step: &&Step| matches!(step.instruction, Instruction::CheckCast(_) | Instruction::Stack(StackOperation::Dup));
    let mut rest = after.iter().skip_while(is_kept);
    match rest.next() {
        Some(Step { instruction: Instruction::Store { local, .. }, .. }) => {
            // What is stored there later is another value.
            let is_use = |step: &&Step| match &step.instruction {
                Instruction::Load { local: used, .. } | Instruction::Store { local: used, .. } => used == local,
                _ => false,
            };
            let first = rest.find(is_use);
            let is_read = first.is_some_and(|step| matches!(step.instruction, Instruction::Load { .. }));
            is_read && rest.next().is_some_and(is_check)
        }
        other => other.is_some_and(is_check),
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

#[cfg(test)]
mod tests {
    use super::*;
    use bytecode::classfile;

    const USER: &str = "
        package p;
        interface Directory {
            String region(String of); String town(String of); Object any(String of); String note(String of); int count(String of);
        }
        class User {
            private Directory directory;
            String at(String code) {
                if (directory.region(code) == null) { return null; }
                String town = directory.town(code);
                String upper = directory.note(code).toUpperCase();
                if (town == null) { return upper; }
                return upper + directory.count(code) + java.util.Optional.ofNullable((String) directory.any(code));
            }
        }
    ";

    #[test]
    fn results_that_code_compares_with_null_are_known() {
        let files = testing::compile(USER, &["--release", "17"]);
        let files = files.iter().map(|(_, bytes)| classfile::parse(bytes).unwrap());
        let files: BTreeMap<ClassName, ClassFile> = files.map(|file| (file.name.clone(), file)).collect();
        let asked = Asked::by(&files);
        let directory = ClassName::new("p/Directory");
        let methods = &files[&directory].methods;
        let is_checked = |name: &&str| {
            let method = methods.iter().find(|method| &*method.name == *name).unwrap();
            asked.checks_for_null(&directory, &(method.name.clone(), method.descriptor.clone()), &TypeTable::default())
        };
        let checked: Vec<&str> = ["region", "town", "any", "note", "count"].into_iter().filter(is_checked).collect();
        assert_eq!(checked, ["region", "town", "any"]);
    }
}
