//! Calls done again, as they were or with one other argument.

use super::literal::P_SAME_NAME;
use super::{P_TWIN, PRODUCER_DEPTH, SequenceBuilder};
use crate::generator::literals::{LiteralKind, Role};
use model::jvm::Literal;
use model::options::Component;
use model::sequence::{Action, OperationId, Sequence};
use rand::RngExt;
use rand::seq::IndexedRandom;

/// Share of twins that differ in one input.
const P_CHANGED: f64 = 0.8;
/// Share of replaced values that are replaced in one of several places alone.
const P_ALONE: f64 = 0.7;
/// Share of twins of containers with another element, if they are made of elements.
const P_OTHER_ELEMENTS: f64 = 0.5;
/// Share of what is put into a twin of a container that differs in one input.
const P_OTHER_FILLING: f64 = 0.5;
/// Share of literals that the repeated call takes from elsewhere in the sequence.
const P_REPEATED_FROM_ELSEWHERE: f64 = 0.4;

impl SequenceBuilder<'_, '_> {
    /// Does a call again with one other argument, and what was done with its value again, or with the other value instead: two
    /// things that differ in one respect show what depends on it.
    pub(super) fn repeat_changed(&mut self, base: &Sequence) -> Option<()> {
        let model = self.sources.model;
        let calls = (0..base.len()).filter_map(|at| match base.statements()[at].action {
            Action::Call(operation) if !base.statements()[at].inputs.is_empty() => Some((at, operation)),
            _ => None,
        });
        let calls: Vec<(usize, OperationId)> = calls.collect();
        if calls.is_empty() {
            return None;
        }
        let (at, operation) = calls[self.rng.random_range(0..calls.len())];
        self.copy_front(base, at + 1);
        let mut inputs: Vec<usize> = base.inputs_of(at).collect();
        let receivers = usize::from(model.program.operations[operation.0 as usize].has_receiver());
        let first = if inputs.len() > receivers { receivers } else { 0 };
        let changed = self.rng.random_range(first..inputs.len());
        let known = base.statements()[inputs[changed]].action.clone();
        self.role = Some((operation, changed));
        let elsewhere = match &known {
            Action::Literal(known) if self.rng.random_bool(P_REPEATED_FROM_ELSEWHERE) => {
                self.literal_from_elsewhere(base, known)
            }
            _ => None,
        };
        inputs[changed] = match elsewhere {
            Some(other) => self.sequence.push_literal(other),
            None => self.changed_input((operation, changed), known)?,
        };
        let again = self.sequence.push_call(operation, &inputs);
        let uses: Vec<usize> =
            (at + 1..base.len()).filter(|&user| base.inputs_of(user).any(|input| input == at)).collect();
        let used = (!uses.is_empty()).then(|| uses[self.rng.random_range(0..uses.len())]);
        let is_replaced = self.rng.random_bool(0.5);
        let mut moved: Vec<usize> = (0..=at).collect();
        for user in at + 1..base.len() {
            let inputs: Vec<usize> = base.inputs_of(user).map(|input| moved[input]).collect();
            let action = base.statements()[user].action.clone();
            let statement = match used == Some(user) {
                true if is_replaced => {
                    let inputs = self.with_other(inputs, at, again);
                    self.sequence.push(action, &inputs)
                }
                true => {
                    let statement = self.sequence.push(action.clone(), &inputs);
                    let inputs = self.with_other(inputs, at, again);
                    self.sequence.push(action, &inputs);
                    statement
                }
                false => self.sequence.push(action, &inputs),
            };
            moved.push(statement);
        }
        Some(())
    }

    /// The inputs with another value in one of the places, or in all of them: an object is compared with itself, too.
    fn with_other(&mut self, mut inputs: Vec<usize>, known: usize, other: usize) -> Vec<usize> {
        let places: Vec<usize> = (0..inputs.len()).filter(|place| inputs[*place] == known).collect();
        let alone = places.choose(self.rng).copied().filter(|_| self.rng.random_bool(P_ALONE));
        places
            .into_iter()
            .filter(|place| alone.is_none_or(|one| one == *place))
            .for_each(|place| inputs[place] = other);
        inputs
    }

    /// Another literal of the sequence of the same kind, mostly of a parameter of the same name: the account that money goes to
    /// has to be opened, too.
    pub(super) fn literal_from_elsewhere(&mut self, base: &Sequence, known: &Literal) -> Option<Literal> {
        let kind = LiteralKind::of_literal(known)?;
        if !self.sources.guidance.has(Component::Reuse) {
            return None;
        }
        let is_other = |at: &usize| match &base.statements()[*at].action {
            Action::Literal(other) => other != known && LiteralKind::of_literal(other) == Some(kind),
            Action::Call(_) => false,
        };
        let mut others: Vec<usize> = (0..base.len()).filter(is_other).collect();
        let namesakes = self.with_name_of_role(base, &others);
        if !namesakes.is_empty() && self.rng.random_bool(P_SAME_NAME) {
            others = namesakes;
        }
        match &base.statements()[*others.choose(self.rng)?].action {
            Action::Literal(other) => Some(other.clone()),
            Action::Call(_) => None,
        }
    }

