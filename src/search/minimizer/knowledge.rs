//! What the passes know of the program.

use super::graft::{self, Makers};
use super::simplify::{Simplest, simplest};
use crate::spelling::Writer;
use bytecode::analysis::purity::Effects;
use model::jvm::Type;
use model::jvm::types::TypeTable;
use model::sequence::{Action, Operation, OperationKind, Recording, Sequence};
use std::sync::OnceLock;

/// What passes know of the program.
pub struct Knowledge<'a> {
    pub(super) operations: &'a [Operation],
    pub(super) effects: &'a [Effects],
    pub(super) types: &'a TypeTable,
    /// Looked for by the one pass that needs it.
    pub(super) simplest: OnceLock<Simplest>,
    /// Known once a search has made objects.
    pub(super) makers: OnceLock<Makers>,
    /// Looked for by the one pass that needs them.
    pub(super) writer: OnceLock<Writer>,
}

impl<'a> Knowledge<'a> {
    /// What the program says of its operations.
    pub fn new(operations: &'a [Operation], effects: &'a [Effects], types: &'a TypeTable) -> Knowledge<'a> {
        Knowledge {
            operations,
            effects,
            types,
            simplest: OnceLock::new(),
            makers: OnceLock::new(),
            writer: OnceLock::new(),
        }
    }

    /// Lets passes know how objects are made, from sequences that completed but for their last statements. Only the first call
    /// has an effect.
    pub fn know_makers<'s>(&self, sequences: impl Iterator<Item = &'s Sequence>) {
        self.makers.get_or_init(|| graft::makers(sequences, self.operations));
    }

    /// The operation of a statement that is a call.
    pub(super) fn called(&self, sequence: &Sequence, at: usize) -> Option<&'a Operation> {
        sequence.call_at(at).map(|id| &self.operations[id.0 as usize])
    }

    /// Whether a mock notes in the list, which the statement makes, the calls that it gets: of a list of two mocks a reader would
    /// not see which one was called.
    pub(super) fn is_list_of_mock(&self, sequence: &Sequence, list: usize) -> bool {
        (list + 1..sequence.len()).any(|user| {
            let operation = self.called(sequence, user).filter(|operation| operation.mock);
            let slot = operation.and_then(|operation| Recording::list_of(&operation.implemented));
            slot.is_some_and(|slot| sequence.inputs_of(user).nth(slot as usize) == Some(list))
        })
    }

    pub(super) fn writer(&self) -> &Writer {
        self.writer.get_or_init(|| Writer::new(self.operations))
    }

    pub(super) fn simplest(&self) -> &Simplest {
        self.simplest.get_or_init(|| simplest(self.operations, self.types))
    }

    /// As what types later statements take the value of a statement.
    pub(super) fn needs_of(&self, sequence: &Sequence, at: usize) -> Vec<&'a Type> {
        self.needs_of_after(sequence, at, at)
    }

    /// As what types statements take the value of a statement that come after another one.
    pub(super) fn needs_of_after(&self, sequence: &Sequence, at: usize, last: usize) -> Vec<&'a Type> {
        let mut needs = Vec::new();
        for user in last + 1..sequence.len() {
            let Action::Call(operation) = sequence.statements()[user].action else { continue };
            let operation = &self.operations[operation.0 as usize];
            let need = |position: usize| match operation.kind {
                OperationKind::Array => operation.inputs.first(),
                // It takes any object, but source may cast only to what is related.
                OperationKind::Cast => operation.output.as_ref(),
                _ => operation.inputs.get(position),
            };
            let positions = sequence.inputs_of(user).enumerate().filter(|&(_, input)| input == at);
            needs.extend(positions.filter_map(|(position, _)| need(position)));
        }
        needs
    }

    /// Whether the declared type of each value fits where it is taken.
    pub(crate) fn is_typed(&self, sequence: &Sequence) -> bool {
        (0..sequence.len()).all(|at| {
            let needs = self.needs_of(sequence, at);
            let output = sequence.output_of(at, self.operations);
            needs.is_empty() || output.is_some_and(|output| self.fits_all(&output, &needs))
        })
    }

    /// Whether what the sequence makes last fits where it is taken.
    pub(super) fn makes(&self, maker: &Sequence, needs: &[&Type]) -> bool {
        let made = maker.output_of(maker.len() - 1, self.operations);
        made.is_some_and(|made| self.fits_all(&made, needs))
    }

    pub(super) fn fits_all(&self, of: &Type, needs: &[&Type]) -> bool {
        needs.iter().all(|need| self.types.is_assignable(of, need))
    }
}
