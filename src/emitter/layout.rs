//! Long lines, broken where readers expect it.

/// The line, or each of several, in pieces of at most `width` columns where it has commas or chained calls outside of
/// literals; continuations are indented.
///
/// The outermost place is the best to break, behind a comma rather than before a dot, and of several such the last that
/// fits. A text of several lines that is too long for one is broken behind each of its lines.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    text.lines().flat_map(|line| wrapped_line(line, width)).collect()
}

/// The lines of a method's body, indented, with comments above some of them.
pub(super) fn indented(body: &[String], headings: &[(usize, &str)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, line) in body.iter().enumerate() {
        lines
            .extend(headings.iter().filter(|(below, _)| *below == at).map(|(_, heading)| format!("        {heading}")));
        lines.push(if line.is_empty() { String::new() } else { format!("        {line}") });
    }
    lines
}

fn wrapped_line(line: &str, width: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = line.to_string();
    let mut is_in_text = false;
    loop {
        let is_long = rest.chars().count() > width;
        let indentation = rest.len() - rest.trim_start().len();
        let breaks = || breaks(&rest).into_iter().filter(|found| found.at > indentation && found.at < rest.len());
        let fits = |found: &Break| rest[..found.at].chars().count() <= width;
        let best = |found: &Break| (found.depth, found.before_dot, std::cmp::Reverse(found.at));
        let fitting = breaks().filter(fits).min_by_key(best);
        let in_text = text_break(&rest, is_in_text).filter(|_| is_in_text || is_long && fitting.is_none());
        let follows_text = std::mem::replace(&mut is_in_text, in_text.is_some());
        let declaration = || declared_value(&rest).filter(|_| pieces.is_empty());
        // Where nothing fits, the first break makes the shortest line there is.
        let first = || breaks().next().map(|found| found.at);
        // What follows a text in several lines has lines of its own.
        let after_text = || breaks().find(|found| follows_text && !found.before_dot).map(|found| found.at);
        let at = in_text.or_else(after_text).or_else(|| fitting.filter(|_| is_long).map(|found| found.at));
        let Some(at) = at.or_else(|| is_long.then(|| declaration().or_else(first)).flatten()) else { break };
        let (end, tail) = match in_text {
            Some(_) => {
                // Deeper than the call of a chain that takes the text.
                let begins_link = rest.trim_start().starts_with('.') || rest.starts_with(&" ".repeat(16));
                let indentation = if begins_link { 16 } else { 8 };
                ("\"", format!("{}+ \"{}", " ".repeat(indentation), &rest[at..]))
            }
            None => ("", format!("        {}", rest[at..].trim_start())),
        };
        pieces.push(format!("{}{end}", &rest[..at]));
        rest = tail;
    }
    pieces.push(rest);
    pieces
}

/// Byte offset behind the first end of a line in a text that is broken already, or in the first one that can be written as a
/// sum: neither something that binds stronger than `+` nor a cast stands beside it.
fn text_break(line: &str, is_in_text: bool) -> Option<usize> {
    let literals = string_literals(line);
    let mut candidates = literals.into_iter().filter(|(open, close)| {
        let before = line[..*open].trim_end().chars().next_back();
        let after = line[*close + 1..].trim_start().chars().next();
        is_in_text
            || before.is_none_or(|letter| "(,={".contains(letter))
                && after.is_some_and(|letter| ",);}".contains(letter))
    });
    let (open, close) = candidates.next()?;
    let text = &line[open + 1..close];
    // A backslash before the n may itself be escaped.
    let is_end = |at: usize| text[..at].chars().rev().take_while(|letter| *letter == '\\').count() % 2 == 0;
    let ends = text.match_indices("\\n").map(|(at, _)| at).filter(|at| is_end(*at));
    ends.map(|at| open + 1 + at + 2).find(|at| *at < close)
}

/// The byte offsets of the quotes of each text.
fn string_literals(line: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut quote = None;
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some(_), '\\') => drop(letters.next()),
            (Some((open, '"')), '"') => {
                found.push((open, at));
                quote = None;
            }
            (Some((_, '\'')), '\'') => quote = None,
            (None, '"' | '\'') => quote = Some((at, letter)),
            _ => {}
        }
    }
    found
}

/// Byte offset behind the `=` of a variable's declaration, before anything that could be a literal.
fn declared_value(line: &str) -> Option<usize> {
    let at = line.find(" = ")?;
    line[..at].chars().all(|letter| letter.is_alphanumeric() || "_$.[]<>,? ".contains(letter)).then_some(at + 2)
}

