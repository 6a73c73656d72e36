//! Plainer calls: an overload without needless arguments, a plain object where any will do, a short array.

use super::graft::array_of;
use super::{At, Best, Knowledge, StatementChange};
use model::execution::described::Described;
use model::execution::{Observed, Value};
use model::jvm::{Literal, Primitive, Type};
use model::sequence::{Action, Operation, OperationId, OperationKind, Sequence};
use std::cmp::Reverse;
use std::sync::Arc;

/// Longest array that is left as it is.
const SHORT_ARRAY: usize = 4;
/// Longest array that is written down in place of the call that returned it.
const WRITTEN_ARRAY: usize = 8;
/// Lengths of the parts that are tried of a longer array.
const PARTS: [usize; 4] = [1, 2, 4, WRITTEN_ARRAY];
/// The letter and the digit in plain arrays of bytes and characters.
const LETTER: u8 = b'A';
const DIGIT: u8 = b'1';

/// A call of an overload that takes fewer arguments in place of one among the first `end` statements, where what it does not take
/// is null, an empty text, an empty array, zero or false: `new Parser(options)` for `new Parser(options, null)`; or any literal that a
/// constructor takes: `new Base32()` for `new Base32(64)`; or one of several arguments alike, of which two stay: `allOf(first, second)`
/// for `allOf(first, second, third)`.
pub(super) fn shorter_overloads(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let sequence = &best.sequence;
    let mut changes = Vec::new();
    for at in 0..end {
        let Some(long) = sequence.call_at(at) else { continue };
        let inputs: Vec<usize> = sequence.inputs_of(at).collect();
        let called = &knowledge.operations[long.0 as usize];
        if !matches!(
            called.kind,
            OperationKind::Constructor | OperationKind::StaticMethod | OperationKind::InstanceMethod
        ) || called.inputs.len() != inputs.len()
        {
            continue;
        }
        // The receiver is no argument.
        let receivers = usize::from(called.has_receiver());
        let is_shorter = |one: &Operation| {
            (one.kind, &one.owner, &one.name, &one.output) == (called.kind, &called.owner, &called.name, &called.output)
                && one.inputs.len() < called.inputs.len()
                && one.public
                && !one.deprecated
        };
        let is_setting =
            |input: usize| called.kind == OperationKind::Constructor && sequence.literal_at(input).is_some();
        let is_needless = |omitted: &Vec<usize>| {
            let mut left_out = omitted.iter().map(|slot| inputs[slot + receivers]);
            left_out.all(|input| is_nothing(sequence, input, knowledge) || is_setting(input))
                || are_more_of_a_kind(parameters_of(called), omitted)
        };
        let mut shorter: Vec<(usize, Vec<usize>)> = (knowledge.operations.iter().enumerate())
            .filter(|(_, one)| is_shorter(one))
            .flat_map(|(other, one)| {
                left_out(parameters_of(called), parameters_of(one)).into_iter().map(move |it| (other, it))
            })
            .filter(|(_, omitted)| is_needless(omitted))
            .collect();
        shorter.sort_by_key(|(other, omitted)| (Reverse(omitted.len()), *other));
        let recall = |(other, omitted): (usize, Vec<usize>)| {
            let omitted = omitted.into_iter().map(|slot| slot + receivers).collect();
            StatementChange::Recall { operation: OperationId(other as u32), omitted }
        };
        changes.extend(shorter.into_iter().map(|it| (at, recall(it))));
    }
    changes
}

fn parameters_of(of: &Operation) -> &[Type] {
    &of.inputs[usize::from(of.has_receiver()).min(of.inputs.len())..]
}

/// The ways to leave out types of `long` so that `short` remains, by their positions: any one, or several such that the first ones stay.
fn left_out(long: &[Type], short: &[Type]) -> Vec<Vec<usize>> {
    if long.len() == short.len() + 1 {
        let is_one = |slot: &usize| long[..*slot] == short[..*slot] && long[slot + 1..] == short[*slot..];
        return (0..long.len()).rev().filter(is_one).map(|slot| vec![slot]).collect();
    }
    let mut rest = short.iter().peekable();
    let is_left_out = |of: &Type| rest.next_if(|kept| *kept == of).is_none();
    let omitted = long.iter().map(is_left_out).enumerate().filter(|(_, is_omitted)| *is_omitted);
    let omitted: Vec<usize> = omitted.map(|(slot, _)| slot).collect();
    if rest.peek().is_none() { vec![omitted] } else { Vec::new() }
}

