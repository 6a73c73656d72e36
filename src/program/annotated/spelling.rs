//! How annotations spell names and other text: as the constants of the code do.

use model::jvm::annotations::ElementValue;
use model::jvm::{Literal, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Prefixes of names that are taken from the code.
const PREFIXES: usize = 2;
/// Strings that describe rather than name something are at most so long, in UTF-16 units.
const WORD: usize = 20;

/// A member's name as annotations spell it.
#[derive(Clone, Copy)]
pub(super) struct Name<'n> {
    pub prefix: &'n str,
    pub word: &'n str,
}
/// The name, and a short one where there may be several: one sign and one letter.
pub(super) fn naming_value(of: &Type, name: Name<'_>) -> ElementValue {
    let text = |text: String| ElementValue::Constant(Literal::String(text.as_str().into()));
    let Name { prefix, word } = name;
    let long = text(format!("{prefix}{word}"));
    let Type::Array(_) = of else { return long };
    let short: String = prefix.chars().take(1).chain(word.chars().take(1)).collect();
    let digits = word.trim_start_matches(|letter: char| !letter.is_numeric());
    ElementValue::Array(vec![text(short + digits), long])
}

/// Strings of the code that could be a word or sign.
pub(super) fn words<'a>(literals: impl Iterator<Item = &'a Literal>) -> Vec<Literal> {
    let is_word = |literal: &&Literal| match literal {
        Literal::String(text) => (1..=WORD).contains(&text.units().len()) && !text.to_string().contains(' '),
        _ => false,
    };
    let mut found: Vec<Literal> = literals.filter(is_word).cloned().collect::<BTreeSet<_>>().into_iter().collect();
    found.insert(0, Literal::String("text".into()));
    found
}

/// Separators of a text's parts are not at the beginning of names.
const SEPARATORS: &str = ",.;:=|&";
const BRACKETS_AND_QUOTES: &str = "()[]{}<>\"'`";

/// What names begin with: strings of the code that are one sign, or one sign twice, such as `-`, `--`, `/` and `@`. The most
/// frequent ones, the longest first.
pub(super) fn prefixes<'a>(constants: impl Iterator<Item = &'a (Literal, u32)>) -> Vec<String> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for (literal, count) in constants {
        let Literal::String(text) = literal else { continue };
        let text = text.to_string();
        let is_prefix = |sign: u8| {
            sign.is_ascii_punctuation()
                && !SEPARATORS.contains(char::from(sign))
                && !BRACKETS_AND_QUOTES.contains(char::from(sign))
        };
        let (is_one_sign, is_twice) = match text.as_bytes() {
            [sign] => (is_prefix(*sign), false),
            [one, other] => (is_prefix(*one), one == other),
            _ => continue,
        };
        if is_one_sign && (text.len() == 1 || is_twice) {
            *counts.entry(text).or_default() += count;
        }
    }
    let mut prefixes: Vec<(String, u32)> = counts.into_iter().collect();
    prefixes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    prefixes.truncate(PREFIXES);
    prefixes.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
    prefixes.into_iter().map(|(text, _)| text).collect()
}

/// Characters of the code that are neither letters nor digits, for elements of type `char`.
pub(super) fn signs<'a>(literals: impl Iterator<Item = &'a Literal>) -> Vec<Literal> {
    let unit = |literal: &Literal| match literal {
        Literal::Char(unit) => Some(*unit),
        Literal::String(text) => text.units().first().copied().filter(|_| text.units().len() == 1),
        _ => None,
    };
    let is_sign = |unit: &u16| u8::try_from(*unit).is_ok_and(|sign| sign == b' ' || sign.is_ascii_punctuation());
    let found: BTreeSet<u16> = literals.filter_map(unit).filter(is_sign).collect();
    let found: Vec<Literal> = found.into_iter().map(Literal::Char).collect();
    if found.is_empty() { vec![Literal::Char(b','.into())] } else { found }
}
