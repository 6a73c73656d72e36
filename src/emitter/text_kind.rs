//! Kinds of texts, where a reader learns more from the kind than from the letters: `SingleLetter`, `NameWithTrailingQuote`,
//! `equalTexts`.

use model::jvm::Literal;

/// Signs that begin a word rather than stand before one: `-a`, `/path`, `.txt`.
const PREFIXES: [char; 7] = ['-', '/', '.', '#', '@', '$', '_'];
/// Signs that tell the parts of a text from each other.
const SEPARATORS: [char; 10] = ['=', ':', ',', ';', '|', '&', '%', '+', '*', '\t'];

/// Whether the literal is a text of one letter, which mostly stands for any text.
pub(super) fn is_single_letter(literal: &Literal) -> bool {
    let Literal::String(text) = literal else { return false };
    matches!(text.units(), [unit] if char::from_u32(u32::from(*unit)).is_some_and(|letter| letter.is_ascii_alphabetic()))
}

/// `LeadingQuote`, `TrailingDot`, `EqualsSign`: the one sign beside letters and digits.
pub(super) fn sign_word(text: &str) -> Option<String> {
    let is_sign = |letter: &char| !letter.is_ascii_alphanumeric();
    let mut signs = text.chars().filter(is_sign);
    let (Some(sign), None) = (signs.next(), signs.next()) else { return None };
    let name = if sign == '=' { "EqualsSign" } else { symbol(sign)? };
    let rest = text.chars().count() - 1;
    match (text.starts_with(sign), text.ends_with(sign)) {
        _ if rest < 2 => None,
        (true, _) => (!PREFIXES.contains(&sign)).then(|| format!("Leading{name}")),
        (_, true) => Some(format!("Trailing{name}")),
        _ => (rest > 2 && SEPARATORS.contains(&sign)).then(|| name.to_string()),
    }
}

/// `equalTexts`, `differentCharacters`: two operands, where the call says just that of them.
pub(super) fn alike_word(operands: [&Literal; 2], returned: &Literal) -> Option<String> {
    let kind = match operands {
        [Literal::String(_), Literal::String(_)] => "Texts",
        [Literal::Char(_), Literal::Char(_)] => "Characters",
        _ => return None,
    };
    let are_equal = operands[0] == operands[1];
    (*returned == Literal::Boolean(are_equal))
        .then(|| format!("{}{kind}", if are_equal { "equal" } else { "different" }))
}

/// `TrimmedText`, `UpperCase`, `TextWithoutQuote`: what a call made of the only text that it was given.
pub(super) fn changed_word(given: &str, returned: &str) -> Option<String> {
    if given == returned || returned.is_empty() {
        return None;
    }
    let without_sign = || {
        let sign = given.chars().find(|letter| !letter.is_alphanumeric() && !returned.contains(*letter))?;
        (given.replace(sign, "") == returned).then(|| symbol(sign).map(|name| format!("TextWithout{name}")))?
    };
    match returned {
        _ if given.trim() == returned => Some("TrimmedText".to_string()),
        _ if given.to_uppercase() == returned => Some("UpperCase".to_string()),
        _ if given.to_lowercase() == returned => Some("LowerCase".to_string()),
        _ if given.chars().rev().eq(returned.chars()) => Some("ReversedText".to_string()),
        _ => without_sign(),
    }
}

/// What people call the character.
pub(super) fn symbol(letter: char) -> Option<&'static str> {
    Some(match letter {
        ' ' => "Space",
        '\t' => "Tab",
        '\n' => "Newline",
        '-' => "Dash",
        '_' => "Underscore",
        '.' => "Dot",
        ',' => "Comma",
        ':' => "Colon",
        ';' => "Semicolon",
        '=' => "Equals",
        '/' => "Slash",
        '\\' => "Backslash",
        '*' => "Star",
        '+' => "Plus",
        '%' => "Percent",
        '#' => "Hash",
        '@' => "At",
        '!' => "Exclamation",
        '?' => "Question",
        '&' => "Ampersand",
        '|' => "Bar",
        '"' | '\'' => "Quote",
        '<' | '>' => "Angle",
        '(' | ')' | '[' | ']' | '{' | '}' => "Bracket",
        '$' => "Dollar",
        '^' => "Caret",
        '~' => "Tilde",
        '\0' => "Nul",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_makes_of_a_text_is_said_where_it_can_be() {
        let word = |given: &str, returned: &str| changed_word(given, returned);
        let said = [word(" a ", "a"), word("ab", "AB"), word("Ab", "ab"), word("ab", "ba"), word("ab\"", "ab")];
        let expected = ["TrimmedText", "UpperCase", "LowerCase", "ReversedText", "TextWithoutQuote"];
        assert_eq!(said, expected.map(|word| Some(word.to_string())));
        assert_eq!([word("a", "a"), word("ab", "b"), word("a", "")], [None, None, None]);
    }

    #[test]
    fn sign_is_said_by_its_place() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(sign_word(text).as_deref(), expected, "{text}");
        check("abc\"", Some("TrailingQuote"));
        check("\"abc", Some("LeadingQuote"));
        check("-abc", None);
        check("key=value", Some("EqualsSign"));
        check("a=b", None);
        check("java.lang", None);
        check("a\"", None);
        check("\"abc\"", None);
    }

    #[test]
    fn operands_are_said_to_be_equal_where_the_call_says_so() {
        let text = |text: &str| Literal::String(text.into());
        let check = |one: &str, other: &str, returned: bool, expected: Option<&str>| {
            assert_eq!(alike_word([&text(one), &text(other)], &Literal::Boolean(returned)).as_deref(), expected);
        };
        check("a", "a", true, Some("equalTexts"));
        check("a", "b", false, Some("differentTexts"));
        check("a", "b", true, None);
        check("a", "a", false, None);
        assert_eq!(alike_word([&Literal::Int(1), &Literal::Int(1)], &Literal::Boolean(true)), None);
    }
}