/// Whether all that is left out is of one type, of which two others stay.
fn are_more_of_a_kind(parameters: &[Type], omitted: &[usize]) -> bool {
    let Some(kind) = omitted.first().map(|slot| &parameters[*slot]) else { return false };
    let of_kind = parameters.iter().filter(|of| *of == kind).count();
    omitted.iter().all(|slot| parameters[*slot] == *kind) && of_kind >= omitted.len() + 2
}

/// Whether the statement makes what says nothing.
fn is_nothing(sequence: &Sequence, at: usize, knowledge: &Knowledge) -> bool {
    match &sequence.statements()[at].action {
        Action::Literal(literal) => match literal {
            Literal::Null(_) | Literal::Boolean(false) | Literal::Int(0) | Literal::Long(0) => true,
            Literal::String(text) => text.units().is_empty(),
            _ => false,
        },
        Action::Call(operation) => {
            let is_array = knowledge.operations[operation.0 as usize].kind == OperationKind::Array;
            is_array && sequence.inputs_of(at).next().is_none()
        }
    }
}

/// `new Object()` in place of what the first `end` statements make, where only parameters of any type of code outside the platform
/// take it: what a test says by `addCommand("name", new FuzzyMap())` or `encoder.encode(encoder)`, it says by any object. What is compared
/// may be equal or not for a reason, unless it is of an unrelated class, and collections order objects by their identities.
pub(super) fn plain_objects(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let object = Type::object();
    let makes_one = |one: &Operation| {
        one.kind == OperationKind::Constructor && one.output.as_ref() == Some(&object) && one.inputs.is_empty()
    };
    let Some(plain) = knowledge.operations.iter().position(makes_one).map(|at| OperationId(at as u32)) else {
        return Vec::new();
    };
    let sequence = &best.sequence;
    let is_odd = |at: usize| match &sequence.statements()[at].action {
        Action::Call(operation) => {
            let kind = knowledge.operations[operation.0 as usize].kind;
            *operation != plain && kind != OperationKind::Cast
        }
        Action::Literal(literal) => matches!(literal, Literal::Class(_)),
    };
    let is_boxed = |at: usize| knowledge.called(sequence, at).is_some_and(is_box);
    let is_free = |user: usize| {
        knowledge.called(sequence, user).is_some_and(|called| {
            !called.owner.internal().starts_with("java/") && !matches!(&*called.name, "equals" | "compareTo")
        })
    };
    // To an object of an unrelated class no class under test is equal on purpose.
    let is_unrelated = |user: usize, at: usize| {
        let owner = knowledge.called(sequence, user).filter(|called| &*called.name == "equals").map(|it| &it.owner);
        owner.zip(sequence.output_of(at, knowledge.operations)).is_some_and(|(owner, made)| {
            let is_own = !owner.internal().starts_with("java/");
            let owner = Type::Class(owner.clone());
            let are_related = |one: &Type, other: &Type| knowledge.types.is_assignable(one, other);
            is_own && !are_related(&made, &owner) && !are_related(&owner, &made)
        })
    };
    let takes_any = |at: usize| {
        let needs = knowledge.needs_of(sequence, at);
        let mut users = (at + 1..sequence.len()).filter(|user| sequence.inputs_of(*user).any(|input| input == at));
        let can_take = |user: usize| is_free(user) || is_unrelated(user, at);
        !needs.is_empty() && needs.iter().all(|need| **need == object) && users.all(can_take)
    };
    // Where a call takes any two objects and one is a text, a person writes two texts.
    let is_beside_text = |at: usize| {
        (at + 1..sequence.len()).any(|user| {
            let inputs: Vec<usize> = sequence.inputs_of(user).collect();
            let takes_any =
                |slot: usize| knowledge.called(sequence, user).is_some_and(|it| it.inputs.get(slot) == Some(&object));
            let is_text = |input: usize| matches!(sequence.literal_at(input), Some(Literal::String(_)));
            inputs.contains(&at) && inputs.iter().enumerate().any(|(slot, input)| takes_any(slot) && is_text(*input))
        })
    };
    // A text of it is the same each time.
    let number = boxed_number(knowledge.operations);
    let text = || StatementChange::Replace(Action::Literal(Literal::String("b".into())));
    let change = |at| {
        let as_text = (sequence.call_at(at).is_some() && is_beside_text(at)).then(|| (at, text()));
        let as_object = is_odd(at).then_some((at, StatementChange::Replace(Action::Call(plain))));
        let number = number.as_ref().filter(|_| is_odd(at) && sequence.call_at(at).is_some() && !is_boxed(at));
        let as_number = number.map(|number| (at, StatementChange::Graft(Arc::clone(number))));
        as_text.into_iter().chain(as_object).chain(as_number)
    };
    let mut changes: Vec<At> = (0..end).filter(|at| takes_any(*at)).flat_map(change).collect();
    // What is there for another reason, too.
    for user in (0..sequence.len().min(end + 1)).filter(|user| is_free(*user)) {
        let called = knowledge.called(sequence, user);
        for (slot, at) in sequence.inputs_of(user).enumerate() {
            let takes_any = called.and_then(|called| called.inputs.get(slot)) == Some(&object);
            let uses = (at + 1..sequence.len()).flat_map(|user| sequence.inputs_of(user)).filter(|input| *input == at);
            if takes_any && is_odd(at) && uses.count() > 1 {
                let mut maker = Sequence::new();
                maker.push_call(plain, &[]);
                let makers = [Some(maker), number.as_deref().filter(|_| !is_boxed(at)).cloned()];
                let part = |maker| (at, StatementChange::part(vec![(user, slot)], maker));
                changes.extend(makers.into_iter().flatten().map(part));
            }
        }
    }
    changes
}

