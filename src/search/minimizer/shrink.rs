//! Literals that read more easily.

use super::literal::{is_word, simpler_literals};
use super::{At, Best, Knowledge, SUBSTITUTES, StatementChange, examples};
use model::execution::Outcome;
use model::jvm::{JavaString, Literal, Type};
use model::sequence::{Action, Operation, OperationKind, Recording, Sequence};

/// Replaces a literal among the first `end` statements by a simpler one. Literals that differ stay different: a test in which
/// a user is called as the group is shows less.
pub(super) fn shrink_literals(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let simpler = simpler_of(best, knowledge).into_iter().filter(|(at, _)| *at < end);
    let replace = |at| move |one| (at, StatementChange::Replace(Action::Literal(one)));
    simpler.flat_map(|(at, simpler)| simpler.into_iter().map(replace(at))).collect()
}

/// Replaces literals that are equal by one simpler literal: a text that opens an account and then names it stays the same.
pub(super) fn shrink_equal_literals(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let literal = |at: usize| &best.sequence.statements()[at].action;
    let mut changes = Vec::new();
    for (at, simpler) in simpler_of(best, knowledge) {
        let is_first = !(0..at).any(|earlier| literal(earlier) == literal(at));
        let last = (at + 1..best.sequence.len()).rfind(|&later| literal(later) == literal(at));
        if is_first && last.is_some_and(|last| last < end) {
            let replace = |one| (at, StatementChange::ReplaceEqual(Action::Literal(one)));
            changes.extend(simpler.into_iter().map(replace));
        }
    }
    changes
}

/// For each literal those that read more easily and are no other literals of the sequence.
fn simpler_of(best: &Best, knowledge: &Knowledge) -> Vec<(usize, Vec<Literal>)> {
    let literals: Vec<(usize, &Literal)> = (best.sequence.statements().iter().enumerate())
        .filter_map(|(at, statement)| match &statement.action {
            Action::Literal(literal) if !is_label(&best.sequence, at, knowledge) => Some((at, literal)),
            Action::Literal(_) | Action::Call(_) => None,
        })
        .collect();
    let mut distinct: Vec<&Literal> = Vec::new();
    let mut found = Vec::new();
    for &(at, literal) in &literals {
        let is_class = |of: &Literal| matches!(of, Literal::Class(_));
        let is_like =
            |other: &&&Literal| other.literal_type() == literal.literal_type() || is_class(other) && is_class(literal);
        let known = distinct.iter().filter(is_like).position(|other| *other == literal);
        let rank = known.unwrap_or_else(|| {
            distinct.push(literal);
            distinct.iter().filter(is_like).count() - 1
        });
        let is_taken = |simpler: &Literal| literals.iter().any(|(_, other)| *other == simpler);
        let natural = natural_literal(best, at, knowledge);
        let second = natural.as_ref().filter(|natural| is_taken(natural)).and_then(second_of);
        if natural.as_ref() == Some(literal) || second.as_ref() == Some(literal) {
            continue;
        }
        let simpler = natural.into_iter().chain(second).chain(simpler_literals(literal, rank));
        // Of a generic class another literal may not be what a call takes.
        let needs = if is_class(literal) { knowledge.needs_of(&best.sequence, at) } else { Vec::new() };
        let fits = |simpler: &Literal| knowledge.fits_all(&simpler.literal_type(), &needs);
        let simpler = simpler.filter(|simpler| !is_taken(simpler) && fits(simpler));
        found.push((at, simpler.collect()));
    }
    found
}

/// Whether it tells collaborators apart, and reads well as it is.
fn is_label(sequence: &Sequence, at: usize, knowledge: &Knowledge) -> bool {
    let is_label_of = |user: usize| {
        let label = knowledge.called(sequence, user).and_then(|of| Recording::label_of(&of.implemented));
        label.is_some_and(|slot| sequence.inputs_of(user).nth(slot as usize) == Some(at))
    };
    (at + 1..sequence.len()).any(is_label_of)
}

/// Longest name of a parameter that is taken as a text.
const LONGEST_NAME: usize = 14;

