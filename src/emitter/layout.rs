//! Long lines, broken where Java allows it.

/// The line in pieces of at most `width` columns where it has commas outside of literals; continuations are indented.
///
/// The outermost comma is the best place to break, and of several such the last that fits.
pub(super) fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = line.to_string();
    while rest.chars().count() > width {
        let indentation = rest.len() - rest.trim_start().len();
        let commas = || commas(&rest).into_iter().filter(|comma| comma.after > indentation && comma.after < rest.len());
        let fits = |comma: &Comma| rest[..comma.after].chars().count() <= width;
        let fitting = commas().filter(fits).min_by_key(|comma| (comma.depth, std::cmp::Reverse(comma.after)));
        let declaration = || declared_value(&rest).filter(|_| pieces.is_empty());
        // Where nothing fits, the first comma makes the shortest line there is.
        let first = || commas().next().map(|comma| comma.after);
        let Some(after) = fitting.map(|comma| comma.after).or_else(declaration).or_else(first) else { break };
        let tail = format!("        {}", rest[after..].trim_start());
        rest.truncate(after);
        pieces.push(std::mem::replace(&mut rest, tail));
    }
    pieces.push(rest);
    pieces
}

/// Byte offset behind the `=` of a variable's declaration, before anything that could be a literal.
fn declared_value(line: &str) -> Option<usize> {
    let at = line.find(" = ")?;
    line[..at].chars().all(|letter| letter.is_alphanumeric() || "_$.[] ".contains(letter)).then_some(at + 2)
}

/// A comma that is in no character or string literal.
struct Comma {
    /// Byte offset behind it.
    after: usize,
    /// Brackets around it.
    depth: i32,
}

fn commas(line: &str) -> Vec<Comma> {
    let mut found = Vec::new();
    let mut quote = None;
    let mut depth = 0;
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
            (None, ',') => found.push(Comma { after: at + 1, depth }),
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
    fn a_long_line_is_broken_after_a_comma_that_is_no_text() {
        check("f(\"a, b\", ',', c);", 12, &["f(\"a, b\",", "        ',',", "        c);"]);
    }

    #[test]
    fn a_lambda_is_kept_together() {
        check("throws(X.class, () -> f(1, 2));", 29, &["throws(X.class,", "        () -> f(1, 2));"]);
    }

    #[test]
    fn a_declaration_is_broken_before_its_value_if_nothing_else_fits() {
        check("Type name = new Type(one, two);", 22, &["Type name =", "        new Type(one,", "        two);"]);
        check("f(\"a = b\", c);", 5, &["f(\"a = b\",", "        c);"]);
    }

    #[test]
    fn a_line_without_commas_stays_long() {
        check("f(\"aaaaaaaaaaaaaaaa\");", 10, &["f(\"aaaaaaaaaaaaaaaa\");"]);
    }
}
