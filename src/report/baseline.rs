//! The baseline: the failures that are known, in a file that people review and commit.
//!
//! A finding is recognised by its id, or else by its contract and cause: another seed may show the same fault by other
//! calls. Each entry matches one finding, so a second fault with the same cause is new. A finding that several classes show
//! also matches entries that name one of them as the cause, as baselines have them that were written when each class was a
//! finding of its own. Each entry has its own hash, so
//! that branches that add entries can be merged; the last line shows that the file is complete. Users may add comments and
//! delete entries; any other difference from what [`Baseline::render`] writes is refused, so that no gate passes by
//! accident.

use super::{Excuses, Finding, RunReport};
use model::digest;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;
use toml::value::Datetime;

/// Raised when an entry changes its meaning.
const VERSION: i64 = 1;

/// The last line.
const END: &str = "[end]";

const HEADER: &str = "\
# Failures that randgen found and `check` lets pass. `check --update-baseline` writes this file.
# Entries can be deleted, and comments added; an entry that is changed is refused.
";

/// Why a baseline is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BaselineError {
    /// It is not TOML, or has other keys.
    #[error("it is no baseline: {0}")]
    Malformed(String),
    /// A later or earlier randgen wrote it.
    #[error("it has format {found}, but this randgen reads {VERSION}; use the randgen that wrote it")]
    OtherVersion {
        /// The version in the file.
        found: i64,
    },
    /// A merge or an editor lost its end, and findings with it.
    #[error("it is cut short: its last line is not {END}")]
    Truncated,
    /// Its hash does not fit its content.
    #[error("the entry {id} was modified")]
    Changed {
        /// Of the entry.
        id: String,
    },
    /// A merge took the entry from both sides.
    #[error("the entry {id} occurs twice")]
    Twice {
        /// Of the entry.
        id: String,
    },
    /// The day on which the finding was new is missing.
    #[error("the entry {id} has no date in `first-seen`")]
    NoDate {
        /// Of the entry.
        id: String,
    },
}

/// A failure as the gate sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Failure {
    /// Binary name of the class that it is reported for.
    pub class: String,
    /// Name of the contract.
    pub contract: String,
    /// As [`Finding::id`].
    pub id: String,
    /// As [`Finding::message`].
    pub description: String,
    /// As [`Finding::cause`].
    pub cause: String,
    /// The smallest test, as text.
    pub test: String,
}

impl Failure {
    fn of(class: &str, finding: &Finding) -> Failure {
        Failure {
            class: class.to_string(),
            contract: finding.contract.clone(),
            id: finding.id.clone(),
            description: finding.message.clone(),
            cause: finding.cause.clone(),
            test: finding.source.clone(),
        }
    }
}

/// A failure of the baseline.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Known {
    /// Modules may share a baseline.
    #[serde(skip)]
    pub module: String,
    /// What was known of it then.
    #[serde(flatten)]
    pub failure: Failure,
    /// Such as `2026-11-22`.
    pub first_seen: String,
}

/// The known failures, sorted by module, class, contract and id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline(Vec<Known>);

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: i64,
    #[serde(default, rename = "finding", skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Entry>,
    end: End,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct End {}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Entry {
    id: String,
    module: String,
    class: String,
    contract: String,
    description: String,
    cause: String,
    first_seen: Datetime,
    test: String,
    hash: String,
}

impl Baseline {
    /// Reads what [`Baseline::render`] wrote.
    pub fn parse(text: &str) -> Result<Baseline, BaselineError> {
        // What git does to line ends changes nothing.
        let text = text.replace("\r\n", "\n");
        let malformed = |error: toml::de::Error| BaselineError::Malformed(error.message().trim().replace('\n', ", "));
        let table: toml::Table = toml::from_str(&text).map_err(malformed)?;
        match table.get("version") {
            Some(toml::Value::Integer(VERSION)) => {}
            Some(toml::Value::Integer(found)) => return Err(BaselineError::OtherVersion { found: *found }),
            _ => return Err(BaselineError::Malformed("it has no version".to_string())),
        }
        if text.lines().rfind(|line| !line.trim().is_empty()) != Some(END) {
            return Err(BaselineError::Truncated);
        }
        let file: File = toml::from_str(&text).map_err(malformed)?;
        let mut ids = BTreeSet::new();
        let mut known = Vec::new();
        for entry in file.findings {
            let (id, hash) = (entry.id.clone(), entry.hash.clone());
            if entry.first_seen.date.is_none() || entry.first_seen.time.is_some() {
                return Err(BaselineError::NoDate { id });
            }
            let entry = Known::from(entry);
            if entry.hash() != hash {
                return Err(BaselineError::Changed { id });
            }
            if !ids.insert((entry.module.clone(), id.clone())) {
                return Err(BaselineError::Twice { id });
            }
            known.push(entry);
        }
        known.sort();
        Ok(Baseline(known))
    }

