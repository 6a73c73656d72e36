//! Annotations by which a project leaves members out, names the makers of objects, and gives values.

use super::{ClassFile, ClassName, Method, Operation, OperationId, OperationKind, Reader, Type, access};
use crate::told::{DO_NOT_TEST, TEST_OBJECT_FACTORY, TEST_VALUES, Told, named};
use model::jvm::annotations::Annotation;
use std::collections::{BTreeMap, BTreeSet};

/// The classes that have a maker of their objects, which is the only one: a constructor of theirs, or a static method that
/// returns them.
pub(super) fn classes_with_factory<'a>(
    files: impl Iterator<Item = (&'a ClassName, &'a ClassFile)>,
) -> BTreeSet<ClassName> {
    let made = |file: &ClassFile, method: &Method| match &method.descriptor.returns {
        _ if !is_factory(method) => None,
        None => Some(file.name.clone()),
        Some(returned) => returned.class_name().cloned(),
    };
    files.flat_map(|(_, file)| file.methods.iter().filter_map(move |method| made(file, method))).collect()
}

/// Whether the annotation is on a constructor or a static method that returns an object.
fn is_factory(method: &Method) -> bool {
    let makes = &*method.name == "<init>"
        || method.access & access::STATIC != 0 && matches!(method.descriptor.returns, Some(Type::Class(_)));
    makes && named(&method.annotations, TEST_OBJECT_FACTORY).is_some()
}

/// Whether no test uses the member, or implements it.
pub(super) fn is_left_out(annotations: &[Annotation]) -> bool {
    named(annotations, DO_NOT_TEST).is_some()
}

impl Reader<'_, '_> {
    /// Whether no test calls the method: because an annotation says so, or as a constructor of objects that have a factory.
    pub(super) fn is_left_out(&self, file: &ClassFile, method: &Method) -> bool {
        let is_replaced = || &*method.name == "<init>" && self.made.contains(&file.name) && !is_factory(method);
        is_left_out(&method.annotations) || is_replaced()
    }

    /// The factories that are in classes which are not under test.
    pub(super) fn factories_beside(&self) -> Vec<Operation> {
        let mut found = Vec::new();
        for file in self.beside.values().filter(|file| file.methods.iter().any(is_factory)) {
            let members = self.members_of(file, None, &mut Vec::new()).unwrap_or_default();
            let is_annotated = |member: &Operation| {
                let is_same =
                    |method: &&Method| (&method.name, &method.descriptor) == (&member.name, &member.descriptor);
                member.is_code() && file.methods.iter().find(is_same).is_some_and(is_factory)
            };
            found.extend(members.into_iter().filter(is_annotated));
        }
        found
    }

    /// What annotations say of the values of inputs, and of methods that throw on purpose.
    pub(super) fn told(&self, operations: &[Operation]) -> Told {
        let mut told = Told::default();
        for (id, operation) in operations.iter().enumerate().filter(|(_, operation)| operation.is_code()) {
            let Some(method) = self.declared(operation) else { continue };
            // The object around an inner one is no parameter of the source.
            let around = operation.descriptor.parameters.len().saturating_sub(method.parameter_annotations.len());
            let before = usize::from(operation.has_receiver()) + around;
            for (at, annotations) in method.parameter_annotations.iter().enumerate() {
                if let Some(annotation) = named(annotations, TEST_VALUES)
                    && at + before < operation.inputs.len()
                {
                    told.limit((OperationId(id as u32), at + before), annotation, (operations, &self.types));
                }
            }
        }
        for (class, file) in self.targets.iter().chain(self.beside) {
            told.add_purposes(class, &file.methods);
        }
        told
    }

    /// The method that a call of the operation names, where the class or one above it declares it (JVMS §5.4.3.3). Only classes of
    /// the module are looked at.
    fn declared(&self, operation: &Operation) -> Option<&Method> {
        let is_same = |method: &&Method| (&method.name, &method.descriptor) == (&operation.name, &operation.descriptor);
        let in_class = |class: &ClassName| {
            let file = self.targets.get(class).or_else(|| self.beside.get(class))?;
            file.methods.iter().find(is_same)
        };
        match operation.kind {
            OperationKind::Constructor => in_class(&operation.owner),
            _ => self.types.ancestry(&operation.owner).iter().find_map(|facts| in_class(&facts.name)),
        }
    }
}

/// Of a module's classes, those that an annotation leaves out, and what is nested in them. A class without a file has no
/// annotations.
pub fn classes_left_out<'a>(
    classes: impl Iterator<Item = (&'a ClassName, Option<&'a ClassFile>)>,
) -> BTreeSet<ClassName> {
    let classes: BTreeMap<&ClassName, bool> =
        classes.map(|(name, file)| (name, file.is_some_and(|file| is_left_out(&file.annotations)))).collect();
    let is_annotated = |name: &str| classes.get(&ClassName::new(name)).is_some_and(|is_annotated| *is_annotated);
    let is_within = |name: &str| name.match_indices('$').any(|(at, _)| is_annotated(&name[..at]));
    let left_out = classes.keys().filter(|name| is_annotated(name.internal()) || is_within(name.internal()));
    left_out.map(|name| (*name).clone()).collect()
}