/// What a person writes for the parameter that takes a literal, which stays as it is: its name for a text, such as `"user"`
/// rather than `"a"`, a year of this century for a year, and a letter among the bytes of which a text is made.
pub(super) fn natural_literal(best: &Best, at: usize, knowledge: &Knowledge) -> Option<Literal> {
    const DATES: [&str; 5] = ["LocalDate", "LocalDateTime", "YearMonth", "Year", "ZonedDateTime"];
    let Action::Literal(literal) = &best.sequence.statements()[at].action else { return None };
    let (operation, slot) = taken_as(&best.sequence, at, knowledge)?;
    match literal {
        // How a text is encoded shows where the call returns.
        Literal::String(_) if best.execution.outcome == Outcome::Completed => natural_text(operation, slot),
        Literal::String(_) => {
            natural_text(operation, slot).filter(|natural| *natural != Literal::String(ENCODED.into()))
        }
        Literal::Char(_) => {
            let [example, _] = examples::of_parameter(operation.parameter_names.get(slot)?)?;
            let mut letters = example.encode_utf16();
            letters.next().filter(|_| letters.next().is_none()).map(Literal::Char)
        }
        Literal::Int(year) => {
            let is_date = operation.owner.package() == "java.time" && DATES.contains(&operation.owner.simple());
            let is_of_date = is_date && slot == 0 && matches!(&*operation.name, "of" | "ofYearDay");
            let name = operation.parameter_names.get(slot);
            let is_year =
                name.is_some_and(|name| &**name == "year" || name.ends_with("Year") && !name.ends_with("OfYear"));
            (is_of_date || is_year).then(|| Literal::Int(if (1970..2100).contains(year) { *year } else { 2024 }))
        }
        Literal::Byte(_) if operation.kind == OperationKind::Array => {
            let (array, _) = users_of(&best.sequence, at).next()?;
            let (user, _) = users_of(&best.sequence, array).next()?;
            let makes_text = knowledge.called(&best.sequence, user)?.output.as_ref().is_some_and(Type::is_string);
            makes_text.then_some(Literal::Byte(b'a' as i8))
        }
        _ => None,
    }
}

/// The calls that take the value, and as which of their inputs first.
fn users_of(sequence: &Sequence, at: usize) -> impl Iterator<Item = (usize, usize)> {
    (at + 1..sequence.len())
        .filter_map(move |user| Some((user, sequence.inputs_of(user).position(|input| input == at)?)))
}

/// The first call that takes the value, and for which of its parameters.
pub(super) fn taken_as<'k>(
    sequence: &Sequence,
    at: usize,
    knowledge: &Knowledge<'k>,
) -> Option<(&'k Operation, usize)> {
    let (user, slot) = users_of(sequence, at).next()?;
    let operation = knowledge.called(sequence, user)?;
    Some((operation, slot.checked_sub(usize::from(operation.has_receiver()))?))
}

/// A letter that each charset has other bytes for.
const ENCODED: &str = "é";

/// Whether the operation takes a charset beside the parameter.
fn takes_charset_beside(operation: &Operation, slot: usize) -> bool {
    let parameters = operation.descriptor.parameters.iter().zip(&operation.parameter_names).enumerate();
    let mut others = parameters.filter(|(other, _)| *other != slot).map(|(_, parameter)| parameter);
    others.any(|(of, name)| {
        let is_name = || of.is_string() && examples::is_charset(name);
        of.class_name().is_some_and(|class| class.internal() == "java/nio/charset/Charset") || is_name()
    })
}

