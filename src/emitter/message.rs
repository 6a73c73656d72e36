//! Messages of exceptions as conditions: `missingRequiredOption`.

mod contrary;

use super::TestCase;
use super::method::extent;
use super::variables::{capitalized, decapitalized, has_word, last_segment};
use super::words::constant_word;
use contrary::contrary;
use model::jvm::{JavaString, Literal};
use std::collections::BTreeSet;

/// Words of a message that a name takes.
const MESSAGE_WORDS: usize = 6;
/// Words that do not end what a message says.
const OPEN_ENDS: [&str; 23] = [
    "and", "at", "be", "between", "but", "by", "equal", "expected", "for", "from", "got", "in", "is", "least", "most",
    "multiple", "not", "of", "one", "than", "to", "was", "with",
];

/// What the message of an exception says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// `missingRequiredOption`, `amountNotPositive`.
    pub words: String,
    /// It says what is wanted, or of which things one is wrong, or that null is: what stands out among the arguments says more.
    pub is_vague: bool,
}

/// What the message of the test's exception says, in words.
pub(super) fn said(case: &TestCase) -> Option<Said> {
    let passed = |at: usize| match case.sequence.literal_at(at) {
        Some(Literal::String(text)) => Some(text.to_string()),
        _ => None,
    };
    let passed: BTreeSet<String> = (0..case.sequence.len()).filter_map(passed).collect();
    let said = case.message.as_ref().and_then(|message| words_but_for(message, &passed));
    said.or_else(|| {
        let words = class_words(last_segment(&extent(case).ok()?.1?.nameable))?;
        Some(Said { words, is_vague: false })
    })
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
fn words_but_for(message: &JavaString, passed: &BTreeSet<String>) -> Option<Said> {
    let text = message.to_string();
    if let Some(words) = code_words(&text).filter(|_| !passed.contains(&text)) {
        return Some(Said { words, is_vague: false });
    }
    let mut parts = text.split([':', '\n']);
    // `"a": not a number` begins with a value.
    let said = parts.find(|part| unquoted(part).contains(|letter: char| letter.is_ascii_alphabetic()))?;
    if said.chars().any(|letter| letter.is_alphabetic() && !letter.is_ascii()) {
        return None;
    }
    // `Was passed "m" but no main parameter was defined`: what is wrong follows.
    let clause = said.split_once(" but ").map(|(_, wrong)| wrong);
    let said = words_of_clause(said, passed).or_else(|| words_of_clause(clause?, passed))?;
    // `Unsupported unit: null`
    let is_about_null = parts.next().is_some_and(|value| value.trim() == "null");
    Some(Said { is_vague: said.is_vague || is_about_null, ..said })
}

/// `NO_ARGS_ALLOWED` → `noArgsAllowed`: a message that is a constant's name.
fn code_words(text: &str) -> Option<String> {
    let is_code = |letter: u8| letter.is_ascii_uppercase() || letter == b'_';
    let is_joined = text.bytes().all(is_code) && text.trim_matches('_').contains('_');
    is_joined.then(|| decapitalized(&constant_word(text)))
}

/// What follows the name of what was called, or a value, where a message says what is wanted of it.
const DEMANDING: [&str; 9] = ["cannot", "must", "may", "should", "can", "requires", "needs", "expects", "takes"];

/// Words of English that messages shout, and names that are written in capitals: no values.
const SHOUTED: [&str; 10] = ["MUST", "NOT", "NULL", "SHOULD", "SHALL", "MAY", "CANNOT", "OR", "AND", "IS"];
const ACRONYMS: [&str; 13] =
    ["ISO", "EOF", "EOL", "URL", "URI", "UUID", "XML", "JSON", "CSV", "HTML", "HTTP", "JDBC", "SQL"];
/// Words at the end that lead to a value.
const LEADING: [&str; 9] = ["at", "by", "for", "from", "in", "near", "of", "on", "to"];

/// The words of a part of a message, as [`words_but_for`] tells them.
fn words_of_clause(said: &str, passed: &BTreeSet<String>) -> Option<Said> {
    let word = |word: &str| {
        let word = word.trim_matches(['\'', '-', '.']).replace('\'', "");
        let is_shouted = SHOUTED.contains(&&*word) || ACRONYMS.contains(&&*word);
        if is_shouted && !passed.contains(&word) { word.to_lowercase() } else { word }
    };
    let plain = unquoted(said);
    let words: Vec<String> = without_remarks(&plain)
        .split(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '\'' | '-' | '.')))
        .map(word)
        .filter(|word| !word.is_empty() && !matches!(&**word, "the" | "The" | "a" | "A" | "an" | "An"))
        .collect();
    // `B2`, `10.00` and `DRAFT` are values; one at the end adds nothing, and one in between leaves a gap.
    let is_value = |word: &String| {
        let is_joined = word.bytes().skip(1).any(|byte| byte.is_ascii_uppercase() || byte == b'-');
        word.split('-').any(|part| part.is_empty() || part.bytes().any(|byte| !byte.is_ascii_alphabetic()))
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
        // `'a' requires one argument`: of what is called.
        words @ [verb, ..] if begins_with_value && DEMANDING.contains(&&**verb) => words,
        _ if begins_with_value => return None,
        words => words,
    };
    // `not in range of 1 to 3`: where only values follow, what comes before them says all.
    let is_leading = |word: &String| LEADING.contains(&&**word);
    let is_of_values = |word: &String| is_value(word) || is_leading(word) || matches!(&**word, "and" | "or");
    let ends = |at: &usize| *at > 0 && is_leading(&words[at - 1]) && words[*at..].iter().all(is_of_values);
    let to_value = words.iter().position(is_value).filter(ends);
    let words = &words[..to_value.unwrap_or(words.len())];
    let led = words.iter().rev().take_while(|word| is_leading(word)).count();
    let words = &words[..words.len() - led];
    if words.iter().any(is_value) {
        return None;
    }
    let all: String = camel_case(words);
    let is_vague = is_demand(&all) || has_word(&all, "Or");
    // `Type mismatch, number expected` says two things.
    let contrary = contrary(words).filter(|_| !plain.contains(','));
    let words = contrary.as_deref().unwrap_or(words);
    let is_open = words.last().is_some_and(|word| OPEN_ENDS.contains(&&**word));
    if !(2..=MESSAGE_WORDS).contains(&words.len()) || is_open {
        return None;
    }
    Some(Said { words: camel_case(words), is_vague: is_vague || contrary.is_some() })
}

