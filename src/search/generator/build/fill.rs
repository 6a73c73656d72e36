//! New objects that are empty: elements of containers, and properties of objects that have setters.

use super::SequenceBuilder;
use model::jvm::Type;
use model::sequence::OperationId;
use rand::RngExt;

/// How many elements a new container of the platform gets, of ten.
pub(super) const ELEMENTS: [usize; 10] = [0, 1, 1, 1, 1, 2, 2, 2, 3, 4];
/// Share of new objects made empty of which properties are set.
const P_FILLED: f64 = 0.5;
/// Share of their properties that are set.
const P_PROPERTY: f64 = 0.5;

impl SequenceBuilder<'_, '_> {
    /// Puts elements into a new container of the platform. What cannot be had is left out.
    pub(super) fn fill(&mut self, maker: OperationId, container: usize, depth: u32) {
        let model = self.sources.model;
        let Some(of) = &model.program.operations[maker.0 as usize].output else { return };
        let Some(fillers) = model.fillers.get(of) else {
            if model.program.operations[maker.0 as usize].inputs.is_empty() {
                self.set_properties(of, container, depth);
            }
            return;
        };
        for _ in 0..ELEMENTS[self.rng.random_range(0..ELEMENTS.len())] {
            let filler = fillers[self.rng.random_range(0..fillers.len())];
            let (sequence, package) = (self.sequence.clone(), self.package);
            if self.call(filler, Some((0, container)), depth).is_none() {
                (self.sequence, self.package) = (sequence, package);
                return;
            }
        }
    }

    /// Sets some properties of a new object that is made empty, often: an order has a customer and lines.
    fn set_properties(&mut self, of: &Type, object: usize, depth: u32) {
        let model = self.sources.model;
        let Some(setters) = model.setters.get(of) else { return };
        if !self.rng.random_bool(P_FILLED) {
            return;
        }
        for setter in setters {
            if !self.rng.random_bool(P_PROPERTY) || self.sources.weights.is_left_out(*setter) {
                continue;
            }
            let (sequence, package) = (self.sequence.clone(), self.package);
            if self.call(*setter, Some((0, object)), depth).is_none() {
                (self.sequence, self.package) = (sequence, package);
            }
        }
    }
}
