//! Objects made without detours: `new Order().total()` becomes `Money.euros("0")` where any amount will do.

use super::shrink::{natural_text, taken_as};
use super::{At, Best, Knowledge, SUBSTITUTES, StatementChange};
use crate::reader_cost;
use model::execution::{Observed, Outcome, Value};
use model::jvm::types::TypeTable;
use model::jvm::{JavaString, Literal, Type};
use model::sequence::{Action, Operation, OperationId, OperationKind, Sequence};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// How objects are made: for each type the sequences that make one, the cheapest to read first, each with its cost.
#[derive(Debug, Default)]
pub(super) struct Makers {
    of_type: BTreeMap<Type, Vec<Maker>>,
    /// Literals that calls took which returned, by operation and input, the plainest first.
    accepted: FxHashMap<(OperationId, usize), Vec<Literal>>,
    /// Types that have public constructors.
    constructed: FxHashSet<Type>,
    /// For types that were asked for, what fits them.
    fitting: Mutex<FxHashMap<Type, Arc<[Maker]>>>,
}

/// The cost of a sequence and the sequence.
type Maker = (u32, Arc<Sequence>);

/// What a reader pays for an object that a static method of another class makes, such as a parser's, where its own constructor could.
const DETOUR: u32 = 150;

impl Makers {
    /// The cheapest makers of what is assignable to the type.
    pub(super) fn fitting(&self, need: &Type, types: &TypeTable) -> Arc<[Maker]> {
        let mut fitting = self.fitting.lock().expect("no pass panics");
        let find = || {
            let all = self.of_type.iter().filter(|(made, _)| types.is_assignable(made, need));
            let mut all: Vec<Maker> = all.flat_map(|(_, makers)| makers.iter().cloned()).collect();
            all.sort_by_key(|(cost, _)| *cost);
            all.truncate(SUBSTITUTES);
            all.into()
        };
        fitting.entry(need.clone()).or_insert_with(find).clone()
    }
}

/// What the operation costs beside its call: it makes an object of another class, which has a public constructor.
fn detour_of(operation: &Operation, constructed: &FxHashSet<Type>) -> u32 {
    let made = operation.output.as_ref().filter(|_| operation.kind == OperationKind::StaticMethod);
    let is_detour =
        made.is_some_and(|made| made.class_name() != Some(&operation.owner) && constructed.contains(&made.erased()));
    if is_detour { DETOUR } else { 0 }
}

/// The makers that the sequences contain. The last statement of a sequence may have thrown, so it makes nothing.
pub(super) fn makers<'s>(sequences: impl Iterator<Item = &'s Sequence>, operations: &[Operation]) -> Makers {
    let constructors =
        operations.iter().filter(|operation| operation.kind == OperationKind::Constructor && operation.public);
    let constructed: FxHashSet<Type> = constructors.map(|operation| Type::Class(operation.owner.clone())).collect();
    let mut makers: BTreeMap<Type, Vec<Maker>> = BTreeMap::new();
    let mut accepted: FxHashMap<(OperationId, usize), Vec<Literal>> = FxHashMap::default();
    for sequence in sequences {
        for at in 0..sequence.len().saturating_sub(1) {
            let Action::Call(operation) = sequence.statements()[at].action else { continue };
            for (slot, input) in sequence.inputs_of(at).enumerate() {
                if let Some(literal) = sequence.literal_at(input).filter(|literal| !matches!(literal, Literal::Null(_)))
                {
                    add_accepted(accepted.entry((operation, slot)).or_default(), literal);
                }
            }
            let is_made = !matches!(operations[operation.0 as usize].kind, OperationKind::Array | OperationKind::Cast);
            let Some(of) = operations[operation.0 as usize].output.as_ref().filter(|of| is_made && !of.is_primitive())
            else {
                continue;
            };
            let needed = sequence.needed_by(|index| index == at);
            let detour = detour_of(&operations[operation.0 as usize], &constructed);
            let cost = cost_of(sequence, |index| needed[index], operations) + detour;
            let known = makers.entry(of.clone()).or_default();
            // One for each operation: other literals of the same call are no other makers.
            if let Some(like) = known.iter().position(|(_, other)| other.call_at(other.len() - 1) == Some(operation)) {
                if known[like].0 <= cost {
                    continue;
                }
                known.remove(like);
            }
            if known.len() == SUBSTITUTES && known.last().is_some_and(|(most, _)| *most <= cost) {
                continue;
            }
            let Some(maker) = sequence.prefix(at + 1).retain(|index| needed[index]) else { continue };
            let is_public = maker.calls().all(|call| operations[call.0 as usize].public);
            if is_public && !known.iter().any(|(_, other)| **other == maker) {
                let place = known.partition_point(|(other, _)| *other <= cost);
                known.insert(place, (cost, Arc::new(maker)));
                known.truncate(SUBSTITUTES);
            }
        }
    }
    Makers { of_type: makers, accepted, constructed, ..Makers::default() }
}

