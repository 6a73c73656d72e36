//! Different values where the same one was taken twice: `half.plus(third)` says more than `half.plus(half)`.

use super::shrink::slots_of;
use super::{At, Best, Knowledge, StatementChange};
use model::jvm::Literal;
use model::sequence::{Action, OperationKind, Sequence};
use std::sync::Arc;

/// Methods that are about an object and itself.
const COMPARING: [&str; 4] = ["equals", "compareTo", "compare", "is"];

/// Another value for the second parameter of a call that takes one of the first `end` statements twice: a number, or an object made of
/// literals with which nothing else was done before.
pub(super) fn separate_operands(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let sequence = &best.sequence;
    let mut changes = Vec::new();
    for user in 0..sequence.len() {
        let Some(operation) = sequence.call_at(user).map(|it| &knowledge.operations[it.0 as usize]) else { continue };
        let is_call = matches!(
            operation.kind,
            OperationKind::Constructor | OperationKind::InstanceMethod | OperationKind::StaticMethod
        );
        if !is_call || COMPARING.contains(&&*operation.name) {
            continue;
        }
        let inputs: Vec<usize> = sequence.inputs_of(user).collect();
        let twice = inputs.iter().enumerate().find(|(slot, at)| **at < end && inputs[..*slot].contains(at));
        let Some((_, &at)) = twice else { continue };
        let is_used_before = (at + 1..user).any(|other| sequence.inputs_of(other).any(|input| input == at));
        let Some(slot) = slots_of(sequence, user, at).nth(1).filter(|_| !is_used_before) else { continue };
        let others = others(sequence, at).into_iter().map(Arc::new);
        changes.extend(others.map(|other| (at, StatementChange::Part { inputs: vec![(user, slot)], maker: other })));
    }
    changes
}

/// Sequences that make a value like that of the statement, with another literal.
fn others(sequence: &Sequence, at: usize) -> Vec<Sequence> {
    let written = |literals: &[Action], call: Option<&Action>| {
        let mut made = Sequence::new();
        let inputs: Vec<usize> = literals.iter().map(|literal| made.push(literal.clone(), &[])).collect();
        call.into_iter().for_each(|call| {
            made.push(call.clone(), &inputs);
        });
        made
    };
    match &sequence.statements()[at].action {
        Action::Literal(Literal::String(_)) => Vec::new(),
        Action::Literal(literal) => {
            different(literal).into_iter().map(|other| written(&[Action::Literal(other)], None)).collect()
        }
        call @ Action::Call(_) => {
            let literals: Option<Vec<Literal>> =
                sequence.inputs_of(at).map(|input| sequence.literal_at(input).cloned()).collect();
            let literals = literals.unwrap_or_default();
            let changed = |slot: usize| {
                let literals = &literals;
                different(&literals[slot]).into_iter().map(move |other| {
                    let mut changed: Vec<Action> = literals.iter().cloned().map(Action::Literal).collect();
                    changed[slot] = Action::Literal(other);
                    changed
                })
            };
            (0..literals.len()).flat_map(changed).map(|literals| written(&literals, Some(call))).collect()
        }
    }
}

/// Plain literals of the same type that differ.
fn different(literal: &Literal) -> Vec<Literal> {
    let integer = |value: i64| [value.saturating_add(1), value.saturating_add(2)];
    match literal {
        Literal::Int(value) => {
            integer((*value).into()).iter().filter_map(|it| i32::try_from(*it).ok()).map(Literal::Int).collect()
        }
        Literal::Long(value) => integer(*value).into_iter().filter(|it| it != value).map(Literal::Long).collect(),
        Literal::Double(bits) => {
            let one_more = f64::from_bits(*bits) + 1.0;
            (one_more.is_finite() && one_more.to_bits() != *bits)
                .then(|| Literal::double(one_more))
                .into_iter()
                .collect()
        }
        Literal::String(text) if text.to_string() == "b" => vec![Literal::String("a".into())],
        Literal::String(_) => vec![Literal::String("b".into())],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::apply;
    use super::*;
    use bytecode::analysis::purity::Effects;
    use model::execution::{Execution, Outcome};
    use model::jvm::types::TypeTable;
    use model::jvm::{ClassName, MethodDescriptor, Type};
    use model::sequence::{Operation, OperationId};

    const OF: OperationId = OperationId(0);
    const PLUS: OperationId = OperationId(1);

    fn check(call: &str, expected: &[[i32; 2]]) {
        let number = ClassName::new("p/Number");
        let int = Literal::Int(0).literal_type();
        let of = |kind, name: &str, parameters: Vec<Type>| {
            let descriptor = MethodDescriptor { parameters, returns: Some(Type::Class(number.clone())) };
            Operation::new(kind, number.clone(), name, descriptor)
        };
        let operations = [
            of(OperationKind::StaticMethod, "of", vec![int.clone(), int]),
            of(OperationKind::InstanceMethod, call, vec![Type::Class(number.clone())]),
        ];
        let mut sequence = Sequence::new();
        let [one, two] = [1, 2].map(|value| sequence.push_literal(Literal::Int(value)));
        let made = sequence.push_call(OF, &[one, two]);
        sequence.push_call(PLUS, &[made, made]);
        let types = TypeTable::default();
        let effects = [Effects::ALL; 2];
        let knowledge = Knowledge::new(&operations, &effects, &types);
        let best = Best { sequence: sequence.clone(), execution: Execution::ended(Outcome::Completed) };
        let changes = separate_operands(&best, 3, &knowledge);
        let arguments = changes.iter().map(|change| {
            let changed = apply(&sequence, std::slice::from_ref(change)).unwrap();
            let argument = changed.inputs_of(changed.len() - 1).nth(1).unwrap();
            let literals = changed.inputs_of(argument).map(|input| match changed.literal_at(input) {
                Some(Literal::Int(value)) => *value,
                other => panic!("{other:?}"),
            });
            literals.collect::<Vec<i32>>()
        });
        assert_eq!(arguments.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn argument_that_is_the_receiver_becomes_another_object() {
        check("plus", &[[2, 2], [3, 2], [1, 3], [1, 4]]);
        check("equals", &[]);
    }
}
