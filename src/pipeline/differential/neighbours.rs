//! Sequences near one that calls changed code: the difference often shows beside a value that the search tried.
//!
//! A boundary moved by one, two values that must be equal or differ in case alone, a second call that meets what the first
//! left. Which neighbours come next depends on a count, so that a sequence of many literals gets its turn on each.

use super::versions::Versions;
use model::execution::Comparison;
use model::jvm::Literal;
use model::sequence::{Action, OperationId, Sequence};
use search::generator::Focus;

/// Neighbours that are made of one sequence at a time.
const MOST: usize = 12;
/// Longer texts are not joined with a part like themselves.
const LONGEST_DOUBLED: usize = 40;

/// Some neighbours of the sequence, by the turn.
pub fn of(sequence: &Sequence, versions: &Versions, turn: usize) -> Vec<Sequence> {
    let last = sequence.len().checked_sub(1);
    let Some(operation) = last.and_then(|last| sequence.call_at(last)) else { return Vec::new() };
    let mut all = again(sequence, versions);
    if versions.focus[operation.0 as usize] == Focus::Changed {
        all.extend(changed_literals(sequence));
        all.extend(other_arguments(sequence, operation, versions));
        all.extend(repeated(sequence, operation, versions));
        all.extend(doubled(sequence, versions));
    }
    if all.is_empty() {
        return all;
    }
    let first = turn * MOST % all.len();
    all.rotate_left(first);
    all.truncate(MOST);
    all
}

fn literals(sequence: &Sequence) -> Vec<(usize, &Literal)> {
    (0..sequence.len()).filter_map(|at| Some((at, sequence.literal_at(at)?))).collect()
}

/// One literal set to what it was compared with, or to a value beside that: a boundary that moved is there.
pub fn beside_operands(sequence: &Sequence, compared: &[&Comparison]) -> Vec<Sequence> {
    let mut changed = Vec::new();
    for (at, literal) in literals(sequence) {
        let other = |comparison: &&Comparison| match literal {
            literal if *literal == comparison.left => Some(comparison.right.clone()),
            literal if *literal == comparison.right => Some(comparison.left.clone()),
            _ => None,
        };
        let mut others: Vec<Literal> = compared.iter().filter_map(other).filter(|other| other != literal).collect();
        others.sort();
        others.dedup();
        for other in others {
            changed.extend(near(&other).into_iter().chain([other]).map(|near| sequence.with_literal(at, near)));
        }
    }
    changed
}

/// An earlier call of changed code once more at the end, with its arguments or another one: it meets what was done since.
fn again(sequence: &Sequence, versions: &Versions) -> Vec<Sequence> {
    let mut found = Vec::new();
    for at in 0..sequence.len() - 1 {
        let Some(operation) = sequence.call_at(at) else { continue };
        if versions.focus[operation.0 as usize] == Focus::Changed {
            let inputs: Vec<usize> = sequence.inputs_of(at).collect();
            let mut again = sequence.clone();
            again.push_call(operation, &inputs);
            found.push(again);
            let others = replacements(sequence, operation, &inputs, versions).into_iter();
            found.extend(others.map(|other| with_call(sequence.clone(), operation, &inputs, other)));
        }
    }
    found
}

/// One literal changed a little, or set to another one of the sequence.
fn changed_literals(sequence: &Sequence) -> Vec<Sequence> {
    let literals = literals(sequence);
    let mut changed = Vec::new();
    for &(at, literal) in &literals {
        let others = literals.iter().filter(|(_, other)| other.literal_type() == literal.literal_type());
        let equal =
            others.flat_map(|(_, other)| [Some((*other).clone()), in_other_case(other), joined(other, literal)]);
        let equal = equal.flatten();
        for replacement in equal.chain(near(literal)).filter(|replacement| replacement != literal) {
            changed.push(sequence.with_literal(at, replacement));
        }
    }
    changed
}

/// The last call with one argument that is another value of the sequence.
fn other_arguments(sequence: &Sequence, operation: OperationId, versions: &Versions) -> Vec<Sequence> {
    let last = sequence.len() - 1;
    let inputs: Vec<usize> = sequence.inputs_of(last).collect();
    let others = replacements(sequence, operation, &inputs, versions).into_iter();
    others.map(|other| with_call(sequence.prefix(last), operation, &inputs, other)).collect()
}