/// Adds a literal to those that cost a reader less.
fn add_accepted(known: &mut Vec<Literal>, literal: &Literal) {
    if known.contains(literal) {
        return;
    }
    let cost = |literal: &Literal| reader_cost::of_action(&Action::Literal(literal.clone()), &[]);
    let place = known.partition_point(|other| cost(other) <= cost(literal));
    known.insert(place, literal.clone());
    known.truncate(SUBSTITUTES);
}

/// In a test of a rejection, arguments of the rejected call among the first `end` statements that other calls took: who reads that two
/// numbers are negative does not know which one is rejected.
pub(super) fn accepted_arguments(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let sequence = &best.sequence;
    let rejected = matches!(best.execution.outcome, Outcome::Threw { .. }).then(|| sequence.throwing()).flatten();
    let Some((makers, thrower)) = knowledge.makers.get().zip(rejected) else { return Vec::new() };
    let Some(operation) = sequence.call_at(thrower) else { return Vec::new() };
    let users =
        |at: usize| (at + 1..sequence.len()).flat_map(|user| sequence.inputs_of(user)).filter(|it| *it == at).count();
    let mut changes = Vec::new();
    for (slot, input) in sequence.inputs_of(thrower).enumerate().filter(|(_, input)| *input < end && users(*input) == 1)
    {
        let Some((literal, known)) = sequence.literal_at(input).zip(makers.accepted.get(&(operation, slot))) else {
            continue;
        };
        // A name that is no cause is the plainest already, and the same value twice hides which one is meant.
        let is_natural = || {
            taken_as(sequence, input, knowledge).and_then(|(user, slot)| natural_text(user, slot)).as_ref()
                == Some(literal)
        };
        if known.contains(literal) || is_natural() {
            continue;
        }
        let is_elsewhere = |one: &Literal| {
            !matches!(one, Literal::Boolean(_))
                && sequence.inputs_of(thrower).any(|other| sequence.literal_at(other) == Some(one))
        };
        let replace = |one: &Literal| (input, StatementChange::Replace(Action::Literal(one.clone())));
        changes.extend(known.iter().filter(|one| !is_elsewhere(one)).map(replace));
    }
    changes
}

/// What a reader pays for some statements.
fn cost_of(sequence: &Sequence, is_counted: impl Fn(usize) -> bool, operations: &[Operation]) -> u32 {
    let counted = sequence.statements().iter().enumerate().filter(|(at, _)| is_counted(*at));
    counted.map(|(_, statement)| reader_cost::of_action(&statement.action, operations)).sum()
}

