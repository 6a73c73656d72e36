//! The nearest other inputs: sequences that differ from a given one in one value, or in one call on the way.

use super::graft::SPELLED;
use super::{At, Knowledge, StatementChange, apply};
use crate::reader_cost;
use crate::redundancy::sequence_hash;
use model::jvm::{Literal, Primitive};
use model::sequence::{Action, Sequence};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// What a sequence is varied by: the sooner, the nearer to it a reader finds what comes of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    /// Another literal for the last call, or an object for null.
    Argument,
    /// Another literal on the way.
    Literal,
    /// One call fewer.
    Call,
    /// Another object for the last call.
    Object,
}

/// Variations of the sequence that end in the same call, the nearest first, of equals the cheapest to read. `like` are other
/// sequences that end in that call, whose arguments are taken.
pub(crate) fn variations(sequence: &Sequence, like: &[&Sequence], knowledge: &Knowledge) -> Vec<Sequence> {
    let Some(last) = sequence.len().checked_sub(1) else { return Vec::new() };
    let mut changes: Vec<(Distance, At)> = Vec::new();
    for (slot, input) in sequence.inputs_of(last).enumerate() {
        let distance = match sequence.statements()[input].action {
            Action::Literal(_) => Distance::Argument,
            Action::Call(_) => Distance::Object,
        };
        let others = like.iter().filter_map(|other| argument(other, slot));
        changes.extend(others.map(|other| (distance, (input, StatementChange::Graft(Arc::new(other))))));
    }
    let inputs: Vec<usize> = sequence.inputs_of(last).collect();
    for (at, statement) in sequence.statements()[..last].iter().enumerate() {
        match &statement.action {
            Action::Literal(literal) => {
                let distance = if inputs.contains(&at) { Distance::Argument } else { Distance::Literal };
                let others = plain_literals(literal).into_iter().filter(|other| other != literal);
                let replaced = |other| (distance, (at, StatementChange::Replace(Action::Literal(other))));
                changes.extend(others.map(replaced));
            }
            Action::Call(_) => changes.push((Distance::Call, (at, StatementChange::Drop))),
        }
    }
    let mut known: FxHashSet<u64> = [sequence_hash(sequence)].into_iter().collect();
    let mut found: Vec<(Distance, u32, Sequence)> = Vec::new();
    for (distance, change) in changes {
        let mut changes = vec![change];
        changes.extend(only_for(sequence, changes[0].0).into_iter().map(|at| (at, StatementChange::Drop)));
        let Some(varied) = apply(sequence, &changes) else { continue };
        let ends_alike = varied.statements().last().is_some_and(|end| end.action == sequence.statements()[last].action);
        if ends_alike && knowledge.is_typed(&varied) && known.insert(sequence_hash(&varied)) {
            found.push((distance, reader_cost::of(&varied, None, knowledge.operations), varied));
        }
    }
    found.sort_by_key(|(distance, cost, _)| (*distance, *cost));
    found.into_iter().map(|(_, _, varied)| varied).collect()
}

/// The calls that make what only the statement takes.
fn only_for(sequence: &Sequence, at: usize) -> Vec<usize> {
    let is_only_there = |input: &usize| {
        let mut users = (0..sequence.len()).filter(|user| sequence.inputs_of(*user).any(|it| it == *input));
        sequence.call_at(*input).is_some() && users.all(|user| user == at)
    };
    let made: Vec<usize> = sequence.inputs_of(at).filter(is_only_there).collect();
    made.iter().flat_map(|input| only_for(sequence, *input)).chain(made.clone()).collect()
}

/// What makes the argument of the last call, if that is short.
pub(crate) fn argument(sequence: &Sequence, slot: usize) -> Option<Sequence> {
    let input = sequence.inputs_of(sequence.len().checked_sub(1)?).nth(slot)?;
    let needed = sequence.needed_by(|at| at == input);
    let made = sequence.prefix(input + 1).retain(|at| needed[at])?;
    (made.len() <= SPELLED).then_some(made)
}

/// Plain literals of the same type.
pub(crate) fn plain_literals(literal: &Literal) -> Vec<Literal> {
    let numbers = |primitive: Primitive| [1, 2, 10, 100, 0, -1].map(|one| Literal::of_number(one, primitive)).to_vec();
    match literal {
        Literal::Boolean(is_true) => vec![Literal::Boolean(!is_true)],
        Literal::Int(_) => numbers(Primitive::Int),
        Literal::Long(_) => numbers(Primitive::Long),
        Literal::Short(_) => numbers(Primitive::Short),
        Literal::Byte(_) => numbers(Primitive::Byte),
        Literal::Float(_) => [1.0, 0.5, 0.0].map(Literal::float).to_vec(),
        Literal::Double(_) => [1.0, 0.5, 0.0].map(Literal::double).to_vec(),
        Literal::Char(_) => ['a', '1'].map(|letter| Literal::Char(letter as u16)).to_vec(),
        Literal::String(_) => ["a", "b", "c", "abc", "1", "a b", ""].map(|text| Literal::String(text.into())).to_vec(),
        Literal::Class(_) | Literal::Null(_) => Vec::new(),
    }
}

