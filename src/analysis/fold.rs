//! Evaluates instructions and string methods whose operands are all known, as Java does.
//!
//! `None` is "not known", also for what would throw. What depends on the locale or on how Java prints floating-point
//! numbers is left alone.

use super::STRING_LIMIT;
use crate::classfile::opcode;
use crate::jvm::{JavaString, Literal, Type};

/// An arithmetic instruction, a shift or a conversion.
pub(crate) fn arithmetic(of: u8, operands: &[Literal]) -> Option<Literal> {
    use opcode::{F2L, I2L, IADD, INEG, ISHL};
    Some(match *operands {
        [Literal::Int(a), Literal::Int(b)] => Literal::Int(match of.checked_sub(IADD)? {
            0 => a.wrapping_add(b),
            4 => a.wrapping_sub(b),
            8 => a.wrapping_mul(b),
            12 => a.checked_div(b).or((b == -1).then_some(a))?,
            16 => a.checked_rem(b).or((b == -1).then_some(0))?,
            24 => a.wrapping_shl(b as u32),
            26 => a.wrapping_shr(b as u32),
            28 => (a as u32).wrapping_shr(b as u32) as i32,
            30 => a & b,
            32 => a | b,
            34 => a ^ b,
            _ => return None,
        }),
        [Literal::Long(a), Literal::Int(b)] => Literal::Long(match of.checked_sub(ISHL)? {
            1 => a.wrapping_shl(b as u32),
            3 => a.wrapping_shr(b as u32),
            5 => (a as u64).wrapping_shr(b as u32) as i64,
            _ => return None,
        }),
        [Literal::Long(a), Literal::Long(b)] => Literal::Long(match of.checked_sub(IADD)? {
            1 => a.wrapping_add(b),
            5 => a.wrapping_sub(b),
            9 => a.wrapping_mul(b),
            13 => a.checked_div(b).or((b == -1).then_some(a))?,
            17 => a.checked_rem(b).or((b == -1).then_some(0))?,
            31 => a & b,
            33 => a | b,
            35 => a ^ b,
            _ => return None,
        }),
        [Literal::Float(a), Literal::Float(b)] => {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            Literal::float(match of.checked_sub(IADD)? {
                2 => a + b,
                6 => a - b,
                10 => a * b,
                14 => a / b,
                18 => a % b,
                _ => return None,
            })
        }
        [Literal::Double(a), Literal::Double(b)] => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            Literal::double(match of.checked_sub(IADD)? {
                3 => a + b,
                7 => a - b,
                11 => a * b,
                15 => a / b,
                19 => a % b,
                _ => return None,
            })
        }
        [Literal::Int(a)] if of == INEG => Literal::Int(a.wrapping_neg()),
        [Literal::Long(a)] if of == INEG + 1 => Literal::Long(a.wrapping_neg()),
        [Literal::Float(a)] if of == INEG + 2 => Literal::float(-f32::from_bits(a)),
        [Literal::Double(a)] if of == INEG + 3 => Literal::double(-f64::from_bits(a)),
        [Literal::Int(a)] => match of.checked_sub(I2L)? {
            0 => Literal::Long(a.into()),
            1 => Literal::float(a as f32),
            2 => Literal::double(a.into()),
            12 => Literal::Int((a as i8).into()),
            13 => Literal::Int((a as u16).into()),
            14 => Literal::Int((a as i16).into()),
            _ => return None,
        },
        [Literal::Long(a)] => match of.checked_sub(I2L)? {
            3 => Literal::Int(a as i32),
            4 => Literal::float(a as f32),
            5 => Literal::double(a as f64),
            _ => return None,
        },
        // Rust's casts saturate and take NaN to 0, as Java's conversions do (JLS §5.1.3).
        [Literal::Float(a)] => match (f32::from_bits(a), (of + 1).checked_sub(F2L)?) {
            (a, 0) => Literal::Int(a as i32),
            (a, 1) => Literal::Long(a as i64),
            (a, 2) => Literal::double(a.into()),
            _ => return None,
        },
        [Literal::Double(a)] => match (f64::from_bits(a), of.checked_sub(F2L)?) {
            (a, 2) => Literal::Int(a as i32),
            (a, 3) => Literal::Long(a as i64),
            (a, 4) => Literal::float(a as f32),
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
