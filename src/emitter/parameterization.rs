//! Parameterization: cases whose bodies differ in literals alone become the rows of a parameterized test.
//!
//! It works on the text of the bodies, which the emitter wrote, so that every literal can be recognised. Cases with a literal
//! that `@CsvSource` would read differently from Java are not parameterized; they stay in one method, a line each.

use super::names::Names;
use super::variables::Variables;
use std::collections::BTreeSet;

/// Fewest rows of a parameterized test: fewer do not make up for its annotations and parameters.
const ROWS: usize = 3;

/// The parameters, rows and body of a parameterized test.
pub(super) struct ParameterTable {
    /// `String expected, int index`
    pub parameters: String,
    /// Each row as the content of a string literal: `'a', 1`.
    pub rows: Vec<String>,
    /// The body, which uses the parameters.
    pub body: String,
}

/// A part of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LineToken<'a> {
    Code(&'a str),
    Literal(LiteralKind, &'a str),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LiteralKind {
    Text,
    Char,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Null,
}

impl LiteralKind {
    /// The type of a parameter and its default name.
    fn parameter(self) -> (&'static str, &'static str) {
        match self {
            LiteralKind::Text | LiteralKind::Null => ("String", "text"),
            LiteralKind::Char => ("char", "letter"),
            LiteralKind::Boolean => ("boolean", "flag"),
            LiteralKind::Int => ("int", "number"),
            LiteralKind::Long => ("long", "number"),
            LiteralKind::Float => ("float", "number"),
            LiteralKind::Double => ("double", "number"),
        }
    }
}

/// What bodies have in common that differ in literals alone.
pub(super) fn shape(body: &str) -> String {
    let shown = |token: LineToken<'_>| match token {
        LineToken::Code(code) => code.to_string(),
        LineToken::Literal(kind, _) => format!("\0{}\0", kind.parameter().0),
    };
    tokens(body).into_iter().map(shown).collect()
}

/// The parameterized test of the bodies, if they differ in literals alone; `called` returns the name of the parameter to
/// which the first body passes a literal.
pub(super) fn table(
    bodies: &[String],
    names: &Names<'_>,
    called: &dyn Fn(&str) -> Option<String>,
) -> Option<ParameterTable> {
    if bodies.len() < ROWS {
        return None;
    }
    let lines: Vec<Vec<LineToken<'_>>> = bodies.iter().map(|body| tokens(body)).collect();
    let first = &lines[0];
    let columns = columns(&lines)?;
    let mut variables = Variables::default();
    for token in first {
        if let LineToken::Code(code) = token {
            code.split(|letter: char| !is_part(letter)).for_each(|word| variables.reserve(word));
        }
    }
    let mut parameters: Vec<String> = Vec::new();
    let mut body = String::new();
    for (at, &token) in first.iter().enumerate() {
        let (LineToken::Code(text) | LineToken::Literal(_, text)) = token;
        let Some(column) = columns.iter().find(|column| column.at == at) else {
            body += text;
            continue;
        };
        let (of, plain) = column.kind.parameter();
        let is_expected = matches!(at.checked_sub(1).map(|before| first[before]), Some(LineToken::Code(code))
            if code.ends_with("assertEquals("));
        let is_first = !parameters.iter().any(|parameter| parameter.ends_with(" expected"));
        let name = match is_expected {
            true if is_first => "expected".to_string(),
            true => variables.add("expectedValue", names),
            false => variables.add(&called(text).unwrap_or_else(|| plain.to_string()), names),
        };
        parameters.push(format!("{of} {name}"));
        body += &name;
    }
    let cells =
        |line: &Vec<LineToken<'_>>| columns.iter().map(|column| cell(line[column.at])).collect::<Option<Vec<_>>>();
    let rows: Vec<String> = lines.iter().map(|line| Some(cells(line)?.join(", "))).collect::<Option<_>>()?;
    // JUnit rejects an empty row.
    let are_distinct =
        rows.iter().collect::<BTreeSet<_>>().len() == rows.len() && rows.iter().all(|row| !row.is_empty());
    are_distinct.then(|| ParameterTable { parameters: parameters.join(", "), rows, body })
}

