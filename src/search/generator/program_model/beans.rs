//! Objects that are made empty and filled by setters, or by the methods of a builder: entities, request objects, properties.

use super::ids;
use model::jvm::Type;
use model::sequence::{Operation, OperationId, OperationKind};
use model::words::property;
use program::Program;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// For each type under test that is made without inputs, the methods that set one property of its objects.
pub(super) fn setters(program: &Program) -> FxHashMap<Type, Vec<OperationId>> {
    let is_empty = |operation: &&Operation| {
        matches!(operation.kind, OperationKind::Constructor | OperationKind::StaticMethod)
            && operation.inputs.is_empty()
            && program.is_target(&operation.owner)
    };
    let made = program.operations.iter().filter(is_empty).filter_map(|operation| operation.output.clone());
    let made: BTreeSet<Type> =
        made.filter(|of| of.class_name().is_some_and(|class| program.is_target(class))).collect();
    let mut found: FxHashMap<Type, Vec<OperationId>> = FxHashMap::default();
    for of in made {
        if !holds_data(&of, program) {
            continue;
        }
        let sets = |id: &OperationId| sets_property(&program.operations[id.0 as usize], &of);
        let all: Vec<OperationId> = ids(program).filter(sets).collect();
        if !all.is_empty() {
            found.insert(of, all);
        }
    }
    found
}

/// Whether objects of the type are there to hold data: none of their methods calculates something of what it is given, as an encoder
/// does, whose settings are best left as they are. A builder returns itself.
fn holds_data(of: &Type, program: &Program) -> bool {
    let calculates = |operation: &Operation| {
        operation.kind == OperationKind::InstanceMethod
            && operation.inputs.first() == Some(of)
            && operation.inputs.len() > 1
            && operation.output.as_ref().is_some_and(|output| output != of)
            && !operation.is_equals()
    };
    !program.operations.iter().any(calculates)
}

/// Whether the method sets one property: `setName(String)`, or `name(String)` of a builder.
fn sets_property(operation: &Operation, of: &Type) -> bool {
    let is_of_builder = || operation.owner.internal().ends_with("Builder") && operation.output.as_ref() == Some(of);
    operation.kind == OperationKind::InstanceMethod
        && operation.inputs.len() == 2
        && operation.inputs[0] == *of
        && (operation.output.is_none() && property(&operation.name, &["set"]).is_some() || is_of_builder())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::tests::program_of;
    use model::jvm::{ClassName, MethodDescriptor};

    #[test]
    fn properties_are_set_by_setters_and_by_methods_of_builders() {
        let of = |kind, owner: &str, name: &str, takes: Vec<Type>, returns: Option<&str>| {
            let descriptor = MethodDescriptor { parameters: takes, returns: returns.map(Type::class) };
            Operation::new(kind, ClassName::new(owner), name, descriptor)
        };
        let (constructor, function, method) =
            (OperationKind::Constructor, OperationKind::StaticMethod, OperationKind::InstanceMethod);
        let mut program = program_of(vec![
            of(constructor, "p/Order", "<init>", vec![], None),
            of(method, "p/Order", "setCustomer", vec![Type::string()], None),
            of(method, "p/Order", "settle", vec![Type::INT], None),
            of(method, "p/Order", "setBoth", vec![Type::INT, Type::INT], None),
            of(function, "p/Order", "builder", vec![], Some("p/OrderBuilder")),
            of(method, "p/OrderBuilder", "customer", vec![Type::string()], Some("p/OrderBuilder")),
            of(method, "p/OrderBuilder", "build", vec![], Some("p/Order")),
            of(constructor, "p/Encoder", "<init>", vec![], None),
            of(method, "p/Encoder", "setLength", vec![Type::INT], None),
            of(method, "p/Encoder", "encode", vec![Type::string()], Some("p/Text")),
            of(constructor, "p/Sum", "<init>", vec![Type::INT], None),
            of(method, "p/Sum", "setName", vec![Type::string()], None),
        ]);
        let named = |name: &str| program::Target { name: ClassName::new(name), ..program.targets[0].clone() };
        program.targets = ["p/Encoder", "p/Order", "p/OrderBuilder", "p/Sum"].map(named).into();
        let found = setters(&program);
        let names = |of: &str| found.get(&Type::class(of)).cloned();
        assert_eq!(names("p/Order"), Some(vec![OperationId(1)]));
        assert_eq!(names("p/OrderBuilder"), Some(vec![OperationId(5)]));
        assert_eq!([names("p/Encoder"), names("p/Sum")], [None, None]);
    }
}
