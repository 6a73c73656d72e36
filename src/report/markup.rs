//! Text of the code under test in HTML and XML.

use std::fmt::{self, Write};

/// Text that is no markup, in an element or a quoted attribute.
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '<' => formatter.write_str("&lt;")?,
                '>' => formatter.write_str("&gt;")?,
                '&' => formatter.write_str("&amp;")?,
                '"' => formatter.write_str("&quot;")?,
                '\'' => formatter.write_str("&#39;")?,
                // No document may hold them.
                '\u{fffe}' | '\u{ffff}' => formatter.write_char('\u{fffd}')?,
                letter if letter.is_control() && !matches!(letter, '\n' | '\t') => formatter.write_char('\u{fffd}')?,
                letter => formatter.write_char(letter)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup_or_no_letter_of_a_document() {
        let text = "<a href='x'>&\"\u{0}\u{1b}[31m]]>\u{ffff}\n\tgr\u{fc}n\u{1f600}";
        let expected = "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\u{fffd}\u{fffd}[31m]]&gt;\u{fffd}\n\tgr\u{fc}n\u{1f600}";
        assert_eq!(Escaped(text).to_string(), expected);
    }
}
