//! Classes whose present behaviour is accepted where tests of earlier runs expect another.

use super::{Glob, Kind, Raw, SettingValue};

/// Of which classes the present behaviour is accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Accept {
    /// Of none.
    #[default]
    Nothing,
    /// Of all.
    All,
    /// Of those with such names, with their nested classes.
    Classes(Vec<Glob>),
}

impl Accept {
    /// Whether the behaviour of the class with this binary name is accepted.
    pub fn has(&self, binary: &str) -> bool {
        let mut around = binary.match_indices('$').map(|(at, _)| &binary[..at]).chain([binary]);
        match self {
            Accept::Nothing => false,
            Accept::All => true,
            Accept::Classes(globs) => around.any(|name| globs.iter().any(|glob| glob.matches(name))),
        }
    }
}

impl SettingValue for Accept {
    const EXPECTED: &'static str = "true, false, or patterns for names of classes, such as \"com.foo.*\"";
    /// The flag alone accepts all.
    const KIND: Kind = Kind::Truth;

    fn read(raw: &Raw) -> Option<Accept> {
        match raw {
            Raw::Truth(is_all) => Some(if *is_all { Accept::All } else { Accept::Nothing }),
            Raw::Bare(text) | Raw::Text(text) if text == "true" => Some(Accept::All),
            Raw::Bare(text) | Raw::Text(text) if text == "false" => Some(Accept::Nothing),
            _ => Vec::read(raw).filter(|globs: &Vec<Glob>| !globs.is_empty()).map(Accept::Classes),
        }
    }

    fn show(&self) -> String {
        match self {
            Accept::Nothing => "false".to_string(),
            Accept::All => "true".to_string(),
            Accept::Classes(globs) => globs.show(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_accepted_all_or_by_name() {
        let read = |text: &str| Accept::read(&Raw::Bare(text.to_string())).unwrap();
        assert_eq!((read("true"), read("false")), (Accept::All, Accept::Nothing));
        let some = read("p.A,q.*");
        assert!(some.has("p.A") && some.has("p.A$B") && some.has("q.C") && !some.has("p.AB"));
        assert!(read("true").has("x") && !read("false").has("x"));
        assert_eq!(Accept::read(&Raw::Bare(some.show())), Some(some));
        assert_eq!(Accept::read(&Raw::Bare(String::new())), None);
        assert_eq!(Accept::read(&Raw::Integer(1)), None);
    }
}
