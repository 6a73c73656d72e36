//! Literals of a candidate.

use super::fill::ELEMENTS;
use super::{SequenceBuilder, roles_of};
use crate::generator::literals::{Argument, LiteralKind, Role, is_in_word};
use model::jvm::types::unboxed;
use model::jvm::{JavaString, Literal, Primitive};
use model::options::Component;
use model::sequence::{Action, Operation, OperationId, OperationKind, Sequence, TEMPORARY_FILES};
use program::{GivenValue, Limit, PlainValue};
use rand::RngExt;

/// Share of literals that are changed.
const P_FUZZ: f64 = 0.25;
/// Share of strings that annotations of the sequence's objects contain.
const P_ANNOTATED_STRING: f64 = 0.35;
/// Share of strings that are a word of another one of the sequence, if it has such.
const P_WORD: f64 = 0.3;
/// Share of strings that the parameter took before.
const P_ACCEPTED: f64 = 0.3;
/// Share of literals that the sequence has already.
const P_LITERAL_AGAIN: f64 = 0.25;
/// The same, where calls of the class under test took such a literal.
const P_LITERAL_OF_CLASS_AGAIN: f64 = 0.5;
/// The same, where a parameter of the same name took one.
const P_NAMESAKE_AGAIN: f64 = 0.6;
/// Of those, the share that a parameter of the same name took, if one did: the book that is waited for is the one that is lent.
pub(super) const P_SAME_NAME: f64 = 0.8;
/// Share of changed literals that become another one of the sequence.
const P_FROM_ELSEWHERE: f64 = 0.2;

/// Operations of the platform whose texts are read by the class that is given their results.
const TEXTS_FOR_READERS: [(&str, &str); 4] = [
    ("java/io/StringReader", "<init>"),
    ("java/lang/String", "getBytes"),
    ("java/lang/String", "toCharArray"),
    (TEMPORARY_FILES, "file"),
];

impl SequenceBuilder<'_, '_> {
    /// The class whose literals are arguments of the operation: its own, or the one that reads what is made of them.
    pub(super) fn class_of_texts(&self, operation: OperationId) -> Option<usize> {
        let Operation { owner, name, .. } = &self.sources.model.program.operations[operation.0 as usize];
        let is_read = TEXTS_FOR_READERS.contains(&(owner.internal(), name));
        self.sources.model.class_of(operation).or(self.asking.filter(|_| is_read))
    }

    /// One of the values that the input which is being chosen is limited to, if it is; of a limited collection one that is new.
    pub(super) fn given_value(&mut self) -> Option<usize> {
        let (operation, input) = self.role?;
        let limit = self.sources.model.program.told.limit_of(operation, input)?;
        let Some(container) = limit.container() else { return self.value_within(limit) };
        let operations = &self.sources.model.program.operations;
        let maker = container.makers[self.rng.random_range(0..container.makers.len())];
        let made = &operations[maker.0 as usize];
        let count = match made.kind {
            OperationKind::Array => ELEMENTS[self.rng.random_range(0..ELEMENTS.len())],
            _ => made.inputs.len(),
        };
        let elements = (0..count).map(|_| self.value_within(limit)).collect::<Option<Vec<usize>>>()?;
        self.enter(self.sources.model.package_of(maker))?;
        let statement = self.sequence.push_call(maker, &elements);
        let fillers = made.output.as_ref().and_then(|of| self.sources.model.fillers.get(of));
        let fillers: Vec<OperationId> = (fillers.into_iter().flatten().copied())
            .filter(|filler| count == 0 && container.fillers.contains(filler))
            .collect();
        for _ in 0..ELEMENTS[self.rng.random_range(0..ELEMENTS.len())] {
            if fillers.is_empty() {
                break;
            }
            let element = self.value_within(limit)?;
            let filler = fillers[self.rng.random_range(0..fillers.len())];
            self.sequence.push_call(filler, &[statement, element]);
        }
        Some(statement)
    }

