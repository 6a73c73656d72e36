//! Different values where the same one was taken twice: `half.plus(third)` says more than `half.plus(half)`.

use super::literal::plain_literal;
use super::shrink::slots_of;
use super::{At, Best, Knowledge, Part, StatementChange};
use model::jvm::{Literal, Type};
use model::sequence::{Action, Operation, Sequence};
use std::sync::Arc;

/// Methods that are about an object and itself.
const COMPARING: [&str; 4] = ["equals", "compareTo", "compare", "is"];

/// Another value for the second parameter of a call that takes one of the first `end` statements twice, or of a call on what was made of that
/// value: a number, or an object made of literals with which nothing else was done before.
pub(super) fn separate_operands(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let sequence = &best.sequence;
    let mut changes = Vec::new();
    for user in 0..sequence.len() {
        if !has_operands(sequence, user, knowledge) {
            continue;
        }
        let Some((at, slot)) = taken_again(sequence, user, end, knowledge) else { continue };
        let change = |maker| (at, StatementChange::part(vec![(user, slot)], maker));
        let mut others = others(sequence, at);
        if others.is_empty() && sequence.call_at(at).is_some() {
            others = unlike(sequence, (user, slot), at, knowledge);
        }
        changes.extend(others.into_iter().filter(|other| knowledge.is_typed(other)).map(change));
    }
    changes
}

/// Whether the statement is a call whose operands may be different ones.
fn has_operands(sequence: &Sequence, user: usize, knowledge: &Knowledge) -> bool {
    let operation = knowledge.called(sequence, user);
    operation.is_some_and(|operation| operation.is_code() && !COMPARING.contains(&&*operation.name))
}

/// The value that the call takes twice, or that its receiver was made of, and the position that may have another one.
fn taken_again(sequence: &Sequence, user: usize, end: usize, knowledge: &Knowledge) -> Option<(usize, usize)> {
    let inputs: Vec<usize> = sequence.inputs_of(user).collect();
    let is_untouched =
        |at: usize, from: usize| !(from + 1..user).any(|other| sequence.inputs_of(other).any(|input| input == at));
    let twice = inputs.iter().enumerate().find(|(slot, at)| **at < end && inputs[..*slot].contains(at));
    if let Some((_, &at)) = twice {
        return slots_of(sequence, user, at).nth(1).filter(|_| is_untouched(at, at)).map(|slot| (at, slot));
    }
    // `both(matcher).and(matcher)`
    let called = |at: usize| knowledge.called(sequence, at);
    let receiver = *inputs.first().filter(|_| called(user).is_some_and(Operation::has_receiver))?;
    let is_maker = called(receiver).is_some_and(|maker| maker.is_code() && !maker.has_receiver());
    let is_of = |(_, at): &(usize, &usize)| {
        **at < end && sequence.call_at(**at).is_some() && sequence.inputs_of(receiver).any(|input| input == **at)
    };
    let (slot, &at) = inputs.iter().enumerate().skip(1).filter(|_| is_maker).find(is_of)?;
    is_untouched(at, receiver).then_some((at, slot))
}

