//! Values of settings: how each kind is read from what a source says, and shown.

use super::{Glob, Kind};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// What a source says, before a setting's kind is known.
#[derive(Clone, Debug, PartialEq)]
pub enum Raw {
    /// Text that may mean anything: a flag, a POM's element. Lists are separated by commas.
    Bare(String),
    /// A quoted string.
    Text(String),
    /// A number without a fraction.
    Integer(i64),
    /// A number with a fraction or an exponent.
    Number(f64),
    /// `true` or `false`, not quoted.
    Truth(bool),
    /// An array, whose elements may be of several kinds.
    List(Vec<Raw>),
    /// Something that no setting takes, by the name of its kind.
    Other(&'static str),
}

impl Raw {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Raw::Bare(text) | Raw::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    fn integer(&self) -> Option<u64> {
        match self {
            Raw::Bare(text) => text.parse().ok(),
            Raw::Integer(value) => u64::try_from(*value).ok(),
            _ => None,
        }
    }
}

/// As the source wrote it, more or less: for messages.
impl fmt::Display for Raw {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Raw::Bare(text) | Raw::Text(text) => write!(formatter, "{text:?}"),
            Raw::Integer(value) => write!(formatter, "{value}"),
            Raw::Number(value) => write!(formatter, "{value}"),
            Raw::Truth(value) => write!(formatter, "{value}"),
            Raw::List(_) => formatter.write_str("a list"),
            Raw::Other(kind) => formatter.write_str(kind),
        }
    }
}

/// A kind of value.
pub trait SettingValue: Sized {
    /// What a message says was expected.
    const EXPECTED: &'static str;

    /// How values are written.
    const KIND: Kind = Kind::Text;

    /// The values that there are, if they can be listed.
    fn all() -> Vec<Self> {
        Vec::new()
    }

    /// How these are written.
    fn choices() -> Vec<String> {
        Self::all().iter().map(Self::show).collect()
    }

    /// The value that a source says, if it is of this kind; of listed values the one that is written so.
    fn read(raw: &Raw) -> Option<Self> {
        let text = raw.text()?;
        Self::all().into_iter().find(|value| value.show() == text)
    }

    /// Text that reads back as the same value, except for an empty one.
    fn show(&self) -> String;
}

impl SettingValue for bool {
    const EXPECTED: &'static str = "true or false";
    const KIND: Kind = Kind::Truth;

    fn all() -> Vec<bool> {
        vec![true, false]
    }

