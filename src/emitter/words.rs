//! Values as parts of names: `nullName`, `NameAbc`, `MinusOne`.

use super::variables::{capitalized, last_segment};
use model::jvm::{ClassName, JavaString, Literal, Type};

/// Longest part of a name that is taken from a text.
const TEXT_SHOWN: usize = 20;
/// Arguments that a condition names.
const ARGUMENTS_SHOWN: usize = 3;

/// Each once, in the order of first mention.
pub(super) fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// `nameAndSize`
pub(super) fn joined(words: &[String]) -> String {
    let rest = words.iter().skip(1).map(|word| format!("And{}", capitalized(word)));
    words.first().cloned().into_iter().chain(rest).collect()
}

/// An argument in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ArgumentWord {
    /// `nullName`, `negativeAmount`: says by itself what is special.
    Special(String),
    /// `Amount5`, `NameAbc`, `Red`: goes with `with`.
    Plain(String),
}

/// `nullName`, `Amount5`: a value as an argument of the parameter.
pub(super) fn value_word(literal: &Literal, parameter: &str) -> ArgumentWord {
    use ArgumentWord::{Plain, Special};
    let number = if parameter.is_empty() { "Number" } else { parameter };
    let sign = |is_negative: bool, word: Option<String>| match word {
        _ if is_negative => Special(format!("negative{number}")),
        Some(word) if word == "0" => Special(format!("zero{number}")),
        Some(word) if word == "MaxValue" => Special(format!("largest{number}")),
        Some(word) => Plain(format!("{parameter}{word}")),
        None => Special(format!("large{number}")),
    };
    let word = literal_word(literal);
    match literal {
        Literal::Null(_) => Special(format!("null{parameter}")),
        Literal::Class(of) => Plain(format!("{parameter}{}", capitalized(&type_word(Some(of))))),
        Literal::String(text) => text_word(text, parameter),
        Literal::Boolean(is_true) if parameter.is_empty() || parameter == "Boolean" => {
            Plain(if *is_true { "True" } else { "False" }.to_string())
        }
        Literal::Boolean(is_true) => Special(format!("{}{parameter}", if *is_true { "with" } else { "without" })),
        Literal::Char(unit) => match char::from_u32(u32::from(*unit)) {
            Some(letter) if letter.is_ascii_alphanumeric() => {
                Plain(format!("{parameter}{}", letter.to_ascii_uppercase()))
            }
            Some(letter) => Plain(format!("{parameter}{}", symbol(letter).unwrap_or("Symbol"))),
            None => Plain(format!("{parameter}Surrogate")),
        },
        Literal::Byte(value) => sign(*value < 0, word),
        Literal::Short(value) => sign(*value < 0, word),
        Literal::Int(value) => sign(*value < 0, word),
        Literal::Long(value) => sign(*value < 0, word),
        Literal::Float(bits) => floating(f64::from(f32::from_bits(*bits)), word, number),
        Literal::Double(bits) => floating(f64::from_bits(*bits), word, number),
    }
}

fn floating(value: f64, word: Option<String>, parameter: &str) -> ArgumentWord {
    match word {
        Some(word) if value.is_nan() || value.is_infinite() => ArgumentWord::Plain(format!("{parameter}{word}")),
        _ if value < 0.0 => ArgumentWord::Special(format!("negative{parameter}")),
        _ if value == 0.0 => ArgumentWord::Special(format!("zero{parameter}")),
        Some(word) => ArgumentWord::Plain(format!("{parameter}{word}")),
        None => ArgumentWord::Special(format!("fractional{parameter}")),
    }
}

