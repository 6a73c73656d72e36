//! Evaluates instructions and string methods whose operands are all known, as Java does.
//!
//! `None` is "not known", also for what would throw. What depends on the locale or on how Java prints floating-point
//! numbers is left alone.

use super::STRING_LIMIT;
use crate::classfile::instruction::{Arithmetic, BinaryOperator, Bitwise, Conversion, Integral, Number, Shift};
use model::jvm::{JavaString, Literal, Type};

/// What arithmetic makes of its operands; of conversions the one.
pub fn arithmetic(of: Arithmetic, operands: &[Literal]) -> Option<Literal> {
    match (of, operands) {
        (Arithmetic::Binary(operator, number), [left, right]) => binary(operator, number, left, right),
        (Arithmetic::Negate(number), [operand]) => Some(match (number, operand) {
            (Number::Int, Literal::Int(a)) => Literal::Int(a.wrapping_neg()),
            (Number::Long, Literal::Long(a)) => Literal::Long(a.wrapping_neg()),
            (Number::Float, Literal::Float(a)) => Literal::float(-f32::from_bits(*a)),
            (Number::Double, Literal::Double(a)) => Literal::double(-f64::from_bits(*a)),
            _ => return None,
        }),
        (Arithmetic::Shift(shift, integral), [left, Literal::Int(distance)]) => {
            let distance = *distance as u32;
            Some(match (integral, left, shift) {
                (Integral::Int, Literal::Int(a), Shift::Left) => Literal::Int(a.wrapping_shl(distance)),
                (Integral::Int, Literal::Int(a), Shift::Right) => Literal::Int(a.wrapping_shr(distance)),
                (Integral::Int, Literal::Int(a), Shift::UnsignedRight) => {
                    Literal::Int((*a as u32).wrapping_shr(distance) as i32)
                }
                (Integral::Long, Literal::Long(a), Shift::Left) => Literal::Long(a.wrapping_shl(distance)),
                (Integral::Long, Literal::Long(a), Shift::Right) => Literal::Long(a.wrapping_shr(distance)),
                (Integral::Long, Literal::Long(a), Shift::UnsignedRight) => {
                    Literal::Long((*a as u64).wrapping_shr(distance) as i64)
                }
                _ => return None,
            })
        }
        (Arithmetic::Bitwise(bitwise, integral), [left, right]) => Some(match (integral, left, right) {
            (Integral::Int, Literal::Int(a), Literal::Int(b)) => Literal::Int(match bitwise {
                Bitwise::And => a & b,
                Bitwise::Or => a | b,
                Bitwise::Xor => a ^ b,
            }),
            (Integral::Long, Literal::Long(a), Literal::Long(b)) => Literal::Long(match bitwise {
                Bitwise::And => a & b,
                Bitwise::Or => a | b,
                Bitwise::Xor => a ^ b,
            }),
            _ => return None,
        }),
        (Arithmetic::Convert(conversion), [operand]) => converted(conversion, operand),
        _ => None,
    }
}

fn binary(operator: BinaryOperator, number: Number, left: &Literal, right: &Literal) -> Option<Literal> {
    use BinaryOperator::*;
    Some(match (number, left, right) {
        (Number::Int, &Literal::Int(a), &Literal::Int(b)) => Literal::Int(match operator {
            Add => a.wrapping_add(b),
            Subtract => a.wrapping_sub(b),
            Multiply => a.wrapping_mul(b),
            Divide => a.checked_div(b).or((b == -1).then_some(a))?,
            Remainder => a.checked_rem(b).or((b == -1).then_some(0))?,
        }),
        (Number::Long, &Literal::Long(a), &Literal::Long(b)) => Literal::Long(match operator {
            Add => a.wrapping_add(b),
            Subtract => a.wrapping_sub(b),
            Multiply => a.wrapping_mul(b),
            Divide => a.checked_div(b).or((b == -1).then_some(a))?,
            Remainder => a.checked_rem(b).or((b == -1).then_some(0))?,
        }),
        (Number::Float, &Literal::Float(a), &Literal::Float(b)) => {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            Literal::float(match operator {
                Add => a + b,
                Subtract => a - b,
                Multiply => a * b,
                Divide => a / b,
                Remainder => a % b,
            })
        }
        (Number::Double, &Literal::Double(a), &Literal::Double(b)) => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            Literal::double(match operator {
                Add => a + b,
                Subtract => a - b,
                Multiply => a * b,
                Divide => a / b,
                Remainder => a % b,
            })
        }
        _ => return None,
    })
}