/// What is usual for a parameter of that name, or the name itself, if a text may be like that; and where a charset matters, a letter that
/// shows which one it is.
pub(super) fn natural_text(operation: &Operation, slot: usize) -> Option<Literal> {
    let name = operation.parameter_names.get(slot)?;
    if let Some([example, _]) = examples::of_parameter(name) {
        return Some(Literal::String(example.into()));
    }
    if takes_charset_beside(operation, slot) {
        return Some(Literal::String(ENCODED.into()));
    }
    let is_word = (3..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    (is_word && !examples::says_nothing(name)).then(|| Literal::String((&**name).into()))
}

/// `"otherBook"` beside `"book"`, a semicolon beside a comma.
pub(super) fn second_of(natural: &Literal) -> Option<Literal> {
    let Literal::String(text) = natural else { return None };
    let text = text.to_string();
    if let Some(second) = examples::beside(&text) {
        return Some(Literal::String(second.into()));
    }
    let (first, rest) = text.split_at_checked(1)?;
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphabetic()) && !text.starts_with("other");
    is_word.then(|| Literal::String(format!("other{}{rest}", first.to_ascii_uppercase()).as_str().into()))
}

/// Whether the literal is what a person writes for its parameter, or beside that.
fn is_natural(best: &Best, at: usize, knowledge: &Knowledge) -> bool {
    let Action::Literal(literal) = &best.sequence.statements()[at].action else { return false };
    let Some(natural) = natural_literal(best, at, knowledge) else { return false };
    natural == *literal || second_of(&natural).as_ref() == Some(literal)
}

/// Other texts in place of each among the first `end` statements that is not what a person writes for its parameter.
pub(super) fn other_texts(
    best: &Best,
    end: usize,
    knowledge: &Knowledge,
    others: impl Fn(&[u16]) -> Vec<Vec<u16>>,
) -> Vec<At> {
    let mut changes = Vec::new();
    for (at, statement) in best.sequence.statements()[..end].iter().enumerate() {
        let Action::Literal(Literal::String(text)) = &statement.action else { continue };
        if is_natural(best, at, knowledge) {
            continue;
        }
        let literal = |units: Vec<u16>| Action::Literal(Literal::String(JavaString::from_units(&units)));
        changes.extend(others(text.units()).into_iter().map(|units| (at, StatementChange::Replace(literal(units)))));
    }
    changes
}

/// Another text in place of an empty one among the first `end` statements: what is usual for its parameter, one that the test has, or a
/// letter. That any text contains the empty one says little of `contains`.
pub(super) fn fill_texts(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let sequence = &best.sequence;
    let text_at = |at: usize| sequence.literal_at(at).filter(|literal| matches!(literal, Literal::String(_)));
    let is_empty = |literal: &Literal| matches!(literal, Literal::String(text) if text.units().is_empty());
    let mut texts: Vec<&Literal> = Vec::new();
    for text in (0..sequence.len()).filter_map(text_at).filter(|text| !is_empty(text)) {
        if !texts.contains(&text) && texts.len() < SUBSTITUTES {
            texts.push(text);
        }
    }
    let letter = Literal::String("a".into());
    let fill = |at: usize| {
        let natural = natural_literal(best, at, knowledge).filter(|natural| !texts.contains(&natural));
        let others = natural.into_iter().chain(texts.iter().copied().cloned()).chain([letter.clone()]);
        others.map(move |other| (at, StatementChange::Replace(Action::Literal(other))))
    };
    (0..end).filter(|at| text_at(*at).is_some_and(is_empty)).flat_map(fill).collect()
}

/// Halves words among the first `end` statements, where the smallest text counts and not what it says.
pub(super) fn halve_words(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    other_texts(best, end, knowledge, |units| {
        let (first, second) = units.split_at(units.len() / 2);
        if units.len() < 2 || !is_word(units) { Vec::new() } else { vec![first.to_vec(), second.to_vec()] }
    })
}

/// Texts up to this length are tried without each of their letters.
const LETTERS_TRIED: usize = 16;
/// Longer ones without each of so many parts.
const PARTS_TRIED: usize = 8;

/// Leaves out a letter or a part of a text among the first `end` statements.
pub(super) fn shorten_texts(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    other_texts(best, end, knowledge, |units| {
        if units.len() < 2 || is_word(units) {
            return Vec::new();
        }
        let step = if units.len() <= LETTERS_TRIED { 1 } else { units.len().div_ceil(PARTS_TRIED) };
        let without = |from: usize| [&units[..from], &units[(from + step).min(units.len())..]].concat();
        (0..units.len()).step_by(step).map(without).collect()
    })
}