/// `emptyName`, `blankName`, `NameAbc`, `NameDash`, `NameWithSpace`.
fn text_word(text: &JavaString, parameter: &str) -> ArgumentWord {
    use ArgumentWord::{Plain, Special};
    let text = text.to_string();
    let named = if parameter.is_empty() { "Text" } else { parameter };
    let letters = || text.chars().filter(|letter| !letter.is_whitespace());
    if text.is_empty() {
        return Special(format!("empty{named}"));
    }
    if letters().next().is_none() {
        return Special(format!("blank{named}"));
    }
    if text.len() <= TEXT_SHOWN && is_plain(&text) {
        return Plain(format!("{}{}", named_unless_vague(named), capitalized(&text)));
    }
    let symbols: Option<Vec<&str>> = text.chars().map(symbol).collect();
    if let Some(symbols) = symbols.filter(|symbols| symbols.len() <= 3) {
        return Plain(format!("{}{}", named_unless_vague(named), symbols.concat()));
    }
    if text.chars().count() > 40 {
        return Special(format!("long{named}"));
    }
    // A few words, or a word with signs.
    let mut words = String::new();
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter.is_ascii_alphanumeric() {
            let mut word = letter.to_string();
            while let Some(next) = rest.next_if(char::is_ascii_alphanumeric) {
                word.push(next);
            }
            words += &capitalized(&word);
        } else if letter != ' ' {
            words += symbol(letter).unwrap_or("Sign");
        }
        if words.len() > 2 * TEXT_SHOWN {
            break;
        }
    }
    Plain(format!("{}{words}", named_unless_vague(named)))
}

/// `withAbc` rather than `withStringAbc`.
fn named_unless_vague(parameter: &str) -> &str {
    if matches!(parameter, "String" | "Object" | "CharSequence" | "Text") { "" } else { parameter }
}

/// What people call the character.
fn symbol(letter: char) -> Option<&'static str> {
    Some(match letter {
        ' ' => "Space",
        '\t' => "Tab",
        '\n' => "Newline",
        '-' => "Dash",
        '_' => "Underscore",
        '.' => "Dot",
        ',' => "Comma",
        ':' => "Colon",
        ';' => "Semicolon",
        '=' => "Equals",
        '/' => "Slash",
        '\\' => "Backslash",
        '*' => "Star",
        '+' => "Plus",
        '%' => "Percent",
        '#' => "Hash",
        '@' => "At",
        '!' => "Exclamation",
        '?' => "Question",
        '&' => "Ampersand",
        '|' => "Bar",
        '"' | '\'' => "Quote",
        '<' | '>' => "Angle",
        '(' | ')' | '[' | ']' | '{' | '}' => "Bracket",
        '$' => "Dollar",
        '^' => "Caret",
        '~' => "Tilde",
        '\0' => "Null",
        _ => return None,
    })
}

/// `nullName`, `emptyKeyAndNegativeSize`: only what is special.
pub(super) fn special(arguments: &[ArgumentWord]) -> String {
    let special: Vec<String> = arguments
        .iter()
        .filter_map(|word| match word {
            ArgumentWord::Special(word) => Some(word.clone()),
            ArgumentWord::Plain(_) => None,
        })
        .take(ARGUMENTS_SHOWN)
        .collect();
    joined(&special)
}

/// `emptyNameWithSize5`: what is special, and the other values.
pub(super) fn all(arguments: &[ArgumentWord]) -> String {
    let special = special(arguments);
    let plain: Vec<String> = arguments
        .iter()
        .filter_map(|word| match word {
            ArgumentWord::Plain(word) => Some(word.clone()),
            ArgumentWord::Special(_) => None,
        })
        .take(ARGUMENTS_SHOWN)
        .collect();
    match (special.is_empty(), plain.is_empty()) {
        (_, true) => special,
        (true, false) => format!("with{}", joined(&plain)),
        (false, false) => format!("{special}With{}", joined(&plain)),
    }
}

/// `TEXT_HTML` → `TextHtml`
pub(super) fn constant_word(name: &str) -> String {
    if name.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return capitalized(name);
    }
    name.split('_').map(|word| capitalized(&word.to_ascii_lowercase())).collect()
}

