//! What one sequence does with an object, done with the object of another one.

use super::{SequenceBuilder, roles_of};
use crate::generator::program_model::ProgramModel;
use model::jvm::{Literal, Type};
use model::sequence::{Action, Sequence};
use program::Program;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rustc_hash::FxHashMap;

/// Share of grafts that take texts of the object's own sequence where parameters have the same name: what was stored under a name
/// is asked for by it.
const P_SAME_TEXTS: f64 = 0.5;
/// Share of grafts that only do the last thing that the other sequence does.
const P_LAST_ALONE: f64 = 0.5;

/// Sequences by the types of the objects that they make and use, each with the statement that makes the object.
#[derive(Default)]
pub struct Uses<'a>(FxHashMap<Type, Vec<(&'a Sequence, usize)>>);

impl<'a> Uses<'a> {
    /// Those of the sequences.
    pub fn new(sequences: &'a [Sequence], model: &ProgramModel) -> Uses<'a> {
        let mut uses: FxHashMap<Type, Vec<(&Sequence, usize)>> = FxHashMap::default();
        for sequence in sequences {
            for at in 0..sequence.len().saturating_sub(1) {
                if let Some(of) = object_at(sequence, at, model.program) {
                    uses.entry(of).or_default().push((sequence, at));
                }
            }
        }
        Uses(uses)
    }
}

/// The type of the object that a call of the sequence makes, if its class is under test: of a list or text from elsewhere no
/// reader would know why it is taken.
fn object_at(sequence: &Sequence, at: usize, program: &Program) -> Option<Type> {
    sequence.call_at(at)?;
    let of = sequence.output_of(at, &program.operations)?;
    of.class_name().is_some_and(|class| program.is_target(class)).then_some(of)
}

impl SequenceBuilder<'_, '_> {
    /// Does with an object of `base` what another sequence does with one of its type.
    pub(super) fn graft(&mut self, base: &Sequence, uses: &Uses) -> Option<()> {
        let program = self.sources.model.program;
        let object = |at: usize| Some((at, uses.0.get(&object_at(base, at, program)?)?));
        let objects: Vec<(usize, &Vec<(&Sequence, usize)>)> = (0..base.len()).filter_map(object).collect();
        let (first, second) = (objects.choose(self.rng)?, objects.choose(self.rng)?);
        // Late objects are likelier, as they contain earlier ones.
        let (object, known) = if first.0 > second.0 { first } else { second };
        let (other, place) = known.choose(self.rng)?;
        self.graft_behind(base, *object, other, *place)
    }

    /// `base`, and behind it what `other` does with what it makes in `place`, done with `object` instead.
    fn graft_behind(&mut self, base: &Sequence, object: usize, other: &Sequence, place: usize) -> Option<()> {
        self.enter(self.sources.model.package_of_sequence(other).ok()?)?;
        self.copy_front(base, base.len());
        let kept = self.kept(other, place);
        if !kept[place] {
            return None;
        }
        let has_same_texts = self.rng.random_bool(P_SAME_TEXTS);
        let mut moved = vec![object; other.len()];
        for at in (0..other.len()).filter(|at| kept[*at] && *at != place) {
            if self.sequence.len() >= self.sources.model.statement_limit {
                return None;
            }
            let statement = &other.statements()[at];
            let known = match &statement.action {
                Action::Literal(Literal::String(_)) if has_same_texts => self.namesake(base, other, at),
                _ => None,
            };
            let inputs: Vec<usize> = other.inputs_of(at).map(|input| moved[input]).collect();
            moved[at] = known.unwrap_or_else(|| self.sequence.push(statement.action.clone(), &inputs));
        }
        Some(())
    }

    /// Which statements are kept: the last one, in half of the cases all calls behind `place` too, and what these take; also
    /// whether they take what `place` makes, but not what that is made of.
    fn kept(&mut self, other: &Sequence, place: usize) -> Vec<bool> {
        let last = other.len() - 1;
        let is_last_alone = self.rng.random_bool(P_LAST_ALONE);
        let is_done = |at: usize| other.call_at(at).is_some() && at > place && !is_last_alone;
        let mut kept: Vec<bool> = (0..other.len()).map(|at| at == last || is_done(at)).collect();
        for at in (0..other.len()).rev().filter(|at| *at != place) {
            if kept[at] {
                other.inputs_of(at).for_each(|input| kept[input] = true);
            }
        }
        kept
    }

    /// A text of `base` that a parameter takes which has the name of one that takes the text of `other`.
    fn namesake(&self, base: &Sequence, other: &Sequence, at: usize) -> Option<usize> {
        let name = roles_of(other, at).find_map(|role| self.name_of(role))?;
        (0..base.len()).rev().find(|known| {
            matches!(base.statements()[*known].action, Action::Literal(Literal::String(_)))
                && self.is_taken_as(name, base, *known)
        })
    }
}
