//! Building candidates: extension of earlier sequences by one operation (feedback-directed random generation,
//! docs/bibliography.md), and changes of sequences that reached new edges.

mod changing;
mod elements;
mod fill;
mod graft;
mod literal;
mod repeat;
mod tested;

use super::guidance::Guidance;
use super::literals::{LiteralKind, LiteralSources, Role};
use super::pool::{Drawn, Need, Pool};
use super::program_model::{OperationInput, ProgramModel, call_count};
use super::select::Weights;
pub use graft::Uses;
use model::jvm::{Literal, Type};
use model::sequence::{Action, OperationId, Sequence};
use program::PlainValue;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// How deep producers are searched for an input that the pool cannot serve.
const PRODUCER_DEPTH: u32 = 4;
/// Most calls that are begun for a candidate. Objects that are changed, and twins, begin with the whole depth of producers again,
/// so that a method with many inputs of its own class would be tried without end.
const CALL_LIMIT: usize = 200;
/// Most elements of a new array.
const ARRAY_LIMIT: usize = 4;

const P_NULL: f64 = 0.03;
/// Where an annotation allows null, or code looks whether what a collaborator answered is null.
const P_NULLABLE: f64 = 0.25;
const P_REUSE: f64 = 0.4;
const P_FRESH: f64 = 0.12;
/// Share of annotated objects where code may read their annotations.
const P_ANNOTATED: f64 = 0.5;
/// Share of platform values that a person would write.
const P_PLAIN: f64 = 0.6;
/// Share of second values of one type that are made as the first one was.
const P_TWIN: f64 = 0.3;
/// Share of literals with several uses of which one alone is changed.
const P_ONE_USE: f64 = 0.3;
const P_STRING_FROM_POOL: f64 = 0.12;
const P_STRING_FOR_WIDER: f64 = 0.35;

/// What candidates are built from; constant within a round.
pub struct BuildSources<'a> {
    pub model: &'a ProgramModel<'a>,
    pub pool: &'a Pool,
    pub literals: &'a LiteralSources,
    pub weights: &'a Weights,
    pub guidance: &'a Guidance,
}

/// A built candidate, and the values of the pool on which it is based.
pub struct Built {
    pub sequence: Sequence,
    pub used: Vec<u32>,
}

/// The purpose of a call on a value.
#[derive(Clone, Copy)]
enum CallPurpose {
    Any,
    /// To change the value.
    Change,
}

/// A candidate under construction.
struct SequenceBuilder<'s, 'r> {
    sources: &'s BuildSources<'s>,
    rng: &'r mut ChaCha8Rng,
    sequence: Sequence,
    package: Option<u16>,
    /// Whether it may call back doors.
    back_doors: bool,
    used: Vec<u32>,
    /// How many calls were begun, failed ones included.
    begun: usize,
    /// The inputs so far of the call that is being built.
    given: Vec<usize>,
    /// The input that is being chosen.
    role: Option<Role>,
    /// The class under test for which values are made.
    asking: Option<usize>,
}

/// Extends values of the pool by the operation; `None` if an input is not available.
pub fn extend(sources: &BuildSources, operation: OperationId, rng: &mut ChaCha8Rng) -> Option<Built> {
    let back_doors = sources.weights.may_use_back_doors(operation);
    let mut candidate = SequenceBuilder::new(sources, rng, None, back_doors);
    candidate.call(operation, None, PRODUCER_DEPTH)?;
    candidate.finish()
}

/// Changes a sequence in one place: replaces an argument, adds, removes or repeats a call, or appends `other`.
pub fn mutate(sources: &BuildSources, base: &Sequence, other: &Sequence, rng: &mut ChaCha8Rng) -> Option<Built> {
    let package = sources.model.package_of_sequence(base).ok()?;
    let kind = rng.random_range(0..100);
    let mut candidate = SequenceBuilder::new(sources, rng, package, sources.model.calls_back_door(base));
    match kind {
        0..36 => candidate.change_literal(base)?,
        36..62 => candidate.append_call(base)?,
        62..73 => candidate.insert_call(base)?,
        73..78 if candidate.has_elements(base) => candidate.change_elements(base)?,
        73..82 => candidate.replace_input(base)?,
        88..91 if candidate.has_changing(base) => candidate.change_answer(base)?,
        82..92 => candidate.repeat_changed(base)?,
        92..95 => candidate.delete(base)?,
        95..98 => candidate.repeat(base)?,
        _ => candidate.splice(base, other)?,
    }
    candidate.finish()
}

