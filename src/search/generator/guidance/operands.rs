//! Operands: what comparisons saw at run time, as arguments of the class that compared.
//!
//! What a parser compares its input with is what the input should have been. It hurts where a class compares with much
//! that never comes from outside.

use super::moment;
use crate::generator::ProbeMap;
use crate::generator::literals::{Dictionary, LiteralKind, LiteralSource};
use crate::generator::program_model::STATEMENT_LIMIT;
use model::execution::Comparison;
use model::jvm::{JavaString, Literal};
use model::sequence::{Action, Sequence};
use program::Program;
use rand_chacha::ChaCha8Rng;

/// Operands by class under test.
pub struct Operands(Vec<Dictionary>);

impl Operands {
    pub fn new(classes: usize) -> Operands {
        Operands(vec![Dictionary::default(); classes])
    }

    pub fn add(&mut self, class: usize, literal: &Literal) {
        self.0[class].add(literal);
    }
}

impl LiteralSource for Operands {
    fn weight(&self, kind: LiteralKind, class: Option<usize>) -> u32 {
        class.map_or(0, |class| if self.0[class].list(kind).is_empty() { 0 } else { 20 })
    }

    fn pick(&self, kind: LiteralKind, class: Option<usize>, rng: &mut ChaCha8Rng) -> Literal {
        self.0[class.expect("operands are those of a class")].pick(kind, rng)
    }
}

/// Whether the comparison is of numbers and was seen to have both outcomes, and with equal operands where their order
/// decides: another number there leads nowhere new.
pub fn is_settled(comparison: &Comparison, probes: &ProbeMap, seen: &[u8]) -> bool {
    let site = comparison.site as usize;
    // A comparison of ints is the jump itself, unless it is a switch; that of other numbers stands before one.
    let first = match comparison.left {
        Literal::Int(_) if probes.is_edge[site] => site,
        Literal::Long(_) | Literal::Double(_) => site + 1,
        _ => return false,
    };
    let numbers = if probes.is_boundary.get(first + 2) == Some(&true) { 3 } else { 2 };
    seen.get(first..first + numbers).is_some_and(|outcomes| outcomes.iter().all(|buckets| *buckets != 0))
}

/// The sequences in which one literal, or one date that literals make, is the compared operand `to` in place of `from`.
pub fn with_substitution(sequence: &Sequence, program: &Program, from: &Literal, to: &Literal) -> Vec<Sequence> {
    let changed = sequence.statements().iter().enumerate().filter_map(|(at, statement)| match &statement.action {
        Action::Literal(literal) => substituted(literal, from, to).map(|other| sequence.with_literal(at, other)),
        Action::Call(operation) => {
            moment::substituted(sequence, (at, &program.operations[operation.0 as usize]), from, to)
        }
    });
    changed.collect()
}

/// The sequences in which a call that takes the operand `there` is done again with `sought`, if the sequence has both as literals:
/// what was done for one key is done for the other one, too.
pub fn with_repetition(sequence: &Sequence, there: &Literal, sought: &Literal) -> Vec<Sequence> {
    let is = |at: usize, of: &Literal| matches!(&sequence.statements()[at].action, Action::Literal(own) if own == of);
    let has_sought = (0..sequence.len()).any(|at| is(at, sought));
    if !has_sought || sequence.len() + 2 > STATEMENT_LIMIT {
        return Vec::new();
    }
    let takes = |at: &usize| sequence.call_at(*at).is_some() && sequence.inputs_of(*at).any(|input| is(input, there));
    let again = |at: usize| {
        let mut made = sequence.prefix(at + 1);
        let other = made.push_literal(sought.clone());
        let inputs: Vec<usize> =
            sequence.inputs_of(at).map(|input| if is(input, there) { other } else { input }).collect();
        made.push(sequence.statements()[at].action.clone(), &inputs);
        for next in at + 1..sequence.len() {
            let moved: Vec<usize> =
                sequence.inputs_of(next).map(|input| if input > at { input + 2 } else { input }).collect();
            made.push(sequence.statements()[next].action.clone(), &moved);
        }
        made
    };
    // Nothing looks behind the last call.
    (0..sequence.len().saturating_sub(1)).filter(takes).map(again).collect()
}

/// The literal with the compared operand `from` in it replaced by `to`, where it is there.
fn substituted(literal: &Literal, from: &Literal, to: &Literal) -> Option<Literal> {
    match (literal, from, to) {
        (Literal::String(text), Literal::String(from), Literal::String(to)) => {
            if let Some(number) = decimal(text)
                && decimal(from) == Some(number)
            {
                // A sum of money may have more digits than the text of which it was made.
                return (text != to).then(|| Literal::String(to.clone()));
            }
            let (units, from) = (text.units(), from.units());
            if from.is_empty() || from.len() > units.len() {
                return (from.is_empty() && units.is_empty()).then(|| Literal::String(to.clone()));
            }
            let at = units.windows(from.len()).position(|window| window == from)?;
            let joined = [&units[..at], to.units(), &units[at + from.len()..]].concat();
            Some(Literal::String(JavaString::from_units(&joined)))
        }
        (Literal::String(text), Literal::Int(from), Literal::Int(to)) => {
            let (from, to) = (u16::try_from(*from).ok()?, u16::try_from(*to).ok()?);
            let mut units = text.units().to_vec();
            let at = units.iter().position(|&unit| unit == from)?;
            // Only characters that a reader can see: others are numbers that happen to be equal.
            if !(0x20..0x7f).contains(&from) {
                return None;
            }
            units[at] = to;
            Some(Literal::String(JavaString::from_units(&units)))
        }
        (_, Literal::String(from), Literal::String(to)) => {
            let whole = |text| decimal(text).filter(|number| number.fract() == 0.0 && number.abs() < MOST_WHOLE);
            let (value, from, to) = (integral(literal)?, whole(from)?, whole(to)?);
            (value == from as i64).then(|| integral_like(literal, to as i64))?
        }
        _ => {
            let (value, from, to) = (integral(literal)?, integral(from), integral(to));
            match (from, to) {
                (Some(from), Some(to)) if from == value => integral_like(literal, to),
                _ => None,
            }
            .filter(|replacement| replacement != literal)
        }
    }
    .or_else(|| (literal == from && literal != to && literal.literal_type() == to.literal_type()).then(|| to.clone()))
}

