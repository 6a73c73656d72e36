//! Words of Java names.

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

/// `pArray` → `array`, `aName` → `name`: the name of a parameter without the letter that says it is one.
pub fn without_prefix(parameter: &str) -> String {
    let is_word = |rest: &&str| {
        let mut letters = rest.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_lowercase)
    };
    parameter.strip_prefix(['a', 'p']).filter(is_word).map_or_else(|| parameter.to_string(), decapitalized)
}

#[cfg(test)]
mod tests {
    use super::without_prefix;

    #[test]
    fn letter_that_says_that_it_is_a_parameter_is_no_part_of_its_name() {
        assert_eq!(["pArray", "aName", "path", "aBC", "a"].map(without_prefix), ["array", "name", "path", "aBC", "a"]);
    }
}
