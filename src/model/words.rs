//! Words of Java names.

use std::sync::Arc;

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

#[cfg(test)]
mod tests {
    use super::without_prefixes;

    #[test]
    fn letter_that_says_that_it_is_a_parameter_is_no_part_of_its_name() {
        let names = |names: &[&str]| without_prefixes(names.iter().copied()).join(" ");
        assert_eq!(names(&["pArray", "aName"]), "array name");
        assert_eq!(names(&["pArray", "name"]), "pArray name");
        assert_eq!(names(&["aName", "pName"]), "aName pName");
        assert_eq!(names(&["path", "aBC", "a"]), "path aBC a");
    }
}
