//! Calls done again, as they were or with one other argument.

use super::{P_TWIN, PRODUCER_DEPTH, STATEMENT_LIMIT, SequenceBuilder};
use crate::generator::literals::{LiteralKind, Role};
use model::jvm::Literal;
use model::options::Component;
use model::sequence::{Action, OperationId, Sequence};
use rand::RngExt;
use rand::seq::IndexedRandom;

/// Share of twins that differ in one input.
const P_CHANGED: f64 = 0.8;
/// Share of literals that the repeated call takes from elsewhere in the sequence.
const P_FROM_ELSEWHERE: f64 = 0.4;

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
        inputs[changed] = match self.literal_from_elsewhere(base, &known) {
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
            let with_other =
                || -> Vec<usize> { inputs.iter().map(|&input| if input == at { again } else { input }).collect() };
            let action = base.statements()[user].action.clone();
            let statement = match used == Some(user) {
                true if is_replaced => self.sequence.push(action, &with_other()),
                true => {
                    let statement = self.sequence.push(action.clone(), &inputs);
                    self.sequence.push(action, &with_other());
                    statement
                }
                false => self.sequence.push(action, &inputs),
            };
            moved.push(statement);
        }
        Some(())
    }

    /// Another literal of the sequence of the same kind, sometimes: the account that money goes to has to be opened, too.
    fn literal_from_elsewhere(&mut self, base: &Sequence, known: &Action) -> Option<Literal> {
        let Action::Literal(known) = known else { return None };
        let kind = LiteralKind::of_literal(known)?;
        if !self.sources.guidance.has(Component::Reuse) || !self.rng.random_bool(P_FROM_ELSEWHERE) {
            return None;
        }
        let others = base.statements().iter().filter_map(|statement| match &statement.action {
            Action::Literal(other) if other != known && LiteralKind::of_literal(other) == Some(kind) => Some(other),
            _ => None,
        });
        let others: Vec<&Literal> = others.collect();
        others.choose(self.rng).map(|other| (*other).clone())
    }

    /// For an input of the call under construction that takes what the first one takes: a value that is made as the first one
    /// was, sometimes. Of two objects of one kind code says whether they are equal, or which comes first.
    pub(super) fn twin_for(&mut self, operation: OperationId, at: usize) -> Option<usize> {
        let inputs = self.sources.model.inputs(operation);
        let is_equals = || {
            let operation = &self.sources.model.program.operations[operation.0 as usize];
            &*operation.name == "equals" && operation.has_receiver() && inputs.len() == 2
        };
        let is_pair = at > 0 && (inputs[at].need == inputs[0].need || is_equals());
        let first = *self.given.first()?;
        if !is_pair || inputs[0].of.is_primitive() || !self.rng.random_bool(P_TWIN) {
            return None;
        }
        self.twin(first)
    }

    /// A value that is made as that of the statement was, with one other input or with all the same.
    pub(super) fn twin(&mut self, statement: usize) -> Option<usize> {
        let Action::Call(operation) = self.sequence.statements()[statement].action else { return None };
        let mut inputs: Vec<usize> = self.sequence.inputs_of(statement).collect();
        if inputs.is_empty() {
            return None;
        }
        if self.rng.random_bool(P_CHANGED) {
            let changed = self.rng.random_range(0..inputs.len());
            let known = self.sequence.statements()[inputs[changed]].action.clone();
            inputs[changed] = self.changed_input((operation, changed), known)?;
        }
        (self.sequence.len() < STATEMENT_LIMIT).then(|| self.sequence.push_call(operation, &inputs))
    }

    /// Another value for an input of a call than what `known` makes.
    pub(super) fn changed_input(&mut self, (operation, position): Role, known: Action) -> Option<usize> {
        let model = self.sources.model;
        let class = model.class_of(operation);
        self.role = Some((operation, position));
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
        let at = calls[self.rng.random_range(0..calls.len())];
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