/// Up to here all whole numbers are different as 64-bit floats.
const MOST_WHOLE: f64 = 9e15;

/// The number that the text writes out in digits.
fn decimal(text: &JavaString) -> Option<f64> {
    let text = String::from_utf16(text.units()).ok()?;
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'));
    is_plain.then(|| text.parse().ok())?
}

fn integral(literal: &Literal) -> Option<i64> {
    match literal {
        Literal::Int(value) => Some(i64::from(*value)),
        Literal::Long(value) => Some(*value),
        Literal::Short(value) => Some(i64::from(*value)),
        Literal::Byte(value) => Some(i64::from(*value)),
        Literal::Char(value) => Some(i64::from(*value)),
        _ => None,
    }
}

fn integral_like(model: &Literal, value: i64) -> Option<Literal> {
    match model {
        Literal::Int(_) => i32::try_from(value).ok().map(Literal::Int),
        Literal::Long(_) => Some(Literal::Long(value)),
        Literal::Short(_) => i16::try_from(value).ok().map(Literal::Short),
        Literal::Byte(_) => i8::try_from(value).ok().map(Literal::Byte),
        Literal::Char(_) => u16::try_from(value).ok().map(Literal::Char),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::sequence::OperationId;

    #[test]
    fn comparison_by_order_is_settled_when_its_boundary_was_seen() {
        let probes =
            ProbeMap { is_edge: vec![true, true, false], is_boundary: vec![false, false, true], ..ProbeMap::default() };
        let comparison = Comparison { site: 0, left: Literal::Int(1), right: Literal::Int(2) };
        assert!(!is_settled(&comparison, &probes, &[1, 1, 0]));
        assert!(is_settled(&comparison, &probes, &[1, 1, 1]));
        let equality = ProbeMap { is_edge: vec![true, true], is_boundary: vec![false, false], ..ProbeMap::default() };
        assert!(is_settled(&comparison, &equality, &[1, 1]));
    }

    #[test]
    fn comparison_operand_is_substituted_inside_a_string() {
        let string = |text: &str| Literal::String(text.into());
        assert_eq!(substituted(&string("-a=b"), &string("a"), &string("size")), Some(string("-size=b")));
        assert_eq!(
            substituted(&string("-a"), &Literal::Int('a' as i32), &Literal::Int('-' as i32)),
            Some(string("--"))
        );
        assert_eq!(substituted(&string("x"), &string("a"), &string("b")), None);
    }

    #[test]
    fn number_is_substituted_however_it_is_written() {
        let string = |text: &str| Literal::String(text.into());
        assert_eq!(substituted(&string("10"), &string("10.00"), &string("30.00")), Some(string("30.00")));
        assert_eq!(substituted(&Literal::Int(10), &string("10.00"), &string("30.00")), Some(Literal::Int(30)));
        assert_eq!(substituted(&Literal::Int(10), &string("10.00"), &string("30.50")), None);
        assert_eq!(substituted(&string("1.10"), &string("10"), &string("30")), Some(string("1.30")));
    }

    #[test]
    fn what_was_done_for_one_key_is_done_for_the_key_that_was_sought() {
        let text = |text: &str| Literal::String(text.into());
        let (open, transfer) = (OperationId(1), OperationId(2));
        let mut sequence = Sequence::new();
        let bank = sequence.push_call(OperationId(0), &[]);
        let there = sequence.push_literal(text("1000"));
        sequence.push_call(open, &[bank, there]);
        let there = sequence.push_literal(text("1000"));
        let sought = sequence.push_literal(text("2000"));
        sequence.push_call(transfer, &[bank, there, sought]);
        let mut expected = sequence.prefix(3);
        let other = expected.push_literal(text("2000"));
        expected.push_call(open, &[bank, other]);
        let there = expected.push_literal(text("1000"));
        let target = expected.push_literal(text("2000"));
        expected.push_call(transfer, &[bank, there, target]);
        assert_eq!(with_repetition(&sequence, &text("1000"), &text("2000")), [expected]);
        assert_eq!(with_repetition(&sequence, &text("1000"), &text("3000")), []);
    }

    #[test]
    fn substituted_operand_keeps_the_type_of_the_replaced_literal() {
        assert_eq!(substituted(&Literal::Char(65), &Literal::Int(65), &Literal::Int(66)), Some(Literal::Char(66)));
        assert_eq!(substituted(&Literal::Byte(1), &Literal::Int(1), &Literal::Int(1000)), None);
    }
}
