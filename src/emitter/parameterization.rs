//! Parameterization: cases whose bodies differ in literals alone become the rows of a parameterized test.
//!
//! It works on the text of the bodies, which the emitter wrote, so that every literal can be recognised. Enum constants and
//! values of the platform that JUnit makes of texts, such as dates, are literals too. Cases with a literal that `@CsvSource`
//! would read differently from Java are not parameterized; they stay in one method, a line each.

use super::names::Names;
use super::variables::{Variables, capitalized, decapitalized};
use model::jvm::types::is_java_identifier;
use std::collections::{BTreeMap, BTreeSet};

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
    Literal(LiteralKind<'a>, &'a str),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LiteralKind<'a> {
    /// A constant of the enum of this name.
    Constant(&'a str),
    /// A value of a class of the platform.
    Platform(PlatformClass),
    Text,
    Char,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Null,
}

impl LiteralKind<'_> {
    /// The type of a parameter and its default name.
    fn parameter(&self) -> (&str, String) {
        let (of, name) = match self {
            LiteralKind::Constant(of) => return (of, decapitalized(of.rsplit('.').next().unwrap_or(of))),
            LiteralKind::Platform(class) => (class.name, class.value),
            LiteralKind::Text | LiteralKind::Null => ("String", "text"),
            LiteralKind::Char => ("char", "letter"),
            LiteralKind::Boolean => ("boolean", "flag"),
            LiteralKind::Int => ("int", "number"),
            LiteralKind::Long => ("long", "number"),
            LiteralKind::Float => ("float", "number"),
            LiteralKind::Double => ("double", "number"),
        };
        (of, name.to_string())
    }
}

/// A class of the platform of whose values JUnit makes arguments from texts.
#[derive(PartialEq, Eq, Debug, Clone, Copy)]
struct PlatformClass {
    name: &'static str,
    package: &'static str,
    /// What a value is called.
    value: &'static str,
    /// What separates the numbers that its method `of` takes in a text of ISO 8601; empty for a class that is made of a text.
    separators: &'static [&'static str],
}

const fn platform(
    package: &'static str,
    name: &'static str,
    value: &'static str,
    separators: &'static [&'static str],
) -> PlatformClass {
    PlatformClass { name, package, value, separators }
}

const PLATFORM: [PlatformClass; 6] = [
    platform("java/time", "LocalDate", "date", &["-", "-"]),
    platform("java/time", "LocalDateTime", "time", &["-", "-", "T", ":", ":"]),
    platform("java/time", "LocalTime", "time", &[":", ":"]),
    platform("java/time", "YearMonth", "month", &["-"]),
    platform("java/math", "BigDecimal", "amount", &[]),
    platform("java/math", "BigInteger", "number", &[]),
];

/// Names under which a file knows types whose values are written like literals.
#[derive(Default)]
pub(super) struct ValueTypes {
    /// Constants of enums: `Phone.Country.US`.
    constants: BTreeSet<String>,
    /// Classes of the platform that are imported.
    platform: Vec<PlatformClass>,
}

impl ValueTypes {
    /// With these constants of enums.
    pub fn new(constants: BTreeSet<String>, names: &Names<'_>) -> ValueTypes {
        let is_imported = |class: &PlatformClass| names.imports(class.package, class.name);
        ValueTypes { constants, platform: PLATFORM.into_iter().filter(is_imported).collect() }
    }

    /// As in a file that imports all classes of the platform that it may.
    pub fn with_platform(&self) -> ValueTypes {
        ValueTypes { constants: self.constants.clone(), platform: PLATFORM.to_vec() }
    }
}

/// What bodies have in common that differ in literals alone.
pub(super) fn shape(body: &str, values: &ValueTypes) -> String {
    let shown = |token: LineToken<'_>| match token {
        LineToken::Code(code) => code.to_string(),
        LineToken::Literal(kind, _) => format!("\0{}\0", kind.parameter().0),
    };
    tokens(body, values).into_iter().map(shown).collect()
}

/// Whether `@CsvSource` can hold all literals of the body.
pub(super) fn can_be_row(body: &str, values: &ValueTypes) -> bool {
    tokens(body, values).into_iter().all(|token| matches!(token, LineToken::Code(_)) || cell(token).is_some())
}

