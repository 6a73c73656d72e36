//! Literals as Java source (JLS §3.10), exact to the bit.

use super::names::Names;
use model::jvm::{JavaString, Literal, Primitive, Type};

/// A string constant's limit in modified UTF-8 (JVMS §4.4.7).
const STRING_LIMIT: usize = 65_535;

/// The expression whose value and static type are the literal's, or why there is none.
///
/// A null literal is plain `null`; whether it needs a cast depends on where it stands.
pub(super) fn literal_text(literal: &Literal, names: &mut Names<'_>) -> Result<String, String> {
    Ok(match literal {
        Literal::Boolean(value) => value.to_string(),
        Literal::Byte(value) => format!("(byte) {value}"),
        Literal::Short(value) => format!("(short) {value}"),
        Literal::Char(unit) => format!("'{}'", escaped(&[*unit], '\'')),
        Literal::Int(i32::MIN) => names.java_lang("Integer") + ".MIN_VALUE",
        Literal::Int(i32::MAX) => names.java_lang("Integer") + ".MAX_VALUE",
        Literal::Int(value) => names.constant(*value).unwrap_or_else(|| value.to_string()),
        Literal::Long(i64::MIN) => names.java_lang("Long") + ".MIN_VALUE",
        Literal::Long(i64::MAX) => names.java_lang("Long") + ".MAX_VALUE",
        Literal::Long(value) => format!("{value}L"),
        Literal::Float(bits) => float_text(*bits, names),
        Literal::Double(bits) => double_text(*bits, names),
        Literal::String(text) => string_text(text)?,
        Literal::Class(of) => names.class_literal(of)?,
        Literal::Null(_) => "null".to_string(),
    })
}

/// What JUnit compares with: every NaN is the same to it, and which one a calculation makes is up to the processor.
pub(super) fn canonical(literal: &Literal) -> Literal {
    match literal {
        Literal::Float(bits) if f32::from_bits(*bits).is_nan() => Literal::Float(0x7fc0_0000),
        Literal::Double(bits) if f64::from_bits(*bits).is_nan() => Literal::Double(0x7ff8_0000_0000_0000),
        other => other.clone(),
    }
}

/// A literal as an element of an array initializer, where a constant takes the type of the array's elements by itself
/// (JLS §5.2).
pub(super) fn element_text<'a>(text: &'a str, element: &Type) -> &'a str {
    let cast = match element {
        Type::Primitive(Primitive::Byte) => "(byte) ",
        Type::Primitive(Primitive::Short) => "(short) ",
        _ => return text,
    };
    text.strip_prefix(cast).filter(|number| number.parse::<i16>().is_ok()).unwrap_or(text)
}

/// The elements of an array initializer, where bytes that are all signs of a text stand as these: `{'%', '7'}`.
pub(super) fn element_texts(texts: Vec<String>, element: &Type) -> Vec<String> {
    if *element != Type::Primitive(Primitive::Byte) {
        return texts;
    }
    let sign = |text: &String| {
        let byte = text.parse::<i8>().ok().filter(|byte| is_sign(*byte))?;
        Some(format!("'{}'", escaped(&[byte as u16], '\'')))
    };
    texts.iter().map(sign).collect::<Option<Vec<String>>>().unwrap_or(texts)
}

/// Whether the byte is that of a letter, a digit, a punctuation mark or a space in ASCII.
fn is_sign(byte: i8) -> bool {
    u8::try_from(byte).is_ok_and(|byte| byte.is_ascii_graphic() || byte == b' ')
}

/// The text whose bytes these are in ASCII, if all are signs.
pub(super) fn text_of_bytes<'a>(elements: impl Iterator<Item = Option<&'a Literal>>) -> Option<JavaString> {
    let unit = |literal: Option<&Literal>| match literal {
        Some(Literal::Byte(byte)) if is_sign(*byte) => Some(*byte as u16),
        _ => None,
    };
    let units: Vec<u16> = elements.map(unit).collect::<Option<_>>()?;
    (!units.is_empty()).then(|| JavaString::from_units(&units))
}

/// A string literal, or that it is too long for one.
pub(super) fn string_text(text: &JavaString) -> Result<String, String> {
    let bytes: usize = text.units().iter().map(|&unit| modified_utf8_length(unit)).sum();
    if bytes > STRING_LIMIT {
        return Err(format!("a string of {bytes} bytes is too long for a class file"));
    }
    Ok(format!("\"{}\"", escaped(text.units(), '"')))
}

fn modified_utf8_length(unit: u16) -> usize {
    match unit {
        0x0001..=0x007f => 1,
        0 | 0x0080..=0x07ff => 2,
        _ => 3,
    }
}

/// The inside of a character or string literal.
///
/// Line breaks, quotes and backslashes are never written as `\uXXXX`: those are translated before the source is split
/// into tokens (JLS §3.3), and would end the literal. All but ASCII and letters is, also surrogates one by one.
fn escaped(units: &[u16], quote: char) -> String {
    let mut text = String::with_capacity(units.len());
    for &unit in units {
        match char::from_u32(u32::from(unit)) {
            Some('\n') => text.push_str("\\n"),
            Some('\r') => text.push_str("\\r"),
            Some('\t') => text.push_str("\\t"),
            Some('\u{8}') => text.push_str("\\b"),
            Some('\u{c}') => text.push_str("\\f"),
            Some('\\') => text.push_str("\\\\"),
            Some(letter) if letter == quote => {
                text.push('\\');
                text.push(letter);
            }
            Some(letter) if (' '..='~').contains(&letter) => text.push(letter),
            Some(letter) if letter.is_alphabetic() && !is_mark(letter) => text.push(letter),
            _ => text.push_str(&format!("\\u{unit:04x}")),
        }
    }
    text
}

