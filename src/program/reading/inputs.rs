//! What makes the values that members take: operations of the platform and of dependencies, implementations, and annotated
//! objects.

use super::beside::is_maker;
use super::{ClassName, Mined, Type};
use super::{PRODUCER_DEPTH, Reader, class_in};
use crate::annotated;
use crate::implementation::{self, Known};
use crate::platform;
use bytecode::classfile::ClassFile;
use model::jvm::Literal;
use model::jvm::types::{ClassFacts, access};
use model::sequence::{Answer, HOLDER, Implemented, Operation, OperationId, OperationKind, Recording};
use std::collections::{BTreeMap, BTreeSet};

impl Reader<'_, '_> {
    /// The operations of the shipped list that the running JDK has.
    pub(super) fn platform_operations(&mut self) -> Vec<Operation> {
        let entries = platform::entries();
        let owners: BTreeSet<ClassName> = entries.iter().map(|entry| entry.owner.clone()).collect();
        self.learn(owners.into_iter());
        let listed = entries.iter().filter_map(|entry| {
            let file = self.file(&entry.owner)?;
            if let Some(field) = file
                .fields
                .iter()
                .find(|field| &*field.name == entry.member && field.field_type.descriptor() == entry.descriptor)
            {
                return self.field_operations(file, field).into_iter().next();
            }
            let method = file
                .methods
                .iter()
                .find(|method| &*method.name == entry.member && method.descriptor.to_string() == entry.descriptor)?;
            Some(self.method_operation(file, method))
        });
        let mut operations: Vec<Operation> = listed.collect();
        if self.types.get(&ClassName::new("java/nio/file/Path")).is_some() {
            operations.extend(platform::temporary_files());
        }
        operations
    }

    /// For needed types that no operation makes: what [`Reader::makers`] finds; for all needed ones what
    /// [`Reader::preparing`] does.
    pub(super) fn add_producers(&mut self, operations: &mut Vec<Operation>, needed: BTreeSet<Type>) {
        let mut needed = needed;
        let mut looked_at: BTreeSet<Type> = BTreeSet::new();
        let mut looked_at_classes: BTreeSet<ClassName> = BTreeSet::new();
        for _ in 0..PRODUCER_DEPTH {
            // A type that only generated implementations provide still counts as unserved: real producers are better.
            let real = operations.iter().filter(|operation| operation.kind != OperationKind::Implementation);
            let made: BTreeSet<(&Type, bool)> =
                real.filter_map(|it| Some((it.output.as_ref()?, is_maker(it, &self.types)))).collect();
            let is_served = |need: &Type| {
                // Much of the platform is made by methods, such as streams, and the shipped list says by which.
                let is_platform = class_in(need).is_some_and(|class| class.internal().starts_with("java/"));
                made.iter().any(|(made, by_maker)| (is_platform || *by_maker) && self.types.is_assignable(made, need))
            };
            let unserved: BTreeSet<Type> = needed
                .iter()
                .filter(|need| !is_served(need))
                .filter(|need| class_in(need).is_some_and(|class| platform::is_safe_to_make(&class)))
                .filter(|need| class_in(need).is_some_and(|class| !self.targets.contains_key(&class)))
                .filter(|need| !looked_at.contains(need))
                .cloned()
                .collect();
            let classes: BTreeSet<ClassName> = needed.iter().filter_map(class_in).collect();
            let prepared = classes.into_iter().filter(|class| looked_at_classes.insert(class.clone()));
            let preparing: Vec<Operation> = prepared.flat_map(|class| self.preparing(&class)).collect();
            if unserved.is_empty() && preparing.is_empty() {
                return;
            }
            self.learn(unserved.iter().flat_map(Type::classes));
            needed.clear();
            let instantiation = self.instantiation();
            let makers_for = |need: &Type| {
                let makers = class_in(need).map(|class| self.makers(&class)).unwrap_or_default();
                makers.iter().filter_map(|maker| instantiation.for_need(maker, need)).collect::<Vec<_>>()
            };
            for producer in unserved.iter().flat_map(makers_for).chain(preparing) {
                needed.extend(producer.inputs.iter().cloned());
                if !operations.contains(&producer) {
                    operations.push(producer);
                }
            }
            looked_at.extend(unserved);
            self.close(&mut needed);
        }
    }