/// A cheaper maker of the same type in place of a call among the first `end` statements, where that takes less than what is
/// needed for the call alone; or the constructor in place of a method that costs as much: `new Options()` for `parsePattern("")`, and
/// `new Options().addOption("a", "description")` for `parsePattern("a")`.
pub(super) fn plainer_makers(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let Some(makers) = knowledge.makers.get() else { return Vec::new() };
    let sequence = &best.sequence;
    let mut changes = Vec::new();
    for at in (0..end).rev() {
        let Action::Call(operation) = sequence.statements()[at].action else { continue };
        let is_value = |made: &Type| !made.is_primitive();
        let needs = knowledge.needs_of(sequence, at);
        if !needs.first().is_some_and(|need| is_value(need)) {
            continue;
        }
        let kind = knowledge.operations[operation.0 as usize].kind;
        if kind == OperationKind::Cast {
            continue;
        }
        // What takes any object, such as `toString`, is not there for any object.
        let own = sequence.output_of(at, knowledge.operations);
        let takes_any = needs.iter().all(|need| **need == Type::object());
        let needs = if takes_any { own.iter().collect() } else { needs };
        let Some(need) = needs.first() else { continue };
        let plainer = makers.fitting(need, knowledge.types);
        let detour = detour_of(&knowledge.operations[operation.0 as usize], &makers.constructed);
        let cost = cost_of_own(sequence, at, knowledge.operations) + detour;
        let is_constructor = |of: OperationId| {
            let operation = &knowledge.operations[of.0 as usize];
            operation.kind == OperationKind::Constructor
                && Some(&operation.owner) == own.as_ref().and_then(Type::class_name)
        };
        let is_direct =
            |maker: &Sequence| !is_constructor(operation) && maker.call_at(maker.len() - 1).is_some_and(is_constructor);
        let cheaper = plainer.iter().filter(|(other, maker)| *other < cost || *other == cost && is_direct(maker));
        // Null would be there for another reason than what it was made for; and what is called on a mock shows nothing.
        let is_called = (at + 1..sequence.len()).any(|user| {
            let operation = knowledge.called(sequence, user).filter(|operation| operation.has_receiver());
            operation.is_some() && sequence.inputs_of(user).next() == Some(at)
        });
        let is_mock = |maker: &Sequence| knowledge.called(maker, maker.len() - 1).is_some_and(|it| it.mock);
        let cheaper = cheaper
            .filter(|(_, maker)| !(takes_null(maker) || is_called && is_mock(maker)) && knowledge.makes(maker, &needs));
        for (_, maker) in cheaper {
            changes.push((at, StatementChange::Graft(maker.clone())));
            let is_shorter = detour > 0 && maker.call_at(maker.len() - 1) != Some(operation);
            let texts = if is_shorter { texts_of(sequence, at) } else { Vec::new() };
            let named = texts.into_iter().filter_map(|text| with_text(maker, text));
            changes.extend(named.map(|named| (at, StatementChange::Graft(Arc::new(named)))));
        }
    }
    changes
}

/// The texts that the call takes, and what is left of them without signs: what names an option in a pattern may name it elsewhere.
fn texts_of(sequence: &Sequence, at: usize) -> Vec<JavaString> {
    let texts = sequence.inputs_of(at).filter_map(|input| match sequence.literal_at(input) {
        Some(Literal::String(text)) => Some(text.clone()),
        _ => None,
    });
    let mut found: Vec<JavaString> = Vec::new();
    for text in texts {
        let is_letter = |unit: &u16| u8::try_from(*unit).is_ok_and(|unit| unit.is_ascii_alphanumeric());
        let letters = JavaString::from_units(&text.units().iter().copied().filter(is_letter).collect::<Vec<u16>>());
        found.extend([text, letters].into_iter().filter(|text| !text.units().is_empty()));
    }
    found.dedup();
    found
}

/// The maker, whose last call takes the text in place of its first one; `None` if it takes none, or the same.
fn with_text(maker: &Sequence, text: JavaString) -> Option<Sequence> {
    let is_text = |at: &usize| matches!(maker.literal_at(*at), Some(Literal::String(known)) if *known != text);
    let place = maker.inputs_of(maker.len() - 1).find(is_text)?;
    let mut changed = Sequence::new();
    for (at, statement) in maker.statements().iter().enumerate() {
        let inputs: Vec<usize> = maker.inputs_of(at).collect();
        match at == place {
            true => changed.push(Action::Literal(Literal::String(text.clone())), &inputs),
            false => changed.push(statement.action.clone(), &inputs),
        };
    }
    Some(changed)
}