    fn read(raw: &Raw) -> Option<bool> {
        match raw {
            Raw::Truth(value) => Some(*value),
            Raw::Bare(text) => text.parse().ok(),
            _ => None,
        }
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl SettingValue for u64 {
    const EXPECTED: &'static str = "a whole number, 0 or more";

    fn read(raw: &Raw) -> Option<u64> {
        raw.integer()
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// A whole per cent of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(pub u8);

impl SettingValue for Percent {
    const EXPECTED: &'static str = "a whole number from 0 to 100";

    fn read(raw: &Raw) -> Option<Percent> {
        raw.integer().and_then(|value| u8::try_from(value).ok()).filter(|value| *value <= 100).map(Percent)
    }

    fn show(&self) -> String {
        self.0.to_string()
    }
}

impl SettingValue for usize {
    const EXPECTED: &'static str = "a whole number from 1 to 1024";

    fn read(raw: &Raw) -> Option<usize> {
        raw.integer().and_then(|value| usize::try_from(value).ok()).filter(|value| (1..=1024).contains(value))
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl SettingValue for Duration {
    const EXPECTED: &'static str = "a positive number of seconds";

    fn read(raw: &Raw) -> Option<Duration> {
        let seconds = match raw {
            Raw::Bare(text) => text.parse().ok()?,
            Raw::Integer(value) => *value as f64,
            Raw::Number(value) => *value,
            _ => return None,
        };
        // A thousand years: more is a slip, and too near to what arithmetic with deadlines can hold.
        (seconds > 0.0 && seconds < 3.2e10).then(|| Duration::from_secs_f64(seconds))
    }

    fn show(&self) -> String {
        self.as_secs_f64().to_string()
    }
}

impl SettingValue for PathBuf {
    const EXPECTED: &'static str = "a path";
    const KIND: Kind = Kind::Path;

    fn read(raw: &Raw) -> Option<PathBuf> {
        raw.text().map(PathBuf::from)
    }

    fn show(&self) -> String {
        self.display().to_string()
    }
}

impl SettingValue for String {
    const EXPECTED: &'static str = "a text";

    fn read(raw: &Raw) -> Option<String> {
        raw.text().map(str::to_string)
    }

    fn show(&self) -> String {
        self.clone()
    }
}

impl SettingValue for Glob {
    const EXPECTED: &'static str = "a pattern for names, such as \"com.foo.*\"";

    fn read(raw: &Raw) -> Option<Glob> {
        raw.text().map(Glob::new)
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl<T: SettingValue> SettingValue for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    const KIND: Kind = T::KIND;

    fn choices() -> Vec<String> {
        T::choices()
    }

    fn read(raw: &Raw) -> Option<Option<T>> {
        T::read(raw).map(Some)
    }

    fn show(&self) -> String {
        self.as_ref().map_or("unset".to_string(), T::show)
    }
}

/// The members of a list can be given in one text, separated by commas.
impl<T: ListMember> SettingValue for Vec<T> {
    const EXPECTED: &'static str = T::EXPECTED_LIST;
    const KIND: Kind = if T::SEPARATOR == ' ' { Kind::Arguments } else { Kind::List };

    fn choices() -> Vec<String> {
        T::choices()
    }

    fn read(raw: &Raw) -> Option<Vec<T>> {
        let members: Vec<Raw> = match raw {
            Raw::List(members) => members.clone(),
            Raw::Bare(text) | Raw::Text(text) => {
                let members = text.split(T::SEPARATOR).map(str::trim).filter(|member| !member.is_empty());
                members.map(|member| Raw::Bare(member.to_string())).collect()
            }
            _ => return None,
        };
        members.iter().map(T::read).collect()
    }

    fn show(&self) -> String {
        let members: Vec<String> = self.iter().map(T::show).collect();
        members.join(&T::SEPARATOR.to_string())
    }
}

/// A kind of value that comes in lists.
pub trait ListMember: SettingValue {
    const EXPECTED_LIST: &'static str;
    const SEPARATOR: char = ',';
}

impl ListMember for Glob {
    const EXPECTED_LIST: &'static str = "a list of patterns for names, such as [\"com.foo.*\"]";
}

/// Arguments of a JVM hold commas, so spaces are between them.
impl ListMember for String {
    const EXPECTED_LIST: &'static str = "a list of texts";
    const SEPARATOR: char = ' ';
}

/// The id of a finding rule; the oracle knows which exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleId(String);

impl RuleId {
    /// In kebab case, if it is one of a rule.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl SettingValue for RuleId {
    const EXPECTED: &'static str = "the id of a finding rule, such as \"null-argument\"";

    fn read(raw: &Raw) -> Option<RuleId> {
        raw.text().map(|text| RuleId(text.to_string()))
    }

    fn show(&self) -> String {
        self.0.clone()
    }
}

impl ListMember for RuleId {
    const EXPECTED_LIST: &'static str = "a list of ids of finding rules, such as [\"null-argument\"]";
}

impl ListMember for OutputFormat {
    const EXPECTED_LIST: &'static str = "a list of \"junit-xml\", \"json\", \"markdown\", \"sarif\", \"html\"";
}

/// How states are told apart (Rostra, docs/bibliography.md); from the first to the last more of them count as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StateRepresentation {
    /// The calls that made an object.
    WholeSeq,
    /// Those of them that changed it.
    ModifyingSeq,
    /// All that can be reached from it.
    WholeState,
    /// What `equals` reads of that.
    MonitorEquals,
    /// What `equals` says.
    PairwiseEquals,
}

impl StateRepresentation {
    /// From the finest representation to the coarsest (Rostra, docs/bibliography.md).
    pub const ALL: [StateRepresentation; 5] = [
        StateRepresentation::WholeSeq,
        StateRepresentation::ModifyingSeq,
        StateRepresentation::WholeState,
        StateRepresentation::MonitorEquals,
        StateRepresentation::PairwiseEquals,
    ];
}

impl SettingValue for StateRepresentation {
    const EXPECTED: &'static str = "whole-seq, modifying-seq, whole-state, monitor-equals or pairwise-equals";

    fn all() -> Vec<StateRepresentation> {
        StateRepresentation::ALL.to_vec()
    }

    fn show(&self) -> String {
        match self {
            StateRepresentation::WholeSeq => "whole-seq",
            StateRepresentation::ModifyingSeq => "modifying-seq",
            StateRepresentation::WholeState => "whole-state",
            StateRepresentation::MonitorEquals => "monitor-equals",
            StateRepresentation::PairwiseEquals => "pairwise-equals",
        }
        .to_string()
    }
}

/// How sure it is that a finding is a fault; the surest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Values contradict a law that holds for every class.
    Certain,
    /// An exception indicates a fault.
    #[default]
    Likely,
    /// An exception indicates a fault, but a finding rule gives a reason to doubt it, such as an object that may not exist
    /// in practice, a null that an earlier call left in a field, or code that is not public (docs/contracts.md).
    Possible,
}

impl Confidence {
    /// In the order of the enum: the surest first.
    pub const ALL: [Confidence; 3] = [Confidence::Certain, Confidence::Likely, Confidence::Possible];
}

impl fmt::Display for Confidence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Confidence::Certain => "certain",
            Confidence::Likely => "likely",
            Confidence::Possible => "possible",
        })
    }
}

impl SettingValue for Confidence {
    const EXPECTED: &'static str = "certain, likely or possible";