    /// The file's text.
    pub fn render(&self) -> String {
        let findings = self.0.iter().map(Entry::from).collect();
        let text = toml::to_string_pretty(&File { version: VERSION, findings, end: End {} });
        HEADER.to_string() + &text.expect("texts, a number and dates are TOML")
    }

    /// Splits the findings of a run into new and known, and the entries of its module into known, gone and not tested.
    pub fn compare(&self, report: &RunReport) -> Comparison {
        let mut left: Vec<&Known> = self.0.iter().filter(|known| known.module == report.module).collect();
        let mut found: Vec<(Failure, &Finding)> = Vec::new();
        for class in &report.classes {
            found.extend(class.findings.iter().map(|finding| (Failure::of(&class.name, finding), finding)));
        }
        let mut comparison = Comparison::default();
        let has_same_id = |known: &Known, finding: &Finding| known.failure.id == finding.id;
        let has_same_cause = |known: &Known, finding: &Finding| {
            known.failure.contract == finding.contract && known.failure.cause == finding.cause
        };
        for fits in [&has_same_id as &dyn Fn(&Known, &Finding) -> bool, &has_same_cause] {
            found.retain(|(failure, finding)| match left.iter().position(|known| fits(known, finding)) {
                Some(at) => {
                    comparison.known.push((left.remove(at).clone(), failure.clone()));
                    false
                }
                None => true,
            });
        }
        // Entries of single classes that show what is one finding now.
        found.retain(|(failure, finding)| {
            let is_of_one_class = |known: &&Known| {
                known.failure.contract == finding.contract && finding.shown_by.contains(&known.failure.cause)
            };
            let (of_finding, others): (Vec<&Known>, Vec<&Known>) =
                left.iter().partition(|known| is_of_one_class(known));
            left = others;
            comparison.known.extend(of_finding.iter().map(|known| ((*known).clone(), failure.clone())));
            of_finding.is_empty()
        });
        for (failure, finding) in found {
            let list = if finding.test.is_empty() { &mut comparison.not_shown } else { &mut comparison.new };
            list.push(failure);
        }
        let (not_looked_at, gone): (Vec<_>, Vec<_>) = left.into_iter().partition(|known| {
            if report.shard.is_some_and(|shard| !shard.has(&known.failure.class)) {
                return true;
            }
            let class = report.classes.iter().find(|class| class.name == known.failure.class);
            class.is_some_and(|class| class.unusable.is_some())
        });
        comparison.gone = gone.into_iter().cloned().collect();
        comparison.not_looked_at = not_looked_at.into_iter().cloned().collect();
        comparison
    }

    /// The baseline after the run. A known entry keeps its date, and its text if its id is unchanged; entries that are one
    /// finding now become one, with the earliest date. Entries of other modules, and of classes that the run did not test,
    /// stay as they are.
    pub fn updated(&self, module: &str, comparison: &Comparison, today: &str) -> Baseline {
        let known = comparison.known.iter().map(|(known, failure)| match known.failure.id == failure.id {
            true => known.clone(),
            false => Known { failure: failure.clone(), ..known.clone() },
        });
        let mut by_id: BTreeMap<String, Known> = BTreeMap::new();
        for known in known {
            let earliest = by_id.entry(known.failure.id.clone()).or_insert_with(|| known.clone());
            if known.first_seen < earliest.first_seen {
                *earliest = known;
            }
        }
        let new = comparison.new.iter().map(|failure| Known {
            module: module.to_string(),
            failure: failure.clone(),
            first_seen: today.to_string(),
        });
        let others = self.0.iter().filter(|known| known.module != module).cloned();
        let mut all: Vec<Known> =
            others.chain(comparison.not_looked_at.iter().cloned()).chain(by_id.into_values()).chain(new).collect();
        all.sort();
        Baseline(all)
    }

    /// How many failures are known.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A run beside a baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Failures that the baseline does not have.
    pub new: Vec<Failure>,
    /// Each as the baseline has it and as the run showed it.
    pub known: Vec<(Known, Failure)>,
    /// Not found again.
    pub gone: Vec<Known>,
    /// Of classes that the run left out.
    pub not_looked_at: Vec<Known>,
    /// New, but without a test that was seen to fail: nothing to fail a build for.
    pub not_shown: Vec<Failure>,
    /// Not in the baseline, and an earlier version that passed shows them as well: no edit caused them. Whoever can run that
    /// version moves them here.
    pub found: Vec<Failure>,
}

