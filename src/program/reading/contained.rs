//! Objects of the module that code returns only inside others: the content of an optional, an element of a list. Without a call
//! that takes them out, no test would have one.

use super::{ClassName, Operation, OperationKind, Reader, Type};
use model::jvm::{Parameterized, TypeArgument};
use std::collections::BTreeSet;

/// Methods that take an object out of another one, the shortest way first. What the first way of a container takes out is not
/// looked for by others.
const WAYS: [(&str, &str, &str); 6] = [
    ("java/util/Optional", "get", "()Ljava/lang/Object;"),
    ("java/util/List", "get", "(I)Ljava/lang/Object;"),
    ("java/util/Map", "get", "(Ljava/lang/Object;)Ljava/lang/Object;"),
    ("java/util/Iterator", "next", "()Ljava/lang/Object;"),
    ("java/util/function/Supplier", "get", "()Ljava/lang/Object;"),
    ("java/lang/Iterable", "iterator", "()Ljava/util/Iterator;"),
];

/// Calls on what calls returned: an iterator, and its next element.
const DEPTH: usize = 2;

impl Reader<'_, '_> {
    /// The operations that take objects of the module's classes out of containers that other operations return, for classes of
    /// which nothing else makes one.
    pub(super) fn taking_out(&mut self, operations: &[Operation]) -> Vec<Operation> {
        let real = || operations.iter().filter(|operation| operation.kind != OperationKind::Implementation);
        let is_made =
            |of: &Type| real().any(|it| it.output.as_ref().is_some_and(|output| self.types.is_assignable(output, of)));
        let mut containers: BTreeSet<Type> = BTreeSet::new();
        for output in real().filter_map(|operation| operation.output.as_ref()) {
            let content = content_of(output).filter(|content| {
                let own = content.class_name().filter(|class| self.is_own(class));
                own.is_some() && !is_made(content)
            });
            if content.is_some() {
                containers.insert(output.clone());
            }
        }
        if containers.is_empty() {
            return Vec::new();
        }
        self.learn(WAYS.iter().map(|(owner, ..)| ClassName::new(owner)));
        let listed = WAYS.iter().filter_map(|(owner, name, descriptor)| {
            let file = self.file(&ClassName::new(owner))?;
            let is_it = |method: &&_| is_named(method, name, descriptor);
            Some(self.method_operation(file, file.methods.iter().find(is_it)?))
        });
        let listed: Vec<Operation> = listed.collect();
        let instantiation = self.instantiation();
        let mut found: Vec<Operation> = Vec::new();
        for _ in 0..DEPTH {
            let ways = containers.iter().filter_map(|container| {
                listed.iter().find_map(|operation| instantiation.for_receiver(operation, container))
            });
            let ways: Vec<Operation> = ways.filter(|way| !found.contains(way) && !operations.contains(way)).collect();
            let outputs = ways.iter().filter_map(|way| way.output.clone());
            containers = outputs.filter(|output| matches!(output, Type::Parameterized(_))).collect();
            found.extend(ways);
        }
        found
    }

    fn is_own(&self, class: &ClassName) -> bool {
        self.targets.contains_key(class) || self.beside.contains_key(class)
    }
}

fn is_named(method: &super::Method, name: &str, descriptor: &str) -> bool {
    &*method.name == name && method.descriptor.to_string() == descriptor
}

/// The type of what a container of the platform holds: its last type argument.
fn content_of(of: &Type) -> Option<&Type> {
    let Type::Parameterized(of) = of else { return None };
    let Parameterized { class, arguments } = &**of;
    match arguments.last() {
        Some(TypeArgument::Exact(content) | TypeArgument::Extends(content))
            if class.internal().starts_with("java/") =>
        {
            Some(content)
        }
        _ => None,
    }
}
