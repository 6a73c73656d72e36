//! The operations that contracts call.

use super::{Reader, added, made_of_types};
use crate::platform;
use model::jvm::{ClassName, MethodDescriptor, Type};
use model::sequence::{CheckOperations, Operation, OperationKind, TEMPORARY_FILES};
use std::sync::Arc;

impl Reader<'_, '_> {
    /// Adds the methods that contracts call.
    pub(super) fn check_operations(&mut self, operations: &mut Vec<Operation>) -> CheckOperations {
        let makes_files = operations.iter().any(|operation| operation.owner.internal() == TEMPORARY_FILES);
        let file_content = makes_files.then(|| added(operations, platform::file_content()));
        let takes_any = operations.iter().any(|operation| operation.inputs.contains(&Type::object()));
        let described = takes_any.then(|| added(operations, platform::described()));
        self.learn(["java/lang/Comparable", "java/util/Comparator"].map(ClassName::new).into_iter());
        let throwable = Type::class("java/lang/Throwable");
        let is_own = |operation: &Operation| self.targets.contains_key(&operation.owner);
        let makes_exceptions = operations.iter().any(|operation| {
            let made = operation.output.as_ref().filter(|_| operation.kind == OperationKind::Constructor);
            is_own(operation) && made.is_some_and(|made| self.types.is_assignable(made, &throwable))
        });
        let mut add = |owner: &str, name: &str, descriptor: &str, signature: Option<&str>| {
            let owner = ClassName::new(owner);
            let descriptor = MethodDescriptor::parse(descriptor).expect("a descriptor of the platform");
            let operation = Operation {
                owner_is_interface: !matches!(owner.internal(), "java/lang/Object" | "java/lang/Throwable"),
                signature: signature.map(Arc::from),
                ..Operation::new(OperationKind::InstanceMethod, owner, name, descriptor)
            };
            added(operations, operation)
        };
        CheckOperations {
            equals: add("java/lang/Object", "equals", "(Ljava/lang/Object;)Z", None),
            hash_code: add("java/lang/Object", "hashCode", "()I", None),
            to_string: add("java/lang/Object", "toString", "()Ljava/lang/String;", None),
            compare_to: add("java/lang/Comparable", "compareTo", "(Ljava/lang/Object;)I", Some("(TT;)I")),
            compare: add(
                "java/util/Comparator",
                "compare",
                "(Ljava/lang/Object;Ljava/lang/Object;)I",
                Some("(TT;TT;)I"),
            ),
            message: makes_exceptions.then(|| add("java/lang/Throwable", "getMessage", "()Ljava/lang/String;", None)),
            content: added(operations, made_of_types(OperationKind::Cast, Type::object(), Type::object())),
            file_content,
            described,
        }
    }
}