/// A letter in place of a sign of a text among the first `end` statements: who reads `"--\""` asks what the quote is for, and not of `"--a"`.
pub(super) fn letters_for_signs(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    const LETTER: u16 = b'a' as u16;
    other_texts(best, end, knowledge, |units| {
        if units.len() > LETTERS_TRIED {
            return Vec::new();
        }
        let with_letter = |at: usize| [&units[..at], &[LETTER], &units[at + 1..]].concat();
        (0..units.len()).filter(|&at| is_sign(units[at])).map(with_letter).collect()
    })
}

/// Whether it is no space, and no letter or digit that is on every keyboard.
pub(super) fn is_sign(unit: u16) -> bool {
    unit != u16::from(b' ') && char::from_u32(u32::from(unit)).is_none_or(|letter| !letter.is_ascii_alphanumeric())
}

/// Two literals in place of one among the first `end` statements that calls of the platform take too, or that is there for parameters of
/// several names: what is parsed as a time is no name for a person.
pub(super) fn separate_literals(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let sequence = &best.sequence;
    let is_of_platform = |user: &usize| knowledge.called(sequence, *user).is_some_and(is_platform_call);
    let mut changes = Vec::new();
    for at in (0..end).filter(|&at| sequence.call_at(at).is_none()) {
        let separate = |inputs: Vec<(usize, usize)>| {
            let mut maker = Sequence::new();
            maker.push(sequence.statements()[at].action.clone(), &[]);
            (at, StatementChange::part(inputs, maker))
        };
        let users = (at + 1..sequence.len()).filter(|&user| sequence.inputs_of(user).any(|input| input == at));
        let (parsed, others): (Vec<usize>, Vec<usize>) = users.partition(is_of_platform);
        if !parsed.is_empty() && !others.is_empty() {
            let inputs = |user: usize| slots_of(sequence, user, at).map(move |slot| (user, slot));
            changes.push(separate(others.into_iter().flat_map(inputs).collect()));
        } else if let Some(inputs) = second_role(sequence, at, knowledge) {
            changes.push(separate(inputs));
        }
    }
    changes
}

/// The inputs that take the text for parameters of another name than the first: who reads `new Option("a", "a")`, or that a book and its
/// reader are called alike, looks for the reason. All inputs of one name keep the same text, and all elements of arrays.
fn second_role(sequence: &Sequence, at: usize, knowledge: &Knowledge) -> Option<Vec<(usize, usize)>> {
    if !matches!(sequence.statements()[at].action, Action::Literal(Literal::String(_))) {
        return None;
    }
    let mut roles: Vec<(&str, Vec<(usize, usize)>)> = Vec::new();
    for user in at + 1..sequence.len() {
        for slot in slots_of(sequence, user, at) {
            let operation = knowledge.called(sequence, user)?;
            let is_element = operation.kind == OperationKind::Array;
            let Some(name) = operation.name_of_input(slot).or_else(|| is_element.then_some("")) else { continue };
            match roles.iter_mut().find(|(known, _)| *known == name) {
                Some((_, inputs)) => inputs.push((user, slot)),
                None => roles.push((name, vec![(user, slot)])),
            }
        }
    }
    roles.into_iter().nth(1).map(|(_, inputs)| inputs)
}

/// The positions at which a statement takes the value of another.
pub(super) fn slots_of(sequence: &Sequence, user: usize, at: usize) -> impl Iterator<Item = usize> {
    sequence.inputs_of(user).enumerate().filter(move |(_, input)| *input == at).map(|(slot, _)| slot)
}

fn is_platform_call(operation: &Operation) -> bool {
    operation.owner.internal().starts_with("java/") && operation.kind != OperationKind::Array
}

#[cfg(test)]
mod tests {
    use super::super::apply;
    use super::*;
    use bytecode::analysis::purity::Effects;
    use model::execution::Execution;
    use model::jvm::types::TypeTable;
    use model::jvm::{ClassName, MethodDescriptor, Primitive, Type};
    use model::sequence::OperationId;

