//! What is known of a setting apart from its value: its names, its documentation, and how a source's text becomes its value.

use super::{PartialOptions, Raw};

/// Everything that flags, `randgen.toml`, the README and the plugins say of a setting.
#[derive(Clone, Copy, Debug)]
pub struct SettingInfo {
    /// The name of its flag and in `randgen.toml`.
    pub key: &'static str,
    /// The name of its parameter in Maven and Gradle.
    pub build_name: &'static str,
    /// Old keys, which work for one more version: as hidden flags, and with a warning in `randgen.toml` and build files.
    pub old_keys: &'static [&'static str],
    /// What it does, as an imperative sentence without a full stop; code is between backticks.
    pub help: &'static str,
    /// The part of the help that lists its flag.
    pub heading: Heading,
    /// How its value is written.
    pub kind: Kind,
    /// What a message says was expected instead of a wrong value.
    pub expected: &'static str,
    /// What stands for its value in the help.
    pub value_name: &'static str,
    /// What holds while it is not set, if its default value does not say it; see [`SettingInfo::default`].
    pub unset: Option<&'static str>,
    /// A short flag.
    pub short: Option<char>,
    /// Another flag, which the help shows.
    pub alias: Option<&'static str>,
    /// Its sentence for the commands that run existing tests, if they have it as a flag.
    pub help_for_suites: Option<&'static str>,
    /// Only plugins use it: the help does not show the flag.
    pub is_for_plugins: bool,
    /// What a run finds depends on it: a run with another value does not reuse the last run's results.
    pub changes_results: bool,
    /// Title and path of the document with the details.
    pub page: Option<(&'static str, &'static str)>,
    /// The values that it accepts, if they can be listed.
    pub choices: fn() -> Vec<String>,
    /// Its default value as text.
    pub(super) shown_default: fn() -> String,
    pub(super) assign: fn(&mut PartialOptions, &Raw) -> Option<()>,
    pub(super) is_set: fn(&PartialOptions) -> bool,
}

/// A part of the help. The help shows them in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heading {
    /// Which classes and members are tested.
    Classes,
    /// Seed, limits, and what guides the search.
    Search,
    /// How workers run code under test.
    Jvm,
    /// The tests and reports that are written, and where.
    Output,
    /// What makes a run fail.
    Gate,
    /// What concerns the run as a whole, such as threads.
    Run,
}

impl Heading {
    /// As the help writes it.
    pub fn title(self) -> &'static str {
        match self {
            Heading::Classes => "Classes under test (keys of randgen.toml)",
            Heading::Search => "Search (keys of randgen.toml)",
            Heading::Jvm => "JVM under test (keys of randgen.toml)",
            Heading::Output => "Tests and reports (keys of randgen.toml)",
            Heading::Gate => "Gate (keys of randgen.toml)",
            Heading::Run => "Run (keys of randgen.toml)",
        }
    }
}

/// How the value of a setting is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`; as a flag, its name alone means `true`.
    Truth,
    /// One text or number.
    Text,
    /// The path of a file or directory.
    Path,
    /// Members separated by commas.
    List,
    /// Members separated by spaces, which may begin with a hyphen.
    Arguments,
}

impl SettingInfo {
    /// What a setting is unless its entry in the table says otherwise.
    pub(super) const BARE: SettingInfo = SettingInfo {
        key: "",
        build_name: "",
        old_keys: &[],
        help: "",
        heading: Heading::Run,
        kind: Kind::Text,
        expected: "",
        value_name: "BOOL",
        unset: None,
        short: None,
        alias: None,
        help_for_suites: None,
        is_for_plugins: false,
        changes_results: true,
        page: None,
        choices: Vec::new,
        shown_default: String::new,
        assign: |_, _| None,
        is_set: |_| false,
    };

    /// What holds while it is not set: its default value between backticks, or words for it.
    pub fn default(&self) -> String {
        self.unset.map_or_else(|| format!("`{}`", (self.shown_default)()), str::to_string)
    }

    /// Whether a flag's text is a value of the setting; otherwise, what was expected.
    pub fn check(&self, text: &str) -> Result<(), String> {
        let raw = Raw::Bare(text.to_string());
        (self.assign)(&mut PartialOptions::default(), &raw).ok_or_else(|| format!("expected {}", self.expected))
    }

    /// The names that Maven and Gradle accept for it, earlier ones last.
    pub fn build_names(&self) -> impl Iterator<Item = String> {
        std::iter::once(self.build_name.to_string()).chain(self.old_keys.iter().map(|key| camel_case(key)))
    }

    /// The earlier key that `name` spells, with hyphens or in camel case.
    pub(super) fn old_key(&self, name: &str) -> Option<&'static str> {
        self.old_keys.iter().copied().find(|key| *key == name || camel_case(key) == name)
    }
}

/// The spelling of build files: `timeLimit` for `time-limit`.
pub(super) fn camel_case(key: &str) -> String {
    let mut camel = String::new();
    for (index, word) in key.split('-').enumerate() {
        let (first, rest) = word.split_at(word.len().min(1));
        camel += &if index == 0 { first.to_string() } else { first.to_uppercase() };
        camel += rest;
    }
    camel
}
