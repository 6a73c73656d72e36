//! Words that people know, in place of letters in no order: what a test of `"FKSJ"` is about, nobody can see.

use super::shrink::other_texts;
use super::{At, Best, Knowledge};

/// Names and words of many spellings: silent letters, groups of consonants, doubled letters, all vowels.
const WORDS: [&str; 122] = [
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
    "Fjord",
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
    "Mackenzie",
    "Magic",
    "Maggie",
    "Martian",
    "Matthew",
    "McDonald",
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
    "Pfister",
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
    "Rwanda",
    "Sachs",
    "Scene",
    "Schmidt",
    "School",
    "Science",
    "Scythe",
    "Sean",
    "Shepherd",
    "Shakespeare",
    "Sioux",
    "Smith",
    "Society",
    "Special",
    "Stephen",
    "Stretch",
    "Sugar",
    "Sword",
    "Szczecin",
    "Tchaikovsky",
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
/// As many consonants in a row as hardly a word has.
const CONSONANTS: usize = 5;

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

/// Whether a text has letters and digits in no order that a person would write.
fn is_noise(text: &str) -> bool {
    let is_known = WORDS.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is_known || text.len() < SHORTEST || !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'$') {
        return false;
    }
    let is_consonant = |byte: &u8| byte.is_ascii_alphabetic() && !b"aeiouyAEIOUY".contains(byte);
    let is_upper = text.bytes().all(|byte| byte.is_ascii_uppercase());
    let has_digits = text.bytes().any(|byte| byte.is_ascii_digit());
    let mixed = has_digits && text.bytes().filter(u8::is_ascii_alphabetic).count() >= SHORTEST;
    let runs = text.as_bytes().chunk_by(|one, two| is_consonant(one) == is_consonant(two));
    let longest = runs.filter(|run| is_consonant(&run[0])).map(<[u8]>::len).max().unwrap_or_default();
    is_upper || mixed || longest >= CONSONANTS
}

/// How many letters of the text the word has in a row, at most.
fn in_common(text: &str, word: &str) -> usize {
    let (text, word) = (text.to_ascii_lowercase(), word.to_ascii_lowercase());
    let lengths = (0..text.len()).flat_map(|from| (from + 1..=text.len()).map(move |to| (from, to)));
    lengths.filter(|(from, to)| word.contains(&text[*from..*to])).map(|(from, to)| to - from).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_no_order_are_told_from_words() {
        let is = ["FKSJ", "SIAZGN", "KNIGHT", "EUR", "userName", "strength", "HFR7UUK6ZJ", "2024"].map(is_noise);
        assert_eq!(is, [true, true, false, true, false, false, true, false]);
    }

    #[test]
    fn words_with_most_letters_in_a_row_are_nearest() {
        assert_eq!([in_common("XKNI", "Knight"), in_common("XGHT", "Knight"), in_common("QQ", "Anna")], [3, 3, 0]);
    }
}