    #[test]
    fn text_becomes_the_name_of_its_parameter_and_keeps_it() {
        let descriptor = MethodDescriptor { parameters: vec![Type::string(); 2], returns: None };
        let mut register = Operation::new(OperationKind::StaticMethod, ClassName::new("p/Desk"), "lend", descriptor);
        register.parameter_names = ["user", "str"].map(Into::into).to_vec();
        let (operations, types) = ([register], TypeTable::default());
        let knowledge = Knowledge::new(&operations, &[Effects::ALL], &types);
        let first = |texts: &[&str]| {
            let mut sequence = Sequence::new();
            let push = |text: &&str| sequence.push_literal(Literal::String((*text).into()));
            let texts: Vec<usize> = texts.iter().map(push).collect();
            for pair in texts.chunks(2) {
                sequence.push_call(OperationId(0), pair);
            }
            let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
            let changes = shrink_literals(&best, texts.len(), &knowledge).into_iter();
            let first = |(at, change)| match change {
                StatementChange::Replace(Action::Literal(Literal::String(text))) => (at, text.to_string()),
                other => panic!("{other:?}"),
            };
            changes.map(first).collect::<Vec<_>>().first().cloned()
        };
        assert_eq!(first(&["x9", "a"]), Some((0, "user".to_string())));
        assert_eq!(first(&["user", "x9"]), Some((1, "b".to_string())));
        assert_eq!(first(&["user", "a"]), None);
        assert_eq!(first(&["user", "a", "x9", "a"]), Some((2, "otherUser".to_string())));
        assert_eq!(first(&["otherUser", "a"]), Some((0, "user".to_string())));
        assert_eq!(first(&["user", "a", "otherUser", "a"]), None);
    }

    #[test]
    fn text_beside_a_charset_is_a_letter_that_charsets_differ_in() {
        let of = |parameters: &[(Type, &str)]| {
            let (types, names): (Vec<Type>, Vec<_>) =
                parameters.iter().map(|(of, name)| (of.clone(), (*name).into())).unzip();
            let descriptor = MethodDescriptor { parameters: types, returns: None };
            let mut encode =
                Operation::new(OperationKind::StaticMethod, ClassName::new("p/Codec"), "encode", descriptor);
            encode.parameter_names = names;
            natural_text(&encode, 0)
        };
        let text = |text: &str| Some(Literal::String(text.into()));
        let charset = Type::Class(ClassName::new("java/nio/charset/Charset"));
        assert_eq!(of(&[(Type::string(), "value"), (charset, "charset")]), text("é"));
        assert_eq!(of(&[(Type::string(), "value"), (Type::string(), "charsetName")]), text("é"));
        assert_eq!(of(&[(Type::string(), "charset"), (Type::string(), "charsetName")]), text("UTF-8"));
        assert_eq!(of(&[(Type::string(), "value"), (Type::string(), "title")]), text("value"));
    }

    #[test]
    fn name_of_a_parameter_keeps_its_letters_however_long_it_is() {
        let descriptor = MethodDescriptor { parameters: vec![Type::string()], returns: None };
        let mut print = Operation::new(OperationKind::StaticMethod, ClassName::new("p/Help"), "print", descriptor);
        print.parameter_names = vec!["cmdLineSyntax".into()];
        let (operations, types) = ([print], TypeTable::default());
        let knowledge = Knowledge::new(&operations, &[Effects::ALL], &types);
        let shorter = |text: &str| {
            let mut sequence = Sequence::new();
            let text = sequence.push_literal(Literal::String(text.into()));
            sequence.push_call(OperationId(0), &[text]);
            let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
            shorten_texts(&best, 1, &knowledge).len()
        };
        assert_eq!(["cmdLineSyntax", "otherCmdLineSyntax", "cmdLineSyntay"].map(shorter), [0, 0, 13]);
    }