/// A position at which the lines have different literals.
struct ParameterColumn {
    at: usize,
    kind: LiteralKind,
}

/// The positions at which literals differ; `None` if other code differs, or nothing does.
fn columns(lines: &[Vec<LineToken<'_>>]) -> Option<Vec<ParameterColumn>> {
    let first = &lines[0];
    if lines.iter().any(|line| line.len() != first.len()) {
        return None;
    }
    let mut columns = Vec::new();
    let mut braces = 0;
    for (at, &token) in first.iter().enumerate() {
        let others = || lines.iter().map(|line| line[at]);
        match token {
            LineToken::Code(code) => {
                if others().any(|other| other != token) {
                    return None;
                }
                braces += code.matches('{').count();
                braces -= code.matches('}').count();
            }
            LineToken::Literal(..) if others().all(|other| other == token) => {}
            // A variable does not narrow itself, as a constant in an array initializer does (JLS §5.2).
            LineToken::Literal(..) if braces > 0 => return None,
            LineToken::Literal(..) => columns.push(ParameterColumn { at, kind: common_kind(others())? }),
        }
    }
    (!columns.is_empty()).then_some(columns)
}

/// The kind that all literals have; null counts as a string.
fn common_kind<'a>(tokens: impl Iterator<Item = LineToken<'a>>) -> Option<LiteralKind> {
    let mut common: Option<LiteralKind> = None;
    for token in tokens {
        let LineToken::Literal(kind, _) = token else { return None };
        common = match (common, kind) {
            (None, kind) => Some(kind),
            (Some(one), other) if one == other => Some(one),
            (Some(LiteralKind::Null), LiteralKind::Text) | (Some(LiteralKind::Text), LiteralKind::Null) => {
                Some(LiteralKind::Text)
            }
            _ => return None,
        };
    }
    common.filter(|kind| *kind != LiteralKind::Null)
}

/// A literal as `@CsvSource` expects it, inside of a string literal; `None` if JUnit would read a different value.
fn cell(token: LineToken<'_>) -> Option<String> {
    let LineToken::Literal(kind, text) = token else { return None };
    match kind {
        LiteralKind::Text | LiteralKind::Char => {
            let inside = &text[1..text.len() - 1];
            let rest = inside.replace("\\\\", "").replace("\\\"", "");
            let is_plain = !rest.contains('\\') && !rest.chars().any(char::is_control);
            let inside = match kind {
                LiteralKind::Char => inside.replace('"', "\\\""),
                _ => inside.to_string(),
            };
            is_plain.then(|| format!("'{}'", inside.replace('\'', "''")))
        }
        LiteralKind::Null => Some(String::new()),
        LiteralKind::Long | LiteralKind::Float => Some(text[..text.len() - 1].to_string()),
        LiteralKind::Boolean | LiteralKind::Int | LiteralKind::Double => Some(text.to_string()),
    }
}

/// Splits a line into literals and other code; joined, the tokens are the line.
fn tokens(line: &str) -> Vec<LineToken<'_>> {
    let mut tokens = Vec::new();
    let (mut code, mut at) = (0, 0);
    while at < line.len() {
        let Some((kind, length)) = literal_at(line, at) else {
            at += line[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        };
        if code < at {
            tokens.push(LineToken::Code(&line[code..at]));
        }
        tokens.push(LineToken::Literal(kind, &line[at..at + length]));
        at += length;
        code = at;
    }
    if code < line.len() {
        tokens.push(LineToken::Code(&line[code..]));
    }
    tokens
}