/// An object of the library in place of one of an anonymous class among the first `end` statements: an abstract class is shown through
/// those that extend it.
pub(super) fn concrete_makers(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let is_anonymous = |at: usize| {
        knowledge.called(&best.sequence, at).is_some_and(|operation| operation.kind == OperationKind::Implementation)
    };
    plainer_makers(best, end, knowledge).into_iter().filter(|(at, _)| is_anonymous(*at)).collect()
}

/// Most that a reader pays for a value in place of null.
const WORTH_OF_NULL: u32 = 450;

/// A plain text, an empty array or the cheapest maker in place of null among the first `end` statements: who reads that a clock is
/// null looks for what that has to do with the outcome. Null may be what a parameter of any type is about. Makers take no null
/// themselves, which would be filled in turn.
pub(super) fn fill_nulls(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let sequence = &best.sequence;
    let mut changes = Vec::new();
    for at in 0..end {
        let Some(Literal::Null(_)) = sequence.literal_at(at) else { continue };
        let needs = knowledge.needs_of(sequence, at);
        let Some((operation, slot)) = taken_as(sequence, at, knowledge) else { continue };
        let allows_null = operation.nullable.contains(&(slot + usize::from(operation.has_receiver())));
        let Some(need) = needs.first().filter(|need| **need != &Type::object() && !allows_null) else { continue };
        if need.is_string() {
            let text = natural_text(operation, slot).unwrap_or(Literal::String("a".into()));
            changes.push((at, StatementChange::Replace(Action::Literal(text))));
            continue;
        }
        let array = array_of(need, knowledge.operations).filter(|_| needs.iter().all(|other| other == need));
        changes.extend(array.map(|array| (at, StatementChange::Replace(Action::Call(array)))));
        if let Some(makers) = knowledge.makers.get() {
            let makers = makers.fitting(need, knowledge.types);
            let is_plain =
                |(cost, maker): &&Maker| *cost <= WORTH_OF_NULL && !takes_null(maker) && knowledge.makes(maker, &needs);
            let plain = makers.iter().find(is_plain);
            changes.extend(plain.map(|(_, maker)| (at, StatementChange::Graft(maker.clone()))));
        }
    }
    changes
}

fn takes_null(maker: &Sequence) -> bool {
    (0..maker.len()).any(|at| matches!(maker.literal_at(at), Some(Literal::Null(_))))
}

/// What makes arrays of the type.
pub(super) fn array_of(need: &Type, operations: &[Operation]) -> Option<OperationId> {
    let makes =
        |operation: &Operation| operation.kind == OperationKind::Array && operation.output.as_ref() == Some(need);
    operations.iter().position(makes).filter(|_| matches!(need, Type::Array(_))).map(|at| OperationId(at as u32))
}

/// What a reader pays for what is needed for the value of a statement alone, and for calls that only prepare that:
/// `table.register("a")` before `table.teams()`. What such calls take beside literals must be needed for the value, too.
fn cost_of_own(sequence: &Sequence, at: usize, operations: &[Operation]) -> u32 {
    let needed = sequence.needed_by(|index| index == at);
    let is_literal = |index: usize| sequence.literal_at(index).is_some();
    let is_used = |index: usize| (index + 1..at).any(|user| sequence.inputs_of(user).any(|input| input == index));
    let prepares = |index: usize| {
        let mut objects = sequence.inputs_of(index).filter(|input| !is_literal(*input)).peekable();
        index < at && !needed[index] && !is_used(index) && objects.peek().is_some() && objects.all(|it| needed[it])
    };
    // What others need, if they get the value from elsewhere; they also need what prepares an object that they share.
    let is_root = |index: usize| !needed[index] && !prepares(index) && !is_literal(index);
    let mut otherwise: Vec<bool> = (0..sequence.len()).map(is_root).collect();
    let backwards = || (0..sequence.len()).rev().filter(|user| *user != at);
    for user in backwards().chain(backwards()) {
        let is_shared = |input: usize| otherwise[input] && !is_literal(input);
        otherwise[user] |= prepares(user) && sequence.inputs_of(user).any(is_shared);
        if otherwise[user] {
            sequence.inputs_of(user).for_each(|input| otherwise[input] = true);
        }
    }
    let own = sequence.needed_by(|index| index == at || prepares(index) && !otherwise[index]);
    cost_of(sequence, |index| own[index] && (index == at || !otherwise[index]), operations)
}

