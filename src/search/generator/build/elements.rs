//! Changes of the elements of arrays and of containers such as those of `List.of`.

use super::SequenceBuilder;
use model::sequence::{OperationId, Sequence};
use rand::RngExt;

/// Share of elements put in that the array or container has already.
const P_SAME_ELEMENT: f64 = 0.4;

impl SequenceBuilder<'_, '_> {
    /// Puts in, takes out or moves an element of an array or container that is made of its elements; `None` if the sequence has
    /// none.
    pub(super) fn change_elements(&mut self, base: &Sequence) -> Option<()> {
        let makers: Vec<(usize, OperationId)> =
            (0..base.len()).filter_map(|at| Some((at, self.maker_of_elements(base, at)?))).collect();
        if makers.is_empty() {
            return None;
        }
        let (at, maker) = makers[self.rng.random_range(0..makers.len())];
        self.copy_front(base, at);
        let inputs = base.inputs_of(at).collect();
        let changed = self.with_other_elements(maker, inputs)?;
        let mut moved: Vec<usize> = (0..at).collect();
        moved.push(changed);
        self.copy_rest(base, at + 1, &mut moved);
        Some(())
    }

    /// Whether the sequence has an array or container whose elements can change.
    pub(super) fn has_elements(&self, base: &Sequence) -> bool {
        (0..base.len()).any(|at| self.maker_of_elements(base, at).is_some())
    }

    /// The operation of the statement, if it makes an array or container of its inputs.
    pub(super) fn maker_of_elements(&self, sequence: &Sequence, at: usize) -> Option<OperationId> {
        sequence.call_at(at).filter(|operation| self.sources.model.element_makers.has(*operation))
    }

    /// What the maker makes of the elements with one more, one less, or one in another place; `None` if no overload takes as many.
    pub(super) fn with_other_elements(&mut self, maker: OperationId, mut elements: Vec<usize>) -> Option<usize> {
        let count = elements.len();
        let makers = &self.sources.model.element_makers;
        let (fewer, more) =
            (count.checked_sub(1).and_then(|less| makers.with_count(maker, less)), makers.with_count(maker, count + 1));
        let operation = match (self.rng.random_range(0..4), fewer, more) {
            (0, Some(fewer), _) => {
                elements.remove(self.rng.random_range(0..count));
                fewer
            }
            (1, ..) if count > 1 => {
                let moved = elements.remove(self.rng.random_range(0..count));
                elements.insert(self.rng.random_range(0..count), moved);
                maker
            }
            (_, _, Some(more)) => {
                let element = match count > 0 && self.rng.random_bool(P_SAME_ELEMENT) {
                    true => elements[self.rng.random_range(0..count)],
                    false => self.element(maker)?,
                };
                elements.insert(self.rng.random_range(0..=count), element);
                more
            }
            _ => return None,
        };
        Some(self.sequence.push_call(operation, &elements))
    }

    fn element(&mut self, maker: OperationId) -> Option<usize> {
        let model = self.sources.model;
        let one = model.element_makers.with_count(maker, 1)?;
        self.role = Some((one, 0));
        self.input(model.inputs(one).first()?, None, super::PRODUCER_DEPTH)
    }
}
