//! Messages of exceptions as conditions: `missingRequiredOption`.

use super::TestCase;
use super::facts::has_word;
use super::method::extent;
use super::variables::{capitalized, decapitalized, last_segment};
use super::words::constant_word;
use model::jvm::{JavaString, Literal};
use std::collections::BTreeSet;

/// Words of a message that a name takes.
const MESSAGE_WORDS: usize = 6;
/// Words that do not end what a message says.
const OPEN_ENDS: [&str; 16] = [
    "and", "at", "be", "between", "by", "expected", "for", "from", "in", "is", "not", "of", "than", "to", "was", "with",
];

/// What the message of the test's exception says, in words.
pub(super) fn message_words(case: &TestCase) -> Option<String> {
    let passed = |at: usize| match case.sequence.literal_at(at) {
        Some(Literal::String(text)) => Some(text.to_string()),
        _ => None,
    };
    let passed: BTreeSet<String> = (0..case.sequence.len()).filter_map(passed).collect();
    let said = case.message.as_ref().and_then(|message| words_but_for(message, &passed));
    said.or_else(|| extent(case).ok()?.1.and_then(|thrown| class_words(last_segment(&thrown.nameable))))
}

/// What exceptions are called after that say what is wrong with an input.
const WRONGS: [&str; 12] = [
    "Ambiguous",
    "Conflicting",
    "Duplicate",
    "Illegal",
    "Incompatible",
    "Invalid",
    "Malformed",
    "Missing",
    "Unexpected",
    "Unknown",
    "Unrecognized",
    "Unsupported",
];
/// Exceptions that say only that something is wrong.
const VAGUE_EXCEPTIONS: [&str; 5] =
    ["IllegalArgument", "IllegalState", "IllegalAccess", "IllegalMonitorState", "UnsupportedOperation"];

/// `UnsupportedCharsetException` → `unsupportedCharset`
fn class_words(class: &str) -> Option<String> {
    let words = class.strip_suffix("Exception").filter(|words| !VAGUE_EXCEPTIONS.contains(words))?;
    let is_led_by = |wrong: &&str| words.strip_prefix(*wrong).is_some_and(|what| what.starts_with(char::is_uppercase));
    WRONGS.iter().any(is_led_by).then(|| decapitalized(words))
}

/// `Missing required option: h` → `missingRequiredOption`, `There is no seat B2` → `thereIsNoSeat`: what the message says but for
/// values, of which the test passes these. `None` where little else is left of it.
fn words_but_for(message: &JavaString, passed: &BTreeSet<String>) -> Option<String> {
    let text = message.to_string();
    if let Some(said) = code_words(&text).filter(|_| !passed.contains(&text)) {
        return Some(said);
    }
    let mut parts = text.split([':', '\n']);
    // `"a": not a number` begins with a value.
    let said = parts.find(|part| unquoted(part).contains(|letter: char| letter.is_ascii_alphabetic()))?;
    if said.chars().any(|letter| letter.is_alphabetic() && !letter.is_ascii()) {
        return None;
    }
    // `Was passed "m" but no main parameter was defined`: what is wrong follows.
    let clause = said.split_once(" but ").map(|(_, wrong)| wrong);
    words_of_clause(said, passed).or_else(|| words_of_clause(clause?, passed))
}

/// `NO_ARGS_ALLOWED` → `noArgsAllowed`: a message that is a constant's name.
fn code_words(text: &str) -> Option<String> {
    let is_code = |letter: u8| letter.is_ascii_uppercase() || letter == b'_';
    let is_joined = text.bytes().all(is_code) && text.trim_matches('_').contains('_');
    is_joined.then(|| decapitalized(&constant_word(text)))
}

/// What follows the name of what was called, or a value, where a message says what is wanted of it.
const DEMANDING: [&str; 9] = ["cannot", "must", "may", "should", "can", "requires", "needs", "expects", "takes"];