/// Longest list that is written down.
const LONGEST_LIST: usize = 4;
/// Statements of a value that is written down elsewhere too: such a list, or an object made of a few literals.
pub(super) const SPELLED: usize = LONGEST_LIST + 2;

/// Writes down what a call among the first `end` statements returned: `number.country()` becomes `Country.US`,
/// `types.get('#')` becomes `Date.class`, `policy.check("a")` becomes `List.of("must be new")`, and `price.times(3)` becomes
/// `Money.euros("59.97")`.
pub(super) fn fold_values(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let sequence = &best.sequence;
    let mut changes = Vec::new();
    for at in 0..end {
        let Action::Call(operation) = sequence.statements()[at].action else { continue };
        let Some(Value::Object { observed: Observed::Value(described), .. }) = best.execution.values.get(at) else {
            continue;
        };
        if described.size().is_some_and(|size| !(1..=LONGEST_LIST).contains(&size)) {
            continue;
        }
        let Some(written) = knowledge.writer().sequence_of(described) else { continue };
        let needs = knowledge.needs_of(sequence, at);
        if needs.is_empty() || !knowledge.makes(&written, &needs) {
            continue;
        }
        let is_cheaper = || {
            let cost = cost_of_own(sequence, at, knowledge.operations);
            reader_cost::of(&written, None, knowledge.operations) < cost
        };
        match &written.statements()[written.len() - 1].action {
            Action::Call(constant) if written.len() == 1 => {
                let change = StatementChange::Replace(Action::Call(*constant));
                changes.extend((*constant != operation).then_some((at, change)));
            }
            literal @ Action::Literal(_) => changes.push((at, StatementChange::Replace(literal.clone()))),
            Action::Call(_) if is_cheaper() => changes.push((at, StatementChange::Graft(Arc::new(written)))),
            Action::Call(_) => {}
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytecode::analysis::purity::Effects;
    use model::execution::described::{Described, ElementsKind};
    use model::execution::{Execution, Thrown};
    use model::jvm::ClassName;
    use model::jvm::MethodDescriptor;

    const USE: OperationId = OperationId(0);
    const NEW: OperationId = OperationId(1);
    const COPY: OperationId = OperationId(2);

    /// `use(Money)`, `new Money()`, `copyOf(Money)`, a constant of the enum `Money`, `new String[]`, `List.of`, and others.
    fn operations() -> Vec<Operation> {
        let money = ClassName::new("p/Money");
        let of = |kind, owner: &ClassName, name: &str, parameters: Vec<Type>, returns: Option<Type>| {
            Operation::new(kind, owner.clone(), name, MethodDescriptor { parameters, returns })
        };
        let (one, strings) = (Type::Class(money.clone()), Type::array(Type::string()));
        let list = ClassName::new("java/util/List");
        vec![
            of(OperationKind::StaticMethod, &money, "use", vec![one.clone()], None),
            of(OperationKind::Constructor, &money, "<init>", Vec::new(), None),
            of(OperationKind::StaticMethod, &money, "copyOf", vec![one.clone()], Some(one.clone())),
            of(OperationKind::GetStatic, &money, "CENT", Vec::new(), Some(one)),
            of(OperationKind::Array, &money, "", vec![Type::string()], Some(strings.clone())),
            of(OperationKind::StaticMethod, &list, "of", vec![strings], Some(Type::Class(list.clone()))),
            of(OperationKind::StaticMethod, &money, "take", vec![Type::Class(list.clone())], None),
            of(OperationKind::StaticMethod, &money, "names", Vec::new(), Some(Type::Class(list.clone()))),
            of(OperationKind::InstanceMethod, &list, "subList", Vec::new(), Some(Type::Class(list.clone()))),
            of(OperationKind::StaticMethod, &money, "takeAny", vec![Type::object()], None),
        ]
    }

    #[test]
    fn text_of_a_pattern_is_taken_by_the_constructor() {
        let money = ClassName::new("p/Money");
        let of = |kind, owner: &ClassName| {
            let descriptor =
                MethodDescriptor { parameters: vec![Type::string()], returns: Some(Type::Class(money.clone())) };
            Operation { public: true, ..Operation::new(kind, owner.clone(), "it", descriptor) }
        };
        let take = MethodDescriptor { parameters: vec![Type::Class(money.clone())], returns: None };
        let operations = [
            of(OperationKind::StaticMethod, &ClassName::new("p/Parser")),
            of(OperationKind::Constructor, &money),
            Operation::new(OperationKind::StaticMethod, money.clone(), "take", take),
        ];
        let made_by = |maker: u32, text: &str| {
            let mut sequence = Sequence::new();
            let text = sequence.push_literal(Literal::String(text.into()));
            let made = sequence.push_call(OperationId(maker), &[text]);
            sequence.push_call(OperationId(2), &[made]);
            sequence
        };
        let types = TypeTable::default();
        let knowledge = Knowledge::new(&operations, &[Effects::ALL; 3], &types);
        knowledge.know_makers([made_by(0, "euros"), made_by(1, "cents")].iter());
        let best = Best { sequence: made_by(0, "e!"), execution: Execution::ended(Outcome::Completed) };
        let texts = plainer_makers(&best, 2, &knowledge).into_iter().map(|(_, change)| match change {
            StatementChange::Graft(maker) => (maker.call_at(1), maker.literal_at(0).cloned()),
            other => panic!("{other:?}"),
        });
        let made_of = |(maker, text): (u32, &str)| (Some(OperationId(maker)), Some(Literal::String(text.into())));
        let expected = [(1, "cents"), (1, "e!"), (1, "e"), (0, "euros")];
        assert_eq!(texts.collect::<Vec<_>>(), expected.map(made_of));
    }

    fn check(
        statements: &[(OperationId, &[usize])],
        values: Vec<Value>,
        pass: fn(&Best, usize, &Knowledge) -> Vec<At>,
        expected: &[(usize, &[OperationId])],
    ) {
        let (operations, types) = (operations(), TypeTable::default());
        let effects = vec![Effects::ALL; operations.len()];
        let knowledge = Knowledge::new(&operations, &effects, &types);
        let mut plain = Sequence::new();
        let made = plain.push_call(NEW, &[]);
        plain.push_call(USE, &[made]);
        knowledge.know_makers([&plain].into_iter());
        let mut sequence = Sequence::new();
        for (operation, inputs) in statements {
            sequence.push_call(*operation, inputs);
        }
        let end = sequence.len() - 1;
        let best = Best { sequence, execution: Execution { values, ..Execution::ended(Outcome::Completed) } };
        let found: Vec<(usize, Vec<OperationId>)> = (pass(&best, end, &knowledge).into_iter())
            .map(|(at, change)| match change {
                StatementChange::Graft(other) => (at, other.calls().collect()),
                StatementChange::Replace(Action::Call(operation)) => (at, vec![operation]),
                StatementChange::Replace(Action::Literal(_)) => (at, Vec::new()),
                other => panic!("{other:?}"),
            })
            .collect();
        let expected: Vec<_> = expected.iter().map(|(at, calls)| (*at, calls.to_vec())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn detour_gives_way_to_the_cheapest_maker() {
        let statements: [(OperationId, &[usize]); 4] = [(NEW, &[]), (COPY, &[0]), (COPY, &[1]), (USE, &[2])];
        check(&statements, Vec::new(), plainer_makers, &[(2, &[NEW]), (1, &[NEW])]);
    }

    #[test]
    fn calls_that_only_prepare_a_value_are_part_of_its_cost() {
        let operations = operations();
        let text = || Literal::String("odd? text".into());
        let mut sequence = Sequence::new();
        let money = sequence.push_call(NEW, &[]);
        let note = sequence.push_literal(text());
        sequence.push_call(USE, &[money, note]);
        let copy = sequence.push_call(COPY, &[money]);
        let cost = |sequence: &Sequence, counted: &[usize]| cost_of(sequence, |at| counted.contains(&at), &operations);
        assert_eq!(cost_of_own(&sequence, copy, &operations), cost(&sequence, &[0, 1, 2, 3]));
        // A text that others take, too, stays; the call that takes it here goes.
        let mut with_shared_text = sequence.clone();
        with_shared_text.push_call(USE, &[copy, note]);
        assert_eq!(cost_of_own(&with_shared_text, copy, &operations), cost(&sequence, &[0, 2, 3]));
        // If others take the money, what was done to it may be for them.
        sequence.push_call(USE, &[money]);
        assert_eq!(cost_of_own(&sequence, copy, &operations), cost(&sequence, &[copy]));
    }

    #[test]
    fn constants_classes_and_lists_that_calls_returned_are_written_down() {
        let money = ClassName::new("p/Money");
        let value = |described| Value::Object { class: Type::object(), observed: Observed::Value(described) };
        let cent = || value(Described::Constant(money.clone(), "CENT".to_string()));
        let statements: [(OperationId, &[usize]); 2] = [(COPY, &[]), (USE, &[0])];
        check(&statements, vec![cent(), Value::Void], fold_values, &[(0, &[OperationId(3)])]);
        let class = value(Described::Literal(Literal::Class(Type::string())));
        let statements: [(OperationId, &[usize]); 2] = [(COPY, &[]), (OperationId(9), &[0])];
        check(&statements, vec![class, Value::Void], fold_values, &[(0, &[])]);
        let text = Described::Literal(Literal::String("a".into()));
        let list = || value(Described::elements(ElementsKind::List, vec![text.clone()]));
        let [names, sub_list, take] = [7, 8, 6].map(OperationId);
        let statements: [(OperationId, &[usize]); 4] = [(names, &[]), (sub_list, &[0]), (sub_list, &[1]), (take, &[2])];
        let written: &[OperationId] = &[OperationId(4), OperationId(5)];
        check(&statements, vec![list(), list(), list(), Value::Void], fold_values, &[(2, written)]);
    }

    #[test]
    fn null_that_matters_to_nothing_gives_way_to_a_value() {
        let (mut operations, types) = (operations(), TypeTable::default());
        let greet = MethodDescriptor { parameters: vec![Type::string()], returns: None };
        operations.push(Operation {
            parameter_names: vec!["name".into()],
            ..Operation::new(OperationKind::StaticMethod, ClassName::new("p/Money"), "greet", greet)
        });
        let greet = OperationId(operations.len() as u32 - 1);
        let effects = vec![Effects::ALL; operations.len()];
        let mut plain = Sequence::new();
        let made = plain.push_call(NEW, &[]);
        plain.push_call(USE, &[made]);
        let filled = |operations: &[Operation], operation: OperationId, of: Type| {
            let knowledge = Knowledge::new(operations, &effects, &types);
            knowledge.know_makers([&plain].into_iter());
            let mut sequence = Sequence::new();
            let null = sequence.push_literal(Literal::Null(of));
            sequence.push_call(operation, &[null]);
            let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
            fill_nulls(&best, 1, &knowledge).pop().map(|(_, change)| match change {
                StatementChange::Graft(maker) => format!("{:?}", maker.calls().collect::<Vec<_>>()),
                StatementChange::Replace(Action::Literal(literal)) => format!("{literal:?}"),
                StatementChange::Replace(Action::Call(call)) => format!("{:?}", [call]),
                other => panic!("{other:?}"),
            })
        };
        let money = || Type::class("p/Money");
        assert_eq!(filled(&operations, USE, money()), Some(format!("{:?}", [NEW])));
        assert_eq!(filled(&operations, greet, Type::string()), Some(format!("{:?}", Literal::String("name".into()))));
        let (strings, list_of) = (OperationId(4), OperationId(5));
        let array = Type::array(Type::string());
        assert_eq!(filled(&operations, list_of, array), Some(format!("{:?}", [strings])));
        operations[0].nullable = vec![0];
        assert_eq!(filled(&operations, USE, money()), None);
    }

    #[test]
    fn maker_that_takes_null_does_not_take_the_place_of_null() {
        let null = Literal::Null(Type::class("p/Money"));
        assert!(takes_null(&moved([null, Literal::Int(1)])));
        assert!(!takes_null(&moved([Literal::Int(1), Literal::Int(2)])));
    }

    /// A call of `move` with these arguments.
    fn moved(arguments: [Literal; 2]) -> Sequence {
        let mut sequence = Sequence::new();
        let inputs = arguments.map(|argument| sequence.push_literal(argument));
        sequence.push_call(USE, &inputs);
        sequence
    }

    /// What is tried in place of the arguments of a call that ends like this, where `taken` was accepted.
    fn accepted(of: Type, taken: [Literal; 2], arguments: [Literal; 2], outcome: Outcome) -> Vec<(usize, String)> {
        let descriptor = MethodDescriptor { parameters: vec![of.clone(), of], returns: None };
        let mut operations = [Operation::new(OperationKind::StaticMethod, ClassName::new("p/A"), "move", descriptor)];
        operations[0].parameter_names = vec!["place".into(), "target".into()];
        let (effects, types) = ([Effects::ALL], TypeTable::default());
        let knowledge = Knowledge::new(&operations, &effects, &types);
        let mut taken = moved(taken);
        taken.append(&moved(arguments.clone()));
        knowledge.know_makers([&taken].into_iter());
        let best = Best { sequence: moved(arguments), execution: Execution::ended(outcome) };
        let changes = accepted_arguments(&best, 2, &knowledge).into_iter();
        changes.map(|(at, change)| (at, format!("{change:?}"))).collect()
    }

    fn replaced(at: usize, by: Literal) -> (usize, String) {
        (at, format!("{:?}", StatementChange::Replace(Action::Literal(by))))
    }

    #[test]
    fn arguments_of_a_rejected_call_give_way_to_those_that_others_took() {
        let thrown = Thrown {
            class: ClassName::new("p/Refused"),
            nameable: ClassName::new("p/Refused"),
            superclasses: Vec::new(),
            message: None,
            stack: Vec::new(),
        };
        let rejected = || Outcome::Threw { statement: 2, exception: thrown.clone() };
        let int = Literal::Int;
        let numbers = |arguments: [i32; 2], outcome| accepted(Type::INT, [int(3), int(5)], arguments.map(int), outcome);
        assert_eq!(numbers([-1, 5], rejected()), [replaced(0, int(3))]);
        assert_eq!(numbers([-1, 3], rejected()), [replaced(1, int(5))], "3 would be there twice");
        assert_eq!(numbers([-1, 5], Outcome::Completed), []);

        let text = |text: &str| Literal::String(text.into());
        let arguments = [text("place"), text("-")];
        let found = accepted(Type::string(), ["a", "b"].map(text), arguments, rejected());
        assert_eq!(found, [replaced(1, text("b"))], "the parameter's name is plain");
    }
}
