//! Texts that match the regular expressions among the constants of code.
//!
//! Code that checks a text against a pattern rejects nearly all others, so for each mined string that is a pattern a few
//! texts are offered that it matches: the plainest first, then longer ones, and then one for each further alternative, as code
//! often treats each in its own way. What is a pattern for
//! Java alone, such as one with look-ahead, is left out. A string that only looks like a pattern costs a few literals.

use crate::generator::literals::STRING_LIMIT;
use model::jvm::{JavaString, Literal};
use regex_syntax::hir::{Class, Hir, HirKind};

/// Texts for one pattern.
const VARIANTS: usize = 6;
/// Further texts for one pattern, each of another alternative.
const ALTERNATIVES: usize = 12;
/// A class of characters with so many members or fewer lists alternatives, as `[-+*/]` does.
const FEW: usize = 8;
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
    let mut alternatives = Vec::new();
    add_alternatives(&parsed, &mut Vec::new(), &mut alternatives);
    let variants = (0..VARIANTS).map(|variant| (variant, Vec::new()));
    for (variant, taken) in variants.chain(alternatives.into_iter().map(|taken| (0, taken))) {
        let mut sampler = Sampler { variant, taken, drawn: 0, parts: 0, text: Vec::new() };
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

/// Parts of a pattern, and which of its alternatives each is.
type Taken<'h> = Vec<(&'h Hir, usize)>;

/// For each alternative but the first one of each part, what has to be taken for it to be written.
fn add_alternatives<'h>(hir: &'h Hir, around: &mut Taken<'h>, found: &mut Vec<Taken<'h>>) {
    let mut add = |at: usize, around: &Taken<'h>| {
        if at > 0 && found.len() < ALTERNATIVES {
            found.push(around.iter().copied().chain([(hir, at)]).collect());
        }
    };
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) => {}
        HirKind::Class(class) if is_choice(&matching_bytes(class)) => {
            (0..members(class).len()).for_each(|at| add(at, around));
        }
        HirKind::Class(_) => {}
        HirKind::Repetition(repetition) => add_alternatives(&repetition.sub, around, found),
        HirKind::Capture(capture) => add_alternatives(&capture.sub, around, found),
        HirKind::Concat(parts) => parts.iter().for_each(|part| add_alternatives(part, around, found)),
        HirKind::Alternation(parts) => {
            (0..parts.len()).for_each(|at| add(at, around));
            for (at, part) in parts.iter().enumerate() {
                around.push((hir, at));
                add_alternatives(part, around, found);
                around.pop();
            }
        }
    }
}

/// Whether the members are few, and not both cases of one letter.
fn is_choice(members: &[u8]) -> bool {
    let is_letter = matches!(members, [one, other] if one.eq_ignore_ascii_case(other));
    members.len() <= FEW && !is_letter
}

/// The members that a person would write, plain ones first; all if there are few.
fn members(class: &Class) -> Vec<u8> {
    let all = matching_bytes(class);
    let mut plain: Vec<u8> = PLAIN.bytes().filter(|byte| all.contains(byte)).collect();
    if all.len() <= FEW {
        plain.extend(all.iter().filter(|byte| !PLAIN.as_bytes().contains(byte)));
    } else if plain.is_empty() {
        plain.push(all[0]);
    }
    plain
}

/// The printable members.
fn matching_bytes(class: &Class) -> Vec<u8> {
    let contains = |byte: &u8| match class {
        Class::Unicode(class) => {
            class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&char::from(*byte)))
        }
        Class::Bytes(class) => class.ranges().iter().any(|range| (range.start()..=range.end()).contains(byte)),
    };
    (b' '..=b'~').chain([b'\t', b'\n']).filter(contains).collect()
}

/// Writes one text; of each choice another one in each variant, unless it is one of those taken.
struct Sampler<'h> {
    variant: usize,
    taken: Taken<'h>,
    /// Choices so far.
    drawn: usize,
    /// Parts of the pattern so far.
    parts: usize,
    text: Vec<u8>,
}

impl Sampler<'_> {
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
                let members = members(class);
                let at = if members.is_empty() { return None } else { self.alternative(hir, members.len()) };
                self.text.push(members[at]);
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
                let at = self.alternative(hir, parts.len());
                self.append(&parts[at])?;
            }
        }
        Some(())
    }

    /// Which of the alternatives of the part is written.
    fn alternative(&mut self, part: &Hir, of: usize) -> usize {
        let taken = self.taken.iter().find(|(one, _)| std::ptr::eq(*one, part));
        taken.map(|(_, at)| *at).unwrap_or_else(|| self.choice(of))
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
    fn each_alternative_is_in_a_text() {
        let texts = |pattern: &str| -> Vec<String> {
            let text = |literal| if let Literal::String(text) = literal { text.to_string() } else { String::new() };
            matching(&Literal::String(pattern.into())).into_iter().map(text).collect()
        };
        let operations = texts(r"^What is (-?\d+)( (plus|minus|multiplied by|divided by) (-?\d+))*\?$");
        for word in [" plus ", " minus ", " multiplied by ", " divided by "] {
            assert!(operations.iter().any(|text| text.contains(word)), "{word} in {operations:?}");
        }
        let signs = texts(r"\d+[-+*/%]\d+");
        assert!(
            ["1-1", "1+1", "1*1", "1/1", "1%1"].iter().all(|sum| signs.iter().any(|text| text.contains(&sum[1..2])))
        );
        assert!(texts(r"[a-zA-Z0-9]{2,8}").len() <= VARIANTS);
        let ignoring_case = texts("(?i)multiplied by (plus|minus)");
        assert!(ignoring_case.iter().any(|text| text.to_ascii_lowercase().ends_with("minus")), "{ignoring_case:?}");
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
            // All but the outermost alternative is too long.
            let short = Literal::String("b".repeat(60).as_str().into());
            assert_eq!(matching(&Literal::String(nested.as_str().into())), [short]);
        }
    }
}