/// Does with an object of the sequence what others do with one of its type; `None` if that is not possible.
pub fn graft(sources: &BuildSources, base: &Sequence, uses: &Uses, rng: &mut ChaCha8Rng) -> Option<Built> {
    let package = sources.model.package_of_sequence(base).ok()?;
    let mut candidate = SequenceBuilder::new(sources, rng, package, sources.model.calls_back_door(base));
    candidate.graft(base, uses)?;
    candidate.finish()
}

impl<'s, 'r> SequenceBuilder<'s, 'r> {
    fn new(
        sources: &'s BuildSources<'s>,
        rng: &'r mut ChaCha8Rng,
        package: Option<u16>,
        back_doors: bool,
    ) -> SequenceBuilder<'s, 'r> {
        let (sequence, used, given) = (Sequence::new(), Vec::new(), Vec::new());
        SequenceBuilder { sources, rng, sequence, package, back_doors, used, begun: 0, given, role: None, asking: None }
    }
}

impl SequenceBuilder<'_, '_> {
    fn finish(self) -> Option<Built> {
        let model = self.sources.model;
        let is_open = self.back_doors || !model.calls_back_door(&self.sequence);
        (is_open && self.sequence.len() <= model.statement_limit && !model.calls_mock(&self.sequence))
            .then_some(Built { sequence: self.sequence, used: self.used })
    }

    /// Appends a call. `fixed` is an input that is already there: its position and statement.
    fn call(&mut self, operation: OperationId, fixed: Option<(usize, usize)>, depth: u32) -> Option<usize> {
        let model = self.sources.model;
        if model.is_back_door(operation) && !self.back_doors || self.begun == CALL_LIMIT {
            return None;
        }
        if fixed.is_some_and(|(at, given)| model.is_receiver((operation, at)) && model.is_mock(&self.sequence, given)) {
            return None;
        }
        self.enter(model.package_of(operation))?;
        let class = self.class_of_texts(operation);
        let given_outside = std::mem::take(&mut self.given);
        self.begun += 1;
        let is_complete = model.inputs(operation).iter().enumerate().all(|(at, input)| {
            let statement = match fixed {
                Some((position, statement)) if position == at => Some(statement),
                _ => {
                    let twin = self.twin_for(operation, at);
                    self.role = Some((operation, at));
                    twin.or_else(|| self.input(input, class, depth))
                }
            };
            self.given.extend(statement);
            statement.is_some()
        });
        let inputs = std::mem::replace(&mut self.given, given_outside);
        if !is_complete {
            return None;
        }
        (self.sequence.len() < model.statement_limit).then(|| self.sequence.push_call(operation, &inputs))
    }

    /// Notes that the sequence needs the package; `None` if it needs another already.
    fn enter(&mut self, package: Option<u16>) -> Option<()> {
        match (self.package, package) {
            (Some(known), Some(new)) if known != new => None,
            (None, Some(_)) => {
                self.package = package;
                Some(())
            }
            _ => Some(()),
        }
    }

