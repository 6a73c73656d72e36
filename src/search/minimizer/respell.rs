//! Other letters or words in all texts of a sequence at once.

use super::shrink::{is_sign, natural_literal, second_of};
use super::{At, Best, Knowledge, StatementChange};
use model::jvm::{JavaString, Literal};
use model::sequence::Action;

/// What is written in another way, wherever it occurs.
#[derive(Clone, Debug)]
pub(super) enum Respelling {
    /// A letter or sign, by another one.
    Unit(u16, u16),
    /// A whole word, by another one.
    Word(Vec<u16>, Vec<u16>),
}

/// The units of a text or character.
fn units_at(best: &Best, at: usize) -> Vec<u16> {
    match best.sequence.literal_at(at) {
        Some(Literal::String(text)) => text.units().to_vec(),
        Some(Literal::Char(unit)) => vec![*unit],
        _ => Vec::new(),
    }
}

/// A letter in place of a sign in all texts and characters, if all are among the first `end` statements: an option that is called `$`
/// where it is declared, where it is given and where it is asked for can be called `a`.
pub(super) fn letters_everywhere(best: &Best, end: usize, _: &Knowledge) -> Vec<At> {
    let units: Vec<Vec<u16>> = (0..best.sequence.len()).map(|at| units_at(best, at)).collect();
    let occurs = |unit: u16| units.iter().any(|units| units.contains(&unit));
    let Some(letter) = (b'a'..=b'z').map(u16::from).find(|letter| !occurs(*letter)) else { return Vec::new() };
    let mut signs: Vec<(usize, u16)> = Vec::new();
    for (at, units) in units.iter().enumerate() {
        for &unit in units.iter().filter(|unit| is_sign(**unit)) {
            if !signs.iter().any(|(_, known)| *known == unit) {
                signs.push((at, unit));
            }
        }
    }
    let is_spread = |unit: u16| units.iter().filter(|units| units.contains(&unit)).count() > 1;
    let can_go = |unit: u16| units[end..].iter().all(|units| !units.contains(&unit));
    let found = signs.into_iter().filter(|(_, unit)| is_spread(*unit) && can_go(*unit));
    found.map(|(at, unit)| (at, StatementChange::Respell(Respelling::Unit(unit, letter)))).collect()
}

/// What a person writes for the parameter that takes a word, in place of this word in all texts, if all are among the first `end`
/// statements: an option that is declared as `1xa` and given as `-1xa=` can be called `opt`.
pub(super) fn names_everywhere(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    let units: Vec<Vec<u16>> = (0..best.sequence.len()).map(|at| units_at(best, at)).collect();
    let holds = |at: usize, word: &[u16]| words(&units[at]).any(|other| other == word);
    let is_text = |at: usize| matches!(best.sequence.literal_at(at), Some(Literal::String(_)));
    let mut changes = Vec::new();
    for at in (0..end).filter(|at| is_text(*at)) {
        let word = &units[at];
        if word.is_empty() || !word.iter().all(|unit| is_of_word(*unit)) {
            continue;
        }
        let Some(natural) = natural_literal(best, at, knowledge) else { continue };
        let spelled = |literal: &Literal| match literal {
            Literal::String(text) => text.units().to_vec(),
            _ => Vec::new(),
        };
        let names: Vec<Vec<u16>> = [Some(natural.clone()), second_of(&natural)].iter().flatten().map(spelled).collect();
        let users: Vec<usize> = (0..units.len()).filter(|user| holds(*user, word)).collect();
        let is_hidden = users.iter().any(|user| units[*user] != *word);
        let can_go = users.iter().all(|user| *user < end && is_text(*user));
        if names.contains(word) || !is_hidden || !can_go {
            continue;
        }
        let is_free = |name: &&Vec<u16>| !(0..units.len()).any(|user| holds(user, name.as_slice()));
        if let Some(name) = names.iter().find(is_free) {
            changes.push((at, StatementChange::Respell(Respelling::Word(word.clone(), name.clone()))));
        }
    }
    changes
}

fn is_of_word(unit: u16) -> bool {
    char::from_u32(u32::from(unit)).is_some_and(|letter| letter.is_ascii_alphanumeric())
}

/// The words of a text, as long as they can be.
fn words(units: &[u16]) -> impl Iterator<Item = &[u16]> {
    units.split(|unit| !is_of_word(*unit)).filter(|word| !word.is_empty())
}

