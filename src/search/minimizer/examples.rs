//! What a person writes for a parameter, by its name.

const CHARSETS: [&str; 2] = ["UTF-8", "ISO-8859-1"];

/// Parts of names, and what is usual for a parameter whose name ends so, for the first such value of a test and for another one.
const EXAMPLES: [(&str, [&str; 2]); 26] = [
    ("email", ["user@example.com", "other@example.com"]),
    ("emailaddress", ["user@example.com", "other@example.com"]),
    ("url", ["https://example.com", "https://example.com/path"]),
    ("uri", ["https://example.com", "https://example.com/path"]),
    ("hostname", ["example.com", "www.example.com"]),
    ("host", ["example.com", "www.example.com"]),
    ("separator", [",", ";"]),
    ("sep", [",", ";"]),
    ("delimiter", [",", ";"]),
    ("delim", [",", ";"]),
    ("newline", ["\r\n", "\n"]),
    ("lineseparator", ["\r\n", "\n"]),
    ("charset", CHARSETS),
    ("charsetname", CHARSETS),
    ("encoding", CHARSETS),
    ("locale", ["en", "de"]),
    ("language", ["en", "de"]),
    ("country", ["US", "DE"]),
    ("currency", ["EUR", "USD"]),
    ("timezone", ["UTC", "Europe/Berlin"]),
    ("version", ["1.0", "2.0"]),
    ("json", ["{}", "[1]"]),
    ("hex", ["ff", "0a"]),
    ("filename", ["file.txt", "other.txt"]),
    ("phone", ["+1 555 0100", "+1 555 0101"]),
    ("indent", ["  ", "\t"]),
];

/// Names that are no examples of what the parameters take: they say nothing, or that the text has a form.
const NO_EXAMPLES: [&str; 29] = [
    "str",
    "string",
    "obj",
    "object",
    "args",
    "val",
    "pattern",
    "format",
    "regex",
    "expression",
    "template",
    "source",
    "input",
    "text",
    "content",
    "body",
    "code",
    "number",
    "date",
    "time",
    "digits",
    "xml",
    "html",
    "path",
    "classname",
    "mapping",
    "alphabet",
    "mask",
    "zone",
];

/// What is usual for a parameter of that name: a comma for `valueSeparator`.
pub(super) fn of_parameter(name: &str) -> Option<[&'static str; 2]> {
    let lower = name.to_ascii_lowercase();
    let begins_word = |end: &str| {
        let start = name.len() - end.len();
        start == 0 || name[..start].ends_with('_') || name[start..].starts_with(|it: char| it.is_ascii_uppercase())
    };
    EXAMPLES.iter().find(|(end, _)| lower.ends_with(end) && begins_word(end)).map(|(_, examples)| *examples)
}

/// Whether a text of that name is a charset's.
pub(super) fn is_charset(name: &str) -> bool {
    of_parameter(name).is_some_and(|examples| examples == CHARSETS)
}

/// The other of two usual texts.
pub(super) fn beside(example: &str) -> Option<&'static str> {
    EXAMPLES.iter().find(|(_, [first, _])| *first == example).map(|(_, [_, second])| *second)
}

/// Whether a text of that name says nothing.
pub(super) fn says_nothing(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NO_EXAMPLES.contains(&&*name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameter_is_known_by_the_last_word_of_its_name() {
        let first = |name: &str| of_parameter(name).map(|[first, _]| first);
        assert_eq!(["valueSeparator", "sep", "value_separator"].map(first), [Some(","); 3]);
        assert_eq!([beside(","), beside("a")], [Some(";"), None]);
        assert_eq!(["STR", "className", "user"].map(says_nothing), [true, true, false]);
        assert_eq!(first("baseUrl"), Some("https://example.com"));
        assert_eq!(["recurl", "ghost", "separatorLength"].map(first), [None; 3]);
    }
}