    /// A statement whose value fits the input.
    fn input(&mut self, input: &OperationInput, class: Option<usize>, depth: u32) -> Option<usize> {
        self.asking = class.or(self.asking);
        if let Some(statement) = self.given_value() {
            return Some(statement);
        }
        if let Type::Primitive(_) = input.of {
            return Some(self.primitive(input, class));
        }
        let p_null = if input.nullable { P_NULLABLE } else { P_NULL };
        if !input.never_null && self.rng.random_bool(p_null) {
            return Some(self.sequence.push_literal(Literal::Null(input.of.clone())));
        }
        if !input.annotated.is_empty()
            && self.rng.random_bool(P_ANNOTATED)
            && let Some(statement) = self.one_of(&input.annotated, depth)
        {
            return Some(statement);
        }
        if let Some(statement) = self.tested(input, class, depth) {
            return Some(statement);
        }
        if self.rng.random_bool(P_REUSE)
            && let Some(statement) = self.reuse(&input.of)
        {
            return Some(statement);
        }
        if input.of.is_string() {
            if self.rng.random_bool(P_STRING_FROM_POOL)
                && let Some(statement) = self.pooled(input)
            {
                return Some(statement);
            }
            return Some(self.literal(LiteralKind::String, class));
        }
        if input.of.class_name().is_some_and(|class| class.internal() == "java/lang/Class")
            && self.rng.random_bool(0.9)
            && let Some(literal) = self.class_literal(input.need)
        {
            return Some(self.sequence.push_literal(literal));
        }
        if let Some(values) = self.sources.model.plain_values.get(&input.need)
            && self.rng.random_bool(P_PLAIN)
        {
            let PlainValue { operation, arguments } = &values[self.rng.random_range(0..values.len())];
            let inputs: Vec<usize> =
                arguments.iter().map(|literal| self.sequence.push_literal(literal.clone())).collect();
            return Some(self.sequence.push_call(*operation, &inputs));
        }
        if input.literal == Some(LiteralKind::String) && self.rng.random_bool(P_STRING_FOR_WIDER) {
            return Some(self.literal(LiteralKind::String, class));
        }
        if let Type::Array(element) = &input.of
            && self.rng.random_bool(0.7)
            && let Some(statement) = self.array(input, element, class, depth)
        {
            return Some(statement);
        }
        let role = self.role;
        if self.rng.random_bool(P_FRESH)
            && let Some(statement) = self.produce(input, depth)
        {
            return Some(statement);
        }
        self.role = role;
        if let Some(statement) = self.pooled(input).or_else(|| self.produce(input, depth)) {
            return Some(statement);
        }
        (!input.never_null).then(|| self.sequence.push_literal(Literal::Null(input.of.clone())))
    }

    fn primitive(&mut self, input: &OperationInput, class: Option<usize>) -> usize {
        if self.rng.random_bool(0.1)
            && let Some(statement) = self.reuse(&input.of)
        {
            return statement;
        }
        let kind = input.literal.expect("every primitive type has literals");
        self.literal(kind, class)
    }

    /// Whether the input that is being chosen is the object whose method is called.
    fn is_receiver(&self) -> bool {
        self.role.is_some_and(|role| self.sources.model.is_receiver(role))
    }

    /// A class literal that serves the need.
    fn class_literal(&mut self, need: Need) -> Option<Literal> {
        let fitting = self.sources.model.class_literals.get(&need).filter(|fitting| !fitting.is_empty())?;
        Some(fitting[self.rng.random_range(0..fitting.len())].clone())
    }

    /// A call's value that the sequence already has.
    fn reuse(&mut self, of: &Type) -> Option<usize> {
        let model = self.sources.model;
        let program = model.program;
        let is_receiver = self.is_receiver();
        if self.role.is_some_and(|role| model.is_list_of_mock(role)) {
            return None;
        }
        let fits = |&at: &usize| {
            matches!(self.sequence.statements()[at].action, Action::Call(_))
                && !(is_receiver && model.is_mock(&self.sequence, at))
                && (self.sequence.output_of(at, &program.operations))
                    .is_some_and(|output| program.types.is_assignable(&output, of))
        };
        let fitting: Vec<usize> = (0..self.sequence.len()).filter(fits).collect();
        (!fitting.is_empty()).then(|| fitting[self.rng.random_range(0..fitting.len())])
    }

    fn pooled(&mut self, input: &OperationInput) -> Option<usize> {
        let choice = self.sources.guidance.values.as_ref();
        let is_receiver = self.is_receiver();
        let is_deep = is_receiver && choice.wants_deep_receiver(self.rng);
        let Drawn { value, cast, id } =
            self.sources.pool.choose(input.need, (self.package, self.back_doors), choice, is_deep, self.rng)?;
        let model = self.sources.model;
        if is_receiver && model.is_mock(&value.sequence, value.index as usize) {
            return None;
        }
        if self.sequence.len() + value.sequence.len() > model.statement_limit {
            return None;
        }
        let cast = if cast { Some(*self.sources.model.program.casts.get(&input.of)?) } else { None };
        self.enter(value.package)?;
        let offset = self.sequence.append(&value.sequence);
        self.used.push(id);
        let statement = offset + value.index as usize;
        let statement = match cast {
            Some(cast) => {
                self.enter(self.sources.model.package_of(cast))?;
                self.sequence.push_call(cast, &[statement])
            }
            None => statement,
        };
        if self.sources.guidance.fuzzing.changes_object(self.rng) {
            self.change_object(statement);
        }
        Some(statement)
    }

