//! What names say of texts that are too long for them: a word or two that the test passed, or how they begin.

use super::variables::capitalized;
use super::words::{TEXT_SHOWN, VALUE_SHOWN, is_plain, joined};
use model::words::standing_alone;

/// Most letters of a long text's beginning.
const BEGINNING_SHOWN: usize = 20;

/// Where a text has all of at least so many words, a name says so.
const ALL_SHOWN: usize = 3;

/// The first of the words that is one of a text which is too long for a name, and the next one if both are short, as they stand there.
pub(super) fn words_inside(text: &str, words: &[String]) -> Option<String> {
    let is_short = |word: &&String| is_plain(word) && word.len() <= TEXT_SHOWN;
    let place = |word: &String| Some(word).filter(is_short).and_then(|word| standing_alone(text, word).next());
    let mut inside: Vec<(usize, String)> = Vec::new();
    for word in words {
        if let Some(at) = place(word).filter(|at| inside.iter().all(|(other, _)| other != at)) {
            inside.push((at, capitalized(word)));
        }
    }
    if inside.len() >= ALL_SHOWN && inside.len() == words.len() {
        return Some("All".to_string());
    }
    inside.truncate(if inside.iter().take(2).map(|(_, word)| word.len()).sum::<usize>() < VALUE_SHOWN { 2 } else { 1 });
    inside.sort();
    let inside: Vec<String> = inside.into_iter().map(|(_, word)| word).collect();
    (!inside.is_empty()).then(|| joined(&inside))
}

/// How a text begins that is too long for a name: `UsageApp`.
pub(super) fn beginning_word(text: &str) -> Option<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let begin = words.take(3).fold(String::new(), |begin, word| match begin.len() + word.len() {
        0..=BEGINNING_SHOWN => begin + &capitalized(word),
        _ => begin,
    });
    // Digits and single letters are no words.
    let letters = begin.bytes().filter(u8::is_ascii_alphabetic).count();
    (letters >= 2).then_some(begin)
}

/// Letters and digits of a code that a name shows.
const CODE_SHOWN: usize = 8;

/// A text of at least so many hexadecimal digits, of which some are letters and some are not, is a digest.
const DIGEST: usize = 16;

/// `40HexDigits` for a digest, `Da39a3ee`: how another text of letters and digits without words begins.
pub(super) fn code_word(text: &str) -> Option<String> {
    let are_digits = text.bytes().all(|letter| letter.is_ascii_hexdigit());
    let has = |is_it: fn(&u8) -> bool| text.bytes().any(|letter| is_it(&letter));
    if are_digits && text.len() >= DIGEST && has(u8::is_ascii_alphabetic) && has(u8::is_ascii_digit) {
        return Some(format!("{}HexDigits", text.len()));
    }
    let is_code = text.len() > CODE_SHOWN && text.bytes().all(|letter| letter.is_ascii_alphanumeric());
    is_code.then(|| capitalized(&text[..CODE_SHOWN]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_told_by_a_word_that_was_passed_or_by_its_beginning() {
        let passed = ["a", "opt"].map(str::to_string);
        assert_eq!(words_inside("[ option: opt :: null ]", &passed).as_deref(), Some("Opt"));
        assert_eq!(words_inside("usage: app [-options]", &passed), None);
        let two = ["end", "start"].map(str::to_string);
        assert_eq!(words_inside("from start to end", &two).as_deref(), Some("StartAndEnd"));
        let three = ["b", "a", "c"].map(str::to_string);
        assert_eq!(words_inside("(is a or is b or is c)", &three).as_deref(), Some("All"));
        assert_eq!(words_inside("one end", &two.map(|_| "end".to_string())).as_deref(), Some("End"));
        assert_eq!(beginning_word("an instance of java.lang.String").as_deref(), Some("AnInstanceOf"));
        assert_eq!(beginning_word("{}"), None);
        assert_eq!(code_word("da39a3ee5e6b4b0d").as_deref(), Some("16HexDigits"));
        assert_eq!(code_word("zm9vYmFyCg").as_deref(), Some("Zm9vYmFy"));
        assert_eq!(code_word(&"a".repeat(30)).as_deref(), Some("Aaaaaaaa"));
        assert_eq!(code_word("da39"), None);
    }
}
