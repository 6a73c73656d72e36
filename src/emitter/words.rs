//! Values as parts of names: `nullName`, `NameAbc`, `MinusOne`.

mod numbers;

use super::enclosed::enclosed_word;
use super::literal::text_of_bytes;
use super::text_kind::{sign_word, symbol};
use super::variables::{capitalized, decapitalized, last_segment};
use model::execution::described::{Described, Made, Spelling};
use model::jvm::{ClassName, JavaString, Literal, Type};
use numbers::{amount_word, number_word};

/// Longest part of a name that is taken from a text.
pub(super) const TEXT_SHOWN: usize = 20;
/// Arguments that a condition names.
const ARGUMENTS_SHOWN: usize = 3;
/// Longest part of a name that says a value.
pub(super) const VALUE_SHOWN: usize = 24;

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

impl ArgumentWord {
    /// The word, whichever it is.
    pub fn into_word(self) -> String {
        match self {
            ArgumentWord::Special(word) | ArgumentWord::Plain(word) => word,
        }
    }
}

/// `nullName`, `Amount5`: a value as an argument of the parameter.
pub(super) fn value_word(literal: &Literal, parameter: &str) -> ArgumentWord {
    use ArgumentWord::{Plain, Special};
    let number = match literal {
        _ if !parameter.is_empty() => parameter,
        Literal::Byte(_) => "Byte",
        _ => "Number",
    };
    let sign = |is_negative: bool, word: Option<String>| match word {
        _ if is_negative => Special(format!("negative{number}")),
        Some(word) if word == "0" => Special(format!("zero{parameter}")),
        Some(word) if word == "MaxValue" => Special(format!("largest{number}")),
        Some(word) => Plain(format!("{parameter}{word}")),
        None => Special(format!("large{number}")),
    };
    let word = literal_word(literal);
    match literal {
        Literal::Null(_) => Special(format!("null{parameter}")),
        Literal::Class(of) => {
            // `expectedType` asks for a type, `clazz` and `obj` for a class.
            let kind = if parameter.ends_with("Type") { "Type" } else { "Class" };
            Plain(format!("{}{kind}", capitalized(&type_word(Some(of)))))
        }
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
    if text.len() <= 2 * TEXT_SHOWN && (text.starts_with(' ') || text.ends_with(' ')) {
        let place = if text.starts_with(' ') { "Leading" } else { "Trailing" };
        return Special(format!("{}With{place}Space", decapitalized(named)));
    }
    if let Some(sign) = sign_word(&text).filter(|_| text.len() <= 2 * TEXT_SHOWN) {
        return Special(format!("{}With{sign}", decapitalized(named)));
    }
    if parameter.eq_ignore_ascii_case(&text) {
        // `withName` for `"name"`.
        return Plain(parameter.to_string());
    }
    if text.len() <= TEXT_SHOWN && is_plain(&text) {
        return Plain(format!("{}{}", named_unless_vague(named), capitalized(&text)));
    }
    if let Some(word) = enclosed_word(&text, |inside| is_plain(inside).then(|| capitalized(inside))) {
        return Plain(format!("{}{word}", named_unless_vague(named)));
    }
    let symbols: Option<Vec<&str>> = text.chars().map(symbol).collect();
    if let Some(symbols) = symbols.filter(|symbols| symbols.len() <= 3) {
        return Plain(format!("{}{}", named_unless_vague(named), symbols.concat()));
    }
    if text.chars().count() > 40 {
        return Special(format!("long{named}"));
    }
    Plain(format!("{}{}", named_unless_vague(named), words_of(&text, 2 * TEXT_SHOWN)))
}

/// Letters and digits from which on the signs of a text add nothing.
const TELLING_LETTERS: usize = 3;

/// Of texts up to this length all signs are said: `4%00` is not `400`.
const SIGNS_SAID: usize = 5;

/// A few words, or signs where there are hardly letters; not much longer than `most`.
pub(super) fn words_of(text: &str, most: usize) -> String {
    let letters = text.bytes().filter(u8::is_ascii_alphanumeric).count();
    let has_words = letters >= TELLING_LETTERS && text.len() > SIGNS_SAID;
    let mut words = String::new();
    let mut rest = text.chars().peekable();
    let (mut before, mut word_before) = (' ', 0);
    while let Some(letter) = rest.next() {
        if letter.is_ascii_alphanumeric() {
            let mut word = letter.to_string();
            while let Some(next) = rest.next_if(char::is_ascii_alphanumeric) {
                word.push(next);
            }
            words += &capitalized(&word);
            word_before = if word.bytes().all(|letter| letter.is_ascii_alphabetic()) { word.len() } else { 0 };
        } else if letter == '.' && before.is_ascii_digit() && rest.peek().is_some_and(char::is_ascii_digit) {
            words += "Point";
        } else if letter == '-' && word_before > 1 && rest.peek().is_some_and(char::is_ascii_alphanumeric) {
            // `UTF-8` is one word.
        } else if letter != ' ' && !has_words {
            words += symbol(letter).unwrap_or("Sign");
        }
        before = letter;
        if words.len() > most {
            break;
        }
    }
    words
}

/// The value of a result in words: `3Point92`, `TextHtml`, `OnlyA`, `2Elements`, `5Euros`; `None` where its type says
/// more than they would.
pub(super) fn described_word(value: &Described) -> Option<String> {
    let word = match value {
        Described::Null => "Null".to_string(),
        Described::Literal(literal) => shown_word(literal)?,
        Described::Constant(_, name) if is_plain(name) => constant_word(name),
        Described::Constant(..) => return None,
        Described::Text(class, text) => platform_word(class, &text.to_string())?,
        Described::Optional(_, Some(value)) => described_word(value)?,
        Described::Optional(_, None) => return None,
        Described::Content(_, content) => described_word(content)?,
        Described::Array(_, parts) => match text_of_bytes(parts.iter().map(literal_in)) {
            Some(text) => spelled_word(text, parts.len()),
            None => elements_word(parts)?,
        },
        Described::Elements(_, parts) => elements_word(parts)?,
        Described::Map(entries) if entries.is_empty() => return None,
        Described::Map(entries) => sized_word(entries.len(), true),
        Described::Entry(_) => return None,
        Described::Record(class, parts) => composed(class_word(class), &parts.iter().collect::<Vec<_>>())?,
        Described::Object(_, _, Spelling(Some(made))) => made_word(made)?,
        Described::Object(_, _, Spelling(None)) => return None,
    };
    (word.len() <= VALUE_SHOWN).then_some(word)
}

/// `OnlyA`, `2Elements`
fn elements_word(elements: &[Described]) -> Option<String> {
    match elements {
        [] => None,
        [Described::Literal(Literal::Char(_)), ..] => {
            let unit = |part: &Described| match literal_in(part) {
                Some(Literal::Char(unit)) => Some(*unit),
                _ => None,
            };
            let units = elements.iter().map(unit).collect::<Option<Vec<u16>>>()?;
            Some(spelled_word(JavaString::from_units(&units), units.len()))
        }
        [one, two] => {
            let words = [described_word(one), described_word(two)];
            let said = words.into_iter().collect::<Option<Vec<String>>>().map(|words| joined(&words));
            Some(said.filter(|said| said.len() <= VALUE_SHOWN).unwrap_or_else(|| sized_word(2, false)))
        }
        // Of a table with one cell the cell says all.
        [one @ Described::Array(_, cells)] if cells.len() == 1 => described_word(one),
        [one] => Some(
            described_word(one)
                .filter(|word| word.len() < VALUE_SHOWN)
                .map_or_else(|| sized_word(1, false), |word| format!("Only{word}")),
        ),
        [Described::Literal(Literal::Byte(_)), ..] => Some(format!("{}Bytes", elements.len())),
        several => Some(sized_word(several.len(), false)),
    }
}

/// The text that bytes or characters spell, or how many they are.
fn spelled_word(text: JavaString, size: usize) -> String {
    shown_word(&Literal::String(text)).unwrap_or_else(|| sized_word(size, false))
}

fn literal_in(value: &Described) -> Option<&Literal> {
    if let Described::Literal(literal) = value { Some(literal) } else { None }
}

/// `OneElement`, `2Elements`, `3Entries`.
pub(super) fn sized_word(size: usize, is_map: bool) -> String {
    match (size, is_map) {
        (1, false) => "OneElement".to_string(),
        (1, true) => "OneEntry".to_string(),
        (size, false) => format!("{size}Elements"),
        (size, true) => format!("{size}Entries"),
    }
}

/// `5Euros` for `Money.euros("5")`, `Version1And2` for `Version.of(1, 2)`.
fn made_word(made: &Made) -> Option<String> {
    let parts: Vec<&Described> = made.arguments.iter().collect();
    unit_word(made).or_else(|| composed(class_word(&made.owner), &parts))
}

/// `5Euros` for `Money.euros("5")`: what an object is made of, and a method with a name that says what that is; a constant's name.
fn unit_word(made: &Made) -> Option<String> {
    const VAGUE: [&str; 7] = ["<init>", "of", "valueOf", "parse", "from", "create", "get"];
    match &made.arguments[..] {
        _ if made.is_constant => Some(constant_word(&made.name)),
        [one] if !VAGUE.contains(&&*made.name) => Some(format!("{}{}", described_word(one)?, capitalized(&made.name))),
        _ => None,
    }
}

/// What an argument or a receiver is made of, where its class goes without saying: `5Euros`, `1And2`, `29Feb2024`.
pub(super) fn content_word(value: &Described) -> Option<String> {
    let parts: Vec<&Described> = match value {
        Described::Literal(_) | Described::Constant(..) | Described::Text(..) => return described_word(value),
        Described::Record(_, parts) => parts.iter().collect(),
        Described::Object(_, _, Spelling(Some(made))) => match unit_word(made) {
            Some(word) => return Some(word).filter(|word| word.len() <= VALUE_SHOWN),
            None => made.arguments.iter().collect(),
        },
        _ => return None,
    };
    composed(String::new(), &parts).filter(|word| !word.is_empty())
}

/// `Range1And5`: the class, and what the object is made of if that is short.
fn composed(class: String, parts: &[&Described]) -> Option<String> {
    let words: Option<Vec<String>> = parts.iter().map(|part| described_word(part)).collect();
    let word = format!("{class}{}", joined(&words?));
    (parts.len() <= ARGUMENTS_SHOWN && word.len() <= VALUE_SHOWN).then_some(word)
}

/// A value of the platform, by its canonical text: numbers and days.
fn platform_word(class: &ClassName, text: &str) -> Option<String> {
    match class.internal() {
        "java/math/BigDecimal" | "java/math/BigInteger" => number_word(text),
        "java/time/LocalDate" => {
            const MONTHS: [&str; 12] =
                ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
            let mut parts = text.split('-').map(|part| part.parse::<usize>().ok());
            let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
            Some(format!("{day}{}{year}", MONTHS.get(month.checked_sub(1)?)?))
        }
        "java/time/Duration" | "java/time/Period" => amount_word(text),
        "java/util/Currency" | "java/util/Locale" | "java/io/File" => {
            Some(words_of(text, VALUE_SHOWN)).filter(|words| !words.is_empty())
        }
        _ => None,
    }
}

/// A literal that is returned: `MinusOne`, `3Point5`, `TextHtml`, `Comma`.
pub(super) fn shown_word(literal: &Literal) -> Option<String> {
    let word = literal_word(literal).or_else(|| match literal {
        Literal::Int(value) => number_word(&value.to_string()),
        Literal::Long(value) => number_word(&value.to_string()),
        Literal::Short(value) => number_word(&value.to_string()),
        Literal::Float(bits) => number_word(&f32::from_bits(*bits).to_string()),
        Literal::Double(bits) => number_word(&f64::from_bits(*bits).to_string()),
        Literal::Char(unit) => char::from_u32(u32::from(*unit)).and_then(symbol).map(str::to_string),
        Literal::String(text) => {
            let text = text.to_string();
            let has_word = text.chars().any(|letter| letter.is_ascii_alphanumeric());
            let can_be_said = |letter: char| letter.is_ascii_alphanumeric() || symbol(letter).is_some();
            let is_short = text.len() <= VALUE_SHOWN && (has_word || text.chars().count() <= 2);
            let is_blank = text.chars().all(char::is_whitespace);
            let negative = number_word(&text).filter(|_| text.starts_with('-'));
            let said = |inside: &str| {
                let can_be_said = inside.chars().all(can_be_said);
                (can_be_said && inside.len() <= VALUE_SHOWN).then(|| words_of(inside, VALUE_SHOWN))
            };
            negative.or_else(|| enclosed_word(&text, said)).or_else(|| match is_blank {
                true => Some("BlankText".to_string()),
                false => (is_short && text.chars().all(can_be_said)).then(|| words_of(&text, VALUE_SHOWN)),
            })
        }
        Literal::Class(of) => Some(type_word(Some(of))),
        _ => None,
    });
    word.filter(|word| word.len() <= VALUE_SHOWN && !word.is_empty())
}

/// `withAbc` rather than `withStringAbc`.
pub(super) fn named_unless_vague(parameter: &str) -> &str {
    if matches!(parameter, "String" | "Str" | "Object" | "CharSequence" | "Text") { "" } else { parameter }
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
    use model::execution::described::ElementsKind;
    use model::jvm::MethodDescriptor;

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
    fn value_of_a_result_is_said_where_it_is_short() {
        let check = |value: Described, expected: Option<&str>| {
            assert_eq!(described_word(&value).as_deref(), expected, "{value:?}");
        };
        let text = |text: &str| Described::Literal(string(text));
        let of = |class: &str, text: &str| Described::Text(ClassName::new(class), JavaString::from(text));
        let list = |parts| Described::elements(ElementsKind::List, parts);
        check(of("java/math/BigDecimal", "0.00"), Some("0"));
        let row = |of: Type, part| Described::Array(Type::array(of), vec![part]);
        let number = Described::Literal(Literal::Int(2));
        check(row(Type::array(Type::INT), row(Type::INT, number.clone())), Some("Only2"));
        let cells = Described::Array(Type::array(Type::INT), vec![number; 3]);
        check(row(Type::array(Type::INT), cells), Some("Only3Elements"));
        check(of("java/math/BigDecimal", "-3.920"), Some("Minus3Point92"));
        check(of("java/math/BigDecimal", "1E+3"), None);
        check(of("java/time/LocalDate", "2024-02-29"), Some("29Feb2024"));
        check(of("java/time/Instant", "2024-02-29T00:00:00Z"), None);
        check(of("java/time/Duration", "PT30S"), Some("30Seconds"));
        check(of("java/time/Duration", "PT1M"), Some("1Minute"));
        check(of("java/time/Duration", "PT1H30M"), None);
        check(of("java/time/Period", "P2Y"), Some("2Years"));
        check(text("text/html"), Some("TextHtml"));
        check(text("<1>"), Some("1InAngleBrackets"));
        check(text("1.5"), Some("1Point5"));
        check(Described::Literal(Literal::double(0.6613118653236518)), Some("About0Point66"));
        check(Described::Literal(Literal::double(-2.000_001)), Some("AboutMinus2"));
        check(text("-50.40"), Some("Minus50Point4"));
        check(text("a text that nobody would want to read in a name"), None);
        check(list(vec![text("a")]), Some("OnlyA"));
        check(list(vec![text("a"), text("b")]), Some("AAndB"));
        check(list(vec![text("a text of several long words"), text("b")]), Some("2Elements"));
        check(list(vec![text("a"), text("b"), text("c")]), Some("3Elements"));
        let letters =
            |text: &str| text.chars().map(|letter| Described::Literal(Literal::Char(letter as u16))).collect();
        check(list(letters("01")), Some("01"));
        check(Described::map(vec![(text("a"), text("b"))]), Some("OneEntry"));
        let record = |parts| Described::Record(ClassName::new("p/Range"), parts);
        let number = |value| Described::Literal(Literal::Int(value));
        check(record(vec![number(1), number(5)]), Some("Range1And5"));
        check(record(vec![text("a rather long text of several words"), number(5)]), None);
    }

    #[test]
    fn object_is_said_by_the_call_that_makes_it() {
        let made = |name: &str| Made {
            owner: ClassName::new("p/Money"),
            name: name.into(),
            is_constant: name == "ZERO",
            descriptor: MethodDescriptor { parameters: vec![Type::string()], returns: None },
            arguments: vec![Described::Literal(string("1.00"))],
        };
        assert_eq!(made_word(&made("ZERO")).as_deref(), Some("Zero"));
        assert_eq!(made_word(&made("euros")).as_deref(), Some("1Point00Euros"));
        assert_eq!(made_word(&made("of")).as_deref(), Some("Money1Point00"));
        let object = |name| Described::Object(ClassName::new("p/Money"), Vec::new(), Spelling(Some(made(name).into())));
        assert_eq!(content_word(&object("euros")).as_deref(), Some("1Point00Euros"));
        assert_eq!(content_word(&object("of")).as_deref(), Some("1Point00"));
    }

    #[test]
    fn text_argument_is_told_by_what_it_is_made_of() {
        let check = |text: &str, expected: &str| {
            let (ArgumentWord::Special(word) | ArgumentWord::Plain(word)) = text_word(&JavaString::from(text), "Name");
            assert_eq!(word, expected, "{text:?}");
        };
        check("", "emptyName");
        check(" \t", "blankName");
        check(" a", "nameWithLeadingSpace");
        check("a ", "nameWithTrailingSpace");
        check("abc", "NameAbc");
        check("--", "NameDashDash");
        check("two words", "NameTwoWords");
        assert_eq!(["UTF-8", "1e-5"].map(|text| words_of(text, 20)), ["UTF8", "1eDash5"]);
        check("a=b", "NameAEqualsB");
        check("key=b", "nameWithEqualsSign");
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
        assert_eq!(["TEXT_HTML", "Red"].map(constant_word), ["TextHtml", "Red"]);
    }
}