    /// Changes an object by an operation that may change it. What cannot be changed stays as it is.
    fn change_object(&mut self, statement: usize) {
        let (sequence, package) = (self.sequence.clone(), self.package);
        if self.call_on(statement, CallPurpose::Change).is_none() {
            (self.sequence, self.package) = (sequence, package);
        }
    }

    /// A new value from an operation that makes the type, its inputs made the same way.
    fn produce(&mut self, input: &OperationInput, depth: u32) -> Option<usize> {
        self.one_of(self.sources.model.makers(input.need, self.is_receiver()), depth)
    }

    /// A call of one of the producers.
    fn one_of(&mut self, producers: &[OperationId], depth: u32) -> Option<usize> {
        if depth == 0 {
            return None;
        }
        for _ in 0..3.min(producers.len()) {
            let producer = self.producer(producers);
            if self.sources.weights.is_left_out(producer) {
                continue;
            }
            let (sequence, package) = (self.sequence.clone(), self.package);
            if let Some(statement) = self.call(producer, None, depth - 1) {
                self.fill(producer, statement, depth - 1);
                return Some(statement);
            }
            (self.sequence, self.package) = (sequence, package);
        }
        None
    }

    /// One of the producers; those that need no other object to get it from come first.
    fn producer(&mut self, producers: &[OperationId]) -> OperationId {
        let operations = &self.sources.model.program.operations;
        let draw = |rng: &mut ChaCha8Rng| producers[rng.random_range(0..producers.len())];
        let (first, second) = (draw(self.rng), draw(self.rng));
        let is_getter = |id: OperationId| operations[id.0 as usize].has_receiver();
        if is_getter(first) && !is_getter(second) { second } else { first }
    }

    fn array(&mut self, array: &OperationInput, element: &Type, class: Option<usize>, depth: u32) -> Option<usize> {
        let model = self.sources.model;
        let operation = *model.program.arrays.get(&array.of)?;
        self.enter(model.package_of(operation))?;
        let input = OperationInput { tested: array.tested.clone(), ..model.inputs(operation)[0].clone() };
        let count = self.rng.random_range(0..=ARRAY_LIMIT);
        let mut inputs = Vec::with_capacity(count);
        for at in 0..count {
            let is_twin = at > 0 && !element.is_primitive() && self.rng.random_bool(P_TWIN);
            let twin = if is_twin { self.twin(inputs[0]) } else { None };
            self.role = Some((operation, 0));
            inputs.push(twin.or_else(|| self.input(&input, class, depth.saturating_sub(1)))?);
        }
        Some(self.sequence.push_call(operation, &inputs))
    }

    /// Copies statements of `base` from the front up to `end`; positions stay.
    fn copy_front(&mut self, base: &Sequence, end: usize) {
        debug_assert!(self.sequence.is_empty());
        self.sequence = base.prefix(end);
    }

    /// Copies the statements from `start` on, inputs moved to where `moved` says earlier ones are.
    fn copy_rest(&mut self, base: &Sequence, start: usize, moved: &mut Vec<usize>) {
        for at in start..base.len() {
            let inputs: Vec<usize> = base.inputs_of(at).map(|input| moved[input]).collect();
            let statement = self.sequence.push(base.statements()[at].action.clone(), &inputs);
            moved.push(statement);
        }
    }

