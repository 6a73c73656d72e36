//! Words of Java names, and words in texts.

use std::sync::Arc;

/// What the names of methods begin with that set a property, or make an object with another one.
pub const SETTERS: [&str; 2] = ["set", "with"];

/// `name` → `Name`
pub fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// `URL` → `url`, `XPath` → `xPath`, `XMLReader` → `xmlReader`.
pub fn decapitalized(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let upper = letters.iter().take_while(|letter| letter.is_uppercase()).count();
    let lowered = if upper == letters.len() { upper } else { upper.saturating_sub(1).max(1) };
    letters
        .iter()
        .enumerate()
        .map(|(index, letter)| if index < lowered { letter.to_lowercase().next().unwrap_or(*letter) } else { *letter })
        .collect()
}

/// `pArray`, `pLimit` → `array`, `limit`: the names of a method's parameters without the letter that says what they are, where all have it and
/// stay different.
pub fn without_prefixes<'n>(parameters: impl IntoIterator<Item = &'n str>) -> Vec<Arc<str>> {
    let names: Vec<&str> = parameters.into_iter().collect();
    let own = |name: &&str| {
        let rest = name.strip_prefix(['a', 'p'])?;
        let mut letters = rest.chars();
        let is_word = letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_lowercase);
        is_word.then(|| Arc::from(decapitalized(rest)))
    };
    let stripped = names.iter().map(own).collect::<Option<Vec<Arc<str>>>>();
    let is_different = |all: &Vec<Arc<str>>| (1..all.len()).all(|at| !all[..at].contains(&all[at]));
    stripped.filter(is_different).unwrap_or_else(|| names.into_iter().map(Arc::from).collect())
}

/// `Trim` of `getTrim` for the prefix `get`: what follows one of the prefixes of a method's name, where that is a word.
pub fn property<'n>(name: &'n str, prefixes: &[&str]) -> Option<&'n str> {
    let rest = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
    rest.filter(|rest| rest.starts_with(char::is_uppercase))
}

/// Where the word stands in the text without a letter or digit beside it: indices of bytes.
pub fn standing_alone<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let places = text.match_indices(word).map(|(at, _)| at);
    places.filter(move |at| {
        !text[..*at].ends_with(char::is_alphanumeric) && !text[at + word.len()..].starts_with(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::{SETTERS, property, standing_alone, without_prefixes};

    #[test]
    fn property_is_the_word_behind_a_prefix() {
        let of = |name| property(name, &SETTERS);
        assert_eq!(
            [of("setTrim"), of("withTrim"), of("settle"), of("getTrim")],
            [Some("Trim"), Some("Trim"), None, None]
        );
    }

    #[test]
    fn word_stands_alone_between_signs() {
        assert_eq!(standing_alone("é10, 10 and 10a", "10").collect::<Vec<usize>>(), [6]);
    }

    #[test]
    fn letter_that_says_that_it_is_a_parameter_is_no_part_of_its_name() {
        let names = |names: &[&str]| without_prefixes(names.iter().copied()).join(" ");
        assert_eq!(names(&["pArray", "aName"]), "array name");
        assert_eq!(names(&["pArray", "name"]), "pArray name");
        assert_eq!(names(&["aName", "pName"]), "aName pName");
        assert_eq!(names(&["path", "aBC", "a"]), "path aBC a");
    }
}
