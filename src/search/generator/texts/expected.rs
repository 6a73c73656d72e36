//! What the comparisons of a probed run say about the text.

use model::execution::{Comparison, MARKER};
use model::jvm::{Literal, string_hash};

/// Longer words are not tried.
const LONGEST_WORD: usize = 40;
/// So many units before the end of a text may be a word whose hash was compared.
const LONGEST_HASHED: usize = 24;

/// What may stand behind a part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// How much of the text is before it.
    pub at: usize,
    pub units: Vec<u16>,
}

/// The steps that the comparisons name, in their order, each once.
pub fn steps(text: &[u16], comparisons: &[Comparison]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for Comparison { left, right, .. } in comparisons {
        let found = match (left, right) {
            (Literal::Char(MARKER), Literal::Char(unit)) => vec![Step { at: text.len(), units: vec![*unit] }],
            (Literal::String(left), Literal::String(right)) => {
                [in_place_of(text, left.units(), right.units()), in_place_of(text, right.units(), left.units())]
                    .concat()
            }
            (Literal::Int(hash), Literal::String(word)) => {
                hashed(text, *hash).map_or(Vec::new(), |at| step(at, word.units()))
            }
            (Literal::Long(at), Literal::String(word)) => match usize::try_from(*at) {
                // The text has the beginning of the word already, or nothing of it.
                Ok(at) if at <= text.len() && word.units().starts_with(&text[at..]) => step(at, word.units()),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        for step in found {
            let leads_on = !step.units.is_empty() && step.units.iter().all(|&unit| is_plain(unit));
            if leads_on && !steps.contains(&step) {
                steps.push(step);
            }
        }
    }
    steps
}

fn step(at: usize, units: &[u16]) -> Vec<Step> {
    vec![Step { at, units: units.to_vec() }]
}

/// Only characters that a reader can see, and blanks.
fn is_plain(unit: u16) -> bool {
    matches!(unit, 0x20..0x7f | 0x09 | 0x0a | 0x0d)
}

/// The steps to another word than the one that was compared, if that is at the end of the text. In a text that was compared as a
/// whole something may have been sought.
fn in_place_of(text: &[u16], compared: &[u16], wanted: &[u16]) -> Vec<Step> {
    let until = compared.iter().position(|&unit| unit == MARKER);
    let word = &compared[..until.unwrap_or(compared.len())];
    if wanted.is_empty()
        || wanted.len() > LONGEST_WORD
        || wanted.contains(&MARKER)
        || word.is_empty() && until.is_none()
    {
        return Vec::new();
    }
    let Some(at) = text.len().checked_sub(word.len()).filter(|&at| is_same_word(&text[at..], word)) else {
        return Vec::new();
    };
    let mut steps = step(at, wanted);
    if at == 0 && until.is_some() && !word.is_empty() {
        steps.extend(step(text.len(), wanted));
    }
    steps
}

/// Whether one is the other, but for the case of its letters.
fn is_same_word(one: &[u16], other: &[u16]) -> bool {
    let lower = |unit: u16| u8::try_from(unit).map_or(unit, |unit| unit.to_ascii_lowercase().into());
    one.len() == other.len() && one.iter().zip(other).all(|(&one, &other)| lower(one) == lower(other))
}

/// Where the word at the end of the text begins that has the hash.
fn hashed(text: &[u16], hash: i32) -> Option<usize> {
    let marked = [text, &[MARKER]].concat();
    (text.len().saturating_sub(LONGEST_HASHED)..text.len())
        .find(|&at| string_hash(&text[at..]) == hash || string_hash(&marked[at..]) == hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    fn check(text: &str, left: Literal, right: Literal, expected: &[&str]) {
        let text = units(text);
        let found = steps(&text, &[Comparison { site: 0, left, right }]);
        let found: Vec<String> =
            (found.iter()).map(|step| String::from_utf16(&[&text[..step.at], &step.units].concat()).unwrap()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn comparisons_name_what_may_be_at_the_end() {
        let string = |text: &str| Literal::String(text.into());
        let marker = || Literal::Char(MARKER);
        check("1+", marker(), Literal::Char(u16::from(b'(')), &["1+("]);
        check("1+", marker(), Literal::Char(0), &[]);
        check("x = wh", string("wh"), string("while"), &["x = while"]);
        check("x = WH", string("wh"), string("while"), &["x = while"]);
        check("x = wh", string("wh\u{7f}"), string("while"), &["x = while"]);
        check("x = wh;", string("wh"), string("while"), &[]);
        check("", string("\u{7f}"), string("true"), &["true"]);
        check("a", string("a\u{7f}"), string("="), &["=", "a="]);
        // "do".hashCode()
        check("{do", Literal::Int(3211), string("double"), &["{double"]);
        check("a /", Literal::Long(2), string("/*"), &["a /*"]);
        check("a /", Literal::Long(3), string("//"), &["a ///"]);
        check("a /", Literal::Long(1), string("//"), &[]);
        // Whether an empty word stands at the end.
        check("a /", Literal::Long(3), string(""), &[]);
    }
}
