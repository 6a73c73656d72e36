//! What a search knew at its end, for stages that build further sequences from it.

use super::build::{self, BuildSources, Uses};
use super::guidance::Guidance;
use super::literals::LiteralSources;
use super::pool::Pool;
use super::program_model::ProgramModel;
use super::select::Weights;
use model::jvm::Literal;
use model::seed::Seed;
use model::sequence::{Action, Sequence};
use rand_chacha::ChaCha8Rng;

/// The operations, values and literals from which a search built its candidates, as they were at its end.
pub struct Vocabulary<'a> {
    pub(super) model: ProgramModel<'a>,
    pub(super) pool: Pool,
    pub(super) literals: LiteralSources,
    pub(super) weights: Weights,
    pub(super) guidance: Guidance,
    /// For the random choices of later stages.
    pub(super) seed: Seed,
    /// How many sequences the search executed: the measure of what later stages may execute.
    pub(super) sequences: u64,
}

/// Names of collaborators whose order shows.
const LABELS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

impl Vocabulary<'_> {
    /// The sequence with one change, as the search changes sequences of its corpus; `None` if the change drawn is not
    /// possible. `other` may be appended.
    pub(super) fn vary(&self, base: &Sequence, other: &Sequence, rng: &mut ChaCha8Rng) -> Option<Sequence> {
        build::mutate(&self.sources(), base, other, rng).map(|built| built.sequence)
    }

    /// The sequence, and behind it what one of the others does with an object of a type that it makes; `None` if that is not
    /// possible.
    pub(super) fn graft(&self, base: &Sequence, uses: &Uses, rng: &mut ChaCha8Rng) -> Option<Sequence> {
        build::graft(&self.sources(), base, uses, rng).map(|built| built.sequence)
    }

    /// The sequences by the objects that they make and use.
    pub(super) fn uses<'s>(&self, sequences: &'s [Sequence]) -> Uses<'s> {
        Uses::new(sequences, &self.model)
    }

    fn sources(&self) -> BuildSources<'_> {
        let Vocabulary { model, pool, literals, weights, guidance, .. } = self;
        BuildSources { model, pool, literals, weights, guidance }
    }

    /// The sequence where each use of a collaborator that does nothing, or notes what it is told, is one of a collaborator of its
    /// own that adds its name to a list, the same for all, which is looked at in the end; `None` if there are not several uses.
    pub(super) fn with_labels(&self, sequence: &Sequence) -> Option<Sequence> {
        let labelled = |at: usize| self.model.labelled.get(&sequence.call_at(at)?).copied();
        let uses = (0..sequence.len()).flat_map(|at| sequence.inputs_of(at)).filter(|&input| labelled(input).is_some());
        if !(2..=LABELS.len()).contains(&uses.count()) {
            return None;
        }
        let mut changed = Sequence::new();
        let mut moved = Vec::with_capacity(sequence.len());
        let mut list = None;
        let mut labels = LABELS.iter();
        for (at, statement) in sequence.statements().iter().enumerate() {
            let mut inputs = Vec::new();
            for input in sequence.inputs_of(at) {
                inputs.push(match labelled(input) {
                    Some((operation, new_list)) => {
                        let list = *list.get_or_insert_with(|| changed.push_call(new_list, &[]));
                        let label = changed.push_literal(Literal::String((*labels.next()?).into()));
                        changed.push_call(operation, &[list, label])
                    }
                    None => moved[input],
                });
            }
            // Nothing takes what it is replaced for.
            moved.push(if labelled(at).is_some() { 0 } else { changed.push(statement.action.clone(), &inputs) });
        }
        changed.push_call(self.model.program.checks.content, &[list?]);
        (changed.len() <= self.model.statement_limit).then_some(changed)
    }

    /// The sequence with collaborators that note what they are told in place of those that do nothing; `None` if there are none.
    pub(super) fn with_recording(&self, sequence: &Sequence) -> Option<Sequence> {
        let mut changed = Sequence::new();
        let mut moved = Vec::with_capacity(sequence.len());
        let mut is_changed = false;
        for (at, statement) in sequence.statements().iter().enumerate() {
            let mut inputs: Vec<usize> = sequence.inputs_of(at).map(|input| moved[input]).collect();
            let recording = match statement.action {
                Action::Call(operation) => self.model.recording.get(&operation),
                Action::Literal(_) => None,
            };
            moved.push(match recording {
                Some(&(recording, new_list)) => {
                    is_changed = true;
                    inputs.push(changed.push_call(new_list, &[]));
                    changed.push_call(recording, &inputs)
                }
                None => changed.push(statement.action.clone(), &inputs),
            });
        }
        is_changed.then_some(changed)
    }
}