/// A short literal as part of a name.
pub(super) fn literal_word(literal: &Literal) -> Option<String> {
    let integer = |value: i64| match value {
        -1 => Some("MinusOne".to_string()),
        0..=9_999 => Some(value.to_string()),
        -9_999..=-2 => Some(format!("Minus{}", -value)),
        _ => None,
    };
    match literal {
        Literal::Boolean(value) => Some(if *value { "True" } else { "False" }.to_string()),
        Literal::Byte(value) => integer(i64::from(*value)),
        Literal::Short(value) => integer(i64::from(*value)),
        Literal::Int(i32::MAX) | Literal::Long(i64::MAX) => Some("MaxValue".to_string()),
        Literal::Int(i32::MIN) | Literal::Long(i64::MIN) => Some("MinValue".to_string()),
        Literal::Int(value) => integer(i64::from(*value)),
        Literal::Long(value) => integer(*value),
        Literal::Float(bits) => floating_word(f64::from(f32::from_bits(*bits))),
        Literal::Double(bits) => floating_word(f64::from_bits(*bits)),
        Literal::String(text) if text.units().is_empty() => Some("EmptyString".to_string()),
        Literal::String(text) => {
            let text = text.to_string();
            (text.len() <= TEXT_SHOWN
                && is_plain(&text)
                && text.starts_with(|letter: char| letter.is_ascii_alphabetic()))
            .then(|| capitalized(&text))
        }
        Literal::Char(unit) => {
            char::from_u32(u32::from(*unit)).filter(char::is_ascii_alphanumeric).map(|letter| letter.to_string())
        }
        Literal::Class(_) | Literal::Null(_) => None,
    }
}

fn floating_word(value: f64) -> Option<String> {
    if value.is_nan() {
        Some("NaN".to_string())
    } else if value.is_infinite() {
        Some(if value > 0.0 { "Infinity" } else { "MinusInfinity" }.to_string())
    } else if value.fract() == 0.0 && value.abs() < 10_000.0 {
        let sign = if value.is_sign_negative() { "Minus" } else { "" };
        Some(format!("{sign}{}", value.abs()))
    } else {
        None
    }
}

pub(super) fn type_word(of: Option<&Type>) -> String {
    match of {
        Some(Type::Primitive(primitive)) => primitive.keyword().to_string(),
        Some(Type::Array(element)) => format!("{}Array", type_word(Some(element))),
        Some(Type::Class(class)) => class_word(class),
        Some(Type::Parameterized(of)) => class_word(&of.class),
        None => "void".to_string(),
    }
}

fn class_word(class: &ClassName) -> String {
    last_segment(class).chars().filter(|letter| letter.is_alphanumeric()).collect()
}

pub(super) fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(text: &str) -> Literal {
        Literal::String(JavaString::from(text))
    }

    #[test]
    fn only_short_values_become_part_of_test_names() {
        let check = |literal: Literal, expected: &str| {
            assert_eq!(literal_word(&literal).unwrap_or_default(), expected, "{literal:?}");
        };
        check(Literal::Int(-3), "Minus3");
        check(Literal::Int(-1), "MinusOne");
        check(Literal::Long(i64::MAX), "MaxValue");
        check(Literal::Long(123_456), "");
        check(Literal::double(-0.0), "Minus0");
        check(Literal::float(0.5), "");
        check(string(""), "EmptyString");
        check(string("arg"), "Arg");
        check(string("a b"), "");
        check(string("1a"), "");
    }

    #[test]
    fn text_argument_is_told_by_what_it_is_made_of() {
        let check = |text: &str, expected: &str| {
            let (ArgumentWord::Special(word) | ArgumentWord::Plain(word)) = text_word(&JavaString::from(text), "Name");
            assert_eq!(word, expected, "{text:?}");
        };
        check("", "emptyName");
        check(" \t", "blankName");
        check("abc", "NameAbc");
        check("--", "NameDashDash");
        check("two words", "NameTwoWords");
        check("a=b", "NameAEqualsB");
        check(&"long ".repeat(20), "longName");
    }

    #[test]
    fn condition_names_special_arguments_first() {
        let words = [
            ArgumentWord::Plain("Size5".to_string()),
            ArgumentWord::Special("nullName".to_string()),
            ArgumentWord::Special("emptyKey".to_string()),
        ];
        assert_eq!(special(&words), "nullNameAndEmptyKey");
        assert_eq!(all(&words), "nullNameAndEmptyKeyWithSize5");
        assert_eq!(all(&words[..1]), "withSize5");
    }

    #[test]
    fn constants_are_words() {
        assert_eq!(constant_word("TEXT_HTML"), "TextHtml");
        assert_eq!(constant_word("Red"), "Red");
    }
}