fn camel_case(words: &[String]) -> String {
    let mut words = words.iter().flat_map(|word| word.split('-'));
    let Some(first) = words.next() else { return String::new() };
    words.fold(decapitalized(first), |said, word| said + &capitalized(word))
}

/// A text without what stands in brackets: `(startline 1) EOF reached`.
fn without_remarks(text: &str) -> String {
    let mut depth = 0_u32;
    let is_outside = |letter: &char| {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    };
    text.chars().filter(is_outside).collect()
}

/// Whether a message in words says what is wanted, rather than what is wrong.
fn is_demand(words: &str) -> bool {
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
            let passed = ["team", "otherSeat", "team-a"].map(str::to_string).into();
            let said = words_but_for(&JavaString::from(message), &passed);
            assert_eq!(said.map(|said| said.words).as_deref(), expected, "{message:?}");
        };
        check("Missing required option: h", Some("missingRequiredOption"));
        check("opt contains illegal character value ' '", Some("optContainsIllegalCharacterValue"));
        check("There is no seat B2", Some("thereIsNoSeat"));
        check("There is no seat otherSeat", Some("thereIsNoSeat"));
        check("Unknown team team", Some("unknownTeam"));
        check("Gr\u{f6}\u{df}e ist zu klein", None);
        check("cmdLineSyntax not provided", Some("cmdLineSyntaxNotProvided"));
        check("couldn't convert \"a\" to an integer", Some("couldntConvertToInteger"));
        check("\"name\": couldn't convert \"a\" to an integer", Some("couldntConvertToInteger"));
        check("'x' is not a valid number", Some("notValidNumber"));
        check("Was passed main parameter 'm' but no main parameter was defined", Some("noMainParameterWasDefined"));
        check("string-length() requires one argument.", Some("stringLengthRequiresOneArgument"));
        check("'a' requires one argument.", Some("requiresOneArgument"));
        check("Unknown option team-a", Some("unknownOption"));
        check("'a' cannot have more than one value", Some("cannotHaveMoreThanOneValue"));
        check("closed", None);
        check("Left at 9:00, before entering", None);
        check("5 is not in the range of 1 to 3", Some("notInRange"));
        check("A header name is missing in [, ]", Some("headerNameIsMissing"));
        check(
            "(startline 1) EOF reached before encapsulated token finished",
            Some("eofReachedBeforeEncapsulatedTokenFinished"),
        );
        check("Unexpected end of input at 1:2", Some("unexpectedEndOfInput"));
        check("Metadata version is NULL", Some("metadataVersionIsNull"));
        check("Adjustment only supported on ISO date-time", Some("adjustmentOnlySupportedOnIsoDateTime"));
        check("10.00 EUR is not what is open", Some("notWhatIsOpen"));
        check("'x' occurs twice in a row", None);
        check("An order that is DRAFT cannot become DELIVERED", None);
    }

    #[test]
    fn what_is_wanted_is_vague_beside_the_arguments() {
        let said = |message: &str| words_but_for(&JavaString::from(message), &["XML".to_string()].into());
        let check = |message: &str, expected: &str| {
            let expected = Said { words: expected.to_string(), is_vague: true };
            assert_eq!(said(message), Some(expected), "{message:?}");
        };
        check("Identifiers MUST NOT be empty", "emptyIdentifiers");
        check("Numeric identifier MUST NOT contain leading zeroes", "numericIdentifierContainsLeadingZeroes");
        check("The escape character and the delimiter cannot be the same (',')", "escapeCharacterAndDelimiterSame");
        check("Expected valid string character at 1:2", "invalidStringCharacter");
        check("closed account cannot be closed", "closedAccountCannotBeClosed");
        check("Only members may vote", "onlyMembersMayVote");
        check("Input string is NULL or empty", "inputStringIsNullOrEmpty");
        check("Unsupported unit: null", "unsupportedUnit");
        let unknown = Said { words: "unknownFormat".to_string(), is_vague: false };
        assert_eq!(said("Unknown format XML"), Some(unknown), "the test passes it");
        for message in [
            "Closing quote at 12 is missing",
            "Mode must be one of READ, WRITE",
            "index must be less than or equal to 5",
            "value must be at least 1",
            "Expected token INT but got STRING",
            "Type mismatch, String expected",
        ] {
            assert_eq!(said(message), None, "{message:?}");
        }
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
