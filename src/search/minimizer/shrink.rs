//! Literals that read more easily.

use super::{At, Best, Knowledge, StatementChange};
use model::jvm::{JavaString, Literal};
use model::sequence::Action;

/// Replaces a literal among the first `end` statements by a simpler one.
pub(super) fn shrink_literals(best: &Best, end: usize, _: &Knowledge) -> Vec<At> {
    let mut changes = Vec::new();
    for at in 0..end {
        if let Action::Literal(literal) = &best.sequence.statements()[at].action {
            let simpler = simpler_literals(literal).into_iter();
            changes.extend(simpler.map(|simpler| (at, StatementChange::Replace(Action::Literal(simpler)))));
        }
    }
    changes
}

/// Literals of the same type that read more easily, simplest first; each has a smaller weight than the given one.
fn simpler_literals(literal: &Literal) -> Vec<Literal> {
    let simpler = match literal {
        // Small numbers read as easily as 0.
        Literal::Int(value) if value.unsigned_abs() > 10 => [0, 1, -1].map(Literal::Int).to_vec(),
        Literal::Long(value) if value.unsigned_abs() > 10 => [0, 1, -1].map(Literal::Long).to_vec(),
        Literal::Short(value) if value.unsigned_abs() > 10 => [0, 1, -1].map(Literal::Short).to_vec(),
        Literal::Byte(value) if value.unsigned_abs() > 10 => [0, 1, -1].map(Literal::Byte).to_vec(),
        Literal::Float(_) => [0.0, 1.0, -1.0].map(Literal::float).to_vec(),
        Literal::Double(_) => [0.0, 1.0, -1.0].map(Literal::double).to_vec(),
        Literal::Char(_) => vec![Literal::Char(u16::from(b'a'))],
        Literal::String(text) => {
            let units = text.units();
            let middle = units.len() / 2;
            let part = |units: &[u16]| Literal::String(JavaString::from_units(units));
            vec![Literal::String("a".into()), part(&[]), part(&units[..middle]), part(&units[middle..])]
        }
        _ => Vec::new(),
    };
    simpler.into_iter().filter(|candidate| weight(candidate) < weight(literal)).collect()
}

/// What shrinking makes smaller.
fn weight(literal: &Literal) -> (usize, u64) {
    let number = |value: i64| match value {
        0 => 0,
        1 => 1,
        -1 => 2,
        _ => 3,
    };
    match literal {
        Literal::Int(value) => (0, number(i64::from(*value))),
        Literal::Long(value) => (0, number(*value)),
        Literal::Short(value) => (0, number(i64::from(*value))),
        Literal::Byte(value) => (0, number(i64::from(*value))),
        Literal::Float(bits) => (0, if *bits == 0 { 0 } else { 1 + number(f32::from_bits(*bits) as i64) }),
        Literal::Double(bits) => (0, if *bits == 0 { 0 } else { 1 + number(f64::from_bits(*bits) as i64) }),
        Literal::Char(unit) => (
            0,
            match *unit {
                0x61 => 0,
                0x30 => 1,
                _ => 2,
            },
        ),
        // An empty text is a special case to most code, and to a reader.
        Literal::String(text) => match text.units() {
            [0x61] => (0, 0),
            [] => (1, 0),
            units => (1 + units.len(), 0),
        },
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_reads_more_easily_than_an_empty_one() {
        let simplest = |text: &str| simpler_literals(&Literal::String(text.into())).into_iter().next();
        let plain = Some(Literal::String("a".into()));
        assert_eq!(
            [simplest("a"), simplest(""), simplest("b"), simplest("a b")],
            [None, plain.clone(), plain.clone(), plain]
        );
    }
}
