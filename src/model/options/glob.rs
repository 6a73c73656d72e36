//! Patterns for class and method names, with PIT's meaning.

use std::fmt;

/// A pattern over binary names with dots: `*` is any text (dots and `$` too), `?` one letter.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Glob(String);

impl Glob {
    /// Every text is a pattern, so that none is refused.
    pub fn new(pattern: &str) -> Glob {
        Glob(pattern.to_string())
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the whole of `name` fits.
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name): (Vec<char>, Vec<char>) = (self.0.chars().collect(), name.chars().collect());
        let (mut at, mut read) = (0, 0);
        // The last star, and how much of the name it has taken so far: the only place worth coming back to.
        let mut star: Option<(usize, usize)> = None;
        while read < name.len() {
            match pattern.get(at) {
                Some('*') => {
                    star = Some((at, read));
                    at += 1;
                }
                Some(letter) if *letter == '?' || *letter == name[read] => {
                    at += 1;
                    read += 1;
                }
                _ => {
                    let Some((position, taken)) = star else { return false };
                    star = Some((position, taken + 1));
                    at = position + 1;
                    read = taken + 1;
                }
            }
        }
        pattern[at..].iter().all(|letter| *letter == '*')
    }
}

impl fmt::Debug for Glob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.0)
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn globs_match_whole_names() {
        let check = |pattern: &str, name: &str, expected: bool| {
            assert_eq!(Glob::new(pattern).matches(name), expected, "{pattern} {name}");
        };
        check("com.foo.Bar", "com.foo.Bar", true);
        check("com.foo.Bar", "com.foo.Bar$Nested", false);
        check("com.foo.Bar*", "com.foo.Bar$Nested", true);
        check("com.foo.*", "com.foo.a.b.C", true);
        check("com.foo.*", "com.foo", false);
        check("com?foo", "com.foo", true);
        check("com.foo", "comxfoo", false);
        check("*Test", "a.TestOfTest", true);
        check("a*b*c", "a.b.b.c", true);
        check("a*b*c", "a.c.b", false);
        check("*", "", true);
        check("", "a", false);
    }
}
