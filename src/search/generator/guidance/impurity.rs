//! Impurity: small changes of inputs (GRT §3.2, docs/bibliography.md).
//!
//! Numbers move by a normal deviate, strings are edited, and an object is changed by an operation that may change it, as
//! static analysis says. It hurts where code takes only exact values; so most inputs stay as they are.

use crate::generator::literals::{Argument, LiteralKind, LiteralSources, STRING_LIMIT, is_in_word};
use model::jvm::{JavaString, Literal, Primitive};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Deviation of fuzzed numbers around a constant: N(c, 30).
const NUMBER_DEVIATION: f64 = 30.0;
/// Share of fuzzed numbers that are next to the constant.
const P_NEXT: f64 = 0.3;
/// Share of texts that are combined with one that the parameter took before, if there is any.
const P_BESIDE_ACCEPTED: f64 = 0.5;
/// Share of texts with numbers in which one of these changes.
const P_NUMBER: f64 = 0.15;
/// Share of added characters that double the one at their place.
const P_OWN_UNIT: f64 = 0.3;
/// Share of objects that are changed before they are used.
const P_OBJECT: f64 = 0.1;

/// Whether and how inputs are changed.
pub trait Fuzzing: Send + Sync {
    /// The literal changed, for the argument; `None` to take it as it is.
    fn literal(
        &self,
        literal: &Literal,
        sources: &LiteralSources,
        argument: Argument,
        rng: &mut ChaCha8Rng,
    ) -> Option<Literal>;

    /// Whether an object of the pool is changed before it is used.
    fn changes_object(&self, rng: &mut ChaCha8Rng) -> bool;
}

pub(super) struct Impurity;

impl Fuzzing for Impurity {
    fn literal(
        &self,
        literal: &Literal,
        sources: &LiteralSources,
        argument: Argument,
        rng: &mut ChaCha8Rng,
    ) -> Option<Literal> {
        Some(fuzz(literal, sources, argument, rng))
    }

    fn changes_object(&self, rng: &mut ChaCha8Rng) -> bool {
        rng.random_bool(P_OBJECT)
    }
}

pub(super) struct AsTheyAre;

impl Fuzzing for AsTheyAre {
    fn literal(&self, _: &Literal, _: &LiteralSources, _: Argument, _: &mut ChaCha8Rng) -> Option<Literal> {
        None
    }

    fn changes_object(&self, _: &mut ChaCha8Rng) -> bool {
        false
    }
}

fn fuzz(literal: &Literal, sources: &LiteralSources, argument: Argument, rng: &mut ChaCha8Rng) -> Literal {
    let mut step = || {
        // Boundaries are next to constants.
        if rng.random_bool(P_NEXT) {
            return if rng.random_bool(0.5) { 1 } else { -1 };
        }
        // Irwin–Hall approximation of a normal deviate: no table, the same on every platform.
        let sum: f64 = (0..12).map(|_| rng.random_range(0.0..1.0)).sum();
        ((sum - 6.0) * NUMBER_DEVIATION) as i64
    };
    match literal {
        Literal::Boolean(value) => Literal::Boolean(!value),
        Literal::Byte(value) => Literal::Byte(value.wrapping_add(step() as i8)),
        Literal::Char(value) => Literal::Char(value.wrapping_add(step() as u16)),
        Literal::Short(value) => Literal::Short(value.wrapping_add(step() as i16)),
        Literal::Int(value) => Literal::Int(value.wrapping_add(step() as i32)),
        Literal::Long(value) => Literal::Long(value.wrapping_add(step())),
        Literal::Float(bits) => Literal::float(f32::from_bits(*bits) + step() as f32 / 4.0),
        Literal::Double(bits) => Literal::double(f64::from_bits(*bits) + step() as f64 / 4.0),
        Literal::String(text) => Literal::String(fuzz_string(text, sources, argument, rng)),
        other => other.clone(),
    }
}

