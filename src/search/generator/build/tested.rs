//! Objects that tell apart what code does with an argument of any class: of the types that it tests for, and one without a
//! text.

use super::super::program_model::OperationInput;
use super::SequenceBuilder;
use model::jvm::{Literal, Type};
use rand::RngExt;

/// Share of such objects where code takes any object.
const P_TESTED: f64 = 0.3;
/// Share of objects whose `toString` is null where code takes any object.
const P_WITHOUT_TEXT: f64 = 0.02;

impl SequenceBuilder<'_, '_> {
    /// An object of a type that the code tests for, or one whose `toString` is null, sometimes.
    pub(super) fn tested(&mut self, input: &OperationInput, class: Option<usize>, depth: u32) -> Option<usize> {
        if let Some(described) = input.described
            && self.rng.random_bool(P_WITHOUT_TEXT)
        {
            let text = self.sequence.push_literal(Literal::Null(Type::string()));
            return Some(self.sequence.push_call(described, &[text]));
        }
        // For an array, each element is of such a type.
        if input.tested.is_empty() || input.of != Type::object() || !self.rng.random_bool(P_TESTED) {
            return None;
        }
        let (sequence, package, role) = (self.sequence.clone(), self.package, self.role);
        let chosen = &input.tested[self.rng.random_range(0..input.tested.len())];
        let made = self.input(chosen, class, depth);
        if made.is_none() {
            (self.sequence, self.package, self.role) = (sequence, package, role);
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::guidance::Guidance;
    use crate::generator::program_model::ProgramModel;
    use crate::generator::tests::program_of;
    use model::jvm::{ClassName, MethodDescriptor};
    use model::sequence::{Operation, OperationId, OperationKind};

    #[test]
    fn inputs_of_any_object_are_of_the_types_that_code_tests_for() {
        let numbers = Type::array(Type::INT);
        let function = |name: &str, of: Type| {
            let descriptor = MethodDescriptor { parameters: vec![of], returns: Some(Type::INT) };
            Operation::new(OperationKind::StaticMethod, ClassName::new("p/Counter"), name, descriptor)
        };
        let functions = [
            ("size", Type::object()),
            ("sizes", Type::array(Type::object())),
            ("equals", Type::object()),
            ("length", Type::string()),
        ];
        let mut program = program_of(functions.map(|(name, of)| function(name, of)).to_vec());
        program.targets[0].tested = vec![numbers.clone()];
        let model = ProgramModel::new(&program, &Guidance::without(&[]));
        let tested =
            |at: u32| model.inputs(OperationId(at))[0].tested.iter().map(|it| it.of.clone()).collect::<Vec<_>>();
        assert_eq!([0, 1, 2, 3].map(tested), [vec![numbers.clone()], vec![numbers], vec![], vec![]]);
    }
}