/// Operands that all differ, made alike of the plainest literals, for a call that takes equal ones among the first `end` statements, or
/// several of unlike texts:
/// `anyOf(is("a"), is("b"), is("c"))` shows the order of three that are equal in no test.
pub(super) fn tell_apart(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let sequence = &best.sequence;
    let mut changes = Vec::new();
    for user in (1..sequence.len()).filter(|user| has_operands(sequence, *user, knowledge)) {
        let Some(operation) = knowledge.called(sequence, user) else { continue };
        let first = usize::from(operation.has_receiver());
        let operands: Vec<(usize, usize)> =
            sequence.inputs_of(user).enumerate().skip(first).filter(|(_, at)| is_made(sequence, *at, end)).collect();
        // `anyOf` takes a `Matcher<T>` first and a `Matcher<? super T>` then.
        let kind = |slot: usize| operation.inputs.get(slot).map(Type::erased);
        let is_of = |slot: usize, of: usize| kind(slot) == kind(of);
        let alike = |of: usize| operands.iter().filter(|(slot, _)| is_of(*slot, of)).copied().collect::<Vec<_>>();
        let Some(alike) = operands
            .iter()
            .map(|(slot, _)| alike(*slot))
            .find(|alike| has_equal(sequence, alike) || is_mixed(sequence, alike))
        else {
            continue;
        };
        let needs: Vec<&Type> = alike.iter().map(|(slot, _)| &operation.inputs[*slot]).collect();
        let makers = knowledge.makers.get().map(|makers| makers.fitting(needs[0], knowledge.types));
        let makers = makers.iter().flat_map(|makers| makers.iter().map(|(_, maker)| (&**maker, maker.len() - 1)));
        let mut families: Vec<Vec<Sequence>> = Vec::new();
        for (of, at) in alike.iter().map(|(_, at)| (sequence, *at)).chain(makers) {
            let family = family(of, at, alike.len());
            let fits = |maker: &Sequence| knowledge.is_typed(maker) && knowledge.makes(maker, &needs);
            if !family.is_empty() && family.iter().all(fits) && !families.contains(&family) {
                families.push(family);
            }
        }
        for family in families {
            let part = |((slot, _), maker): (&(usize, usize), Sequence)| Part {
                inputs: vec![(user, *slot)],
                maker: Arc::new(maker),
            };
            changes.push((user - 1, StatementChange::Parts(alike.iter().zip(family).map(part).collect())));
        }
    }
    changes
}

/// Whether the statement is a call of literals alone that other calls may be made like.
fn is_made(sequence: &Sequence, at: usize, end: usize) -> bool {
    at < end
        && sequence.call_at(at).is_some()
        && sequence.inputs_of(at).all(|input| sequence.literal_at(input).is_some())
}

/// Whether several operands take texts that are no letters in their order: `anyOf(endsWith("suffix"), endsWith("a"), endsWith("b"))`.
fn is_mixed(sequence: &Sequence, operands: &[(usize, usize)]) -> bool {
    let is_plain = |(number, (_, at)): (usize, &(usize, usize))| {
        let mut literals = sequence.inputs_of(*at).filter_map(|input| sequence.literal_at(input));
        literals.all(|literal| {
            !matches!(literal, Literal::String(_)) || plain_literal(literal, number).as_ref() == Some(literal)
        })
    };
    operands.len() > 2 && !operands.iter().enumerate().all(is_plain)
}

/// Whether two of the operands are made by the same statement, or alike of equal literals.
fn has_equal(sequence: &Sequence, operands: &[(usize, usize)]) -> bool {
    let made = |at: usize| {
        let literals: Vec<Option<&Literal>> = sequence.inputs_of(at).map(|input| sequence.literal_at(input)).collect();
        (sequence.call_at(at), literals)
    };
    operands.iter().enumerate().any(|(one, (_, at))| operands[..one].iter().any(|(_, other)| made(*at) == made(*other)))
}

/// The cheapest sequences that make what the call takes there by another call than the statement's.
fn unlike(sequence: &Sequence, (user, slot): (usize, usize), at: usize, knowledge: &Knowledge) -> Vec<Sequence> {
    let need = knowledge.called(sequence, user).and_then(|called| called.inputs.get(slot));
    let (Some(need), Some(makers)) = (need, knowledge.makers.get()) else { return Vec::new() };
    let makers = makers.fitting(need, knowledge.types);
    let makers = makers.iter().map(|(_, maker)| (**maker).clone());
    let is_other = |maker: &Sequence| maker.call_at(maker.len() - 1) != sequence.call_at(at);
    makers.filter(|maker| is_other(maker) && knowledge.makes(maker, &[need])).collect()
}