    #[test]
    fn text_that_the_platform_parses_is_another_than_what_a_test_calls_things() {
        let of = |owner: &str, name: &str| {
            let descriptor = MethodDescriptor { parameters: vec![Type::string()], returns: None };
            Operation::new(OperationKind::StaticMethod, ClassName::new(owner), name, descriptor)
        };
        let operations = [of("java/time/Instant", "parse"), of("p/Desk", "lend")];
        let (types, effects) = (TypeTable::default(), [Effects::ALL; 2]);
        let knowledge = Knowledge::new(&operations, &effects, &types);
        let mut sequence = Sequence::new();
        let text = sequence.push_literal(Literal::String("2024".into()));
        let (parse, lend) = (OperationId(0), OperationId(1));
        sequence.push_call(parse, &[text]);
        sequence.push_call(lend, &[text]);
        let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
        let changes = separate_literals(&best, 2, &knowledge);
        let separated = apply(&best.sequence, &changes).unwrap();
        assert_eq!(
            (separated.len(), separated.inputs_of(2).next(), separated.inputs_of(3).next()),
            (4, Some(0), Some(1))
        );
        let best = Best { sequence: separated, ..best };
        assert!(separate_literals(&best, 3, &knowledge).is_empty());
    }

    #[test]
    fn year_is_one_of_this_century() {
        let descriptor = MethodDescriptor { parameters: vec![Type::INT; 2], returns: None };
        let mut schedule = Operation::new(OperationKind::StaticMethod, ClassName::new("p/Meeting"), "plan", descriptor);
        schedule.parameter_names = ["dayOfYear", "year"].map(Into::into).to_vec();
        let (operations, types) = ([schedule], TypeTable::default());
        let knowledge = Knowledge::new(&operations, &[Effects::ALL], &types);
        let natural = |year: i32| {
            let mut sequence = Sequence::new();
            let inputs = [300, year].map(|number| sequence.push_literal(Literal::Int(number)));
            sequence.push_call(OperationId(0), &inputs);
            let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
            [0, 1].map(|at| natural_literal(&best, at, &knowledge))
        };
        assert_eq!(natural(5), [None, Some(Literal::Int(2024))]);
        assert_eq!(natural(1999), [None, Some(Literal::Int(1999))]);
    }

    #[test]
    fn byte_of_which_a_text_is_made_is_a_letter() {
        let byte = Type::Primitive(Primitive::Byte);
        let bytes = Type::array(byte.clone());
        let of = |kind, parameters, returns: Type| {
            let descriptor = MethodDescriptor { parameters, returns: Some(returns) };
            Operation::new(kind, ClassName::new("p/Codec"), "it", descriptor)
        };
        let (array, method) = (OperationKind::Array, OperationKind::StaticMethod);
        let operations = [
            of(array, vec![byte], bytes.clone()),
            of(method, vec![bytes.clone()], Type::string()),
            of(method, vec![bytes], Type::INT),
        ];
        let types = TypeTable::default();
        let knowledge = Knowledge::new(&operations, &[Effects::ALL; 3], &types);
        let natural = |user: u32| {
            let mut sequence = Sequence::new();
            let byte = sequence.push_literal(Literal::Byte(-3));
            let array = sequence.push_call(OperationId(0), &[byte]);
            sequence.push_call(OperationId(user), &[array]);
            let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
            natural_literal(&best, 0, &knowledge)
        };
        assert_eq!([1, 2].map(natural), [Some(Literal::Byte(b'a' as i8)), None]);
    }

    #[test]
    fn text_that_a_call_takes_twice_becomes_two_texts() {
        let descriptor = MethodDescriptor { parameters: vec![Type::string(); 2], returns: None };
        let mut register = Operation::new(OperationKind::StaticMethod, ClassName::new("p/Desk"), "lend", descriptor);
        register.parameter_names = ["user", "book"].map(Into::into).to_vec();
        let (operations, types) = ([register], TypeTable::default());
        let knowledge = Knowledge::new(&operations, &[Effects::ALL], &types);
        let mut sequence = Sequence::new();
        let text = sequence.push_literal(Literal::String("a".into()));
        sequence.push_call(OperationId(0), &[text, text]);
        let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
        let separated = apply(&best.sequence, &separate_literals(&best, 1, &knowledge)).unwrap();
        assert_eq!(separated.inputs_of(2).collect::<Vec<_>>(), [0, 1]);
        assert!(separate_literals(&Best { sequence: separated, ..best }, 2, &knowledge).is_empty());
    }