/// The last call twice, the second time with one argument that is another one.
fn repeated(sequence: &Sequence, operation: OperationId, versions: &Versions) -> Vec<Sequence> {
    let last = sequence.len() - 1;
    let inputs: Vec<usize> = sequence.inputs_of(last).collect();
    let mut again = sequence.clone();
    again.push_call(operation, &inputs);
    let mut repeated = vec![again];
    let others = replacements(sequence, operation, &inputs, versions).into_iter();
    repeated.extend(others.map(|other| with_call(sequence.clone(), operation, &inputs, other)));
    for (position, &input) in inputs.iter().enumerate() {
        let Action::Literal(literal) = &sequence.statements()[input].action else { continue };
        for replacement in near(literal) {
            let mut neighbour = sequence.clone();
            let other = neighbour.push_literal(replacement);
            repeated.push(with_call(neighbour, operation, &inputs, (position, other)));
        }
    }
    repeated
}

/// An earlier call on an object twice, the second time with one literal changed: the last call meets one thing more.
fn doubled(sequence: &Sequence, versions: &Versions) -> Vec<Sequence> {
    let operations = &versions.older.program.operations;
    let mut doubled = Vec::new();
    for at in 0..sequence.len() - 1 {
        let Some(operation) = sequence.call_at(at) else { continue };
        if !operations[operation.0 as usize].has_receiver() {
            continue;
        }
        let inputs: Vec<usize> = sequence.inputs_of(at).collect();
        for (position, &input) in inputs.iter().enumerate() {
            let Action::Literal(literal) = &sequence.statements()[input].action else { continue };
            for replacement in near(literal).into_iter().take(2) {
                let mut neighbour = sequence.prefix(at + 1);
                let other = neighbour.push_literal(replacement);
                let mut neighbour = with_call(neighbour, operation, &inputs, (position, other));
                let added = neighbour.len() - (at + 1);
                for (later, statement) in sequence.statements().iter().enumerate().skip(at + 1) {
                    let moved = |input: usize| if input <= at { input } else { input + added };
                    let inputs: Vec<usize> = sequence.inputs_of(later).map(moved).collect();
                    neighbour.push(statement.action.clone(), &inputs);
                }
                doubled.push(neighbour);
            }
        }
    }
    doubled
}

/// The sequence with a call at its end whose input at the position is the other one.
fn with_call(
    mut sequence: Sequence,
    operation: OperationId,
    inputs: &[usize],
    (position, other): (usize, usize),
) -> Sequence {
    let mut inputs = inputs.to_vec();
    inputs[position] = other;
    sequence.push_call(operation, &inputs);
    sequence
}

/// Other values of the sequence that fit an argument of the last call, with its position; never the receiver.
fn replacements(
    sequence: &Sequence,
    operation: OperationId,
    inputs: &[usize],
    versions: &Versions,
) -> Vec<(usize, usize)> {
    let program = &versions.older.program;
    let called = &program.operations[operation.0 as usize];
    let mut found = Vec::new();
    for (position, &input) in inputs.iter().enumerate().skip(usize::from(called.has_receiver())) {
        let Some(wanted) = called.inputs.get(position) else { continue };
        let fits = |at: &usize| {
            let output = sequence.output_of(*at, &program.operations);
            output.is_some_and(|output| program.types.is_assignable(&output, wanted))
        };
        let others = (0..sequence.len() - 1).filter(|at| *at != input).filter(fits);
        found.extend(others.map(|other| (position, other)));
    }
    found
}

fn joined(one: &Literal, other: &Literal) -> Option<Literal> {
    let (Literal::String(one), Literal::String(other)) = (one, other) else { return None };
    Some(Literal::String(format!("{one}{other}").as_str().into()))
}

fn in_other_case(literal: &Literal) -> Option<Literal> {
    let Literal::String(text) = literal else { return None };
    let text = text.to_string();
    let upper = text.to_uppercase();
    let other = if upper == text { text.to_lowercase() } else { upper };
    (other != text).then(|| Literal::String(other.as_str().into()))
}