/// Alphabetic, but drawn onto the letter before (or, in scripts written right to left, moving what follows).
fn is_mark(letter: char) -> bool {
    matches!(u32::from(letter), 0x0300..=0x036f | 0x0590..=0x08ff | 0xfb1d..=0xfdff | 0xfe70..=0xfeff)
}

fn float_text(bits: u32, names: &mut Names<'_>) -> String {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        let class = names.java_lang("Float");
        return if bits == 0x7fc0_0000 { class + ".NaN" } else { format!("{class}.intBitsToFloat(0x{bits:08x})") };
    }
    match named_extreme(value == f32::INFINITY, value == f32::NEG_INFINITY, bits == 1, value == f32::MAX) {
        Some(constant) => names.java_lang("Float") + constant,
        None => java_digits(&format!("{value:?}")) + "f",
    }
}

fn double_text(bits: u64, names: &mut Names<'_>) -> String {
    let value = f64::from_bits(bits);
    if value.is_nan() {
        let class = names.java_lang("Double");
        let canonical = bits == 0x7ff8_0000_0000_0000;
        return if canonical { class + ".NaN" } else { format!("{class}.longBitsToDouble(0x{bits:016x}L)") };
    }
    match named_extreme(value == f64::INFINITY, value == f64::NEG_INFINITY, bits == 1, value == f64::MAX) {
        Some(constant) => names.java_lang("Double") + constant,
        None => java_digits(&format!("{value:?}")),
    }
}

fn named_extreme(infinite: bool, negative_infinite: bool, smallest: bool, largest: bool) -> Option<&'static str> {
    [
        (infinite, ".POSITIVE_INFINITY"),
        (negative_infinite, ".NEGATIVE_INFINITY"),
        (smallest, ".MIN_VALUE"),
        (largest, ".MAX_VALUE"),
    ]
    .into_iter()
    .find_map(|(is, constant)| is.then_some(constant))
}

/// Rust's shortest digits that read back the same, as Java writes them: `1e21` becomes `1.0E21`.
fn java_digits(digits: &str) -> String {
    match digits.split_once('e') {
        Some((mantissa, exponent)) if mantissa.contains('.') => format!("{mantissa}E{exponent}"),
        Some((mantissa, exponent)) => format!("{mantissa}.0E{exponent}"),
        None => digits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::types::TypeTable;

    fn check(literal: Literal, expected: &str) {
        let types = TypeTable::default();
        let mut names = Names::new(&types, "p", "ATest");
        assert_eq!(literal_text(&literal, &mut names).unwrap(), expected);
    }

    #[test]
    fn integers_keep_their_type() {
        check(Literal::Byte(-128), "(byte) -128");
        check(Literal::Short(7), "(short) 7");
        check(Literal::Int(i32::MIN), "Integer.MIN_VALUE");
        check(Literal::Long(-5), "-5L");
        check(Literal::Long(i64::MIN), "Long.MIN_VALUE");
    }

    #[test]
    fn elements_of_an_array_need_no_cast() {
        assert_eq!(element_text("(byte) -128", &Type::Primitive(Primitive::Byte)), "-128");
        let bytes = |texts: &[&str]| {
            let texts = texts.iter().map(|text| text.to_string()).collect();
            element_texts(texts, &Type::Primitive(Primitive::Byte)).join(", ")
        };
        assert_eq!([bytes(&["37", "39"]), bytes(&["37", "1"]), bytes(&["37", "b"])], ["'%', '\\''", "37, 1", "37, b"]);
        assert_eq!(element_text("(byte) x", &Type::Primitive(Primitive::Byte)), "(byte) x");
        assert_eq!(element_text("(byte) 1", &Type::object()), "(byte) 1");
    }

    #[test]
    fn floating_point_literals_are_exact() {
        check(Literal::float(-0.0), "-0.0f");
        check(Literal::float(0.1), "0.1f");
        check(Literal::Float(0x7fc0_0000), "Float.NaN");
        check(Literal::Float(0x7fc0_0001), "Float.intBitsToFloat(0x7fc00001)");
        check(Literal::double(1e21), "1.0E21");
        check(Literal::double(1.5e-7), "1.5E-7");
        check(Literal::double(f64::NEG_INFINITY), "Double.NEGATIVE_INFINITY");
        check(Literal::double(f64::MIN), "-1.7976931348623157E308");
        check(Literal::Double(1), "Double.MIN_VALUE");
        check(Literal::Double(0xfff8_0000_0000_0000), "Double.longBitsToDouble(0xfff8000000000000L)");
    }

    #[test]
    fn control_characters_and_quotes_are_escaped() {
        check(Literal::Char(0x0a), "'\\n'");
        check(Literal::Char(0x27), "'\\''");
        check(Literal::Char(0xd800), "'\\ud800'");
        check(Literal::Char(0), "'\\u0000'");
        check(Literal::String(JavaString::from("a\"b'\\u000a\u{feff}ö")), "\"a\\\"b'\\\\u000a\\ufeffö\"");
        check(Literal::String(JavaString::from_units(&[0xd83d, 0xde00, 0xdc00])), "\"\\ud83d\\ude00\\udc00\"");
    }

    #[test]
    fn class_literals_name_arrays_and_primitives() {
        check(Literal::Class(Type::array(Type::INT)), "int[].class");
        check(Literal::Class(Type::string()), "String.class");
    }

    #[test]
    fn string_literal_beyond_the_class_file_limit_is_refused() {
        assert!(string_text(&JavaString::from_units(&[0; 32_767])).is_ok());
        assert!(string_text(&JavaString::from_units(&[0; 32_768])).is_err());
    }
}
