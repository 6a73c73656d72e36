//! Text of the code under test in HTML.

use maud::Render;

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
    fn escaping_removes_markup_and_invalid_characters() {
        let text = "<a href='x'>&\"\u{0}\u{1b}[31m]]>\u{ffff}\n\tgr\u{fc}n\u{1f600}";
        let expected = "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\u{fffd}\u{fffd}[31m]]&gt;\u{fffd}\n\tgr\u{fc}n\u{1f600}";
        assert_eq!(Escaped(text).render().into_string(), expected);
    }
}