/// The text with each letter replaced by the next one or the one before; `None` if it has none, or if it is long. Behind the text
/// itself it is a second part of the same form, before or after the first one in the alphabet.
fn with_other_letters(text: &str, by: i8) -> Option<String> {
    let other = |of: char| match of {
        'a'..='z' | 'A'..='Z' => {
            let first = if of.is_ascii_lowercase() { b'a' } else { b'A' };
            char::from(first + (of as u8 - first).wrapping_add_signed(by).wrapping_add(26) % 26)
        }
        other => other,
    };
    let has_letters = text.chars().any(|of| of.is_ascii_alphabetic());
    (has_letters && text.len() <= LONGEST_DOUBLED).then(|| text.chars().map(other).collect())
}

/// Values beside the literal.
fn near(literal: &Literal) -> Vec<Literal> {
    match literal {
        Literal::Boolean(of) => vec![Literal::Boolean(!of)],
        Literal::Int(of) => [of.wrapping_add(1), of.wrapping_sub(1), of.wrapping_neg()].map(Literal::Int).into(),
        Literal::Long(of) => [of.wrapping_add(1), of.wrapping_sub(1), of.wrapping_neg()].map(Literal::Long).into(),
        Literal::Double(bits) => {
            let of = f64::from_bits(*bits);
            [of + 1.0, of - 1.0, of / 2.0, -of].map(|near| Literal::Double(near.to_bits())).into()
        }
        Literal::Char(of) => [of.wrapping_add(1), of.wrapping_sub(1)].map(Literal::Char).into(),
        Literal::String(text) => {
            let text = text.to_string();
            let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
            let more = if is_number { ["0", ".5", "5"] } else { ["a", " ", "b"] };
            let longer = more.map(|more| Literal::String(format!("{text}{more}").as_str().into()));
            let doubled = [1, -1].into_iter().filter_map(|by| with_other_letters(&text, by));
            let doubled = doubled.map(|other| Literal::String(format!("{text}{other}").as_str().into()));
            longer
                .into_iter()
                .chain(doubled)
                .chain(in_other_case(literal))
                .chain([Literal::String("".into())])
                .collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_meet_in_either_case() {
        let mut sequence = Sequence::new();
        let [first, second] = ["north", "b"].map(|text| Literal::String(text.into()));
        sequence.push_literal(first);
        sequence.push_literal(second);
        let second: Vec<Literal> = (changed_literals(&sequence).iter())
            .filter_map(|changed| literals(changed).get(1).map(|(_, literal)| (*literal).clone()))
            .collect();
        for expected in ["north", "NORTH", "B", "ba", ""] {
            assert!(second.contains(&Literal::String(expected.into())), "{expected} is not in {second:?}");
        }
    }

    #[test]
    fn literal_becomes_what_it_was_compared_with_and_values_beside() {
        let mut sequence = Sequence::new();
        sequence.push_literal(Literal::Int(50));
        let [bucket, share] = [37, 50].map(Literal::Int);
        let compared = Comparison { site: 0, left: bucket, right: share };
        let changed = beside_operands(&sequence, &[&compared]);
        let literals: Vec<&Literal> = changed.iter().filter_map(|changed| changed.literal_at(0)).collect();
        for expected in [36, 37, 38] {
            assert!(literals.contains(&&Literal::Int(expected)), "{expected} is not in {literals:?}");
        }
        let other = Comparison { site: 0, left: Literal::Int(1), right: Literal::Int(2) };
        assert!(beside_operands(&sequence, &[&other]).is_empty(), "the literal was not compared");
    }

    #[test]
    fn text_has_a_second_part_with_other_letters() {
        let near = near(&Literal::String("{b}".into()));
        assert!(near.contains(&Literal::String("{b}{a}".into())), "{near:?}");
    }

    #[test]
    fn numbers_move_by_one() {
        assert_eq!(near(&Literal::Int(3)), [4, 2, -3].map(Literal::Int));
        assert!(near(&Literal::String("1".into())).contains(&Literal::String("1.5".into())));
    }
}