    /// For an input of the call under construction that takes what an earlier one takes: a value that is made as that one
    /// was, sometimes. Of two objects of one kind code says whether they are equal, or which comes first.
    pub(super) fn twin_for(&mut self, operation: OperationId, at: usize) -> Option<usize> {
        let inputs = self.sources.model.inputs(operation);
        let is_equals = || self.sources.model.program.operations[operation.0 as usize].is_equals();
        let is_like = |earlier: &usize| inputs[at].need == inputs[*earlier].need || *earlier == 0 && is_equals();
        let alike: Vec<usize> = (0..at.min(self.given.len())).filter(is_like).collect();
        let earlier = *alike.choose(self.rng)?;
        if inputs[earlier].of.is_primitive() || !self.rng.random_bool(P_TWIN) {
            return None;
        }
        self.twin(self.given[earlier])
    }

    /// A value that is made as that of the statement was, with one other input or with all the same.
    pub(super) fn twin(&mut self, statement: usize) -> Option<usize> {
        let Action::Call(operation) = self.sequence.statements()[statement].action else { return None };
        let mut inputs: Vec<usize> = self.sequence.inputs_of(statement).collect();
        if let Some(maker) = self.maker_of_elements(&self.sequence, statement)
            && self.rng.random_bool(P_OTHER_ELEMENTS)
            && self.sequence.len() + 2 < self.sources.model.statement_limit
        {
            return self.with_other_elements(maker, inputs);
        }
        let fillings = self.fillings(operation, statement);
        if inputs.is_empty() && fillings.is_empty() {
            return None;
        }
        if !inputs.is_empty() && self.rng.random_bool(P_CHANGED) {
            let changed = self.rng.random_range(0..inputs.len());
            let known = self.sequence.statements()[inputs[changed]].action.clone();
            inputs[changed] = self.changed_input((operation, changed), known)?;
        }
        if self.sequence.len() + 2 * fillings.len() >= self.sources.model.statement_limit {
            return None;
        }
        let twin = self.sequence.push_call(operation, &inputs);
        fillings.into_iter().for_each(|filling| self.fill_alike(filling, twin));
        Some(twin)
    }

    /// The statements that put something into the container that the statement makes.
    fn fillings(&self, maker: OperationId, container: usize) -> Vec<usize> {
        let model = self.sources.model;
        let fillers = model.program.operations[maker.0 as usize].output.as_ref().and_then(|of| model.fillers.get(of));
        let fills = |at: &usize| {
            let is_filler = self.sequence.call_at(*at).is_some_and(|it| fillers.is_some_and(|all| all.contains(&it)));
            is_filler && self.sequence.inputs_of(*at).next() == Some(container)
        };
        (container + 1..self.sequence.len()).filter(fills).collect()
    }

    /// Puts into a container what the statement put into another one, sometimes with another input: the same key and another
    /// value. What cannot be had is left out.
    fn fill_alike(&mut self, filling: usize, container: usize) {
        let Some(filler) = self.sequence.call_at(filling) else { return };
        let mut inputs: Vec<usize> = self.sequence.inputs_of(filling).collect();
        inputs[0] = container;
        if inputs.len() > 1 && self.rng.random_bool(P_OTHER_FILLING) {
            let changed = self.rng.random_range(1..inputs.len());
            let known = self.sequence.statements()[inputs[changed]].action.clone();
            let Some(other) = self.changed_input((filler, changed), known) else { return };
            inputs[changed] = other;
        }
        if self.sequence.len() < self.sources.model.statement_limit {
            self.sequence.push_call(filler, &inputs);
        }
    }

    /// Another value for an input of a call than what `known` makes.
    pub(super) fn changed_input(&mut self, (operation, position): Role, known: Action) -> Option<usize> {
        let model = self.sources.model;
        let class = model.class_of(operation);
        self.role = Some((operation, position));
        if let Some(given) = self.given_value() {
            return Some(given);
        }
        if let Action::Literal(literal) = &known
            && let Some(kind) = LiteralKind::of_literal(literal)
        {
            let fuzzed = if self.rng.random_bool(0.5) { self.fuzzed(literal, class) } else { None };
            let other = fuzzed.unwrap_or_else(|| self.chosen(kind, class));
            return Some(self.sequence.push_literal(other));
        }
        // An array or `List.of` takes any number of elements of one type.
        let inputs = model.inputs(operation);
        let input = inputs.get(position).or(inputs.last())?;
        self.input(input, class, PRODUCER_DEPTH)
    }

    /// Does a call again, a few times or many.
    pub(super) fn repeat(&mut self, base: &Sequence) -> Option<()> {
        let calls: Vec<usize> =
            (0..base.len()).filter(|&at| matches!(base.statements()[at].action, Action::Call(_))).collect();
        let at = *calls.choose(self.rng)?;
        let times = 1 << self.rng.random_range(0..5);
        self.copy_front(base, at + 1);
        let inputs: Vec<usize> = base.inputs_of(at).collect();
        for _ in 0..times {
            self.sequence.push(base.statements()[at].action.clone(), &inputs);
        }
        let mut moved: Vec<usize> = (0..=at).collect();
        self.copy_rest(base, at + 1, &mut moved);
        Some(())
    }
}