/// The parameterized test of the bodies, if they differ in literals alone. `given` are the literals that the first body passes
/// to parameters, in order, with the names of these.
pub(super) fn table(
    bodies: &[String],
    names: &Names<'_>,
    values: &ValueTypes,
    given: &[(String, String)],
) -> Option<ParameterTable> {
    if bodies.len() < ROWS {
        return None;
    }
    let lines: Vec<Vec<LineToken<'_>>> = bodies.iter().map(|body| tokens(body, values)).collect();
    let first = &lines[0];
    let columns = columns(&lines)?;
    let mut variables = Variables::default();
    for token in first {
        if let LineToken::Code(code) = token {
            code.split(|letter: char| !is_part(letter)).for_each(|word| variables.reserve(word));
        }
    }
    let mut called = called(first, given);
    let mut inputs: Vec<(usize, String)> = Vec::new();
    let mut expected: Vec<(usize, String)> = Vec::new();
    let mut body = String::new();
    let mut is_declared = false;
    for (at, &token) in first.iter().enumerate() {
        let (LineToken::Code(text) | LineToken::Literal(_, text)) = token;
        let Some(column) = columns.iter().find(|column| column.at == at) else {
            body += if is_declared { text.strip_prefix(";\n").unwrap_or(text) } else { text };
            is_declared = false;
            continue;
        };
        let (of, plain) = column.kind.parameter();
        // The parameter takes the place of a variable that is declared for the value alone.
        let ends =
            first.get(at + 1).is_some_and(|next| matches!(next, LineToken::Code(code) if code.starts_with(";\n")));
        if let Some((start, variable)) = declared(&body, of).filter(|_| ends) {
            inputs.push((at, format!("{of} {variable}")));
            body.truncate(start);
            is_declared = true;
            continue;
        }
        let place = place_in_expected(&first[..at]);
        let wanted = called.remove(&at).unwrap_or(plain);
        let name = match place {
            Some(Expected::Whole) if expected.is_empty() => "expected".to_string(),
            Some(Expected::Whole) => variables.add("expectedValue", names),
            Some(Expected::Part) => variables.add(&format!("expected{}", capitalized(&wanted)), names),
            None => variables.add_parameter(&wanted, names),
        };
        body += &name;
        if place.is_some() { &mut expected } else { &mut inputs }.push((at, format!("{of} {name}")));
    }
    let (places, parameters): (Vec<usize>, Vec<String>) = inputs.into_iter().chain(expected).unzip();
    let cells = |line: &Vec<LineToken<'_>>| places.iter().map(|at| cell(line[*at])).collect::<Option<Vec<_>>>();
    let rows: Vec<String> = lines.iter().map(|line| Some(cells(line)?.join(", "))).collect::<Option<_>>()?;
    // JUnit rejects an empty row.
    let are_distinct =
        rows.iter().collect::<BTreeSet<_>>().len() == rows.len() && rows.iter().all(|row| !row.is_empty());
    are_distinct.then(|| ParameterTable { parameters: parameters.join(", "), rows, body })
}

/// Where the line begins with which the code ends, and the variable of the type that this line declares.
fn declared(code: &str, of: &str) -> Option<(usize, String)> {
    let start = code.rfind('\n').map_or(0, |end| end + 1);
    let variable = code[start..].trim_start().strip_prefix(of)?.strip_prefix(' ')?.strip_suffix(" = ")?;
    is_java_identifier(variable).then(|| (start, variable.to_string()))
}

/// What the literals of a body are called, by their positions, after the parameters that take them: `given` are these literals
/// in the order of the calls. The call that a test is about comes last.
fn called(body: &[LineToken<'_>], given: &[(String, String)]) -> BTreeMap<usize, String> {
    let mut given = given.to_vec();
    let mut called = BTreeMap::new();
    for (at, token) in body.iter().enumerate().rev() {
        let LineToken::Literal(_, text) = token else { continue };
        let is_it = |(other, _): &(String, String)| other == text;
        if let Some(found) = given.iter().rposition(is_it).filter(|_| place_in_expected(&body[..at]).is_none()) {
            called.insert(at, given.remove(found).1);
        }
    }
    called
}

/// What a literal is to the value that an assertion expects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Whole,
    Part,
}

/// What a literal behind these tokens is to the value that an assertion expects; `None` if it is elsewhere.
fn place_in_expected(before: &[LineToken<'_>]) -> Option<Expected> {
    let code = before.iter().map(|token| match token {
        LineToken::Code(code) => code,
        LineToken::Literal(..) => "",
    });
    let code: String = code.collect();
    let code = code.rsplit(';').next()?;
    let (mut depth, mut is_first, mut place) = (0, true, Expected::Whole);
    for (at, letter) in code.char_indices().rev() {
        match letter {
            ')' | '}' => depth += 1,
            '(' | '{' if depth > 0 => depth -= 1,
            '(' if code[..at].ends_with("assertEquals") => return is_first.then_some(place),
            '(' if expects(&code[..at]) => {
                // Further elements follow the first one.
                let is_whole = is_first && !code[..at].ends_with("Exactly") && !code[..at].ends_with("InAnyOrder");
                return Some(if is_whole { place } else { Expected::Part });
            }
            '(' | '{' => (is_first, place) = (true, Expected::Part),
            ',' if depth == 0 => is_first = false,
            _ => {}
        }
    }
    None
}

/// Whether the code ends with a call of AssertJ that takes what is expected: `assertThat(…).isEqualTo`.
fn expects(code: &str) -> bool {
    const EXPECTING: [&str; 7] =
        ["isEqualTo", "hasSize", "hasMessage", "hasValue", "contains", "containsExactly", "containsExactlyInAnyOrder"];
    let Some((before, method)) = code.rsplit_once('.') else { return false };
    let is_closed = before.matches('(').count() == before.matches(')').count();
    EXPECTING.contains(&method) && is_closed && before.trim_start().starts_with("assertThat")
}

/// A position at which the lines have different literals.
struct ParameterColumn<'a> {
    at: usize,
    kind: LiteralKind<'a>,
}

