//! Impurity: small changes of inputs (GRT §3.2, docs/bibliography.md).
//!
//! Numbers move by a normal deviate, strings are edited, and an object is changed by an operation that may change it, as
//! static analysis says. It hurts where code takes only exact values; so most inputs stay as they are.

use crate::generator::literals::{LiteralKind, LiteralSources, STRING_LIMIT};
use model::jvm::{JavaString, Literal, Primitive};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Deviation of fuzzed numbers around a constant: N(c, 30).
const NUMBER_DEVIATION: f64 = 30.0;
/// Share of objects that are changed before they are used.
const P_OBJECT: f64 = 0.1;

/// Whether and how inputs are changed.
pub trait Fuzzing: Send + Sync {
    /// The literal changed, for an argument of an operation of `class`; `None` to take it as it is.
    fn literal(
        &self,
        literal: &Literal,
        sources: &LiteralSources,
        class: Option<usize>,
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
        class: Option<usize>,
        rng: &mut ChaCha8Rng,
    ) -> Option<Literal> {
        Some(fuzz(literal, sources, class, rng))
    }

    fn changes_object(&self, rng: &mut ChaCha8Rng) -> bool {
        rng.random_bool(P_OBJECT)
    }
}

pub(super) struct AsTheyAre;

impl Fuzzing for AsTheyAre {
    fn literal(&self, _: &Literal, _: &LiteralSources, _: Option<usize>, _: &mut ChaCha8Rng) -> Option<Literal> {
        None
    }

    fn changes_object(&self, _: &mut ChaCha8Rng) -> bool {
        false
    }
}

fn fuzz(literal: &Literal, sources: &LiteralSources, class: Option<usize>, rng: &mut ChaCha8Rng) -> Literal {
    let mut step = || {
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
        Literal::String(text) => Literal::String(fuzz_string(text, sources, class, rng)),
        other => other.clone(),
    }
}

fn fuzz_string(text: &JavaString, sources: &LiteralSources, class: Option<usize>, rng: &mut ChaCha8Rng) -> JavaString {
    let mut units = text.units().to_vec();
    let other = match sources.choose(LiteralKind::String, class, rng) {
        Literal::String(other) => other.units().to_vec(),
        _ => Vec::new(),
    };
    let unit = match sources.choose(LiteralKind::Primitive(Primitive::Char), class, rng) {
        // Lone surrogates and control characters are for the code that compares with them.
        Literal::Char(unit) if (0x20..0x7f).contains(&unit) => unit,
        _ => u16::from(b'a') + rng.random_range(0..26),
    };
    let at = rng.random_range(0..=units.len());
    match rng.random_range(0..7) {
        0 => units.insert(at, unit),
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
        _ => {
            let mut joined = other;
            joined.push(unit);
            joined.extend(units);
            units = joined;
        }
    }
    units.truncate(STRING_LIMIT);
    JavaString::from_units(&units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::seed::Seed;

    #[test]
    fn fuzzed_literals_keep_their_type() {
        let sources = LiteralSources::new(None, None);
        let mut rng = Seed::root(2).rng();
        let kinds = [Primitive::Byte, Primitive::Char, Primitive::Int, Primitive::Long, Primitive::Double];
        for kind in kinds.map(LiteralKind::Primitive).into_iter().chain([LiteralKind::String]) {
            for _ in 0..50 {
                let literal = sources.choose(kind, None, &mut rng);
                let fuzzed = Impurity.literal(&literal, &sources, None, &mut rng).unwrap();
                assert_eq!(fuzzed.literal_type(), literal.literal_type());
            }
        }
    }
}
