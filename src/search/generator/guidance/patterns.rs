//! Texts that match the regular expressions among the constants of code.
//!
//! Code that checks a text against a pattern rejects nearly all others, so for each mined string that is a pattern a few
//! texts are offered that it matches: the plainest first, then longer ones and other alternatives. What is a pattern for
//! Java alone, such as one with look-ahead, is left out. A string that only looks like a pattern costs a few literals.

use crate::generator::literals::STRING_LIMIT;
use model::jvm::{JavaString, Literal};
use regex_syntax::hir::{Class, Hir, HirKind};

/// Texts for one pattern.
const VARIANTS: usize = 6;
/// Parts of a pattern that are written for one text. Nested repetitions would multiply without end, and a text of more
/// parts is longer than any that is kept.
const PARTS: usize = 10_000;
/// Most repetitions beyond the least.
const REPETITIONS: u32 = 3;
/// What a person writes first where a pattern admits a range.
const PLAIN: &str = "a1A b2B_-.@xyzXYZ0";

/// Texts that match the literal, if it is a pattern that is no plain text.
pub fn matching(literal: &Literal) -> Vec<Literal> {
    let Literal::String(text) = literal else { return Vec::new() };
    let pattern = text.to_string();
    if !pattern.contains(['[', '\\', '(', '*', '+', '?', '{', '|']) {
        return Vec::new();
    }
    let parsed = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build().parse(&pattern);
    let Ok(parsed) = parsed else { return Vec::new() };
    let mut found: Vec<Literal> = Vec::new();
    for variant in 0..VARIANTS {
        let mut sampler = Sampler { variant, drawn: 0, parts: 0, text: Vec::new() };
        if sampler.append(&parsed).is_some() {
            let text = String::from_utf8_lossy(&sampler.text);
            let literal = Literal::String(JavaString::from(&*text));
            if !found.contains(&literal) {
                found.push(literal);
            }
        }
    }
    found
}

/// Writes one text; of each choice another one in each variant.
struct Sampler {
    variant: usize,
    /// Choices so far.
    drawn: usize,
    /// Parts of the pattern so far.
    parts: usize,
    text: Vec<u8>,
}

impl Sampler {
    fn choice(&mut self, of: usize) -> usize {
        self.drawn += 1;
        match self.variant {
            0 => 0,
            variant => (variant + self.drawn / 2) % of,
        }
    }

    /// `None` if nothing matches, or the text would be longer than any that is kept.
    fn append(&mut self, hir: &Hir) -> Option<()> {
        self.parts += 1;
        if self.parts > PARTS || self.text.len() > STRING_LIMIT {
            return None;
        }
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => self.text.extend(&*literal.0),
            HirKind::Class(class) => {
                let byte = self.member(class)?;
                self.text.push(byte);
            }
            HirKind::Repetition(repetition) => {
                let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min.saturating_add(REPETITIONS));
                let range = (most - repetition.min) as usize + 1;
                // The plainest text has what is optional, as `1.2.3` rather than `1`, but nothing twice.
                let more =
                    if self.variant == 0 { usize::from(repetition.min == 0 && range > 1) } else { self.choice(range) };
                for _ in 0..repetition.min.checked_add(more as u32)?.min(64) {
                    self.append(&repetition.sub)?;
                }
            }
            HirKind::Capture(capture) => self.append(&capture.sub)?,
            HirKind::Concat(parts) => parts.iter().try_for_each(|part| self.append(part))?,
            HirKind::Alternation(parts) => {
                let at = self.choice(parts.len());
                self.append(&parts[at])?;
            }
        }
        Some(())
    }

    fn member(&mut self, class: &Class) -> Option<u8> {
        let contains = |byte: u8| match class {
            Class::Unicode(class) => {
                class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&char::from(byte)))
            }
            Class::Bytes(class) => class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&byte)),
        };
        let plain: Vec<u8> = PLAIN.bytes().filter(|&byte| contains(byte)).collect();
        if !plain.is_empty() {
            let at = self.choice(plain.len());
            return Some(plain[at]);
        }
        (b' '..=b'~').chain([b'\t', b'\n']).find(|&byte| contains(byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, expected: &[&str]) {
        let found = matching(&Literal::String(pattern.into()));
        let expected: Vec<Literal> = expected.iter().map(|&text| Literal::String(text.into())).collect();
        assert!(found.starts_with(&expected), "{pattern}: {found:?}");
    }

    #[test]
    fn texts_match_the_pattern_plainest_first() {
        check("[A-Z]{3}", &["AAA"]);
        check(r"(\d+)\.(\d+)(?:-([a-z]+))?", &["1.1-a"]);
        check(r"\s*(<|<=|>=)\s*", &[" < "]);
        check("(?<key>\\w+)=(.*)", &["a=a"]);
    }

    #[test]
    fn plain_texts_and_patterns_of_java_alone_are_left_out() {
        check("a-b", &[]);
        assert!(matching(&Literal::String("(?=a)b".into())).is_empty());
        assert!(matching(&Literal::String("no brackets".into())).is_empty());
    }

    #[test]
    fn nested_repetitions_end_soon() {
        for innermost in ["a", "()"] {
            let nested = (0..12).fold(innermost.to_string(), |inner, _| format!("(?:{inner}|b){{60}}"));
            assert!(matching(&Literal::String(nested.as_str().into())).is_empty());
        }
    }
}
