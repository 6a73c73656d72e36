//! Literals that read more easily.

use super::{At, Best, Knowledge, StatementChange};
use model::jvm::{JavaString, Literal, Primitive};
use model::sequence::Action;

/// Replaces a literal among the first `end` statements by a simpler one. Literals that differ stay different: a test in which
/// a user is called as the group is shows less.
pub(super) fn shrink_literals(best: &Best, end: usize, _: &Knowledge) -> Vec<At> {
    let literals: Vec<(usize, &Literal)> = (best.sequence.statements().iter().enumerate())
        .filter_map(|(at, statement)| match &statement.action {
            Action::Literal(literal) => Some((at, literal)),
            Action::Call(_) => None,
        })
        .collect();
    let mut distinct: Vec<&Literal> = Vec::new();
    let mut changes = Vec::new();
    for &(at, literal) in &literals {
        let is_like = |other: &&&Literal| other.literal_type() == literal.literal_type();
        let known = distinct.iter().filter(is_like).position(|other| *other == literal);
        let rank = known.unwrap_or_else(|| {
            distinct.push(literal);
            distinct.iter().filter(is_like).count() - 1
        });
        if at >= end {
            continue;
        }
        let is_taken = |simpler: &Literal| literals.iter().any(|(_, other)| *other == simpler);
        let simpler = simpler_literals(literal, rank).into_iter().filter(|simpler| !is_taken(simpler));
        changes.extend(simpler.map(|simpler| (at, StatementChange::Replace(Action::Literal(simpler)))));
    }
    changes
}

/// Plain texts for the first, second and third text of a test.
const TEXTS: [&str; 3] = ["a", "b", "c"];

/// Literals of the same type that read more easily, simplest first; each has a smaller weight than the given one, which is the
/// test's literal of that rank among different ones.
fn simpler_literals(literal: &Literal, rank: usize) -> Vec<Literal> {
    // Small numbers read as easily as 0.
    let numbers = |value: i64, primitive: Primitive| {
        let small = [rank as i64 + 1, 0, -1].map(|small| Literal::of_number(small, primitive));
        if value.unsigned_abs() > 10 { small.to_vec() } else { Vec::new() }
    };
    let simpler = match literal {
        Literal::Int(value) => numbers(i64::from(*value), Primitive::Int),
        Literal::Long(value) => numbers(*value, Primitive::Long),
        Literal::Short(value) => numbers(i64::from(*value), Primitive::Short),
        Literal::Byte(value) => numbers(i64::from(*value), Primitive::Byte),
        Literal::Float(_) => [rank as f32 + 1.0, 0.0, -1.0].map(Literal::float).to_vec(),
        Literal::Double(_) => [rank as f64 + 1.0, 0.0, -1.0].map(Literal::double).to_vec(),
        Literal::Char(_) => vec![Literal::Char(u16::from(b'a') + rank.min(2) as u16)],
        Literal::String(text) => {
            let units = text.units();
            let middle = units.len() / 2;
            let part = |units: &[u16]| Literal::String(JavaString::from_units(units));
            let plain = TEXTS.get(rank).map(|text| Literal::String((*text).into()));
            plain.into_iter().chain([part(&[]), part(&units[..middle]), part(&units[middle..])]).collect()
        }
        _ => Vec::new(),
    };
    simpler.into_iter().filter(|candidate| weight(candidate) < weight(literal)).collect()
}

/// What shrinking makes smaller.
fn weight(literal: &Literal) -> (usize, u64) {
    let number = |value: i64| match value {
        1 => 0,
        2..=10 => 1,
        0 => 2,
        -1 => 3,
        _ => 4,
    };
    let fraction = |value: f64| if value.fract() == 0.0 { number(value as i64) } else { 5 };
    match literal {
        Literal::Int(value) => (0, number(i64::from(*value))),
        Literal::Long(value) => (0, number(*value)),
        Literal::Short(value) => (0, number(i64::from(*value))),
        Literal::Byte(value) => (0, number(i64::from(*value))),
        Literal::Float(bits) => (0, fraction(f64::from(f32::from_bits(*bits)))),
        Literal::Double(bits) => (0, fraction(f64::from_bits(*bits))),
        Literal::Char(unit) => (
            0,
            match *unit {
                0x61..=0x63 => 0,
                0x30 => 1,
                _ => 2,
            },
        ),
        // An empty text is a special case to most code, and to a reader.
        Literal::String(text) => match text.units() {
            [0x61..=0x63] => (0, 0),
            [] => (1, 0),
            units => (1 + units.len(), 0),
        },
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::{Execution, Outcome};
    use model::jvm::types::TypeTable;
    use model::sequence::Sequence;

    #[test]
    fn plain_text_reads_more_easily_than_an_empty_one() {
        let simplest = |text: &str| simpler_literals(&Literal::String(text.into()), 0).into_iter().next();
        let plain = Some(Literal::String("a".into()));
        assert_eq!([simplest("a"), simplest(""), simplest("b"), simplest("a b")], [None, plain.clone(), None, plain]);
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