impl Comparison {
    /// Why findings of the run fail no build.
    pub fn excuses(&self) -> Excuses {
        let known = self.known.iter();
        let known = known.map(|(known, failure)| (failure.id.clone(), format!("known since {}", known.first_seen)));
        let not_shown = self.not_shown.iter();
        let not_shown = not_shown.map(|failure| (failure.id.clone(), "no test shows it each time".to_string()));
        let found = self.found.iter();
        let found = found.map(|failure| (failure.id.clone(), "the version before shows it as well".to_string()));
        known.chain(not_shown).chain(found).collect()
    }
}

impl Known {
    /// Shows a change of any part.
    fn hash(&self) -> String {
        let Known { module, failure, first_seen } = self;
        let Failure { class, contract, id, description, cause, test } = failure;
        let mut hash = Sha256::new();
        for part in [id, module, class, contract, description, cause, first_seen, test] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        digest::hex(hash)[..16].to_string()
    }
}

impl From<Entry> for Known {
    fn from(entry: Entry) -> Known {
        let Entry { id, module, class, contract, description, cause, first_seen, test, hash: _ } = entry;
        let failure = Failure { class, contract, id, description, cause, test };
        Known { module, failure, first_seen: first_seen.to_string() }
    }
}

impl From<&Known> for Entry {
    fn from(known: &Known) -> Entry {
        let hash = known.hash();
        let Known { module, failure, first_seen } = known.clone();
        let Failure { class, contract, id, description, cause, test } = failure;
        let first_seen = first_seen.parse().expect("a date is TOML");
        Entry { id, module, class, contract, description, cause, first_seen, test, hash }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use model::options::Shard;

    const DAY: &str = "2026-11-22";

    fn baseline() -> Baseline {
        let report = example::run();
        let none = Baseline::default();
        none.updated(&report.module, &none.compare(&report), DAY)
    }

    fn finding(report: &mut RunReport) -> &mut Finding {
        &mut report.classes[1].findings[0]
    }

    #[test]
    fn baseline_round_trips_as_readable_text() {
        let text = baseline().render();
        let expected = r#"# Failures that randgen found and `check` lets pass. `check --update-baseline` writes this file.
# Entries can be deleted, and comments added; an entry that is changed is refused.
version = 1

[[finding]]
id = "0123456789ab"
module = "ring-buffer"
class = "buffer.RingBuffer"
contract = "no-null-pointer"
description = "NullPointerException <without> a null argument"
cause = "java.lang.NullPointerException in buffer.RingBuffer.enqueue"
first-seen = 2026-11-22
test = """
RingBuffer ringBuffer = new RingBuffer(3);
ringBuffer.enqueue(-1.0);
"""
"#;
        let (entry, rest) = text.split_at(text.find("hash = ").unwrap());
        assert_eq!(entry, expected);
        assert!(rest.ends_with("\"\n\n[end]\n"), "{rest}");
        assert_eq!(Baseline::parse(&text), Ok(baseline()));
        assert_eq!(Baseline::parse(&text.replace('\n', "\r\n")), Ok(baseline()));
        assert_eq!(Baseline::parse(&Baseline::default().render()), Ok(Baseline::default()));
    }

    #[test]
    fn baseline_round_trips_quotes_and_control_characters() {
        let mut report = example::run();
        finding(&mut report).source = "a(\"\"\" ''' \\u0000 \u{1b}\t\", '\"');\r\n".to_string();
        finding(&mut report).message = "it's \"so\"\u{0}".to_string();
        let none = Baseline::default();
        let baseline = none.updated("ring-buffer", &none.compare(&report), DAY);
        assert_eq!(Baseline::parse(&baseline.render()), Ok(baseline));
    }

    #[test]
    fn truncated_or_modified_baseline_is_refused() {
        let text = baseline().render();
        for length in 0..text.trim_end().len() {
            assert!(Baseline::parse(&text[..length]).is_err(), "{}", &text[..length]);
        }
        for at in text.find("version").unwrap()..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
            let changed = String::from_utf8(bytes).unwrap();
            assert!(Baseline::parse(&changed).is_err(), "{changed}");
        }
    }

    #[test]
    fn unknown_format_and_duplicate_entries_are_refused() {
        let text = baseline().render();
        let parse = |text: String| Baseline::parse(&text).unwrap_err();
        assert_eq!(parse(text.replace("version = 1", "version = 2")), BaselineError::OtherVersion { found: 2 });
        assert_eq!(parse(text.replace("version = 1", "version = 0")), BaselineError::OtherVersion { found: 0 });
        let entry = &text[text.find("[[").unwrap()..text.find(END).unwrap()];
        let id = "0123456789ab".to_string();
        assert_eq!(parse(text.replace(END, &format!("{entry}{END}"))), BaselineError::Twice { id: id.clone() });
        assert_eq!(parse(text.replace(" = 2026-11-22", " = 12:00:00")), BaselineError::NoDate { id });
        assert_eq!(parse(format!("{text}# more\n")), BaselineError::Truncated);
    }

