//! Long lines, broken where Java allows it.

/// The line in pieces of at most `width` columns where it has commas outside of literals; continuations are indented.
pub(super) fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = line.to_string();
    while rest.chars().count() > width {
        let breaks = comma_breaks(&rest);
        let indented = |at: usize| rest[..at].trim().is_empty();
        let fits = |at: &&usize| rest[..**at].chars().count() <= width && !indented(**at);
        let Some(&at) = breaks.iter().rev().find(fits).or_else(|| breaks.iter().find(|at| !indented(**at))) else {
            break;
        };
        let tail = rest[at..].trim_start();
        if tail.is_empty() {
            break;
        }
        let tail = format!("        {tail}");
        rest.truncate(at);
        pieces.push(std::mem::replace(&mut rest, tail));
    }
    pieces.push(rest);
    pieces
}

/// Byte offsets after each comma that is in no character or string literal.
fn comma_breaks(line: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut quote = None;
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some(_), '\\') => {
                letters.next();
            }
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, ',') => found.push(at + 1),
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
    fn a_line_without_commas_stays_long() {
        check("f(\"aaaaaaaaaaaaaaaa\");", 10, &["f(\"aaaaaaaaaaaaaaaa\");"]);
    }
}