/// How many values or calls lie between the last calls of two sequences: 0 if these are the same, 1 if one value differs or one
/// of the sequences makes one more call on the way.
pub(crate) fn distance(one: &Sequence, other: &Sequence) -> usize {
    let (Some(last), Some(end)) = (one.len().checked_sub(1), other.len().checked_sub(1)) else { return usize::MAX };
    // Calls that the last one does not take anything from.
    let beside = |sequence: &Sequence, last: usize| {
        let needed = sequence.needed_by(|at| at == last);
        let calls = sequence.statements().iter().zip(needed).filter(|(_, needed)| !needed);
        let calls = calls.filter(|(statement, _)| matches!(statement.action, Action::Call(_)));
        calls.map(|(statement, _)| statement.action.clone()).collect::<Vec<Action>>()
    };
    let (mut less, mut more) = (beside(one, last), beside(other, end));
    less.retain(|action| match more.iter().position(|it| it == action) {
        Some(at) => {
            more.remove(at);
            false
        }
        None => true,
    });
    values_between((one, last), (other, end)) + less.len() + more.len()
}

fn values_between((one, at): (&Sequence, usize), (other, to): (&Sequence, usize)) -> usize {
    let is_same = one.statements()[at].action == other.statements()[to].action;
    if !is_same || one.inputs_of(at).len() != other.inputs_of(to).len() {
        return 1;
    }
    let inputs = one.inputs_of(at).zip(other.inputs_of(to));
    inputs.map(|(at, to)| values_between((one, at), (other, to))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytecode::analysis::purity::Effects;
    use model::jvm::types::TypeTable;
    use model::jvm::{ClassName, MethodDescriptor, Type};
    use model::sequence::{Operation, OperationId, OperationKind};

    const NEW: OperationId = OperationId(0);
    const CLOSE: OperationId = OperationId(1);
    const DEPOSIT: OperationId = OperationId(2);

    fn operations() -> Vec<Operation> {
        let account = ClassName::new("p/Account");
        let of = |kind, name: &str, parameters: Vec<Type>| {
            Operation::new(kind, account.clone(), name, MethodDescriptor { parameters, returns: None })
        };
        vec![
            of(OperationKind::Constructor, "<init>", Vec::new()),
            of(OperationKind::InstanceMethod, "close", Vec::new()),
            of(OperationKind::InstanceMethod, "deposit", vec![Literal::Int(0).literal_type()]),
        ]
    }

    /// `new Account()`, perhaps closed, and a deposit.
    fn deposit(is_closed: bool, amount: i32) -> Sequence {
        let mut sequence = Sequence::new();
        let account = sequence.push_call(NEW, &[]);
        if is_closed {
            sequence.push_call(CLOSE, &[account]);
        }
        let amount = sequence.push_literal(Literal::Int(amount));
        sequence.push_call(DEPOSIT, &[account, amount]);
        sequence
    }

    #[test]
    fn call_that_is_left_out_takes_along_what_was_made_for_it() {
        let mut sequence = Sequence::new();
        let [account, other] = [0; 2].map(|_| sequence.push_call(NEW, &[]));
        let amount = sequence.push_call(CLOSE, &[other]);
        let close = sequence.push_call(CLOSE, &[account, amount]);
        sequence.push_call(DEPOSIT, &[account]);
        assert_eq!(only_for(&sequence, close), [other, amount]);
        assert!(only_for(&sequence, other).is_empty());
    }

    #[test]
    fn sequence_is_varied_by_one_value_or_call_the_nearest_first() {
        let (operations, types) = (operations(), TypeTable::default());
        let effects = [Effects::ALL; 3];
        let knowledge = Knowledge::new(&operations, &effects, &types);
        let like = deposit(false, 7);
        let varied = variations(&deposit(true, -5), &[&like], &knowledge);
        let mut expected: Vec<Sequence> = [7, 1, 2, 10, 100, 0, -1].map(|amount| deposit(true, amount)).to_vec();
        expected.push(deposit(false, -5));
        assert_eq!(varied, expected);
    }

    #[test]
    fn distance_counts_values_and_calls_that_differ() {
        let check = |one, other, expected: usize| assert_eq!(distance(&one, &other), expected);
        check(deposit(true, 1), deposit(true, 1), 0);
        check(deposit(true, 1), deposit(true, 2), 1);
        check(deposit(true, 1), deposit(false, 1), 1);
        check(deposit(true, 1), deposit(false, 2), 2);
    }
}