    #[test]
    fn empty_text_gives_way_to_another_one_of_the_test_or_a_letter() {
        let (types, operations) = (TypeTable::default(), []);
        let knowledge = Knowledge::new(&operations, &[], &types);
        let mut sequence = Sequence::new();
        for text in ["", "word"] {
            sequence.push_literal(Literal::String(text.into()));
        }
        let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
        let filled = fill_texts(&best, 2, &knowledge).into_iter().map(|change| match change {
            (0, StatementChange::Replace(Action::Literal(Literal::String(text)))) => text.to_string(),
            other => panic!("{other:?}"),
        });
        assert_eq!(filled.collect::<Vec<_>>(), ["word", "a"]);
    }

    #[test]
    fn text_loses_each_letter_or_part() {
        let (types, operations) = (TypeTable::default(), []);
        let knowledge = Knowledge::new(&operations, &[], &types);
        let shorter = |text: &str| {
            let mut sequence = Sequence::new();
            sequence.push_literal(Literal::String(text.into()));
            let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
            shorten_texts(&best, 1, &knowledge).len()
        };
        assert_eq!([shorter("a"), shorter("a-c"), shorter(&"abcd".repeat(8)), shorter("Missing")], [0, 3, 8, 0]);
    }

    #[test]
    fn signs_of_a_text_give_way_to_letters_one_by_one() {
        let (types, operations) = (TypeTable::default(), []);
        let knowledge = Knowledge::new(&operations, &[], &types);
        let mut sequence = Sequence::new();
        sequence.push_literal(Literal::String("-\" 1b".into()));
        let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
        let texts = letters_for_signs(&best, 1, &knowledge).into_iter().map(|(_, change)| match change {
            StatementChange::Replace(Action::Literal(Literal::String(text))) => text.to_string(),
            other => panic!("{other:?}"),
        });
        assert_eq!(texts.collect::<Vec<_>>(), ["a\" 1b", "-a 1b"]);
    }

    #[test]
    fn literals_that_are_equal_shrink_together() {
        let mut sequence = Sequence::new();
        for text in ["a account", "other account", "a account"] {
            sequence.push_literal(Literal::String(text.into()));
        }
        sequence.push_call(OperationId(0), &[0, 1, 2]);
        let descriptor = MethodDescriptor { parameters: vec![Type::string(); 3], returns: None };
        let open = Operation::new(OperationKind::StaticMethod, ClassName::new("p/Bank"), "open", descriptor);
        let (types, operations) = (TypeTable::default(), [open]);
        let knowledge = Knowledge::new(&operations, &[], &types);
        let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
        let first = |end: usize| shrink_equal_literals(&best, end, &knowledge).into_iter().next();
        let changed = crate::minimizer::apply(&best.sequence, &[first(3).unwrap()]).unwrap();
        let texts = [0, 1, 2].map(|at| changed.statements()[at].action.clone());
        assert_eq!(texts, ["a", "other account", "a"].map(|text| Action::Literal(Literal::String(text.into()))));
        assert!(first(2).is_none(), "one of them stays");
    }

    #[test]
    fn literals_that_differ_shrink_to_literals_that_differ() {
        let mut sequence = Sequence::new();
        for text in ["group", "user", "group"] {
            sequence.push_literal(Literal::String(text.into()));
        }
        for number in [500, 20] {
            sequence.push_literal(Literal::Int(number));
        }
        let (types, operations) = (TypeTable::default(), []);
        let knowledge = Knowledge::new(&operations, &[], &types);
        let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
        let mut first: Vec<Option<Literal>> = vec![None; 5];
        for (at, change) in shrink_literals(&best, 5, &knowledge) {
            let StatementChange::Replace(Action::Literal(literal)) = change else { panic!("{change:?}") };
            first[at].get_or_insert(literal);
        }
        let text = |text: &str| Some(Literal::String(text.into()));
        assert_eq!(first, [text("a"), text("b"), text("a"), Some(Literal::Int(1)), Some(Literal::Int(2))]);
    }
}