/// A place outside of character and string literals where a line can be broken.
struct Break {
    /// Byte offset behind a comma, or before the dot of a call on another call's result.
    at: usize,
    before_dot: bool,
    /// Brackets around it.
    depth: i32,
}

/// How many expressions the text has between commas.
pub(super) fn element_count(elements: &str) -> usize {
    let commas = breaks(elements).iter().filter(|found| !found.before_dot && found.depth == 0).count();
    if elements.is_empty() { 0 } else { commas + 1 }
}

/// The places to break; type arguments stay together.
fn breaks(line: &str) -> Vec<Break> {
    let mut found = Vec::new();
    let mut quote = None;
    let (mut depth, mut type_depth) = (0, 0);
    let is_before_types = |letter: char| letter.is_alphanumeric() || "_$.".contains(letter);
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some(_), '\\') => {
                letters.next();
            }
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '{' | '[') => depth += 1,
            (None, ')' | '}' | ']') => depth -= 1,
            (None, '<') if line[..at].ends_with(is_before_types) => type_depth += 1,
            (None, '>') if type_depth > 0 => type_depth -= 1,
            (None, ',') if type_depth > 0 => {}
            (None, ',') => found.push(Break { at: at + 1, before_dot: false, depth }),
            (None, '.') if line[..at].ends_with(')') => found.push(Break { at, before_dot: true, depth }),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, width: usize, expected: &[&str]) {
        assert_eq!(wrapped(line, width), expected);
    }

    #[test]
    fn long_line_is_broken_after_a_comma_outside_string_literals() {
        check("f(\"a, b\", ',', c);", 12, &["f(\"a, b\",", "        ',',", "        c);"]);
    }

    #[test]
    fn lambda_is_not_broken() {
        check("throws(X.class, () -> f(1, 2));", 29, &["throws(X.class,", "        () -> f(1, 2));"]);
    }

    #[test]
    fn declaration_is_broken_before_its_value_as_a_last_resort() {
        check("Type name = new Type(one, two);", 22, &["Type name =", "        new Type(one,", "        two);"]);
        check("f(\"a = b\", c);", 5, &["f(\"a = b\",", "        c);"]);
    }

    #[test]
    fn elements_are_counted_between_their_commas() {
        let all = ["", "1", "\"a, \\\"b\", 'c'", "f(1, 2), new HashMap<String, Long>()", "(a, b) -> a, x"];
        assert_eq!(all.map(element_count), [0, 1, 2, 2, 2]);
    }

    #[test]
    fn type_arguments_stay_together() {
        check("Map<String, Integer> sizes = of(1, 2);", 34, &["Map<String, Integer> sizes = of(1,", "        2);"]);
        check("Map<String, Integer> sizes = none();", 30, &["Map<String, Integer> sizes =", "        none();"]);
        check("Pair_<A, B> pair = none();", 20, &["Pair_<A, B> pair =", "        none();"]);
        check("f(() -> new A<B, C>(1), 2);", 24, &["f(() -> new A<B, C>(1),", "        2);"]);
    }

    #[test]
    fn call_chain_is_broken_before_a_dot() {
        check("B b = new B(1).c(\").\").d(2, 3);", 24, &["B b = new B(1).c(\").\")", "        .d(2, 3);"]);
        check("equals(1, a.b(c).d());", 20, &["equals(1,", "        a.b(c).d());"]);
    }

    #[test]
    fn text_that_does_not_fit_is_broken_behind_each_of_its_lines() {
        let expected = ["equals(\"one\\n\"", "        + \"two\\n\"", "        + \"three\",", "        x);"];
        check("equals(\"one\\ntwo\\nthree\", x);", 18, &expected);
        let expected = ["equals(\"three\\n\"", "        + \"two\",", "        x);"];
        check("equals(\"three\\ntwo\", x);", 19, &expected);
        // Where it fits, what is called on it, casts, and a backslash before an n stay.
        check("equals(\"a\\nb\", x);", 15, &["equals(\"a\\nb\",", "        x);"]);
        check("f(\"one\\ntwo\".size());", 10, &["f(\"one\\ntwo\".size());"]);
        check("f((Object) \"one\\ntwo\");", 10, &["f((Object) \"one\\ntwo\");"]);
        check("f(\"one\\\\ntwo\");", 10, &["f(\"one\\\\ntwo\");"]);
        check("f(\"one\\n\");", 5, &["f(\"one\\n\");"]);
    }

    #[test]
    fn line_without_commas_is_not_broken() {
        check("f(\"aaaaaaaaaaaaaaaa\");", 10, &["f(\"aaaaaaaaaaaaaaaa\");"]);
    }
}