    fn all() -> Vec<Confidence> {
        Confidence::ALL.to_vec()
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// Isolation level of the code under test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sandbox {
    /// It reads the JDK and the class path, writes its own scratch directory, and reaches nothing else of the machine.
    #[default]
    Strict,
    /// It may read all files, and where the kernel cannot guard files no rule but those for system calls holds.
    Reduced,
    /// Nothing: it has all rights of the user who started the run.
    Off,
}

impl Sandbox {
    /// From the strongest isolation to none.
    pub const ALL: [Sandbox; 3] = [Sandbox::Strict, Sandbox::Reduced, Sandbox::Off];
}

impl SettingValue for Sandbox {
    const EXPECTED: &'static str = "strict, reduced or off";

    fn all() -> Vec<Sandbox> {
        Sandbox::ALL.to_vec()
    }

    fn show(&self) -> String {
        match self {
            Sandbox::Strict => "strict",
            Sandbox::Reduced => "reduced",
            Sandbox::Off => "off",
        }
        .to_string()
    }
}

/// Version of JUnit to write for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Junit {
    /// What the test class path has; 5 if it has both.
    Auto,
    /// JUnit 4: `org.junit.Test` and `org.junit.Assert`.
    Four,
    /// JUnit 5: `org.junit.jupiter.api`.
    Five,
}

impl SettingValue for Junit {
    const EXPECTED: &'static str = "auto, 4 or 5";

    fn all() -> Vec<Junit> {
        vec![Junit::Auto, Junit::Four, Junit::Five]
    }

    fn read(raw: &Raw) -> Option<Junit> {
        match raw {
            Raw::Bare(text) | Raw::Text(text) => match text.as_str() {
                "auto" => Some(Junit::Auto),
                "4" => Some(Junit::Four),
                "5" => Some(Junit::Five),
                _ => None,
            },
            Raw::Integer(4) => Some(Junit::Four),
            Raw::Integer(5) => Some(Junit::Five),
            _ => None,
        }
    }

    fn show(&self) -> String {
        match self {
            Junit::Auto => "auto",
            Junit::Four => "4",
            Junit::Five => "5",
        }
        .to_string()
    }
}

/// A kind of report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OutputFormat {
    /// One JUnit XML file per class.
    JunitXml,
    /// The whole run as data, with a published schema.
    Json,
    /// A summary to read in a terminal or a pull request.
    Markdown,
    /// Findings for code hosts and editors (SARIF 2.1.0).
    Sarif,
    /// One page that needs no other file.
    Html,
}

impl OutputFormat {
    /// In the order in which help and documents list them.
    pub const ALL: [OutputFormat; 5] =
        [OutputFormat::JunitXml, OutputFormat::Json, OutputFormat::Markdown, OutputFormat::Sarif, OutputFormat::Html];
}

impl SettingValue for OutputFormat {
    const EXPECTED: &'static str = "junit-xml, json, markdown, sarif or html";

    fn all() -> Vec<OutputFormat> {
        OutputFormat::ALL.to_vec()
    }

    fn show(&self) -> String {
        match self {
            OutputFormat::JunitXml => "junit-xml",
            OutputFormat::Json => "json",
            OutputFormat::Markdown => "markdown",
            OutputFormat::Sarif => "sarif",
            OutputFormat::Html => "html",
        }
        .to_string()
    }
}

/// Reads a flag's text as the kind of value that its setting has.
pub fn from_text<T: SettingValue>(text: &str) -> Result<T, String> {
    T::read(&Raw::Bare(text.to_string())).ok_or_else(|| format!("expected {}", T::EXPECTED))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare(text: &str) -> Raw {
        Raw::Bare(text.to_string())
    }

    #[test]
    fn untyped_text_is_parsed_as_the_expected_type() {
        assert_eq!(u64::read(&bare("7")), Some(7));
        assert_eq!(bool::read(&bare("true")), Some(true));
        assert_eq!(Duration::read(&bare("0.5")), Some(Duration::from_millis(500)));
        assert_eq!(Vec::<Glob>::read(&bare(" a.*, b ,")), Some(vec![Glob::new("a.*"), Glob::new("b")]));
        assert_eq!(Vec::<String>::read(&bare("-Da=b,c  -ea")), Some(vec!["-Da=b,c".to_string(), "-ea".to_string()]));
    }

    #[test]
    fn typed_values_are_not_converted() {
        assert_eq!(u64::read(&Raw::Text("7".into())), None);
        assert_eq!(bool::read(&Raw::Text("true".into())), None);
        assert_eq!(Duration::read(&Raw::Text("1".into())), None);
        assert_eq!(PathBuf::read(&Raw::Integer(1)), None);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        assert_eq!(u64::read(&bare("-1")), None);
        assert_eq!(usize::read(&bare("0")), None);
        assert_eq!(Duration::read(&bare("0")), None);
        assert_eq!(Duration::read(&bare("NaN")), None);
        assert_eq!(Duration::read(&bare("inf")), None);
        assert_eq!(Junit::read(&bare("3")), None);
        assert_eq!(OutputFormat::read(&bare("pdf")), None);
    }
}
