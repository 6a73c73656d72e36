//! Types that code tests its arguments for: what is declared as `Object` is one of them.

use super::{ClassName, Reader, Type, class_in};
use crate::annotated::bodies;
use bytecode::classfile::{ClassFile, Instruction};
use model::sequence::Operation;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Most types of one class: code that tests for more tells none of them from the others.
const MOST_TYPES: usize = 24;

impl Reader<'_, '_> {
    /// The types that a test of the class can name and that its code tests for or casts to, by class under test with a
    /// member that takes any object. Texts are left out, as literals serve for any object.
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
            let known = std::mem::take(types).into_iter().filter(|of| self.types.is_type_accessible(of, &package));
            let whole = |of: Type| match of {
                Type::Class(class) => self.types.of_any(&class),
                of => of,
            };
            types.extend(known.map(whole).take(MOST_TYPES));
        }
        tested
    }
}

/// Whether an input of the operation is declared as `Object`, or has such elements.
fn takes_any_object(operation: &Operation) -> bool {
    let is_any = |of: &Type| *of == Type::object() || *of == Type::array(Type::object());
    &*operation.name != "equals" && operation.inputs.iter().skip(usize::from(operation.has_receiver())).any(is_any)
}

fn tested_by(file: &ClassFile) -> BTreeSet<Type> {
    let steps = bodies(file).into_iter().flat_map(|body| body.steps);
    let types = steps.filter_map(|step| match step.instruction {
        Instruction::InstanceOf(of) | Instruction::CheckCast(of) => Some(of),
        _ => None,
    });
    types.filter(|of| *of != Type::object() && !of.is_string()).collect()
}
