//! Texts in quotes or brackets, as a reader says them: `QuotedA`, `7InAngleBrackets`, `EmptyParentheses`.

/// The words for a text in quotes or brackets, by those for what is inside; `None` for another text.
pub(super) fn enclosed_word(text: &str, inside: impl Fn(&str) -> Option<String>) -> Option<String> {
    let (open, close, name) = SIGNS.into_iter().find(|(open, _, _)| text.starts_with(*open))?;
    let inner = text.strip_prefix(open)?.strip_suffix(close)?;
    if inner.is_empty() {
        return Some(format!("Empty{name}"));
    }
    let word = inside(inner).filter(|word| !word.is_empty() && !inner.contains([open, close]))?;
    Some(if open == close { format!("Quoted{word}") } else { format!("{word}In{name}") })
}

const SIGNS: [(char, char, &str); 6] = [
    ('"', '"', "Quotes"),
    ('\'', '\'', "Quotes"),
    ('<', '>', "AngleBrackets"),
    ('(', ')', "Parentheses"),
    ('[', ']', "Brackets"),
    ('{', '}', "Braces"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_quotes_or_brackets_is_said_by_what_is_inside() {
        let word = |text: &str| enclosed_word(text, |inside| Some(inside.to_uppercase()));
        let check = |text: &str, expected: Option<&str>| assert_eq!(word(text).as_deref(), expected, "{text}");
        check("\"a\"", Some("QuotedA"));
        check("<7l>", Some("7LInAngleBrackets"));
        check("()", Some("EmptyParentheses"));
        check("\"\"", Some("EmptyQuotes"));
        check("\"", None);
        check("(a) or (b)", None);
        check("a", None);
    }
}