    /// Operations that implement the needed interfaces and abstract classes that were not considered before; what they
    /// take is added.
    pub(super) fn implementations(
        &mut self,
        needed: &mut BTreeSet<Type>,
        considered: &mut BTreeSet<Type>,
    ) -> Vec<Operation> {
        let instantiation = self.instantiation();
        let implemented = |need: &Type| match need {
            // Code that takes the raw type calls it with whatever it has.
            Type::Class(class) => instantiation.of_objects(class),
            need => instantiation.witness(need),
        };
        // A class of the platform that the shipped list makes is not implemented anew: a fixed clock, a reader of a text.
        let offered: BTreeSet<ClassName> = platform::made_classes().collect();
        let types: BTreeSet<Type> = (needed.iter())
            .filter(|need| {
                need.class_name().is_none_or(|class| {
                    !offered.contains(class) || self.types.get(class).is_some_and(ClassFacts::is_interface)
                })
            })
            .filter(|need| need.class_name().is_some_and(|class| self.is_implemented(class)))
            .filter(|need| need.class_name().is_none_or(|class| !self.made.contains(class)))
            .map(implemented)
            .filter(|of| considered.insert(of.clone()))
            .collect();
        let ancestry = |class| self.types.ancestry(class).into_iter().map(|facts| facts.name.clone());
        let ancestors: BTreeSet<ClassName> = types.iter().filter_map(Type::class_name).flat_map(ancestry).collect();
        self.learn(ancestors.into_iter().chain([Recording::LIST, HOLDER].map(ClassName::new)));
        let known = Known { file: &|name| self.file(name), types: &self.types };
        let implement = |of: &Type| {
            let Some(class) = of.class_name() else { return Vec::new() };
            let mocks = self.file(class).zip(self.asked.as_ref());
            let file = self
                .file(class)
                .filter(|file| file.access & access::INTERFACE != 0 || platform::is_safe_to_make(class));
            let is_under_test = self.targets.contains_key(class);
            let mocks = mocks.map(|(file, asked)| implementation::mocks(file, of, asked, &known)).unwrap_or_default();
            let fails = |mock: &Operation| mock.implemented.iter().any(|method| method.thrown().is_some());
            // A class that tests can make they also make, as what it does is its own.
            let is_class = file.is_some_and(|file| file.access & access::INTERFACE == 0);
            let mut made = match file.filter(|_| is_class || mocks.iter().all(fails)) {
                Some(file) => implementation::operations(file, of, is_under_test, &known),
                None => Vec::new(),
            };
            made.extend(mocks);
            let marked = |operation: Operation| Operation {
                back_door: is_under_test && !operation.public,
                nullable: self.null_checked(&operation),
                ..operation
            };
            made.into_iter().map(marked).collect()
        };
        let operations: Vec<Operation> = types.iter().flat_map(implement).collect();
        needed.extend(operations.iter().flat_map(|operation| operation.inputs.clone()));
        self.close(needed);
        operations
    }

    /// The inputs with which an implementation answers calls whose results code under test compares with null.
    fn null_checked(&self, implementation: &Operation) -> Vec<usize> {
        let Some(asked) = &self.asked else { return Vec::new() };
        let is_checked = |method: &&Implemented| {
            let mut called = method.linked.iter().map(|linked| (method.name.clone(), linked.clone()));
            called.any(|called| asked.checks_for_null(&implementation.owner, &called, &self.types))
        };
        let answered = implementation.implemented.iter().filter(is_checked).filter_map(|method| match method.answer {
            Answer::Input(input) => Some(input as usize),
            _ => None,
        });
        answered.collect()
    }

    /// Whether objects of the class are implemented: it is abstract, or a collaborator that tests write as a mock.
    fn is_implemented(&self, class: &ClassName) -> bool {
        let known = Known { file: &|name| self.file(name), types: &self.types };
        let is_mocked = || {
            let file = self.file(class).zip(self.asked.as_ref());
            file.is_some_and(|(file, asked)| implementation::is_collaborator(file, asked, &known))
        };
        self.types.get(class).is_some_and(ClassFacts::is_abstract) || is_mocked()
    }

    /// Adds the operations that make objects with annotated members, and tells which there are for code of which
    /// package.
    pub(super) fn annotated(
        &mut self,
        constants: &Mined,
        operations: &mut Vec<Operation>,
    ) -> BTreeMap<String, Vec<OperationId>> {
        let mentioned = mentioned(constants);
        if !self.has_annotation_type(&mentioned) {
            return BTreeMap::new();
        }
        let plain = annotated::FIELD_TYPES.map(ClassName::new).into_iter();
        self.learn(plain.chain(mentioned));
        let known = Known { file: &|name| self.file(name), types: &self.types };
        let mut found: BTreeMap<String, Vec<OperationId>> = BTreeMap::new();
        for family in annotated::families(self.targets, constants, &known) {
            let first = operations.len() as u32;
            operations.extend(family.operations);
            for package in family.readers {
                found.entry(package).or_default().extend((first..operations.len() as u32).map(OperationId));
            }
        }
        found
    }

    /// Whether an annotation type is under test, or among the classes. What is read for that alone is not kept, as most
    /// programs need it only at the end.
    fn has_annotation_type(&mut self, classes: &BTreeSet<ClassName>) -> bool {
        let is_annotation = |file: &ClassFile| file.access & access::ANNOTATION != 0;
        let asked: Vec<ClassName> = classes.iter().filter(|name| !self.targets.contains_key(name)).cloned().collect();
        self.targets.values().any(is_annotation) || (self.source)(&asked).iter().flatten().any(is_annotation)
    }
}

/// Adds the types of the elements of arrays.
pub(super) fn close_over_elements(needed: &mut BTreeSet<Type>) {
    let mut waiting: Vec<Type> = needed.iter().cloned().collect();
    while let Some(of) = waiting.pop() {
        if let Type::Array(element) = of
            && needed.insert((*element).clone())
        {
            waiting.push((*element).clone());
        }
    }
}

/// The classes of class literals.
pub(super) fn mentioned(constants: &Mined) -> BTreeSet<ClassName> {
    let classes = constants.values().flatten().filter_map(|(literal, _)| match literal {
        Literal::Class(of) => class_in(of),
        _ => None,
    });
    classes.collect()
}