/// The literal that begins at a byte offset of the line, and its length.
fn literal_at(line: &str, at: usize) -> Option<(LiteralKind, usize)> {
    let rest = &line[at..];
    let first = rest.chars().next()?;
    if first == '"' || first == '\'' {
        let kind = if first == '"' { LiteralKind::Text } else { LiteralKind::Char };
        return Some((kind, quoted_length(rest, first)?));
    }
    if line[..at].ends_with(|letter: char| is_part(letter) || letter == '.') {
        return None;
    }
    let word: String = rest.chars().take_while(|&letter| is_part(letter)).collect();
    match word.as_str() {
        "true" | "false" => return Some((LiteralKind::Boolean, word.len())),
        "null" => return Some((LiteralKind::Null, word.len())),
        _ => {}
    }
    let sign = usize::from(first == '-' && line[..at].trim_end().ends_with(['(', ',', '{', ')']));
    let digits = &rest[sign..];
    if !digits.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let mut length = 0;
    for letter in digits.chars() {
        let is_exponent = letter == '-' && digits[..length].ends_with('E');
        if !(letter.is_ascii_alphanumeric() || letter == '.' || is_exponent) {
            break;
        }
        length += 1;
    }
    let kind = match digits.as_bytes()[length - 1] {
        b'L' => LiteralKind::Long,
        b'f' => LiteralKind::Float,
        _ if digits[..length].contains('.') => LiteralKind::Double,
        _ => LiteralKind::Int,
    };
    Some((kind, sign + length))
}

/// The length of a string or character literal with its quotes.
fn quoted_length(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Whether the character can be part of an identifier.
fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::types::TypeTable;

    fn check(lines: &[&str], expected: Option<(&str, &[&str], &str)>) {
        let types = TypeTable::default();
        let names = Names::new(&types, "p", "ATest");
        let lines: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
        let called = |text: &str| (text == "'a'").then(|| "initial".to_string());
        let table = table(&lines, &names, &called);
        let given = table.as_ref().map(|table| {
            let rows: Vec<&str> = table.rows.iter().map(String::as_str).collect();
            (table.parameters.as_str(), rows, table.body.as_str())
        });
        assert_eq!(given, expected.map(|(parameters, rows, line)| (parameters, rows.to_vec(), line)));
    }

    #[test]
    fn literals_that_differ_become_parameters() {
        check(
            &[
                "assertEquals(\"x\", Text.of('a', 1, -1L));",
                "assertEquals(\"it's \\\"y\\\"\", Text.of('\"', 1, 2L));",
                "assertEquals(null, Text.of(' ', 1, 30L));",
                "assertEquals(\"\", Text.of('b', 1, 0L));",
            ],
            Some((
                "String expected, char initial, long number",
                &["'x', 'a', -1", "'it''s \\\"y\\\"', '\\\"', 2", ", ' ', 30", "'', 'b', 0"],
                "assertEquals(expected, Text.of(initial, 1, number));",
            )),
        );
    }

    #[test]
    fn parameter_name_avoids_names_used_in_the_row() {
        let line = |number: &str| format!("assertThrows(E.class, () -> text.number({number}, 1.0E-5));");
        let lines = ["1", "2", "3", "4"].map(line);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let expected = "assertThrows(E.class, () -> text.number(number2, 1.0E-5));";
        check(&lines, Some(("int number2", &["1", "2", "3", "4"], expected)));
    }

    #[test]
    fn rows_that_csv_source_cannot_represent_are_not_parameterized() {
        check(&["f(\"a\");", "f(\"\\n\");", "f(\"b\");", "f(\"c\");"], None);
        check(&["f(new byte[] {1});", "f(new byte[] {2});", "f(new byte[] {3});", "f(new byte[] {4});"], None);
        check(&["f(1);", "f(2L);", "f(3);", "f(4);"], None);
        check(&["f(1);", "g(2);", "f(3);", "f(4);"], None);
        check(&["f(1);", "f(1);", "f(3);", "f(4);"], None);
        check(&["f(1);", "f(2);"], None);
    }
}
