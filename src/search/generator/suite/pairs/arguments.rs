//! Other arguments for a call, with which it may say the opposite.

use super::{Arguments, is_equals};
use crate::generator::suite::SelectionContext;
use crate::minimizer::{argument, plain_literals};
use crate::reader_cost;
use crate::redundancy::sequence_hash;
use model::jvm::{Literal, Type};
use model::sequence::Sequence;
use rustc_hash::FxHashSet;

/// So many sets of arguments of like calls are tried before plain values.
const FIRST_LIKE: usize = 8;

/// Most words or letters of a text that are tried.
const MOST_PARTS: usize = 4;

/// Most texts that are tried which nearly are a text of the test.
const MOST_NEAR: usize = 6;
/// Other values that are tried for a literal of what `equals` is given.
const OTHER_VALUES: usize = 2;

/// Longest word of which another one is made.
const LONGEST_WORD: usize = 12;

/// Objects made as the receiver of `equals` is, but for one literal: the first other value of each, then the second ones.
fn unlike_receiver(alone: &Sequence, context: &SelectionContext) -> Vec<Arguments> {
    let Some(maker) = argument(alone, 0).filter(|_| is_equals(alone, context)) else { return Vec::new() };
    let mut found = Vec::new();
    for number in 0..OTHER_VALUES {
        for (at, own) in (0..maker.len()).filter_map(|at| Some((at, maker.literal_at(at)?))) {
            let others = other_text(own).into_iter().chain(plain_literals(own)).filter(|other| other != own);
            found.extend(others.skip(number).take(1).map(|other| vec![(1, maker.with_literal(at, other))]));
        }
    }
    found
}

/// Words of a text and letters of a short one, of the type of the other literal: what one call is given as `-a`, others know as `a`.
fn parts_of(text: &Literal, of: &Literal) -> Vec<Literal> {
    let Literal::String(text) = text else { return Vec::new() };
    let text = text.to_string();
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).take(MOST_PARTS);
    match of {
        Literal::Char(_) if text.len() <= LONGEST_WORD => {
            let mut letters: Vec<u16> = words.flat_map(str::encode_utf16).collect();
            letters.dedup();
            letters.into_iter().take(MOST_PARTS).map(Literal::Char).collect()
        }
        Literal::String(_) => words.map(|word| Literal::String(word.into())).collect(),
        _ => Vec::new(),
    }
}

/// `prefix b`, `a prefix`, `PREFIX` for `prefix`: what calls tell from it that look at the beginning, the end, the whole or the case.
fn near_misses(text: &Literal) -> Vec<Literal> {
    let Some(text) = word(text) else { return Vec::new() };
    let misses = [format!("{text} b"), format!("a {text}"), text.to_ascii_uppercase()];
    misses.into_iter().filter(|miss| *miss != text).map(|miss| Literal::String((*miss).into())).collect()
}

/// The call with a longer text where it is given just what the test passed before: `"prefix b"` tells more of what begins with
/// `"prefix"`.
pub(super) fn longer(alone: &Sequence, context: &SelectionContext) -> Vec<Arguments> {
    let Some(last) = alone.len().checked_sub(1).filter(|_| !is_equals(alone, context)) else { return Vec::new() };
    let text_at = |at: usize| alone.literal_at(at).filter(|literal| matches!(literal, Literal::String(_)));
    let inputs: Vec<usize> = alone.inputs_of(last).collect();
    let taken_before =
        |text: &Literal| (0..last).any(|user| alone.inputs_of(user).any(|input| alone.literal_at(input) == Some(text)));
    let again =
        |(slot, input): (usize, &usize)| text_at(*input).filter(|text| taken_before(text)).map(|text| (slot, text));
    let texts = inputs.iter().enumerate().filter_map(again);
    texts
        .flat_map(|(slot, text)| {
            near_misses(text).into_iter().take(2).map(move |longer| vec![(slot, of_literal(&longer))])
        })
        .collect()
}

fn of_literal(literal: &Literal) -> Sequence {
    let mut maker = Sequence::new();
    maker.push_literal(literal.clone());
    maker
}

/// The text, if it is one word of two letters or more of which another one is made.
fn word(literal: &Literal) -> Option<String> {
    let Literal::String(text) = literal else { return None };
    let text = text.to_string();
    let is_word = (2..=LONGEST_WORD).contains(&text.len()) && text.bytes().all(|letter| letter.is_ascii_alphabetic());
    is_word.then_some(text)
}

/// Whether the sequence is a text of words, or one letter.
pub(super) fn is_words(maker: &Sequence) -> bool {
    let is_word = |letter: char| letter.is_ascii_alphabetic() || letter == ' ';
    match maker.literal_at(0) {
        Some(Literal::String(text)) if maker.len() == 1 => {
            let text = text.to_string();
            !text.trim().is_empty() && text.chars().all(is_word)
        }
        _ => false,
    }
}

/// `otherName` for `name`.
fn other_text(own: &Literal) -> Option<Literal> {
    let text = word(own)?;
    let (first, rest) = text.split_at(1);
    Some(Literal::String(format!("other{}{rest}", first.to_ascii_uppercase()).as_str().into()))
}

