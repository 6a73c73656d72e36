//! Collaborators whose answer changes between two calls: a clock that moves, a price that rises.

use super::SequenceBuilder;
use crate::generator::program_model::Changing;
use model::sequence::{Action, OperationId, Sequence};
use rand::RngExt;

impl SequenceBuilder<'_, '_> {
    /// Gives a collaborator another answer before a later call, and makes one that can change of one that cannot.
    pub(super) fn change_answer(&mut self, base: &Sequence) -> Option<()> {
        let last = base.len().checked_sub(1)?;
        let found: Vec<(usize, Changing)> =
            (0..last).filter_map(|at| Some((at, self.changing(base, at)?.clone()))).collect();
        let (at, changing) = &found[self.rng.random_range(0..found.len())];
        let held = base.inputs_of(*at).nth(changing.answer)?;
        // What only the collaborator needs comes after the holder, so that each value stands next to its use.
        let mut is_late = vec![false; *at];
        for statement in (0..*at).rev() {
            let is_user = |user: &usize| base.inputs_of(*user).any(|input| input == statement);
            let mut users = (statement + 1..base.len()).filter(is_user).peekable();
            is_late[statement] = statement != held
                && users.peek().is_some()
                && users.all(|user| user == *at || is_late.get(user) == Some(&true));
        }
        let mut moved = vec![0; *at];
        let copy = |candidate: &mut Self, statement: usize, moved: &mut Vec<usize>| {
            let inputs: Vec<usize> = base.inputs_of(statement).map(|input| moved[input]).collect();
            moved[statement] = candidate.sequence.push(base.statements()[statement].action.clone(), &inputs);
        };
        (0..*at).filter(|&statement| !is_late[statement]).for_each(|statement| copy(self, statement, &mut moved));
        let holder = self.sequence.push_call(changing.holder, &[moved[held]]);
        if base.statements()[*at].action == Action::Call(changing.holder) {
            moved.push(holder);
        } else {
            let mut value = self.sequence.push_call(changing.implementation, &[holder]);
            (0..*at).filter(|&statement| is_late[statement]).for_each(|statement| copy(self, statement, &mut moved));
            if let Some(view) = changing.view {
                let others = base.inputs_of(*at).enumerate().filter(|(input, _)| *input != changing.answer);
                let inputs: Vec<usize> = [value].into_iter().chain(others.map(|(_, input)| moved[input])).collect();
                value = self.sequence.push_call(view, &inputs);
            }
            moved.push(value);
        }
        let before = self.rng.random_range(at + 1..=last);
        for later in at + 1..base.len() {
            if later == before {
                let known = base.statements()[held].action.clone();
                let other = self.changed_input((changing.set, 1), known)?;
                self.sequence.push_call(changing.set, &[holder, other]);
            }
            let inputs: Vec<usize> = base.inputs_of(later).map(|input| moved[input]).collect();
            moved.push(self.sequence.push(base.statements()[later].action.clone(), &inputs));
        }
        Some(())
    }

    /// Whether the sequence has a collaborator whose answer can change before a later call.
    pub(super) fn has_changing(&self, base: &Sequence) -> bool {
        (1..base.len()).any(|after| self.changing(base, after - 1).is_some())
    }

    /// How the answer of what the statement makes, or what the statement holds, can change.
    fn changing(&self, base: &Sequence, at: usize) -> Option<&Changing> {
        let of = |operation: OperationId| self.sources.model.changing.get(&operation);
        match base.statements()[at].action {
            Action::Call(operation) => of(operation),
            Action::Literal(_) => None,
        }
    }
}
