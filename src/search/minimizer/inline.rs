//! Values that are there already in place of calls: what the call made, or what an earlier statement did.

use super::{At, Best, Knowledge, SUBSTITUTES, StatementChange};
use model::execution::Value;
use model::jvm::{Literal, Type};
use model::sequence::Action;

/// Takes an earlier value in place of a call's among the first `end` statements: `years.plus(days)` becomes `years`, and a
/// cast that nothing needs what was cast. The call's own inputs come first, then the values made first.
pub(super) fn bypass_calls(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    bypasses(best, end, knowledge, true)
}

/// As [`bypass_calls`], where the earlier value is of the same type.
pub(super) fn bypass_calls_by_like(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    bypasses(best, end, knowledge, false)
}

/// By values of the same type, or by those of any that fits where the call's value is taken.
fn bypasses(best: &Best, end: usize, knowledge: &Knowledge, by_any: bool) -> Vec<At> {
    let sequence = &best.sequence;
    // Null is no simpler than an object, and a receiver must not be null; each mock has a list of its own.
    let is_null = |at: usize| matches!(sequence.statements()[at].action, Action::Literal(Literal::Null(_)));
    let is_usual = |at: usize| !is_null(at) && !knowledge.is_list_of_mock(sequence, at);
    let output_of = |at: usize| sequence.output_of(at, knowledge.operations).filter(|_| is_usual(at));
    let outputs: Vec<Option<Type>> = (0..end).map(output_of).collect();
    let mut changes = Vec::new();
    for at in (0..end).rev().filter(|&at| matches!(sequence.statements()[at].action, Action::Call(_))) {
        let Some(made) = &outputs[at] else { continue };
        if !(at + 1..sequence.len()).any(|user| sequence.inputs_of(user).any(|input| input == at)) {
            continue;
        }
        let needs = knowledge.needs_of(sequence, at);
        // Where any object will do, one of another type is another question: `equals("b")` in place of `equals(new Sku("b"))`.
        let by_any = by_any && !needs.iter().any(|need| **need == Type::object());
        let also_fits = |other| by_any && knowledge.fits_all(other, &needs);
        let fits = |&other: &usize| outputs[other].as_ref().is_some_and(|other| other == made || also_fits(other));
        let own: Vec<usize> = sequence.inputs_of(at).filter(fits).collect();
        let others = (0..at).filter(fits).filter(|other| !own.contains(other));
        let substitutes = own.iter().copied().chain(others).take(SUBSTITUTES);
        changes.extend(substitutes.map(|substitute| (at, StatementChange::Bypass(substitute))));
    }
    changes
}

/// Lets later statements take the receiver of a fluent call in place of what the call returned, which is the same object: a
/// reader of `bus.add(a)` needs no second name for the bus. A chain of calls, each on what the one before returned, stays.
pub(super) fn use_receivers(best: &Best, _: usize, knowledge: &Knowledge) -> Vec<At> {
    let sequence = &best.sequence;
    let users =
        |at: usize| (at + 1..sequence.len()).filter(|&user| sequence.inputs_of(user).any(|it| it == at)).count();
    let redirected = |at: usize| {
        let returns_receiver = knowledge.effects[sequence.call_at(at)?.0 as usize].returns_receiver;
        let is_object = matches!(best.execution.values.get(at), Some(Value::Object { .. }));
        let receiver = sequence.inputs_of(at).next().filter(|_| returns_receiver && is_object)?;
        let is_chain = users(receiver) == 1 && users(at) == 1;
        let made = sequence.output_of(receiver, knowledge.operations)?;
        let is_wanted = users(at) > 0 && !is_chain && knowledge.fits_all(&made, &knowledge.needs_of(sequence, at));
        is_wanted.then_some((at, StatementChange::Redirect(receiver)))
    };
    (0..sequence.len()).filter_map(redirected).collect()
}

/// Writes down the number or text that a call among the first `end` statements returned: `list.get(list.size())` becomes
/// `list.get(2)`. A text that is too long to be written down may be any other.
pub(super) fn inline_values(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let mut changes = Vec::new();
    for at in 0..end {
        let plain = || Literal::String("a".into());
        let literal = match (best.sequence.call_at(at), best.execution.values.get(at)) {
            (Some(_), Some(Value::Literal(literal))) => literal.clone(),
            (Some(_), Some(Value::Object { class, .. })) if *class == plain().literal_type() => plain(),
            _ => continue,
        };
        let needs = knowledge.needs_of(&best.sequence, at);
        if !needs.is_empty() && knowledge.fits_all(&literal.literal_type(), &needs) {
            changes.push((at, StatementChange::Replace(Action::Literal(literal))));
        }
    }
    changes
}

