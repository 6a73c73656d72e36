//! Objects of the types that code tests its arguments for.

use super::super::program_model::OperationInput;
use super::SequenceBuilder;
use model::jvm::Type;
use rand::RngExt;

/// Share of such objects where code takes any object.
const P_TESTED: f64 = 0.3;

impl SequenceBuilder<'_, '_> {
    /// An object of a type that the code tests for, sometimes.
    pub(super) fn tested(&mut self, input: &OperationInput, class: Option<usize>, depth: u32) -> Option<usize> {
        // An array is made of its own elements, which are what the code tests.
        if input.tested.is_empty() || input.of != Type::object() || !self.rng.random_bool(P_TESTED) {
            return None;
        }
        let (sequence, package) = (self.sequence.clone(), self.package);
        let chosen = &input.tested[self.rng.random_range(0..input.tested.len())];
        let made = self.input(chosen, class, depth);
        if made.is_none() {
            (self.sequence, self.package) = (sequence, package);
        }
        made
    }
}