/// The action, with its text or character spelled as the changes say.
pub(super) fn respelled(action: &Action, changes: &[At]) -> Action {
    let respellings = || {
        changes.iter().filter_map(|(_, change)| match change {
            StatementChange::Respell(respelling) => Some(respelling),
            _ => None,
        })
    };
    match action {
        Action::Literal(Literal::String(text)) => {
            let units = respellings().fold(text.units().to_vec(), |units, one| spelled(&units, one));
            Action::Literal(Literal::String(JavaString::from_units(&units)))
        }
        Action::Literal(Literal::Char(unit)) => {
            let spelled = |now: u16, one: &Respelling| match one {
                Respelling::Unit(unit, other) if *unit == now => *other,
                _ => now,
            };
            Action::Literal(Literal::Char(respellings().fold(*unit, spelled)))
        }
        other => other.clone(),
    }
}

fn spelled(units: &[u16], respelling: &Respelling) -> Vec<u16> {
    match respelling {
        Respelling::Unit(from, to) => units.iter().map(|unit| if unit == from { *to } else { *unit }).collect(),
        Respelling::Word(from, to) => {
            let same_kind = |one: &u16, two: &u16| is_of_word(*one) && is_of_word(*two);
            let parts = units.chunk_by(same_kind);
            parts.flat_map(|part| if part == from.as_slice() { to } else { part }).copied().collect()
        }
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
    use model::sequence::{Operation, OperationId, OperationKind, Sequence};

    #[test]
    fn word_gives_way_to_the_name_of_its_parameter_wherever_it_stands() {
        let descriptor = |count: usize| MethodDescriptor { parameters: vec![Type::string(); count], returns: None };
        let mut add = Operation::new(OperationKind::StaticMethod, ClassName::new("p/Options"), "add", descriptor(1));
        add.parameter_names = vec!["opt".into()];
        let parse = Operation::new(OperationKind::StaticMethod, ClassName::new("p/Options"), "parse", descriptor(2));
        let (operations, types) = ([add, parse], TypeTable::default());
        let knowledge = Knowledge::new(&operations, &[Effects::ALL; 2], &types);
        let renamed = |declared: &str, given: [&str; 2]| {
            let mut sequence = Sequence::new();
            let text = |text: &str| Literal::String(text.into());
            let option = sequence.push_literal(text(declared));
            sequence.push_call(OperationId(0), &[option]);
            let given = given.map(|given| sequence.push_literal(text(given)));
            sequence.push_call(OperationId(1), &given);
            let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
            let change = names_everywhere(&best, 4, &knowledge).into_iter().next()?;
            let changed = apply(&best.sequence, &[change]).unwrap();
            Some([0, 2, 3].map(|at| match changed.literal_at(at) {
                Some(Literal::String(text)) => text.to_string(),
                other => panic!("{other:?}"),
            }))
        };
        let expected = |texts: [&str; 3]| Some(texts.map(str::to_string));
        assert_eq!(renamed("1xa", ["-1xa=", "1xab"]), expected(["opt", "-opt=", "1xab"]));
        assert_eq!(renamed("1xa", ["-1xa=", "--opt"]), expected(["otherOpt", "-otherOpt=", "--opt"]));
        assert_eq!(renamed("1xa", ["1xa", "b"]), None, "equal literals change together");
        assert_eq!(renamed("opt", ["-opt", "b"]), None);
    }

    #[test]
    fn sign_gives_way_to_a_letter_in_all_texts_at_once() {
        let (types, literal) = (TypeTable::default(), |text: &str| Literal::String(text.into()));
        let knowledge = Knowledge::new(&[], &[], &types);
        let respelled = |literals: &[Literal], end: usize| {
            let mut sequence = Sequence::new();
            let texts: Vec<usize> = literals.iter().map(|literal| sequence.push_literal(literal.clone())).collect();
            sequence.push_call(OperationId(0), &texts);
            let best = Best { sequence, execution: Execution::ended(Outcome::Completed) };
            let change = letters_everywhere(&best, end, &knowledge).into_iter().next()?;
            let changed = apply(&best.sequence, &[change]).unwrap();
            Some((0..texts.len()).map(|at| changed.literal_at(at).unwrap().clone()).collect::<Vec<Literal>>())
        };
        let dollar = || Literal::Char(u16::from(b'$'));
        let expected = vec![literal("-b"), literal("ba"), Literal::Char(u16::from(b'b'))];
        assert_eq!(respelled(&[literal("-$"), literal("$a"), dollar()], 3), Some(expected));
        assert_eq!(respelled(&[literal("-$"), literal("a")], 2), None, "it is in one text");
        assert_eq!(respelled(&[literal("-$"), dollar()], 1), None, "what comes later is not changed");
    }
}