    #[test]
    fn finding_matches_the_baseline_by_id_or_once_by_cause() {
        let mut report = example::run();
        let comparison = baseline().compare(&report);
        assert_eq!((comparison.new.len(), comparison.known.len(), comparison.gone.len()), (0, 1, 0));

        finding(&mut report).id = "another".to_string();
        let comparison = baseline().compare(&report);
        assert_eq!((comparison.new.len(), comparison.known.len(), comparison.gone.len()), (0, 1, 0));

        let second = Finding { id: "second".to_string(), ..finding(&mut report).clone() };
        report.classes[1].findings.push(second);
        let comparison = baseline().compare(&report);
        assert_eq!(comparison.new.iter().map(|failure| failure.id.as_str()).collect::<Vec<_>>(), ["second"]);

        finding(&mut report).cause.push_str("All");
        report.classes[1].findings.pop();
        let comparison = baseline().compare(&report);
        assert_eq!((comparison.new.len(), comparison.known.len(), comparison.gone.len()), (1, 0, 1));
    }

    #[test]
    fn entries_of_single_classes_match_the_one_finding_that_they_all_show() {
        let mut report = example::run();
        let of = |class: &str, date: &str| {
            let mut report = report.clone();
            let finding = finding(&mut report);
            (finding.id, finding.cause) = (format!("of-{class}"), class.to_string());
            let none = Baseline::default();
            none.updated("ring-buffer", &none.compare(&report), date).0
        };
        let mut entries = [of("p.A", "2026-11-22"), of("p.B", "2026-11-20"), of("p.C", "2026-11-21")].concat();
        entries.sort();
        let old = Baseline(entries);
        let one = finding(&mut report);
        (one.cause, one.shown_by) = ("p.Base".to_string(), ["p.A", "p.B"].map(str::to_string).into());
        let comparison = old.compare(&report);
        assert_eq!((comparison.new.len(), comparison.known.len(), comparison.gone.len()), (0, 2, 1));
        let updated = old.updated("ring-buffer", &comparison, DAY);
        let left: Vec<(&str, &str)> =
            updated.0.iter().map(|known| (known.failure.cause.as_str(), known.first_seen.as_str())).collect();
        assert_eq!(left, [("p.Base", "2026-11-20")]);
    }

    #[test]
    fn finding_without_a_test_is_neither_new_nor_gone() {
        let mut report = example::run();
        finding(&mut report).test.clear();
        let comparison = baseline().compare(&report);
        assert_eq!((comparison.known.len(), comparison.not_shown.len()), (1, 0));
        let comparison = Baseline::default().compare(&report);
        assert_eq!((comparison.new.len(), comparison.not_shown.len()), (0, 1));
    }

    #[test]
    fn untested_classes_and_other_modules_keep_their_baseline_entries() {
        let mut report = example::run();
        report.classes[1].findings.clear();
        assert_eq!(baseline().compare(&report).gone.len(), 1);
        let obstacle = super::super::Obstacle { reason: super::super::Reason::Excluded, detail: String::new() };
        report.classes[1].unusable = Some(obstacle);
        let comparison = baseline().compare(&report);
        assert_eq!((comparison.gone.len(), comparison.not_looked_at.len()), (0, 1));
        assert_eq!(baseline().updated("ring-buffer", &comparison, "2027-01-01"), baseline());

        report.module = "other".to_string();
        let comparison = baseline().compare(&report);
        assert_eq!((comparison.gone.len(), comparison.not_looked_at.len()), (0, 0));
        assert_eq!(baseline().updated("other", &comparison, "2027-01-01"), baseline());
    }

    #[test]
    fn shard_does_not_judge_baseline_entries_of_other_shards() {
        let known = |shard: Shard| {
            let mut report = RunReport { shard: Some(shard), ..example::run() };
            report.classes.pop();
            let comparison = baseline().compare(&report);
            (comparison.gone.len(), comparison.not_looked_at.len())
        };
        let shards = [1, 2].map(|number| Shard { number, count: 2 });
        for shard in shards {
            let expected = if shard.has("buffer.RingBuffer") { (1, 0) } else { (0, 1) };
            assert_eq!(known(shard), expected, "{shard}");
        }
        assert!(shards[0].has("buffer.RingBuffer") != shards[1].has("buffer.RingBuffer"));
    }

    #[test]
    fn known_baseline_entry_keeps_its_date() {
        let mut report = example::run();
        let updated = |report: &RunReport| baseline().updated("ring-buffer", &baseline().compare(report), "2027-01-01");
        assert_eq!(updated(&report), baseline());
        finding(&mut report).id = "another".to_string();
        let updated = updated(&report);
        assert_eq!((updated.0[0].failure.id.as_str(), updated.0[0].first_seen.as_str()), ("another", DAY));
    }
}