/// The positions at which literals differ; `None` if other code differs, or nothing does.
fn columns<'a>(lines: &[Vec<LineToken<'a>>]) -> Option<Vec<ParameterColumn<'a>>> {
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
fn common_kind<'a>(tokens: impl Iterator<Item = LineToken<'a>>) -> Option<LiteralKind<'a>> {
    let mut common: Option<LiteralKind<'a>> = None;
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
        LiteralKind::Constant(of) => text.strip_prefix(of)?.strip_prefix('.').map(str::to_string),
        LiteralKind::Platform(class) => class.cell(text),
    }
}

impl PlatformClass {
    /// The length of an expression for a value at the beginning of the text: the call of `of` with numbers, or of the
    /// constructor with a text.
    fn length_at(&self, text: &str) -> Option<usize> {
        let begin =
            if self.separators.is_empty() { format!("new {}(", self.name) } else { format!("{}.of(", self.name) };
        let given = text.strip_prefix(&*begin)?;
        let end = if self.separators.is_empty() { quoted_length(given, '"')? } else { given.find(')')? };
        let length = begin.len() + end + 1;
        (given[end..].starts_with(')') && self.cell(&text[..length]).is_some()).then_some(length)
    }

    /// The value as JUnit reads it.
    fn cell(&self, expression: &str) -> Option<String> {
        let given = &expression[expression.find('(')? + 1..expression.len() - 1];
        if self.separators.is_empty() {
            let number = given.strip_prefix('"')?.strip_suffix('"')?;
            let is_plain = |letter: char| letter.is_ascii_digit() || "+-.E".contains(letter);
            return (!number.is_empty() && number.chars().all(is_plain)).then(|| number.to_string());
        }
        let numbers: Vec<u16> = given.split(", ").map(|number| number.parse().ok()).collect::<Option<_>>()?;
        // Seconds may be left out.
        let least = self.separators.len() + 1 - usize::from(self.separators.ends_with(&[":", ":"]));
        let has_year = self.separators[0] == "-";
        if !(least..=self.separators.len() + 1).contains(&numbers.len()) || has_year && numbers[0] > 9999 {
            return None;
        }
        let digits = |at: usize| if at == 0 && has_year { 4 } else { 2 };
        let written = numbers.iter().enumerate().map(|(at, number)| format!("{number:0width$}", width = digits(at)));
        let separators = [""].iter().chain(self.separators);
        Some(separators.zip(written).map(|(separator, number)| format!("{separator}{number}")).collect())
    }
}

