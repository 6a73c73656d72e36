//! Types that code tests its arguments for: what is declared as `Object` is one of them.

use super::{ClassName, Reader, Type, class_in, names_are_java};
use bytecode::classfile::{ClassFile, Instruction, bodies};
use model::jvm::types::TypeTable;
use model::sequence::Operation;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Most types of one class; the rest are left out.
const MOST_TYPES: usize = 24;

impl Reader<'_, '_> {
    /// The types that a test of the class can name and that its code tests for or casts its arguments to, by class under test
    /// with a member that takes any object. Texts are left out, as literals serve for any object.
    pub(super) fn tested(
        &mut self,
        operations: &[Operation],
        under_test: &BTreeMap<ClassName, Range<usize>>,
    ) -> BTreeMap<ClassName, BTreeSet<Type>> {
        let takes_any = |name: &&ClassName| operations[under_test[*name].clone()].iter().any(takes_any_object);
        let of_class = |name: &ClassName| Some((name.clone(), tested_by(self.targets.get(name)?)));
        let mut tested: BTreeMap<ClassName, BTreeSet<Type>> =
            under_test.keys().filter(takes_any).filter_map(of_class).collect();
        self.learn(tested.values().flatten().filter_map(class_in));
        for (name, types) in &mut tested {
            let package = name.package();
            let is_usable = |of: &Type| {
                self.types.is_type_accessible(of, &package)
                    && class_in(of).is_none_or(|class| names_are_java(&self.types, &class))
            };
            let usable = std::mem::take(types).into_iter().filter(is_usable).map(|of| whole(&of, &self.types));
            let (arrays, classes): (Vec<Type>, Vec<Type>) = usable.partition(|of| matches!(of, Type::Array(_)));
            types.extend(arrays.into_iter().chain(classes).take(MOST_TYPES));
        }
        tested
    }
}

/// The type with a wildcard for each type parameter of its class.
fn whole(of: &Type, types: &TypeTable) -> Type {
    match of {
        Type::Class(class) => types.of_any(class),
        Type::Array(element) => Type::array(whole(element, types)),
        of => of.clone(),
    }
}

/// Whether an input of the operation is declared as `Object`, or has such elements. `equals` is content with any object.
fn takes_any_object(operation: &Operation) -> bool {
    let inputs = &operation.inputs[usize::from(operation.has_receiver())..];
    &*operation.name != "equals" && inputs.iter().any(Type::is_any_object)
}

/// The types that code tests for, and those to which it casts what it did not just get from a call or a field: such casts are
/// mostly the compiler's.
fn tested_by(file: &ClassFile) -> BTreeSet<Type> {
    let mut found = BTreeSet::new();
    for body in bodies(file) {
        let mut is_got = false;
        for step in body.steps {
            match &step.instruction {
                Instruction::InstanceOf(of) => drop(found.insert(of.clone())),
                Instruction::CheckCast(of) if !is_got => drop(found.insert(of.clone())),
                _ => {}
            }
            is_got = matches!(step.instruction, Instruction::Invoke { .. } | Instruction::Field { .. });
        }
    }
    found.retain(|of| *of != Type::object() && !of.is_string());
    found
}