fn fuzz_string(text: &JavaString, sources: &LiteralSources, argument: Argument, rng: &mut ChaCha8Rng) -> JavaString {
    let mut units = text.units().to_vec();
    let role = if rng.random_bool(P_BESIDE_ACCEPTED) { argument.role } else { None };
    let accepted = role.and_then(|role| sources.accepted(role, rng));
    let other = match accepted.unwrap_or_else(|| sources.choose(LiteralKind::String, argument.class, rng)) {
        Literal::String(other) => other.units().to_vec(),
        _ => Vec::new(),
    };
    let unit = match sources.choose(LiteralKind::Primitive(Primitive::Char), argument.class, rng) {
        // Lone surrogates and control characters are for the code that compares with them.
        Literal::Char(unit) if (0x20..0x7f).contains(&unit) => unit,
        _ => u16::from(b'a') + rng.random_range(0..26),
    };
    let at = rng.random_range(0..=units.len());
    if rng.random_bool(P_NUMBER) && units.iter().any(is_digit) {
        change_number(&mut units, rng);
    } else {
        match rng.random_range(0..14) {
            0 => units
                .insert(at, if rng.random_bool(P_OWN_UNIT) { units.get(at).copied().unwrap_or(unit) } else { unit }),
            1 if at < units.len() => {
                units.remove(at);
            }
            2 if at < units.len() => units[at] = unit,
            3 => {
                let end = rng.random_range(at..=units.len());
                units = units[at..end].to_vec();
            }
            4 => units.extend(other),
            5 => {
                units.splice(at..at, other);
            }
            6 => {
                let mut joined = other;
                joined.push(unit);
                joined.extend(units);
                units = joined;
            }
            7 => units = joined(&units, &other, separator(unit, rng)),
            8 => units = joined(&units, &units, separator(unit, rng)),
            9 => {
                // A part of the text again, once or many times.
                let end = rng.random_range(at..=units.len());
                let part = units[at..end].repeat(1 << rng.random_range(0..5));
                units.splice(at..at, part);
            }
            10 => change_case(&mut units, at, rng),
            11 => replace_word(&mut units, at, &other),
            _ => units = with_other_pieces(&units, &other, rng),
        }
    }
    units.truncate(STRING_LIMIT);
    JavaString::from_units(&units)
}

/// What stands between the parts of a text: lists, paragraphs, assignments and what the class compares with.
fn separator(unit: u16, rng: &mut ChaCha8Rng) -> Vec<u16> {
    const SEPARATORS: [&str; 6] = [" ", "\n", "\n\n", ", ", "=", ""];
    match SEPARATORS.get(rng.random_range(0..SEPARATORS.len() + 3)) {
        Some(text) => text.encode_utf16().collect(),
        None => vec![unit],
    }
}

fn joined(first: &[u16], second: &[u16], separator: Vec<u16>) -> Vec<u16> {
    [first, &separator, second].concat()
}

/// The text with one of the pieces between its separators again, left out or elsewhere, or with one of another text: a section that
/// begins again, a list without its first element.
fn with_other_pieces(units: &[u16], other: &[u16], rng: &mut ChaCha8Rng) -> Vec<u16> {
    let is_separator = |unit: &u16| u8::try_from(*unit).is_ok_and(|unit| b"\n,; =|/.:-&".contains(&unit));
    let found: Vec<u16> = units.iter().chain(other).copied().filter(is_separator).collect();
    let separator = found.choose(rng).copied().unwrap_or(u16::from(b'\n'));
    let pieces_of =
        |text: &[u16]| -> Vec<Vec<u16>> { text.split(|unit| *unit == separator).map(<[u16]>::to_vec).collect() };
    let mut pieces = pieces_of(units);
    let from = rng.random_range(0..pieces.len());
    let piece = match rng.random_range(0..4) {
        0 => Some(pieces[from].clone()),
        1 => pieces_of(other).choose(rng).cloned(),
        2 => Some(pieces.remove(from)),
        _ => {
            pieces.remove(from);
            None
        }
    };
    if let Some(piece) = piece {
        pieces.insert(rng.random_range(0..=pieces.len()), piece);
    }
    pieces.join(&separator)
}