/// Writes down null in place of a call among the first `end` statements that returned it: `map.put("a", "b")` on a new map is a way to say
/// null that nobody takes.
pub(super) fn inline_nulls(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let is_null = |at: &usize| matches!(best.execution.values.get(*at), Some(Value::Null));
    let written = |at: usize| {
        let output = best.sequence.call_at(at).and_then(|_| best.sequence.output_of(at, knowledge.operations))?;
        let needs = knowledge.needs_of(&best.sequence, at);
        let null = Action::Literal(Literal::Null(needs.first().map_or(output, |need| (*need).clone())));
        (!needs.is_empty()).then_some((at, StatementChange::Replace(null)))
    };
    (0..end).filter(is_null).filter_map(written).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimizer::apply;
    use bytecode::analysis::purity::Effects;
    use model::execution::{Execution, Observed, Outcome};
    use model::jvm::types::TypeTable;
    use model::jvm::{ClassName, MethodDescriptor};
    use model::sequence::{Answer, Implemented, Operation, OperationId, OperationKind, Recorded, Recording, Sequence};

    #[test]
    fn each_mock_keeps_its_own_list() {
        let list = Type::class(Recording::LIST);
        let note = Implemented {
            name: "send".into(),
            descriptor: MethodDescriptor { parameters: Vec::new(), returns: None },
            linked: Vec::new(),
            access: 0,
            generic: false,
            answer: Answer::Default,
            recording: Some(Recording { list: 0, of: Recorded::Call }),
        };
        let operation = |kind, of: &Type, inputs: Vec<Type>| {
            let descriptor = MethodDescriptor { parameters: inputs, returns: Some(of.clone()) };
            Operation::new(kind, of.class_name().unwrap().clone(), "it", descriptor)
        };
        let mailer = Type::class("p/Mailer");
        let taker = operation(OperationKind::Implementation, &mailer, vec![list.clone()]);
        let operations = |mock| {
            [
                operation(OperationKind::Constructor, &list, Vec::new()),
                Operation { mock, implemented: vec![note.clone()], ..taker.clone() },
            ]
        };
        let mut sequence = Sequence::new();
        for _ in 0..2 {
            let list = sequence.push_call(OperationId(0), &[]);
            sequence.push_call(OperationId(1), &[list]);
        }
        let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
        let bypassed = |mock| {
            let (operations, types) = (operations(mock), TypeTable::default());
            let knowledge = Knowledge::new(&operations, &[Effects::ALL; 2], &types);
            let changes = bypass_calls_by_like(&best, 4, &knowledge);
            changes.into_iter().map(|(at, _)| at).collect::<Vec<usize>>()
        };
        assert_eq!(bypassed(false), [2]);
        assert_eq!(bypassed(true), []);
    }

    #[test]
    fn receiver_stands_for_what_a_fluent_call_returned() {
        let of = Type::class("p/Bus");
        let operation = |kind, returns: Option<&Type>| {
            let descriptor = MethodDescriptor { parameters: Vec::new(), returns: returns.cloned() };
            Operation::new(kind, ClassName::new("p/Bus"), "it", descriptor)
        };
        let operations = [
            operation(OperationKind::Constructor, Some(&of)),
            operation(OperationKind::InstanceMethod, Some(&of)),
            operation(OperationKind::InstanceMethod, Some(&Type::INT)),
        ];
        let mut effects = [Effects::ALL; 3];
        effects[1].returns_receiver = true;
        let types = TypeTable::default();
        let knowledge = Knowledge::new(&operations, &effects, &types);
        let redirected = |inputs: &[(u32, &[usize])]| {
            let mut sequence = Sequence::new();
            for (call, inputs) in inputs {
                sequence.push_call(OperationId(*call), inputs);
            }
            let object = Value::Object { class: of.clone(), observed: Observed::Nothing };
            let values = vec![object; inputs.len()];
            let best = Best { sequence, execution: Execution { values, ..Execution::ended(Outcome::Completed) } };
            let changed = apply(&best.sequence, &use_receivers(&best, 0, &knowledge)).unwrap();
            (0..changed.len()).map(|at| changed.inputs_of(at).collect()).collect::<Vec<Vec<usize>>>()
        };
        // Of a second name nothing is left; a chain stays.
        let named: [(u32, &[usize]); 4] = [(0, &[]), (1, &[0]), (1, &[1]), (2, &[1])];
        assert_eq!(redirected(&named), [vec![], vec![0], vec![0], vec![0]]);
        let chain: [(u32, &[usize]); 4] = [(0, &[]), (1, &[0]), (1, &[1]), (2, &[2])];
        assert_eq!(redirected(&chain), [vec![], vec![0], vec![1], vec![2]]);
    }

    #[test]
    fn text_or_null_that_a_call_returned_is_written_down_or_replaced_by_a_plain_text() {
        let text = Type::string();
        let operation = |parameters: &[Type], returns: &Type| {
            let descriptor = MethodDescriptor { parameters: parameters.to_vec(), returns: Some(returns.clone()) };
            Operation::new(OperationKind::StaticMethod, ClassName::new("p/A"), "it", descriptor)
        };
        let operations = [operation(&[], &text), operation(std::slice::from_ref(&text), &Type::INT)];
        let (effects, types) = ([Effects::ALL; 2], TypeTable::default());
        let knowledge = Knowledge::new(&operations, &effects, &types);
        let written = |returned: Value| {
            let mut sequence = Sequence::new();
            let made = sequence.push_call(OperationId(0), &[]);
            sequence.push_call(OperationId(1), &[made]);
            let values = vec![returned, Value::Literal(Literal::Int(1))];
            let best = Best { sequence, execution: Execution { values, ..Execution::ended(Outcome::Completed) } };
            let changes = [inline_nulls(&best, 1, &knowledge), inline_values(&best, 1, &knowledge)].concat();
            let changed = apply(&best.sequence, &changes).unwrap();
            changed.statements()[0].action.clone()
        };
        let of = |text: &str| Literal::String(text.into());
        let null = || Literal::Null(Type::string());
        assert_eq!(written(Value::Null), Action::Literal(null()));
        assert_eq!(written(Value::Literal(of("b"))), Action::Literal(of("b")));
        let long = Value::Object { class: text, observed: Observed::Nothing };
        assert_eq!(written(long), Action::Literal(of("a")));
        let other = Value::Object { class: Type::class("p/B"), observed: Observed::Nothing };
        assert_eq!(written(other), Action::Call(OperationId(0)));
    }
}
