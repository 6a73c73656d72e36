//! Which lines of a source the tests run, in documents as ranges: `"3-7,9"`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// The lines of a class that have code, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LineCoverage {
    /// Lines that the tests run in full.
    #[serde(with = "ranges")]
    #[cfg_attr(test, schemars(schema_with = "crate::schemas::ranges"))]
    pub covered: Vec<u16>,
    /// Not all of the line, or one way of a condition alone.
    #[serde(with = "ranges")]
    #[cfg_attr(test, schemars(schema_with = "crate::schemas::ranges"))]
    pub partly: Vec<u16>,
    /// Lines that no test runs.
    #[serde(with = "ranges")]
    #[cfg_attr(test, schemars(schema_with = "crate::schemas::ranges"))]
    pub missed: Vec<u16>,
}

/// How much of a line the tests run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// In full.
    Covered,
    /// In part.
    Partly,
    /// Not at all.
    Missed,
}

/// The lines of a file with several classes, which may share some.
pub fn of_file<'a>(classes: impl IntoIterator<Item = &'a LineCoverage>) -> BTreeMap<u16, Line> {
    let mut lines: BTreeMap<u16, Line> = BTreeMap::new();
    for class in classes {
        for (numbers, state) in
            [(&class.covered, Line::Covered), (&class.partly, Line::Partly), (&class.missed, Line::Missed)]
        {
            for &number in numbers {
                lines
                    .entry(number)
                    .and_modify(|other| *other = if *other == state { state } else { Line::Partly })
                    .or_insert(state);
            }
        }
    }
    lines
}

mod ranges {
    use super::*;

    pub fn serialize<S: Serializer>(numbers: &[u16], serializer: S) -> Result<S::Ok, S::Error> {
        let ranges: Vec<String> = numbers
            .chunk_by(|one, next| one + 1 == *next)
            .map(|range| match range {
                [only] => only.to_string(),
                _ => format!("{}-{}", range[0], range[range.len() - 1]),
            })
            .collect();
        serializer.serialize_str(&ranges.join(","))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u16>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut numbers = Vec::new();
        for range in text.split(',').filter(|range| !range.is_empty()) {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let number = |text: &str| text.parse::<u16>().map_err(serde::de::Error::custom);
            numbers.extend(number(first)?..=number(last)?);
        }
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_as_ranges_and_read_back() {
        let lines = LineCoverage { covered: vec![3, 4, 5, 7, 9, 10], partly: Vec::new(), missed: vec![65_535] };
        let text = serde_json::to_string(&lines).unwrap();
        assert_eq!(text, r#"{"covered":"3-5,7,9-10","partly":"","missed":"65535"}"#);
        assert_eq!(serde_json::from_str::<LineCoverage>(&text).unwrap(), lines);
        assert!(serde_json::from_str::<LineCoverage>(&text.replace("7", "x")).is_err());
    }

    #[test]
    fn line_shared_by_two_classes_is_covered_if_both_cover_it() {
        let one = LineCoverage { covered: vec![1, 2], partly: vec![3], missed: vec![4] };
        let two = LineCoverage { covered: vec![1], partly: Vec::new(), missed: vec![2, 4] };
        let expected = [(1, Line::Covered), (2, Line::Partly), (3, Line::Partly), (4, Line::Missed)];
        assert_eq!(of_file([&one, &two]), expected.into());
    }
}
