//! Words that people know, in place of letters in no order: what a test of `"FKSJ"` is about, nobody can see.

use super::shrink::other_texts;
use super::{At, Best, Knowledge};

/// Names and words of many spellings: silent letters, groups of consonants, doubled letters, all vowels.
const WORDS: [&str; 112] = [
    "Anna",
    "Berlin",
    "Bridge",
    "Caesar",
    "Carthage",
    "Charles",
    "Chicago",
    "Church",
    "Cough",
    "Czech",
    "Daughter",
    "Dumb",
    "Edge",
    "Eight",
    "Enough",
    "Exchange",
    "Fight",
    "Garage",
    "George",
    "Ghost",
    "Giraffe",
    "Gnome",
    "Guess",
    "Hannah",
    "Heather",
    "Honest",
    "Hugh",
    "Hymn",
    "Isaac",
    "Jacques",
    "Jazz",
    "Jose",
    "Judge",
    "Knight",
    "Knowledge",
    "Lamb",
    "Laugh",
    "Light",
    "Llama",
    "Magic",
    "Maggie",
    "Martian",
    "Matthew",
    "Michael",
    "Mississippi",
    "Muscle",
    "Nation",
    "Night",
    "Ocean",
    "Office",
    "Orchestra",
    "Ought",
    "Oxford",
    "Philip",
    "Physics",
    "Pizza",
    "Pneumonia",
    "Psalm",
    "Quay",
    "Queen",
    "Quick",
    "Raphael",
    "Rhythm",
    "Rough",
    "Scene",
    "School",
    "Science",
    "Scythe",
    "Sean",
    "Shepherd",
    "Shakespeare",
    "Smith",
    "Society",
    "Special",
    "Stephen",
    "Stretch",
    "Sugar",
    "Sword",
    "Thames",
    "Thatch",
    "Theatre",
    "Thomas",
    "Thompson",
    "Thumb",
    "Tough",
    "Truth",
    "Tsar",
    "Uncle",
    "Vacuum",
    "Victoria",
    "Vision",
    "Wagner",
    "Walter",
    "Watch",
    "Weather",
    "Weight",
    "Whale",
    "White",
    "William",
    "Witch",
    "Wolf",
    "World",
    "Wright",
    "Wrong",
    "Xavier",
    "Xenon",
    "Yacht",
    "Yellow",
    "Yvonne",
    "Zach",
    "Zebra",
    "Zoo",
];

/// Words that are tried for one text.
const TRIED: usize = 5;
/// Shorter texts are no words.
const SHORTEST: usize = 3;
/// Longer ones are no words either.
const LONGEST: usize = 24;
/// Pairs of different consonants that words have.
const PAIRS: &str = "bl br bs ch ck cl cr cs ct dg dl dr ds dt fl fr ft gh gl gn gr gs gt ht kl kn kr ks ld lf lk lm ln lp ls lt lv mb mn mp \
                     ms nc nd ng nj nk nl nm ns nt nv ph pl pr ps pt qu rb rc rd rf rg rk rl rm rn rp rs rt rv sc sh sk sl sm sn sp sq st sw tc \
                     th tl tr ts tw wh wl wn wr ws xp xt";

/// A word in place of a text of letters in no order among the first `end` statements, those first that have most of its letters in a row.
pub(super) fn known_words(best: &Best, end: usize, knowledge: &Knowledge) -> Vec<At> {
    other_texts(best, end, knowledge, |units| {
        let text = String::from_utf16_lossy(units);
        if !is_noise(&text) {
            return Vec::new();
        }
        let mut ranked: Vec<(usize, &str)> = WORDS.iter().map(|word| (in_common(&text, word), *word)).collect();
        ranked.sort_by_key(|(common, word)| (std::cmp::Reverse(*common), word.len()));
        let is_upper = !text.bytes().any(|byte| byte.is_ascii_lowercase());
        let spelled = |word: &str| if is_upper { word.to_ascii_uppercase() } else { word.to_string() };
        let tried = ranked.into_iter().take(TRIED).map(|(_, word)| spelled(word).encode_utf16().collect());
        tried.filter(|word: &Vec<u16>| word != units).collect()
    })
}

/// Whether a text has letters and digits in no order that a person would write: with consonants side by side that no word has so, or
/// with digits among many letters.
fn is_noise(text: &str) -> bool {
    let is_known = WORDS.iter().any(|word| word.eq_ignore_ascii_case(text));
    let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'$';
    if is_known || !(SHORTEST..=LONGEST).contains(&text.len()) || !text.bytes().all(is_of_word) {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    let is_consonant = |byte: u8| byte.is_ascii_lowercase() && !b"aeiouy".contains(&byte);
    let is_odd = |pair: &[u8]| {
        let are_consonants = is_consonant(pair[0]) && is_consonant(pair[1]) && pair[0] != pair[1];
        are_consonants && !PAIRS.split_whitespace().any(|known| known.as_bytes() == pair)
    };
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    let is_mixed = text.bytes().any(|byte| byte.is_ascii_digit()) && letters >= SHORTEST;
    is_mixed || lower.as_bytes().windows(2).any(is_odd)
}

/// How many letters of the text the word has in a row, at most.
fn in_common(text: &str, word: &str) -> usize {
    let (text, word) = (text.to_ascii_lowercase(), word.to_ascii_lowercase());
    let lengths =
        (0..text.len()).flat_map(|from| (from + 1..=text.len().min(from + word.len())).map(move |to| (from, to)));
    lengths.filter(|(from, to)| word.contains(&text[*from..*to])).map(|(from, to)| to - from).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_no_order_are_told_from_words() {
        let noise = ["FKSJ", "SIAZGN", "HFR7UUK6ZJ", "CIDHEDGA"];
        let words = ["KNIGHT", "EUR", "GET", "DEBUG", "userName", "strength", "2024", "Letters"];
        assert_eq!(noise.map(is_noise), [true; 4]);
        assert_eq!(words.map(is_noise), [false; 8]);
    }

    #[test]
    fn words_with_most_letters_in_a_row_are_nearest() {
        assert_eq!([in_common("XKNI", "Knight"), in_common("XGHT", "Knight"), in_common("QQ", "Anna")], [3, 3, 0]);
    }
}