    fn change_literal(&mut self, base: &Sequence) -> Option<()> {
        let changeable = |&at: &usize| match &base.statements()[at].action {
            Action::Literal(literal) => !matches!(literal, Literal::Null(of) if LiteralKind::of(of).is_none()),
            Action::Call(_) => false,
        };
        let literals: Vec<usize> = (0..base.len()).filter(changeable).collect();
        if literals.is_empty() {
            return self.append_call(base);
        }
        let draw = |rng: &mut ChaCha8Rng| literals[rng.random_range(0..literals.len())];
        let (first, second) = (draw(self.rng), draw(self.rng));
        // Of two texts the longer one has more that can be changed.
        let is_longer = text_length(base, first).is_some_and(|length| text_length(base, second) > Some(length));
        let at = if is_longer { second } else { first };
        let Action::Literal(old) = &base.statements()[at].action else { return None };
        let uses: Vec<(usize, usize)> = uses_of(base, at).collect();
        // One of several uses alone, sometimes: another key is asked for than the one that was put in.
        let alone = match uses.len() > 1 && self.rng.random_bool(P_ONE_USE) {
            true => Some(uses[self.rng.random_range(0..uses.len())]),
            false => None,
        };
        let role_of = |(user, position): (usize, usize)| Some((base.call_at(user)?, position));
        self.role = alone.or(uses.first().copied()).and_then(role_of);
        let class = self.role.and_then(|(operation, _)| self.sources.model.class_of(operation));
        let class = class.or_else(|| self.sources.model.program.class_of_sequence(base));
        let place = alone.map_or(at, |(user, _)| user);
        self.copy_front(base, place);
        let other = match self.given_value() {
            Some(given) => given,
            None => {
                let literal = self.other_literal(base, old, class)?;
                self.sequence.push_literal(literal)
            }
        };
        let mut moved: Vec<usize> = (0..place).collect();
        match alone {
            None => moved.push(other),
            Some((user, changed)) => {
                let mut inputs: Vec<usize> = base.inputs_of(user).collect();
                inputs[changed] = other;
                moved.push(self.sequence.push(base.statements()[user].action.clone(), &inputs));
            }
        }
        self.copy_rest(base, place + 1, &mut moved);
        Some(())
    }

    /// Calls an operation under test on a value of the sequence, after it.
    fn append_call(&mut self, base: &Sequence) -> Option<()> {
        self.copy_front(base, base.len());
        let receiver = self.value_of_interest(base.len())?;
        self.call_on(receiver, CallPurpose::Any)
    }

    /// The same, before the last statement.
    fn insert_call(&mut self, base: &Sequence) -> Option<()> {
        let last = base.len().checked_sub(1)?;
        self.copy_front(base, last);
        let receiver = self.value_of_interest(last)?;
        self.call_on(receiver, CallPurpose::Change)?;
        let mut moved: Vec<usize> = (0..last).collect();
        self.copy_rest(base, last, &mut moved);
        Some(())
    }

    /// A reference value of a call among the first `end` statements; late ones are likelier.
    fn value_of_interest(&mut self, end: usize) -> Option<usize> {
        let program = self.sources.model.program;
        let interesting = |&at: &usize| {
            matches!(self.sequence.statements()[at].action, Action::Call(_))
                && (self.sequence.output_of(at, &program.operations)).is_some_and(|output| !output.is_primitive())
        };
        let values: Vec<usize> = (0..end).filter(interesting).collect();
        if values.is_empty() {
            return None;
        }
        let draw = |rng: &mut ChaCha8Rng| rng.random_range(0..values.len());
        Some(values[draw(self.rng).max(draw(self.rng))])
    }

    fn call_on(&mut self, value: usize, wanted: CallPurpose) -> Option<()> {
        let model = self.sources.model;
        let output = self.sequence.output_of(value, &model.program.operations)?;
        let consumers = match wanted {
            CallPurpose::Any => &model.consumers,
            CallPurpose::Change => &model.changers,
        };
        let consumers = consumers.get(&output)?;
        let is_mock = model.is_mock(&self.sequence, value);
        let others: Vec<(OperationId, usize)>;
        let consumers = match is_mock {
            true => {
                others = consumers.iter().filter(|role| !model.is_receiver(**role)).copied().collect();
                &others
            }
            false => consumers,
        };
        if consumers.is_empty() {
            return None;
        }
        let draw = |rng: &mut ChaCha8Rng| consumers[rng.random_range(0..consumers.len())];
        let (first, second) = (draw(self.rng), draw(self.rng));
        let weights = self.sources.weights;
        let (operation, at) = if weights.of(second.0) > weights.of(first.0) { second } else { first };
        // Quarantined, closed, or left out of this round.
        if weights.of(operation) <= 0.0 {
            return None;
        }
        self.call(operation, Some((at, value)), PRODUCER_DEPTH)?;
        Some(())
    }