/// Whether the operation makes an object of a number.
fn is_box(operation: &Operation) -> bool {
    operation.owner.internal() == "java/lang/Integer"
        && &*operation.name == "valueOf"
        && operation.inputs == [Type::INT]
}

/// The number 1 as an object.
fn boxed_number(operations: &[Operation]) -> Option<Arc<Sequence>> {
    let boxes = OperationId(operations.iter().position(is_box)? as u32);
    let mut maker = Sequence::new();
    let one = maker.push_literal(Literal::Int(1));
    maker.push_call(boxes, &[one]);
    Some(Arc::new(maker))
}

/// An array of a few plain elements, or of some that follow one another, in place of a longer one that a call among the first `end`
/// statements returned; or all its elements, if it is short and the call is one of another class than that which the test is about.
pub(super) fn short_arrays(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let sequence = &best.sequence;
    let mut changes = Vec::new();
    let subject = knowledge.called(sequence, end);
    for at in 0..end {
        let Some(called) = knowledge.called(sequence, at) else { continue };
        let size = match best.execution.values.get(at) {
            Some(Value::Object { observed: observed @ (Observed::Value(_) | Observed::Size(_)), .. }) => {
                observed.size()
            }
            _ => None,
        };
        let of = called.output.as_ref().filter(|_| called.kind != OperationKind::Array);
        let Some(Type::Array(element)) = of else { continue };
        let Some(maker) = of.and_then(|of| array_of(of, knowledge.operations)) else { continue };
        let mut written =
            if size.is_some_and(|size| size > SHORT_ARRAY) { plain_elements(element) } else { Vec::new() };
        if let Some(elements) = elements_of(best, at) {
            if size.is_some_and(|size| size > SHORT_ARRAY) {
                let parts = PARTS.iter().flat_map(|length| elements.windows(*length).map(<[Literal]>::to_vec));
                written.extend(parts.filter(|part| part.len() < elements.len()));
            }
            let is_foreign = subject.is_some_and(|subject| subject.owner != called.owner);
            written.extend(Some(elements).filter(|elements| is_foreign && elements.len() <= WRITTEN_ARRAY));
        }
        for elements in written {
            let mut array = Sequence::new();
            let elements: Vec<usize> = elements.into_iter().map(|element| array.push_literal(element)).collect();
            array.push_call(maker, &elements);
            changes.push((at, StatementChange::Graft(Arc::new(array))));
        }
    }
    changes
}

/// The elements of the array that a statement made, if they are literals.
fn elements_of(best: &Best, at: usize) -> Option<Vec<Literal>> {
    let literal = |part: &Described| match part {
        Described::Literal(literal) => Some(literal.clone()),
        _ => None,
    };
    match best.execution.values.get(at) {
        Some(Value::Object { observed: Observed::Value(Described::Array(_, parts)), .. }) => {
            parts.iter().map(literal).collect()
        }
        _ => None,
    }
}