/// The words of a part of a message, as [`words_but_for`] tells them.
fn words_of_clause(said: &str, passed: &BTreeSet<String>) -> Option<String> {
    let words: Vec<String> = unquoted(said)
        .split(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '\'' | '-' | '.')))
        .map(|word| word.trim_matches(['\'', '-', '.']).replace('\'', ""))
        .filter(|word| !word.is_empty() && !matches!(&**word, "the" | "The" | "a" | "A" | "an" | "An"))
        .collect();
    // `B2`, `10.00` and `DRAFT` are values; one at the end adds nothing, and one in between leaves a gap.
    let is_value = |word: &String| {
        let is_joined = word.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
        word.bytes().any(|byte| !byte.is_ascii_alphabetic())
            || word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase())
            || is_joined && passed.contains(word)
    };
    // `Unknown team team` says a value behind its name.
    let mut words = words;
    words.dedup_by(|word, before| word == before && passed.contains(word));
    let first = words.iter().position(|word| !is_value(word))?;
    let last = words.iter().rposition(|word| !is_value(word))?;
    let begins_with_value = first > 0 || said.trim_start().starts_with(['"', '\'', '`']);
    let words = match &words[first..=last] {
        // `5.00 EUR is not what is open`: of what follows from the call.
        [verb, rest @ ..] if begins_with_value && matches!(&**verb, "is" | "are" | "was") => {
            rest.first().filter(|word| matches!(&***word, "no" | "not"))?;
            rest
        }
        // `string-length() requires one argument`: of what is called.
        words @ [verb, ..] if begins_with_value && DEMANDING.contains(&&**verb) => words,
        _ if begins_with_value => return None,
        words => words,
    };
    // `Left at …`: the end of it was a value.
    let is_open = words.last().is_some_and(|word| OPEN_ENDS.contains(&&**word));
    if !(2..=MESSAGE_WORDS).contains(&words.len()) || words.iter().any(is_value) || is_open {
        return None;
    }
    Some(words[1..].iter().fold(decapitalized(&words[0]), |said, word| said + &capitalized(word)))
}

/// Whether a message in words says what is wanted, rather than what is wrong.
pub(super) fn is_demand(words: &str) -> bool {
    const DEMANDS: [&str; 8] = ["Must", "Should", "May", "Can", "Cannot", "Cant", "Needs", "Only"];
    let words = capitalized(words);
    words.ends_with("Required") || DEMANDS.iter().any(|word| has_word(&words, word))
}

/// A text without what stands in quotation marks: a value. The apostrophe in a word is none.
fn unquoted(text: &str) -> String {
    let mut plain = String::new();
    let mut open: Option<char> = None;
    let mut before = ' ';
    for letter in text.chars() {
        let is_mark = matches!(letter, '"' | '`') || letter == '\'' && (open.is_some() || !before.is_alphanumeric());
        match open {
            Some(mark) if mark == letter => open = None,
            Some(_) => {}
            None if is_mark => open = Some(letter),
            None => plain.push(letter),
        }
        before = letter;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_becomes_a_condition_without_its_values() {
        let check = |message: &str, expected: Option<&str>| {
            let passed = ["team", "otherSeat"].map(str::to_string).into();
            assert_eq!(words_but_for(&JavaString::from(message), &passed).as_deref(), expected, "{message:?}");
        };
        check("Missing required option: h", Some("missingRequiredOption"));
        check("opt contains illegal character value ' '", Some("optContainsIllegalCharacterValue"));
        check("amount must be positive", Some("amountMustBePositive"));
        check("There is no seat B2", Some("thereIsNoSeat"));
        check("There is no seat otherSeat", Some("thereIsNoSeat"));
        check("Unknown team team", Some("unknownTeam"));
        check("Gr\u{f6}\u{df}e ist zu klein", None);
        check("cmdLineSyntax not provided", Some("cmdLineSyntaxNotProvided"));
        check("couldn't convert \"a\" to an integer", Some("couldntConvertToInteger"));
        check("\"name\": couldn't convert \"a\" to an integer", Some("couldntConvertToInteger"));
        check("'x' is not a valid number", Some("notValidNumber"));
        check("Was passed main parameter 'm' but no main parameter was defined", Some("noMainParameterWasDefined"));
        check("string-length() requires one argument.", Some("requiresOneArgument"));
        check("'a' cannot have more than one value", Some("cannotHaveMoreThanOneValue"));
        check("closed", None);
        check("Left at 9:00, before entering", None);
        check("5 is not in the range of 1 to 3", None);
        check("10.00 EUR is not what is open", Some("notWhatIsOpen"));
        check("'x' occurs twice in a row", None);
        check("An order that is DRAFT cannot become DELIVERED", None);
    }

    #[test]
    fn demand_is_told_from_what_is_wrong() {
        let demands = [
            "amountMustBePositive",
            "cannotBeEmpty",
            "mayNotBeNull",
            "unknownTeam",
            "mustardIsMissing",
            "missingRequiredOption",
            "nameIsRequired",
        ];
        assert_eq!(demands.map(is_demand), [true, true, true, false, false, false, true]);
    }

    #[test]
    fn exception_is_called_after_what_is_wrong() {
        assert_eq!(class_words("UnsupportedCharsetException").as_deref(), Some("unsupportedCharset"));
        assert_eq!(class_words("UnsupportedOperationException"), None);
        assert_eq!(class_words("ParseException"), None);
        assert_eq!(class_words("InvalidException"), None);
        assert_eq!(code_words("NO_ARGS_ALLOWED").as_deref(), Some("noArgsAllowed"));
        assert_eq!(code_words("DRAFT"), None);
    }
}
