//! Text of the code under test in reports, on consoles and in HTML: names may have any character but five, and strings all.

use maud::Render;
use model::unseen::is_unseen;
use std::fmt::Write;

/// A name or a message of the code under test, as one line that no reader takes for something else: characters that
/// control a terminal, end a line or turn the direction of writing are escaped as in Java, and so are the beginnings of
/// commands that build servers read from a log (`::error::`, `##[error]`).
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        let is_command = match letter {
            ':' => text[at..].starts_with("::") && text[..at].trim().is_empty(),
            '#' => text[at..].starts_with("##"),
            _ => false,
        };
        match letter {
            '\n' => plain.push_str("\\n"),
            '\r' => plain.push_str("\\r"),
            '\t' => plain.push_str("\\t"),
            letter if is_command || is_unseen(letter) => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    let _ = write!(plain, "\\u{unit:04x}");
                }
            }
            letter => plain.push(letter),
        }
    }
    plain
}

/// The same for text of several lines.
pub fn plain_lines(text: &str) -> String {
    let line = |line: &str| {
        let indented = line.len() - line.trim_start_matches([' ', '\t']).len();
        [&line[..indented], &plain(&line[indented..])].concat()
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// A document in Markdown whose text may be that of the code under test: outside of code, nothing in it is HTML or a
/// picture.
pub(super) fn without_html(document: &str) -> String {
    let mut safe = String::with_capacity(document.len());
    let mut is_code = false;
    for line in document.split_inclusive('\n') {
        let is_fence = line.starts_with("```");
        if is_code || is_fence {
            safe.push_str(line);
            is_code ^= is_fence;
        } else {
            escape_html(line, &mut safe);
        }
    }
    safe
}

fn escape_html(mut rest: &str, safe: &mut String) {
    while let Some(letter) = rest.chars().next() {
        let backquotes = rest.len() - rest.trim_start_matches('`').len();
        let fence = &rest[..backquotes];
        // As many as these end the code; with none of that number, they are text.
        let ends = |at: &usize| {
            let from = &rest[*at..];
            from.len() - from.trim_start_matches('`').len() == backquotes && !rest[..*at].ends_with('`')
        };
        let end = (backquotes > 0)
            .then(|| rest.match_indices(fence).map(|(at, _)| at).filter(|at| *at >= backquotes).find(ends))
            .flatten();
        let length = match end {
            Some(end) => end + backquotes,
            None => backquotes.max(letter.len_utf8()),
        };
        match letter {
            '<' => safe.push_str("&lt;"),
            '!' if rest.starts_with("![") => safe.push_str("\\!"),
            _ => safe.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
}

/// Text that is no markup, in an element or a quoted attribute. `maud` escapes what it is given by itself, but leaves
/// control characters, which names and strings of the code under test may have and no document may hold.
pub struct Escaped<'a>(pub &'a str);

impl Render for Escaped<'_> {
    fn render_to(&self, buffer: &mut String) {
        for letter in self.0.chars() {
            match letter {
                '<' => buffer.push_str("&lt;"),
                '>' => buffer.push_str("&gt;"),
                '&' => buffer.push_str("&amp;"),
                '"' => buffer.push_str("&quot;"),
                '\'' => buffer.push_str("&#39;"),
                '\u{fffe}' | '\u{ffff}' => buffer.push('\u{fffd}'),
                letter if letter.is_control() && !matches!(letter, '\n' | '\t') => buffer.push('\u{fffd}'),
                letter => buffer.push(letter),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_steer_terminals_and_build_servers_are_escaped() {
        for (name, expected) in [
            ("a.B$C.of(int[], Map<String>)", "a.B$C.of(int[], Map<String>)"),
            ("a\n::error::b", "a\\n::error::b"),
            ("::error file=x::b", "\\u003a:error file=x::b"),
            ("  ::stop-commands::x", "  \\u003a:stop-commands::x"),
            ("Foo::bar", "Foo::bar"),
            ("a##[error]b ##vso[x]", "a\\u0023#[error]b \\u0023#vso[x]"),
            ("\u{1b}[2Ja\u{202e}b\u{2066}\u{feff}", "\\u001b[2Ja\\u202eb\\u2066\\ufeff"),
            ("gr\u{fc}n \u{1f600}", "gr\u{fc}n \u{1f600}"),
        ] {
            assert_eq!(plain(name), expected);
            assert_eq!(plain(expected), expected, "twice");
        }
        assert_eq!(plain_lines("a\n  ::error::b\n\tc\u{1b}\n"), "a\n  \\u003a:error::b\n\tc\\u001b\n");
    }

    #[test]
    fn markdown_has_no_html_outside_of_code() {
        for (document, expected) in [
            ("# a <b>\n", "# a &lt;b>\n"),
            ("`List<String>` <b>", "`List<String>` &lt;b>"),
            ("`` ` <i> `` <b>", "`` ` <i> `` &lt;b>"),
            ("``<i>` <b>", "``&lt;i>` &lt;b>"),
            ("![x](http://y)", "\\![x](http://y)"),
            ("```java\na < b\n```\na < b", "```java\na < b\n```\na &lt; b"),
        ] {
            assert_eq!(without_html(document), expected);
        }
    }

    #[test]
    fn escaping_removes_markup_and_invalid_characters() {
        let text = "<a href='x'>&\"\u{0}\u{1b}[31m]]>\u{ffff}\n\tgr\u{fc}n\u{1f600}";
        let expected = "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\u{fffd}\u{fffd}[31m]]&gt;\u{fffd}\n\tgr\u{fc}n\u{1f600}";
        assert_eq!(Escaped(text).render().into_string(), expected);
    }
}