/// So many calls like the statement, each with another literal; none if it takes no text, class or number, or several.
fn family(sequence: &Sequence, at: usize, count: usize) -> Vec<Sequence> {
    let literals: Option<Vec<&Literal>> = sequence.inputs_of(at).map(|input| sequence.literal_at(input)).collect();
    let Some([literal @ (Literal::String(_) | Literal::Class(_) | Literal::Int(_))]) = literals.as_deref() else {
        return Vec::new();
    };
    let of = |number: usize| {
        let mut maker = Sequence::new();
        let literal = maker.push_literal(plain_literal(literal, number)?);
        maker.push(sequence.statements()[at].action.clone(), &[literal]);
        Some(maker)
    };
    (0..count).map(of).collect::<Option<_>>().unwrap_or_default()
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
        Literal::Class(_) => {
            (0..2).filter_map(|rank| plain_literal(literal, rank)).filter(|it| it != literal).collect()
        }
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
    use model::jvm::{ClassName, MethodDescriptor};
    use model::sequence::{OperationId, OperationKind};

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

    /// Static methods of a class: `is(text)` makes an operand of a text or class, `anyOf` takes three and `both` one, on which `and` is
    /// called with another one.
    fn operators(text: &Type) -> Vec<Operation> {
        let operand = || Type::class("p/Operand");
        let of = |kind, name: &str, parameters: Vec<Type>| {
            let descriptor = MethodDescriptor { parameters, returns: Some(operand()) };
            Operation::new(kind, ClassName::new("p/Operand"), name, descriptor)
        };
        vec![
            of(OperationKind::StaticMethod, "equalTo", vec![text.clone()]),
            of(OperationKind::StaticMethod, "anyOf", vec![operand(); 3]),
            of(OperationKind::StaticMethod, "both", vec![operand()]),
            of(OperationKind::InstanceMethod, "and", vec![operand()]),
        ]
    }

    type Changes = fn(&Best, usize, &Knowledge) -> Vec<At>;

    /// The literals of the last call's operands after the first change, if there is one.
    fn literals_after(changes: Changes, sequence: &Sequence, operations: &[Operation]) -> Option<Vec<Literal>> {
        let (types, effects) = (TypeTable::default(), vec![Effects::ALL; operations.len()]);
        let knowledge = Knowledge::new(operations, &effects, &types);
        let best = Best { sequence: sequence.clone(), execution: Execution::ended(Outcome::Completed) };
        let change = changes(&best, sequence.len() - 1, &knowledge).into_iter().next()?;
        let changed = apply(sequence, &[change]).unwrap();
        let literals = changed.inputs_of(changed.len() - 1).map(|operand| {
            let made_of = changed.inputs_of(operand).next().unwrap();
            let literal =
                changed.literal_at(made_of).or_else(|| changed.literal_at(changed.inputs_of(made_of).next()?));
            literal.unwrap().clone()
        });
        Some(literals.collect())
    }

    #[test]
    fn equal_operands_of_a_call_become_different_ones() {
        let text = |text: &str| Literal::String(text.into());
        let class = |class: &str| Literal::Class(Type::class(class));
        let check = |given: [Literal; 3], expected: Option<[Literal; 3]>| {
            let operators = operators(&given[0].literal_type().erased());
            let mut sequence = Sequence::new();
            let operands = given.map(|literal| {
                let literal = sequence.push_literal(literal);
                sequence.push_call(OF, &[literal])
            });
            sequence.push_call(OperationId(1), &operands);
            assert_eq!(literals_after(tell_apart, &sequence, &operators), expected.map(|it| it.to_vec()));
        };
        check([text("x"), text("y"), text("x")], Some(["a", "b", "c"].map(text)));
        check(["x", "y", "z"].map(text), Some(["a", "b", "c"].map(text)));
        check(["a", "b", "c"].map(text), None);
        let known = ["java/lang/String", "java/lang/Integer", "java/lang/Long"].map(class);
        check([class("p/A"), class("p/A"), class("p/B")], Some(known));
    }

    #[test]
    fn operand_of_a_call_differs_from_that_of_its_receiver() {
        let text = |text: &str| Literal::String(text.into());
        let operators = operators(&Type::string());
        let mut sequence = Sequence::new();
        let literal = sequence.push_literal(text("x"));
        let operand = sequence.push_call(OF, &[literal]);
        let receiver = sequence.push_call(OperationId(2), &[operand]);
        sequence.push_call(OperationId(3), &[receiver, operand]);
        let literals = literals_after(separate_operands, &sequence, &operators);
        assert_eq!(literals, Some(vec![text("x"), text("b")]));
    }
}
