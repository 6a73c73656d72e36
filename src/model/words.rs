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