/// Other arguments for the last call, those first that a reader knows already or takes in soonest: what nearly is a text of the test,
/// another value of it, those of like calls, a plain value.
pub(super) fn arguments(alone: &Sequence, like: &[&Sequence], context: &SelectionContext) -> Vec<Arguments> {
    let Some(last) = alone.len().checked_sub(1) else { return Vec::new() };
    let Some(method) = alone.call_at(last) else { return Vec::new() };
    let has_receiver = context.program.operations[method.0 as usize].has_receiver();
    let slots = usize::from(has_receiver)..alone.inputs_of(last).count();
    if slots.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Arguments> = Vec::new();
    let mut later: Vec<Arguments> = Vec::new();
    for (slot, input) in alone.inputs_of(last).enumerate().filter(|(slot, _)| slots.contains(slot)) {
        let Some(own) = alone.literal_at(input) else {
            let takes_any = context.program.operations[method.0 as usize].inputs.get(slot) == Some(&Type::object());
            let texts = (0..last).filter_map(|at| alone.literal_at(at)).filter(|it| matches!(it, Literal::String(_)));
            let near = |text: &Literal| near_misses(text).into_iter().chain([text.clone()]).collect::<Vec<Literal>>();
            let texts = texts.filter(|_| takes_any).flat_map(near);
            found.extend(texts.map(|text| vec![(slot, of_literal(&text))]));
            continue;
        };
        let like_own = |other: &Literal| other.literal_type() == own.literal_type() && other != own;
        let literals = || (0..last).filter_map(|at| alone.literal_at(at));
        // What nearly is such a text tells more than another one.
        let of_texts = literals().filter(|_| !is_equals(alone, context)).flat_map(near_misses);
        let near = near_misses(own).into_iter().chain(of_texts).filter(like_own).take(MOST_NEAR);
        found.extend(near.map(|literal| vec![(slot, of_literal(&literal))]));
        let known = literals().filter(|other| like_own(other));
        found.extend(known.map(|literal| vec![(slot, of_literal(literal))]));
        let parts = literals().flat_map(|literal| parts_of(literal, own)).filter(like_own);
        found.extend(parts.map(|literal| vec![(slot, of_literal(&literal))]));
        let plain = plain_literals(own).into_iter().filter(like_own);
        later.extend(plain.map(|literal| vec![(slot, of_literal(&literal))]));
    }
    let cost = |arguments: &Arguments| -> u32 {
        arguments.iter().map(|(_, maker)| reader_cost::of(maker, None, &context.program.operations)).sum()
    };
    // Who reads one other argument sees what makes the difference.
    let of_like = |other: &&Sequence| -> Vec<Arguments> {
        let all = slots.clone().map(|slot| Some((slot, argument(other, slot)?))).collect::<Option<Arguments>>();
        let each = all.iter().flatten().map(|one| vec![one.clone()]).collect::<Vec<Arguments>>();
        if slots.len() == 1 { each } else { each.into_iter().chain(all).collect() }
    };
    let mut of_likes: Vec<Arguments> = like.iter().flat_map(of_like).collect();
    of_likes.sort_by_cached_key(cost);
    // What is compared with any object is told most by another one of its class.
    let made = |sequence: &Sequence, at: usize| {
        sequence.call_at(at).and_then(|_| sequence.output_of(at, &context.program.operations))
    };
    let receiver = alone.inputs_of(last).next().filter(|_| slots.start == 1).and_then(|at| made(alone, at));
    let is_of_receivers_class = |(_, maker): &(usize, Sequence)| {
        receiver.is_some() && maker.len().checked_sub(1).and_then(|at| made(maker, at)) == receiver
    };
    let (same_class, of_likes): (Vec<Arguments>, Vec<Arguments>) =
        of_likes.into_iter().partition(|arguments| arguments.iter().all(is_of_receivers_class));
    let mut of_likes = of_likes.into_iter();
    let near: Vec<Arguments> = of_likes.by_ref().take(FIRST_LIKE).collect();
    let mut known: FxHashSet<Vec<(usize, u64)>> = FxHashSet::default();
    let is_new = |arguments: &Arguments| {
        known.insert(arguments.iter().map(|(slot, maker)| (*slot, sequence_hash(maker))).collect())
    };
    unlike_receiver(alone, context)
        .into_iter()
        .chain(same_class)
        .chain(found)
        .chain(near)
        .chain(later)
        .chain(of_likes)
        .filter(is_new)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_plain() {
        let text = |text: &str| of_literal(&Literal::String(text.into()));
        assert_eq!(["a prefix", "a", " ", "x!"].map(|it| is_words(&text(it))), [true, true, false, false]);
        assert!(!is_words(&of_literal(&Literal::Int(1))));
    }

    #[test]
    fn words_and_letters_of_texts_are_tried() {
        let text = |text: &str| Literal::String(text.into());
        assert_eq!(parts_of(&text("-o=file"), &text("a")), [text("o"), text("file")]);
        let letters = |of: &str| parts_of(&text(of), &Literal::Char('b' as u16));
        assert_eq!(letters("-aa1"), ['a', '1'].map(|letter| Literal::Char(letter as u16)));
        assert_eq!(letters("a text that is long"), []);
        assert_eq!(parts_of(&text("-1"), &Literal::Int(1)), []);
    }

    #[test]
    fn near_miss_begins_or_ends_as_the_word_or_is_in_capitals() {
        let text = |text: &str| Literal::String(text.into());
        assert_eq!(near_misses(&text("prefix")), ["prefix b", "a prefix", "PREFIX"].map(text));
        assert_eq!([text("a"), text("a b"), Literal::Int(1)].map(|other| near_misses(&other).len()), [0; 3]);
    }

    #[test]
    fn another_text_is_named_after_the_own_one() {
        let other = |text: &str| other_text(&Literal::String(text.into()));
        assert_eq!(other("name"), Some(Literal::String("otherName".into())));
        assert_eq!([other("a"), other("two words"), other(""), other("aVeryLongWordIndeed")], [None, None, None, None]);
        assert_eq!(other_text(&Literal::Int(1)), None);
    }
}