    fn value_within(&mut self, limit: &Limit) -> Option<usize> {
        let values = limit.values();
        match &values[self.rng.random_range(0..values.len())] {
            GivenValue::Literal(literal) => Some(self.sequence.push_literal(literal.clone())),
            GivenValue::Made(PlainValue { operation, arguments }) => {
                self.enter(self.sources.model.package_of(*operation))?;
                let inputs: Vec<usize> =
                    arguments.iter().map(|literal| self.sequence.push_literal(literal.clone())).collect();
                Some(self.sequence.push_call(*operation, &inputs))
            }
        }
    }

    /// Another literal in place of one of the sequence.
    pub(super) fn other_literal(&mut self, base: &Sequence, old: &Literal, class: Option<usize>) -> Option<Literal> {
        match old {
            Literal::Class(old) => {
                let input = |(operation, position)| self.sources.model.inputs(operation).get(position);
                let need = self.role.and_then(input).map(|input| input.need);
                Some(need.and_then(|need| self.class_literal(need)).unwrap_or_else(|| Literal::Class(old.clone())))
            }
            Literal::Null(of) => Some(self.chosen(LiteralKind::of(of)?, class)),
            old => {
                if self.rng.random_bool(P_FROM_ELSEWHERE)
                    && let Some(other) = self.literal_from_elsewhere(base, old)
                {
                    return Some(other);
                }
                let fuzzed = if self.rng.random_bool(0.5) { self.fuzzed(old, class) } else { None };
                let kind = LiteralKind::of(&old.literal_type())?;
                Some(fuzzed.unwrap_or_else(|| self.chosen(kind, class)))
            }
        }
    }

    /// A literal of the kind, or one like it.
    pub(super) fn literal(&mut self, kind: LiteralKind, class: Option<usize>) -> usize {
        if self.sources.guidance.has(Component::Reuse)
            && let Some(statement) = self.literal_again(kind, class)
        {
            return statement;
        }
        if kind == LiteralKind::String
            && self.sources.guidance.has(Component::Reuse)
            && self.rng.random_bool(P_WORD)
            && let Some(word) = self.word_of_a_text()
        {
            return self.sequence.push_literal(word);
        }
        let known = self.chosen(kind, class);
        let fuzzed = if self.rng.random_bool(P_FUZZ) { self.fuzzed(&known, class) } else { None };
        self.sequence.push_literal(fuzzed.unwrap_or(known))
    }

    /// A literal of the kind that the sequence has: the key that was put in is the key that is looked up. Those that calls
    /// of the class took come first, texts mostly for a parameter of the same name, but for those that the call under construction
    /// has: money goes to another account.
    fn literal_again(&mut self, kind: LiteralKind, class: Option<usize>) -> Option<usize> {
        if kind == LiteralKind::Primitive(Primitive::Boolean) {
            return None;
        }
        let is_of_kind = |&at: &usize| match &self.sequence.statements()[at].action {
            Action::Literal(literal) => LiteralKind::of_literal(literal) == Some(kind) && !self.is_inside_a_value(at),
            Action::Call(_) => false,
        };
        let known: Vec<usize> = (0..self.sequence.len()).filter(is_of_kind).collect();
        let of_class =
            |&at: &usize| class.is_some() && self.users(at).any(|user| self.sources.model.class_of(user) == class);
        let is_given = |at: &usize| self.given.contains(at);
        let own: Vec<usize> = known.iter().copied().filter(|at| of_class(at) && !is_given(at)).collect();
        // A size or an index that is the same again leads nowhere, and may be large.
        let is_key = kind == LiteralKind::String;
        let namesakes = if is_key { self.with_name_of_role(&self.sequence, &own) } else { Vec::new() };
        let (share, fitting) = match (own.is_empty(), namesakes.is_empty()) {
            (true, _) => (P_LITERAL_AGAIN, known),
            (false, true) => (P_LITERAL_OF_CLASS_AGAIN, own),
            (false, false) => (P_NAMESAKE_AGAIN, if self.rng.random_bool(P_SAME_NAME) { namesakes } else { own }),
        };
        let is_wanted = !fitting.is_empty() && self.rng.random_bool(share);
        is_wanted.then(|| fitting[self.rng.random_range(0..fitting.len())])
    }

