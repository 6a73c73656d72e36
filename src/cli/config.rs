//! Reads `randgen.toml`: settings by their names, and nothing else.
//!
//! Every message names file, line and column, key, and what was expected, so that a slip is found without the manual.

use host::files;
use model::options::{PartialOptions, Raw, SettingError};
use oracle::rules::{self, UnknownRule};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toml::de::{DeTable, DeValue};

/// Name of the file, in the directory of a project or module.
pub const FILE_NAME: &str = "randgen.toml";

/// Why `randgen.toml` cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file exists and cannot be read.
    #[error("cannot read {path}")]
    Unreadable {
        /// The file, as messages show it.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file is not UTF-8, or not TOML.
    #[error("{path}:{line}:{column}: {message}")]
    Malformed {
        /// The file, as messages show it.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        /// The parser's words, on one line.
        message: String,
    },
    /// `disabled-rules` names a rule that does not exist.
    #[error("{path}:{line}:{column}: `disabled-rules`: {error}")]
    UnknownRule {
        /// The file, as messages show it.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        /// The name, and what may have been meant.
        error: UnknownRule,
    },
    /// A key or its value was refused.
    #[error("{path}:{line}:{column}: {error}")]
    Setting {
        /// The file, as messages show it.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        /// The key, and what was expected.
        error: SettingError,
    },
}

/// The settings of `randgen.toml` in `directory`; `None` without such a file.
pub fn load(directory: &Path) -> Result<Option<PartialOptions>, ConfigError> {
    let path = directory.join(FILE_NAME);
    match files::read(&path) {
        Ok(bytes) => parse(&path, &bytes).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ConfigError::Unreadable { path, source }),
    }
}

/// Reads the text of a configuration file; `path` is for messages.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<PartialOptions, ConfigError> {
    let malformed = |offset: usize, message: &str| {
        let (line, column) = position(bytes, offset);
        ConfigError::Malformed { path: path.to_path_buf(), line, column, message: message.to_string() }
    };
    let text = std::str::from_utf8(bytes).map_err(|error| malformed(error.valid_up_to(), "not UTF-8"))?;
    let table = DeTable::parse(text).map_err(|error| {
        let message = error.message().trim_end().replace('\n', ", ");
        let offset = error.span().map_or(0, |span| span.start);
        let line = text.get(..offset).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
        match line.split_once('=') {
            Some((key, _)) => malformed(offset, &format!("`{}`: {message}", key.trim())),
            None => malformed(offset, &message),
        }
    })?;
    // The table is sorted by key, but the message should be about the first error in the file.
    let mut entries: Vec<_> = table.get_ref().iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut partial = PartialOptions::default();
    for (key, value) in entries {
        partial.set(key.get_ref(), &raw(value.get_ref())).map_err(|error| {
            let at = if matches!(error, SettingError::Unknown { .. }) { key.span() } else { value.span() };
            let (line, column) = position(bytes, at.start);
            ConfigError::Setting { path: path.to_path_buf(), line, column, error }
        })?;
        if let Some(Err(error)) = partial.disabled_rules.as_deref().map(rules::find_all) {
            let (line, column) = position(bytes, value.span().start);
            return Err(ConfigError::UnknownRule { path: path.to_path_buf(), line, column, error });
        }
    }
    Ok(partial)
}

fn raw(value: &DeValue<'_>) -> Raw {
    match value {
        DeValue::String(text) => Raw::Text(text.to_string()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Raw::Integer(number),
            Err(_) => Raw::Other("a number that is too large"),
        },
        DeValue::Float(number) => number.as_str().parse().map_or(Raw::Other("a number"), Raw::Number),
        DeValue::Boolean(truth) => Raw::Truth(*truth),
        DeValue::Datetime(_) => Raw::Other("a date"),
        DeValue::Array(members) => Raw::List(members.iter().map(|member| raw(member.get_ref())).collect()),
        DeValue::Table(_) => Raw::Other("a table"),
    }
}

/// Line and column of a byte, both from 1; columns count letters.
fn position(bytes: &[u8], offset: usize) -> (usize, usize) {
    let before = &bytes[..offset.min(bytes.len())];
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    (line, String::from_utf8_lossy(&before[line_start..]).chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::options::Glob;

    fn check_error(text: &[u8], expected: &str) {
        let message = parse(Path::new("randgen.toml"), text).unwrap_err().to_string();
        assert_eq!(message, expected);
    }

    #[test]
    fn settings_are_read_with_their_types() {
        let text = "seed = 7\ntarget-classes = [\"a.*\", \"b\"]\ntime-limit = 0.5\njunit = 4\ndry-run = true\n";
        let partial = parse(Path::new("randgen.toml"), text.as_bytes()).unwrap();
        assert_eq!(partial.seed, Some(7));
        assert_eq!(partial.target_classes, Some(vec![Glob::new("a.*"), Glob::new("b")]));
        assert_eq!(partial.dry_run, Some(true));
        assert_eq!(partial.skip, None);
    }

    #[test]
    fn unknown_keys_are_refused_with_a_suggestion() {
        check_error(
            b"seed = 1\n  time-limt = 3\n",
            "randgen.toml:2:3: unknown setting `time-limt`, did you mean `time-limit`?",
        );
        check_error(b"[generate]\nseed = 1\n", "randgen.toml:1:2: unknown setting `generate`");
    }

    #[test]
    fn value_of_wrong_type_is_refused_with_the_expected_type() {
        check_error(
            b"# settings\nseed = \"one\"\n",
            "randgen.toml:2:8: `seed`: expected a whole number, 0 or more, found \"one\"",
        );
        check_error(b"skip = 1\n", "randgen.toml:1:8: `skip`: expected true or false, found 1");
        check_error(
            b"target-classes = [1]\n",
            "randgen.toml:1:18: `target-classes`: expected a list of patterns for names, such as [\"com.foo.*\"], found a list",
        );
    }

    #[test]
    fn malformed_settings_file_is_refused_with_its_position() {
        check_error(b"seed = \xff1\n", "randgen.toml:1:8: not UTF-8");
        check_error(b"\nseed = \n", "randgen.toml:2:8: `seed`: string values must be quoted, expected literal string");
        let message = parse(Path::new("randgen.toml"), b"seed = 1\nthreads 4\n").unwrap_err().to_string();
        assert!(message.starts_with("randgen.toml:2:"), "{message}");
        let message = parse(Path::new("randgen.toml"), b"seed = 1\nseed = 2\n").unwrap_err().to_string();
        assert!(message.starts_with("randgen.toml:2:") && message.contains("duplicate key"), "{message}");
    }

    #[test]
    fn a_directory_without_the_file_has_no_settings() {
        let directory = tempfile::tempdir().unwrap();
        assert!(load(directory.path()).unwrap().is_none());
    }
}