fn converted(conversion: Conversion, operand: &Literal) -> Option<Literal> {
    use Conversion::*;
    Some(match *operand {
        Literal::Int(a) => match conversion {
            IntToLong => Literal::Long(a.into()),
            IntToFloat => Literal::float(a as f32),
            IntToDouble => Literal::double(a.into()),
            IntToByte => Literal::Int((a as i8).into()),
            IntToChar => Literal::Int((a as u16).into()),
            IntToShort => Literal::Int((a as i16).into()),
            _ => return None,
        },
        Literal::Long(a) => match conversion {
            LongToInt => Literal::Int(a as i32),
            LongToFloat => Literal::float(a as f32),
            LongToDouble => Literal::double(a as f64),
            _ => return None,
        },
        // Rust's casts saturate and take NaN to 0, as Java's conversions do (JLS §5.1.3).
        Literal::Float(a) => match (f32::from_bits(a), conversion) {
            (a, FloatToInt) => Literal::Int(a as i32),
            (a, FloatToLong) => Literal::Long(a as i64),
            (a, FloatToDouble) => Literal::double(a.into()),
            _ => return None,
        },
        Literal::Double(a) => match (f64::from_bits(a), conversion) {
            (a, DoubleToInt) => Literal::Int(a as i32),
            (a, DoubleToLong) => Literal::Long(a as i64),
            (a, DoubleToFloat) => Literal::float(a as f32),
            _ => return None,
        },
        _ => return None,
    })
}

/// A method of `String` on a known string, with known arguments.
pub(super) fn string_method(name: &str, units: &[u16], arguments: &[Literal]) -> Option<Literal> {
    let is_ascii = || units.iter().all(|unit| *unit < 0x80);
    let mapped =
        |change: fn(&u8) -> u8| -> Vec<u16> { units.iter().map(|unit| change(&(*unit as u8)).into()).collect() };
    let index = |value: i32| usize::try_from(value).ok();
    match (name, arguments) {
        ("length", []) => i32::try_from(units.len()).ok().map(Literal::Int),
        ("isEmpty", []) => Some(Literal::Int(units.is_empty().into())),
        ("intern" | "toString", []) => string(units),
        ("trim", []) => {
            let start = units.iter().position(|unit| *unit > 0x20).unwrap_or(units.len());
            let end = units.iter().rposition(|unit| *unit > 0x20).map_or(start, |last| last + 1);
            string(&units[start..end])
        }
        // Of ASCII's letters only i and I depend on the locale, in Turkish; the answer is that of all others.
        ("toLowerCase", [] | [_]) if is_ascii() => string(&mapped(u8::to_ascii_lowercase)),
        ("toUpperCase", [] | [_]) if is_ascii() => string(&mapped(u8::to_ascii_uppercase)),
        ("charAt", [Literal::Int(at)]) => units.get(index(*at)?).map(|unit| Literal::Int((*unit).into())),
        ("substring", [Literal::Int(start)]) => string(units.get(index(*start)?..)?),
        ("substring", [Literal::Int(start), Literal::Int(end)]) => string(units.get(index(*start)?..index(*end)?)?),
        ("concat", [Literal::String(other)]) => string(&[units, other.units()].concat()),
        ("replace", [Literal::Int(from), Literal::Int(to)]) => {
            let changed = |unit: &u16| if i32::from(*unit) == *from { *to as u16 } else { *unit };
            string(&units.iter().map(changed).collect::<Vec<u16>>())
        }
        _ => None,
    }
}

/// What a value of the type adds to a string that is put together (JLS §5.1.11).
pub(super) fn text_of(value: &Literal, seen_as: &Type) -> Option<Vec<u16>> {
    let text = match value {
        Literal::String(text) => return Some(text.units().to_vec()),
        Literal::Int(unit) if seen_as.descriptor() == "C" => return Some(vec![*unit as u16]),
        Literal::Int(value) if *seen_as == Type::BOOLEAN => (*value != 0).to_string(),
        Literal::Int(value) => value.to_string(),
        Literal::Long(value) => value.to_string(),
        _ => return None,
    };
    Some(text.encode_utf16().collect())
}

/// A string that is not too long to be kept.
pub(super) fn string(units: &[u16]) -> Option<Literal> {
    (units.len() <= STRING_LIMIT).then(|| Literal::String(JavaString::from_units(units)))
}
