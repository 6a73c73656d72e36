//! Getters of what code under test returns and no test could say anything of otherwise: objects of libraries' classes, such as the
//! response of a controller.

use super::{ClassName, Reader, Type, added};
use bytecode::classfile::ClassFile;
use model::sequence::{Operation, OperationId, OperationKind};
use model::words::property;
use std::collections::BTreeSet;
use std::ops::Range;

/// Getters of one class; those that it declares itself come first.
const MOST_GETTERS: usize = 12;

impl Reader<'_, '_> {
    /// Adds the public getters of libraries' classes of which the operations under test return objects, with the type arguments of
    /// these.
    pub(super) fn add_getters_of_results<'r>(
        &mut self,
        operations: &mut Vec<Operation>,
        under_test: impl Iterator<Item = &'r Range<usize>>,
    ) -> Vec<OperationId> {
        let returning: Vec<&Operation> = under_test.flat_map(|own| &operations[own.clone()]).collect();
        let getters = self.getters_of_results(&returning);
        let new = getters.into_iter().filter(|getter| !operations.contains(getter)).collect::<Vec<_>>();
        new.into_iter().map(|getter| added(operations, getter)).collect()
    }

    fn getters_of_results(&mut self, operations: &[&Operation]) -> Vec<Operation> {
        let is_method = |operation: &&&Operation| {
            matches!(operation.kind, OperationKind::InstanceMethod | OperationKind::StaticMethod)
        };
        let is_of_library = |of: &Type| {
            let is_foreign = |class: &ClassName| {
                let is_own = self.targets.contains_key(class) || self.beside.contains_key(class);
                !is_own && !class.internal().starts_with("java/")
            };
            of.class_name().is_some_and(is_foreign)
        };
        let returned = operations.iter().filter(is_method).filter_map(|operation| operation.output.clone());
        let returned: BTreeSet<Type> = returned.filter(is_of_library).collect();
        self.learn(returned.iter().flat_map(Type::classes));
        let above = returned.iter().filter_map(Type::class_name);
        let above: Vec<ClassName> =
            above.flat_map(|class| self.types.ancestry(class)).map(|facts| facts.name.clone()).collect();
        self.learn(above.into_iter());
        let instantiation = self.instantiation();
        let mut found: Vec<Operation> = Vec::new();
        for of in &returned {
            let Some(class) = of.class_name() else { continue };
            let declaring = self.types.ancestry(class).into_iter().filter_map(|facts| self.file(&facts.name));
            let getters = declaring.flat_map(|file| self.getters(file));
            let mut names = BTreeSet::new();
            // A method that is overridden is found where it is overridden first.
            let own = getters.filter(|getter| names.insert(getter.name.clone()));
            let own = own.filter_map(|getter| instantiation.for_receiver(&getter, of)).take(MOST_GETTERS);
            for getter in own {
                if !found.contains(&getter) {
                    found.push(getter);
                }
            }
        }
        found
    }

    fn getters(&self, file: &ClassFile) -> Vec<Operation> {
        let of_library = !file.name.internal().starts_with("java/");
        let is_old = |operation: &Operation| {
            let it = file
                .methods
                .iter()
                .find(|method| method.name == operation.name && method.descriptor == operation.descriptor);
            it.is_some_and(|method| method.deprecated)
        };
        let members = self.members_of(file, None, &mut Vec::new()).unwrap_or_default();
        let is_getter = |operation: &Operation| {
            operation.kind == OperationKind::InstanceMethod
                && operation.public
                && operation.inputs.len() == 1
                && operation.output.is_some()
                && property(&operation.name, &["get", "is", "has"]).is_some()
                && !is_old(operation)
        };
        members.into_iter().filter(|operation| of_library && is_getter(operation)).collect()
    }
}