    /// Those of the sequence's literals that a parameter took which has the name of the one to be filled.
    pub(super) fn with_name_of_role(&self, sequence: &Sequence, literals: &[usize]) -> Vec<usize> {
        let Some(wanted) = self.role.and_then(|role| self.name_of(role)) else { return Vec::new() };
        literals.iter().copied().filter(|at| self.is_taken_as(wanted, sequence, *at)).collect()
    }

    /// Whether a parameter of the name takes the statement's value.
    pub(super) fn is_taken_as(&self, name: &str, sequence: &Sequence, statement: usize) -> bool {
        roles_of(sequence, statement).any(|role| self.name_of(role) == Some(name))
    }

    /// The name of the parameter, if it is known.
    pub(super) fn name_of(&self, (operation, input): Role) -> Option<&str> {
        self.sources.model.program.operations[operation.0 as usize].name_of_input(input)
    }

    /// A word of a text that the sequence has: what a text defines is what is asked for later.
    fn word_of_a_text(&mut self) -> Option<Literal> {
        let mut words: Vec<JavaString> = Vec::new();
        for statement in self.sequence.statements() {
            let Action::Literal(Literal::String(text)) = &statement.action else { continue };
            let found = text.units().split(|unit| !is_in_word(*unit)).filter(|word| !word.is_empty());
            words.extend(found.filter(|word| word.len() < text.units().len()).map(JavaString::from_units));
        }
        (!words.is_empty()).then(|| Literal::String(words.swap_remove(self.rng.random_range(0..words.len()))))
    }

    /// The operations that take the statement's value, once for each input.
    fn users(&self, statement: usize) -> impl Iterator<Item = OperationId> {
        roles_of(&self.sequence, statement).map(|(operation, _)| operation)
    }

    /// Whether the literal is only what a value of the platform is made of, such as the text of a date.
    fn is_inside_a_value(&self, literal: usize) -> bool {
        let operations = &self.sources.model.program.operations;
        let users = self.users(literal).map(|operation| &operations[operation.0 as usize]);
        let mut users = users.peekable();
        users.peek().is_some()
            && users
                .all(|user| !user.has_receiver() && user.owner.internal().starts_with("java/") && !is_container(user))
    }

    /// A literal of the kind; what annotations of the sequence's objects say is worth saying to who reads them.
    pub(super) fn chosen(&mut self, kind: LiteralKind, class: Option<usize>) -> Literal {
        if kind == LiteralKind::String {
            let strings = self.sources.model.annotated_strings(&self.sequence);
            if !strings.is_empty() && self.rng.random_bool(P_ANNOTATED_STRING) {
                return strings[self.rng.random_range(0..strings.len())].clone();
            }
        }
        if kind == LiteralKind::String
            && let Some(role) = self.role
            && self.rng.random_bool(P_ACCEPTED)
            && let Some(accepted) = self.sources.literals.accepted(role, self.rng)
        {
            return accepted;
        }
        self.sources.literals.choose(kind, class, self.rng)
    }

    pub(super) fn fuzzed(&mut self, literal: &Literal, class: Option<usize>) -> Option<Literal> {
        let argument = Argument { class, role: self.role };
        self.sources.guidance.fuzzing.literal(literal, self.sources.literals, argument, self.rng)
    }
}

/// Whether the operation makes a collection or map, or a box, of which the literal is an element.
fn is_container(operation: &Operation) -> bool {
    operation.owner.internal().starts_with("java/util/") && operation.signature.is_some()
        || unboxed(&operation.owner).is_some()
}
