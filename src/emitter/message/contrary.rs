//! What is wrong, where a message says what is wanted: `name must not be empty` → `emptyName`, `amount must be positive` →
//! `amountNotPositive`, `Expected digit` → `noDigit`.

/// What a thing may not be, in words that stand before it.
const ADJECTIVES: [&str; 9] =
    ["blank", "duplicate", "empty", "infinite", "negative", "null", "positive", "void", "zero"];
/// What a thing may not do, and how one says that it does.
const VERBS: [(&str, &str); 7] = [
    ("begin", "begins"),
    ("contain", "contains"),
    ("end", "ends"),
    ("exceed", "exceeds"),
    ("have", "has"),
    ("include", "includes"),
    ("start", "starts"),
];
/// Words that make of what follows them something else than a thing or a property.
const QUANTIFIERS: [&str; 14] =
    ["all", "any", "at", "been", "each", "either", "every", "exactly", "no", "none", "not", "one", "only", "there"];
/// Subjects that say nothing by themselves.
const VAGUE: [&str; 5] = ["it", "that", "this", "we", "you"];

/// The words of what is wrong; `None` where that cannot be told from those of what is wanted.
pub(super) fn contrary(words: &[String]) -> Option<Vec<String>> {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    if lower.first().is_none_or(|first| QUANTIFIERS.contains(first) || VAGUE.contains(first)) {
        return None;
    }
    let led_by = |lead: &str, rest: &[String]| Some([&[lead.to_string()], rest].concat());
    let count = words.len();
    match lower[..] {
        ["expected" | "expecting", "valid", _, ..] => return led_by("invalid", &words[2..]),
        ["expected" | "expecting", first, ..] if !QUANTIFIERS.contains(&first) => return led_by("no", &words[1..]),
        [_, .., "expected"] => return led_by("no", &words[..count - 1]),
        [_, .., "is", "required"] => return led_by("missing", &words[..count - 2]),
        _ => {}
    }
    let modal =
        lower.iter().position(|word| matches!(*word, "must" | "should" | "shall" | "may" | "can" | "cannot"))?;
    // What cannot be done, or may not have been, says little of what is.
    let is_rule = matches!(lower[modal], "must" | "should" | "shall");
    let what = Some(&words[..modal]).filter(|what| !what.is_empty())?;
    // What the modal is said of, without `not`.
    let (mut rest, mut lower_rest) = (words[modal + 1..].to_vec(), lower[modal + 1..].to_vec());
    let denial = match lower_rest[..] {
        ["not" | "never", ..] => Some(0),
        ["be", "not" | "never", ..] => Some(1),
        _ => None,
    };
    if let Some(at) = denial {
        rest.remove(at);
        lower_rest.remove(at);
    }
    let is_denied = denial.is_some() || lower[modal] == "cannot";
    let of = |parts: &[&[String]]| Some(parts.concat());
    match lower_rest[..] {
        ["be", property, ..] => {
            let (is_single, properties) = (rest.len() == 2, &rest[1..]);
            match property.strip_prefix("non-") {
                _ if QUANTIFIERS.contains(&property) || lower.last() == Some(&"yet") => None,
                Some(contrary) if is_single && !is_denied => led_by(contrary, what),
                Some(_) => None,
                None if is_denied && is_single && ADJECTIVES.contains(&property) => led_by(property, what),
                None if is_denied && is_single && matches!(property, "same" | "equal" | "identical") => {
                    of(&[what, &["same".to_string()]])
                }
                None if is_denied && is_rule && !is_single => of(&[what, properties]),
                None if !is_denied && is_rule => of(&[what, &["not".to_string()], properties]),
                None => None,
            }
        }
        [_, first, ..] if QUANTIFIERS.contains(&first) && !(is_denied && matches!(first, "any" | "all")) => None,
        [verb, _, ..] if is_denied => {
            let (_, third) = VERBS.iter().find(|(plain, _)| *plain == verb)?;
            of(&[what, &[third.to_string()], &rest[1..]])
        }
        ["contain" | "have" | "include", _, ..] if is_rule => of(&[what, &["without".to_string()], &rest[1..]]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(message: &str) -> Option<String> {
        let words: Vec<String> = message.split(' ').map(str::to_string).collect();
        contrary(&words).map(|words| words.join(" "))
    }

    #[test]
    fn what_is_wanted_becomes_what_is_wrong() {
        let check = |message: &str, expected: &str| assert_eq!(of(message).as_deref(), Some(expected), "{message:?}");
        check("amount must be positive", "amount not positive");
        check("amount must be non-negative", "negative amount");
        check("identifiers must not be empty", "empty identifiers");
        check("name must be not null", "null name");
        check("name cannot be null", "null name");
        check("identifier must not contain leading zeroes", "identifier contains leading zeroes");
        check("start must not be after endDate", "start after endDate");
        check("escape and delimiter cannot be same", "escape and delimiter same");
        check("key must have value", "key without value");
        check("Expected digit", "no digit");
        check("Expected valid string character", "invalid string character");
        check("closing bracket expected", "no closing bracket");
        check("name is required", "missing name");
    }

    #[test]
    fn what_may_or_cannot_be_done_says_nothing_of_what_is() {
        for message in [
            "text can not be parsed as number",
            "handler may not have been set",
            "driver may not be loaded yet",
            "closed account cannot be closed",
            "no value expected",
            "no element must be null",
            "name must contain no spaces",
            "name must contain only digits",
            "at least one argument is required",
            "only members may vote",
            "it must be set",
            "mode must be one of",
            "cannot parse number",
            "fractions must be",
            "must not",
            "expected",
        ] {
            assert_eq!(of(message), None, "{message:?}");
        }
    }
}