/// Splits a line into literals and other code; joined, the tokens are the line.
fn tokens<'a>(line: &'a str, values: &ValueTypes) -> Vec<LineToken<'a>> {
    let mut tokens = Vec::new();
    let (mut code, mut at) = (0, 0);
    while at < line.len() {
        let Some((kind, length)) = value_at(line, at, values).or_else(|| literal_at(line, at)) else {
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

/// The value of an enum or a class of the platform that begins at a byte offset of the line, and its length.
fn value_at<'a>(line: &'a str, at: usize, values: &ValueTypes) -> Option<(LiteralKind<'a>, usize)> {
    let rest = &line[at..];
    if !rest.starts_with(is_part) || line[..at].ends_with(|letter: char| is_part(letter) || letter == '.') {
        return None;
    }
    let platform =
        values.platform.iter().find_map(|class| Some((LiteralKind::Platform(*class), class.length_at(rest)?)));
    if platform.is_some() {
        return platform;
    }
    let word = rest.find(|letter: char| !is_part(letter) && letter != '.').map_or(rest, |end| &rest[..end]);
    let (of, _) = word.rsplit_once('.').filter(|_| values.constants.contains(word))?;
    Some((LiteralKind::Constant(of), word.len()))
}

/// The literal that begins at a byte offset of the line, and its length.
fn literal_at(line: &str, at: usize) -> Option<(LiteralKind<'_>, usize)> {
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
        let given = [("'a'".to_string(), "initial".to_string())];
        let constants = ["FRANCE", "US", "PERU"].map(|name| format!("Phone.Country.{name}")).into();
        let table = table(&lines, &names, &ValueTypes { constants, platform: PLATFORM.to_vec() }, &given);
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
                "char initial, long number, String expected",
                &["'a', -1, 'x'", "'\\\"', 2, 'it''s \\\"y\\\"'", "' ', 30, ", "'b', 0, ''"],
                "assertEquals(expected, Text.of(initial, 1, number));",
            )),
        );
    }

    #[test]
    fn enum_constants_and_values_of_the_platform_are_literals() {
        let line = |country: &str, year: &str, amount: &str| {
            format!(
                "assertEquals(Optional.of(new BigDecimal(\"{amount}\")), Fee.of(Phone.Country.{country}, \
                 LocalDateTime.of({year}, 2, 29, 9, 0)));"
            )
        };
        let lines = [line("FRANCE", "2024", "1.00"), line("US", "2020", "-2"), line("PERU", "5", "0")];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        check(
            &lines,
            Some((
                "Phone.Country country, LocalDateTime time, BigDecimal expectedAmount",
                &["FRANCE, 2024-02-29T09:00, 1.00", "US, 2020-02-29T09:00, -2", "PERU, 0005-02-29T09:00, 0"],
                "assertEquals(Optional.of(expectedAmount), Fee.of(country, time));",
            )),
        );
        assert_eq!(PLATFORM[0].length_at("LocalDate.of(12345, 1, 1)"), None);
        assert_eq!(PLATFORM[4].cell("new BigDecimal(\"1.0E+3\")").as_deref(), Some("1.0E+3"));
    }

    #[test]
    fn expected_value_of_a_later_statement_is_called_so() {
        let lines = ["1", "2", "3"].map(|number| format!("int it = f({number});\nassertEquals(\"{number}\", it.g());"));
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let body = "int it = f(number);\nassertEquals(expected, it.g());";
        check(&lines, Some(("int number, String expected", &["1, '1'", "2, '2'", "3, '3'"], body)));
    }

    #[test]
    fn expected_values_of_assertj_are_called_so() {
        let lines = ["1", "2", "3"].map(|number| format!("assertThat(f({number}))\n        .isEqualTo(\"{number}\");"));
        let body = "assertThat(f(number))\n        .isEqualTo(expected);";
        let rows: &[&str] = &["1, '1'", "2, '2'", "3, '3'"];
        check(&lines.each_ref().map(String::as_str), Some(("int number, String expected", rows, body)));
        let lines = ["1", "2", "3"].map(|number| format!("assertThat(f()).containsExactly(\"a\", \"{number}\");"));
        let body = "assertThat(f()).containsExactly(\"a\", expectedText);";
        check(&lines.each_ref().map(String::as_str), Some(("String expectedText", &["'1'", "'2'", "'3'"], body)));
        // What the code under test is asked is not expected.
        let lines = ["1", "2", "3"].map(|number| format!("assertThat(list.contains({number})).isTrue();"));
        let body = "assertThat(list.contains(number)).isTrue();";
        check(&lines.each_ref().map(String::as_str), Some(("int number", &["1", "2", "3"], body)));
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
    fn second_parameter_of_a_name_is_another_one() {
        let line = |number: &str| format!("f(new A({number}), new A(1{number}));");
        let lines = ["1", "2", "3", "4"].map(line);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let rows: [&str; 4] = ["1, 11", "2, 12", "3, 13", "4, 14"];
        check(&lines, Some(("int number, int otherNumber", &rows, "f(new A(number), new A(otherNumber));")));
    }

    #[test]
    fn parameter_takes_the_place_of_the_variable_that_is_declared_for_it() {
        let lines = [1, 2, 3].map(|number| format!("int width = {number};\nf(width, width);"));
        let rows: [&str; 3] = ["1", "2", "3"];
        check(&lines.each_ref().map(String::as_str), Some(("int width", &rows, "f(width, width);")));
    }

    #[test]
    fn rows_that_csv_source_cannot_represent_are_not_parameterized() {
        check(&["f(\"a\");", "f(\"\\n\");", "f(\"b\");", "f(\"c\");"], None);
        check(&["f(new byte[] {1});", "f(new byte[] {2});", "f(new byte[] {3});", "f(new byte[] {4});"], None);
        check(&["f(1);", "f(2L);", "f(3);", "f(4);"], None);
        check(&["f(1);", "g(2);", "f(3);", "f(4);"], None);
        check(&["f(1);", "f(1);", "f(3);", "f(4);"], None);
        check(&["f(1);", "f(2);"], None);
        let values = ValueTypes::default();
        assert!(can_be_row("f(\"a\", 'b', null);", &values) && !can_be_row("f(\"a\", \"\\u0000\");", &values));
        let members = ["EUROPE", "ASIA", "class"].map(|name| format!("f(Phone.Country.{name});"));
        check(&members.each_ref().map(String::as_str), None);
    }
}