/// The letters from a place on in upper or lower case.
fn change_case(units: &mut [u16], from: usize, rng: &mut ChaCha8Rng) {
    let is_upper = rng.random_bool(0.5);
    let ascii = |unit: u16| u8::try_from(unit).ok().filter(u8::is_ascii_alphabetic);
    let count = if rng.random_bool(0.5) { 1 } else { units.len() };
    for unit in units[from..].iter_mut().filter(|unit| ascii(**unit).is_some()).take(count) {
        let letter = *unit as u8;
        *unit = u16::from(if is_upper { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() });
    }
}

/// Replaces the word at the place or after it by another text.
fn replace_word(units: &mut Vec<u16>, from: usize, other: &[u16]) {
    let is_inside = |unit: &u16| is_in_word(*unit);
    let Some(found) = units[from..].iter().position(is_inside).map(|at| from + at) else { return };
    let begin = found - units[..found].iter().rev().take_while(|unit| is_inside(unit)).count();
    let end = found + units[found..].iter().take_while(|unit| is_inside(unit)).count();
    units.splice(begin..end, other.iter().copied());
}

fn is_digit(unit: &u16) -> bool {
    u8::try_from(*unit).is_ok_and(|unit| unit.is_ascii_digit())
}

/// Replaces one of the numbers, if there are any. Some sort otherwise as texts: 9 and 10.
fn change_number(units: &mut Vec<u16>, rng: &mut ChaCha8Rng) {
    let begins = |at: &usize| is_digit(&units[*at]) && (*at == 0 || !is_digit(&units[at - 1]));
    let beginnings: Vec<usize> = (0..units.len()).filter(begins).collect();
    let Some(&begin) = beginnings.choose(rng) else { return };
    let end = begin + units[begin..].iter().take_while(|unit| is_digit(unit)).count();
    let known = String::from_utf16_lossy(&units[begin..end]).parse::<u64>().unwrap_or(0);
    let number = match rng.random_range(0..5) {
        0 => known.saturating_add(1),
        1 => known.saturating_sub(1),
        2 => known.saturating_mul(10),
        3 => [2, 9, 10, 99, 100][rng.random_range(0..5)],
        _ => rng.random_range(0..60),
    };
    units.splice(begin..end, number.to_string().encode_utf16());
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::seed::Seed;
    use std::collections::BTreeSet;

    #[test]
    fn fuzzed_literals_keep_their_type() {
        let sources = LiteralSources::new(None, None);
        let mut rng = Seed::root(2).rng();
        let kinds = [Primitive::Byte, Primitive::Char, Primitive::Int, Primitive::Long, Primitive::Double];
        for kind in kinds.map(LiteralKind::Primitive).into_iter().chain([LiteralKind::String]) {
            for _ in 0..50 {
                let literal = sources.choose(kind, None, &mut rng);
                let fuzzed = Impurity.literal(&literal, &sources, Argument::default(), &mut rng).unwrap();
                assert_eq!(fuzzed.literal_type(), literal.literal_type());
            }
        }
    }

    #[test]
    fn pieces_of_texts_move_and_come_again() {
        let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
        let mut rng = Seed::root(1).rng();
        let made: BTreeSet<String> = (0..500)
            .map(|_| String::from_utf16_lossy(&with_other_pieces(&units("[a]\nb"), &units("c"), &mut rng)))
            .collect();
        let expected = ["[a]\nb\n[a]", "b\n[a]", "b", "[a]", "c\n[a]\nb", "[a]\nc\nb"];
        assert!(expected.iter().all(|text| made.contains(*text)), "{made:?}");
    }

    #[test]
    fn one_number_of_a_text_changes() {
        let mut rng = Seed::root(1).rng();
        let made: BTreeSet<String> = (0..500)
            .map(|_| {
                let mut units: Vec<u16> = "1.0-20".encode_utf16().collect();
                change_number(&mut units, &mut rng);
                String::from_utf16_lossy(&units)
            })
            .collect();
        assert!(["2.0-20", "1.9-20", "1.0-200", "1.0-19"].iter().all(|text| made.contains(*text)), "{made:?}");
        assert!(made.iter().all(|text| text.starts_with("1.0-") || text.ends_with("-20")), "{made:?}");
    }
}