/// Elements that a person would take: a small number, letters, and digits, of which some code reads eight at a time.
fn plain_elements(of: &Type) -> Vec<Vec<Literal>> {
    match of {
        Type::Primitive(Primitive::Byte) => {
            let letter = Literal::Byte(LETTER as i8);
            let digits = vec![Literal::Byte(DIGIT as i8); WRITTEN_ARRAY];
            vec![vec![Literal::Byte(1)], vec![letter.clone()], vec![letter; SHORT_ARRAY], digits]
        }
        Type::Primitive(Primitive::Char) => {
            let digits = vec![Literal::Char(u16::from(DIGIT)); WRITTEN_ARRAY];
            vec![vec![Literal::Char(u16::from(LETTER))], digits]
        }
        Type::Primitive(Primitive::Int) => vec![vec![Literal::Int(1)]],
        Type::Primitive(Primitive::Long) => vec![vec![Literal::Long(1)]],
        of if of.is_string() => vec![vec![Literal::String("a".into())]],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimizer::apply;
    use bytecode::analysis::purity::Effects;
    use model::execution::{Execution, Outcome};
    use model::jvm::types::TypeTable;
    use model::jvm::{ClassName, MethodDescriptor};

    const OBJECT: OperationId = OperationId(0);
    const BYTES: OperationId = OperationId(1);
    const DIGEST: OperationId = OperationId(2);
    const LONG: OperationId = OperationId(3);
    const SHORT: OperationId = OperationId(4);
    const LAST: OperationId = OperationId(5);

    /// `new Object()`, `new byte[]`, `byte[] digest()`, `new Parser(Object, byte[], String)`, `new Parser(Object, String)` and
    /// `last(Parser)`.
    fn operations() -> Vec<Operation> {
        let of = |kind, owner: &str, parameters: Vec<Type>, returns: Option<Type>| {
            let name = if kind == OperationKind::Constructor { "<init>" } else { "it" };
            Operation::new(kind, ClassName::new(owner), name, MethodDescriptor { parameters, returns })
        };
        let byte = Type::Primitive(Primitive::Byte);
        let bytes = Type::array(byte.clone());
        vec![
            of(OperationKind::Constructor, "java/lang/Object", Vec::new(), None),
            of(OperationKind::Array, "p/A", vec![byte], Some(bytes.clone())),
            of(OperationKind::StaticMethod, "p/A", Vec::new(), Some(bytes.clone())),
            of(OperationKind::Constructor, "p/Parser", vec![Type::object(), bytes, Type::string()], None),
            of(OperationKind::Constructor, "p/Parser", vec![Type::object(), Type::string()], None),
            of(OperationKind::StaticMethod, "p/A", vec![Type::class("p/Parser")], None),
        ]
    }

    /// The calls of `last(new Parser(class, bytes, "a"))` after the first change of a pass, with the inputs of the last but one.
    fn changed(pass: fn(&Best, usize, &Knowledge) -> Vec<At>, bytes: OperationId) -> Option<(Vec<OperationId>, usize)> {
        let (operations, types) = (operations(), TypeTable::default());
        let effects = vec![Effects::ALL; operations.len()];
        let knowledge = Knowledge::new(&operations, &effects, &types);
        let mut sequence = Sequence::new();
        let class = sequence.push_literal(Literal::Class(Type::class("p/A")));
        let array = sequence.push_call(bytes, &[]);
        let text = sequence.push_literal(Literal::String("a".into()));
        let parser = sequence.push_call(LONG, &[class, array, text]);
        sequence.push_call(LAST, &[parser]);
        let mut values = vec![Value::Void; sequence.len()];
        values[array] =
            Value::Object { class: Type::array(Type::Primitive(Primitive::Byte)), observed: Observed::Size(48) };
        let best = Best { sequence, execution: Execution { values, ..Execution::ended(Outcome::Completed) } };
        let change = pass(&best, best.sequence.len() - 1, &knowledge).into_iter().next()?;
        let changed = apply(&best.sequence, &[change])?;
        Some((changed.calls().collect(), changed.inputs_of(changed.len() - 2).count()))
    }

    #[test]
    fn overload_leaves_out_what_says_nothing() {
        assert_eq!(changed(shorter_overloads, BYTES), Some((vec![BYTES, SHORT, LAST], 2)));
        assert_eq!(changed(shorter_overloads, DIGEST), None);
    }

    #[test]
    fn any_object_is_a_plain_one() {
        assert_eq!(changed(plain_objects, BYTES), Some((vec![OBJECT, BYTES, LONG, LAST], 3)));
    }

    #[test]
    fn object_that_is_used_elsewhere_is_no_plain_one_in_its_place() {
        let mut operations = operations();
        operations[LAST.0 as usize].inputs.push(Type::object());
        let effects = vec![Effects::ALL; operations.len()];
        let types = TypeTable::default();
        let knowledge = Knowledge::new(&operations, &effects, &types);
        let mut sequence = Sequence::new();
        let text = sequence.push_literal(Literal::String("a".into()));
        let parser = sequence.push_call(SHORT, &[text, text]);
        sequence.push_call(LAST, &[parser, parser]);
        let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
        let change = plain_objects(&best, 2, &knowledge).into_iter().next().unwrap();
        let changed = apply(&best.sequence, &[change]).unwrap();
        assert_eq!(changed.calls().collect::<Vec<_>>(), [SHORT, OBJECT, LAST]);
        assert!(plain_objects(&Best { sequence: changed, ..best }, 3, &knowledge).is_empty());
    }

    #[test]
    fn object_of_an_unrelated_class_that_is_compared_is_a_plain_one() {
        let mut operations = operations();
        operations[LAST.0 as usize].name = "equals".into();
        operations[LAST.0 as usize].inputs = vec![Type::class("p/A"), Type::object()];
        let (effects, types) = (vec![Effects::ALL; operations.len()], TypeTable::default());
        let knowledge = Knowledge::new(&operations, &effects, &types);
        let compared = |made: OperationId| {
            let mut sequence = Sequence::new();
            let receiver = sequence.push_literal(Literal::Null(Type::class("p/A")));
            let other = sequence.push_call(made, &[]);
            sequence.push_call(LAST, &[receiver, other]);
            let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
            plain_objects(&best, 2, &knowledge).len()
        };
        assert_eq!(compared(SHORT), 1, "a parser");
        assert_eq!(compared(OBJECT), 0);
    }

    #[test]
    fn object_beside_a_text_is_a_text() {
        let mut operations = operations();
        operations[LAST.0 as usize].inputs = vec![Type::object(); 2];
        let (effects, types) = (vec![Effects::ALL; operations.len()], TypeTable::default());
        let knowledge = Knowledge::new(&operations, &effects, &types);
        let mut sequence = Sequence::new();
        let text = sequence.push_literal(Literal::String("a".into()));
        let object = sequence.push_call(OBJECT, &[]);
        sequence.push_call(LAST, &[text, object]);
        let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
        let change = plain_objects(&best, 2, &knowledge).into_iter().next().unwrap();
        let changed = apply(&best.sequence, &[change]).unwrap();
        assert_eq!(changed.literal_at(object), Some(&Literal::String("b".into())));
    }

    #[test]
    fn long_array_gives_way_to_one_of_a_plain_element() {
        assert_eq!(changed(short_arrays, DIGEST), Some((vec![BYTES, LONG, LAST], 3)));
        assert_eq!(changed(short_arrays, BYTES), None);
    }

    #[test]
    fn array_of_another_class_is_written_down_in_part_or_as_a_whole() {
        let mut operations = operations();
        operations[LAST.0 as usize].owner = ClassName::new("p/B");
        let written = |operations: &[Operation], length: i8| {
            let (types, effects) = (TypeTable::default(), vec![Effects::ALL; operations.len()]);
            let knowledge = Knowledge::new(operations, &effects, &types);
            let mut sequence = Sequence::new();
            let digest = sequence.push_call(DIGEST, &[]);
            sequence.push_call(LAST, &[digest]);
            let parts = (0..length).map(|element| Described::Literal(Literal::Byte(element))).collect();
            let array = Described::Array(Type::Primitive(Primitive::Byte), parts);
            let class = Type::array(Type::Primitive(Primitive::Byte));
            let values = vec![Value::Object { class, observed: Observed::Value(array) }, Value::Void];
            let execution = Execution { values, ..Execution::ended(Outcome::Completed) };
            let best = Best { sequence, execution };
            let changes = short_arrays(&best, 1, &knowledge).into_iter();
            let literals = |change| apply(&best.sequence, &[change]).unwrap().len() - 2;
            changes.map(literals).collect::<Vec<usize>>()
        };
        assert_eq!(written(&operations, 2), [2]);
        let (plain, parts) = (vec![1, 1, 4, 8], [vec![1; 6], vec![2; 5], vec![4; 3]].concat());
        assert_eq!(written(&operations, 6), [&plain[..], &parts, &[6]].concat());
        operations[DIGEST.0 as usize].owner = ClassName::new("p/B");
        assert_eq!(written(&operations, 2), []);
    }

    #[test]
    fn left_out_types_are_found_in_order() {
        let of = |letters: &str| -> Vec<Type> {
            letters.chars().map(|letter| if letter == 'i' { Type::INT } else { Type::string() }).collect()
        };
        let omitted = |long: &str, short: &str| left_out(&of(long), &of(short));
        assert_eq!(omitted("iti", "it"), [[2]]);
        assert_eq!(omitted("tti", "ti"), [[1], [0]]);
        assert_eq!(omitted("ttti", "t"), [[1, 2, 3]]);
        assert!(omitted("it", "ti").is_empty());
        assert_eq!(["ttt", "tt", "ttit"].map(|long| are_more_of_a_kind(&of(long), &[1])), [true, false, true]);
        assert!(!are_more_of_a_kind(&of("ttti"), &[2, 3]));
    }
}