    /// Gives a statement another value for one of its reference inputs.
    fn replace_input(&mut self, base: &Sequence) -> Option<()> {
        let model = self.sources.model;
        let mut places = Vec::new();
        for (at, statement) in base.statements().iter().enumerate() {
            if let Action::Call(operation) = &statement.action {
                let inputs = model.inputs(*operation);
                let is_place = |position: &usize| inputs.get(*position).is_some_and(|input| !input.of.is_primitive());
                places.extend((0..statement.inputs.len()).filter(is_place).map(|position| (at, position, *operation)));
            }
        }
        if places.is_empty() {
            return None;
        }
        let (at, position, operation) = places[self.rng.random_range(0..places.len())];
        self.copy_front(base, at);
        let input = &model.inputs(operation)[position];
        let mut inputs: Vec<usize> = base.inputs_of(at).collect();
        self.role = Some((operation, position));
        inputs[position] = self.input(input, model.class_of(operation), PRODUCER_DEPTH)?;
        let mut moved: Vec<usize> = (0..at).collect();
        moved.push(self.sequence.push_call(operation, &inputs));
        self.copy_rest(base, at + 1, &mut moved);
        Some(())
    }

    /// The sequence and another behind it, which takes one of the first one's values.
    fn splice(&mut self, base: &Sequence, other: &Sequence) -> Option<()> {
        let model = self.sources.model;
        self.enter(model.package_of_sequence(other).ok()?)?;
        self.copy_front(base, base.len());
        let value = self.value_of_interest(base.len())?;
        let made = self.sequence.output_of(value, &model.program.operations)?;
        let takes = |(at, position): &(usize, usize)| {
            let Action::Call(operation) = other.statements()[*at].action else { return false };
            let input = model.inputs(operation).get(*position);
            input.is_some_and(|input| model.program.types.is_assignable(&made, &input.of))
        };
        let places = (0..other.len()).flat_map(|at| (0..other.inputs_of(at).len()).map(move |position| (at, position)));
        let places: Vec<(usize, usize)> = places.filter(takes).collect();
        if places.is_empty() {
            return None;
        }
        let place = places[self.rng.random_range(0..places.len())];
        let offset = base.len();
        for (at, statement) in other.statements().iter().enumerate() {
            let input = |(position, input)| if (at, position) == place { value } else { offset + input };
            let inputs: Vec<usize> = other.inputs_of(at).enumerate().map(input).collect();
            self.sequence.push(statement.action.clone(), &inputs);
        }
        Some(())
    }

    /// Leaves out a call that nothing else needs.
    fn delete(&mut self, base: &Sequence) -> Option<()> {
        if call_count(base) < 2 {
            return None;
        }
        let needed = |at: usize| (at + 1..base.len()).any(|user| base.inputs_of(user).any(|input| input == at));
        let unneeded: Vec<usize> = (0..base.len()).filter(|&at| !needed(at)).collect();
        let at = unneeded[self.rng.random_range(0..unneeded.len())];
        self.sequence = base.retain(|index| index != at)?;
        Some(())
    }
}

/// The length of the text that the statement is, if it is one.
fn text_length(sequence: &Sequence, at: usize) -> Option<usize> {
    match &sequence.statements()[at].action {
        Action::Literal(Literal::String(text)) => Some(text.units().len()),
        _ => None,
    }
}

/// The statements that take the value of a statement, each with the place among its inputs.
fn uses_of(sequence: &Sequence, of: usize) -> impl Iterator<Item = (usize, usize)> {
    let inputs = move |user| sequence.inputs_of(user).enumerate().map(move |(place, input)| (user, place, input));
    let uses = (of + 1..sequence.len()).flat_map(inputs);
    uses.filter(move |(_, _, input)| *input == of).map(|(user, place, _)| (user, place))
}

/// The inputs of operations that take the value of a statement.
fn roles_of(sequence: &Sequence, of: usize) -> impl Iterator<Item = Role> {
    uses_of(sequence, of).filter_map(|(user, place)| Some((sequence.call_at(user)?, place)))
}
