//! What became of the tests of earlier runs: those that fail now, and those that were removed.

use super::markup::without_html;
use super::summary::{counted, visible};
use super::{DropReason, RunReport};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// Changes that the console shows; the report has them all.
const SHOWN: usize = 10;

/// A test of an earlier run that fails now. It stays in its file until it passes again, or the user accepts the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangedTest {
    /// Name of the test method.
    pub name: String,
    /// The source, relative to the output directory, with `/`.
    pub file: String,
    /// How it fails.
    pub reason: DropReason,
    /// The exception's own words.
    pub detail: String,
    /// The value that it expects, if JUnit names it.
    pub expected: Option<String>,
    /// The value that it met instead.
    pub actual: Option<String>,
    /// Source of the test.
    pub source: String,
}

impl ChangedTest {
    /// Of a test that fails with this message, from which the values are taken.
    pub fn new(name: String, file: String, reason: DropReason, detail: String, source: String) -> ChangedTest {
        let (expected, actual) = values(&detail).unzip();
        ChangedTest { name, file, reason, detail, expected, actual, source }
    }

    /// What the test says, in a line.
    fn said(&self) -> String {
        match (&self.expected, &self.actual, self.reason) {
            (Some(expected), Some(actual), _) => format!("was {}, is {}", visible(expected), visible(actual)),
            (_, _, DropReason::TimesOut) => "it does not return any more".to_string(),
            (_, _, DropReason::KillsTheJvm) => format!("it ends the JVM: {}", visible(&self.detail)),
            _ => visible(self.detail.lines().next().unwrap_or_default()),
        }
    }
}

/// The expected and the actual value in the message of an assertion of JUnit 4 or 5: `expected: <1> but was: <2>`.
fn values(message: &str) -> Option<(String, String)> {
    let (_, rest) = message.split_once("expected:")?;
    let (expected, actual) = rest.split_once(" but was:")?;
    let bare = |text: &str| {
        let text = text.trim();
        text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).unwrap_or(text).to_string()
    };
    Some((bare(expected), bare(actual)))
}

/// A test of an earlier run that is not in its file any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RemovedTest {
    /// Name of the test method.
    pub name: String,
    /// The file that it was in, relative to the output directory, with `/`.
    pub file: String,
    /// Why it was removed.
    pub reason: RemovalReason,
    /// The compiler's or the exception's own words.
    pub detail: String,
}

/// Why a test of an earlier run was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RemovalReason {
    /// The compiler refuses it, as what it calls is gone or has changed its form.
    DoesNotCompile,
    /// It passes in one run and fails in another.
    Flaky,
    /// Another test of an earlier run does all that it does.
    Redundant,
    /// It fails, and the user accepts the new behaviour.
    Accepted,
}

/// The code, such as `does-not-compile`.
impl fmt::Display for RemovalReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            RemovalReason::DoesNotCompile => "does-not-compile",
            RemovalReason::Flaky => "flaky",
            RemovalReason::Redundant => "redundant",
            RemovalReason::Accepted => "accepted",
        })
    }
}

/// Each changed test with the name of its class.
fn changed(report: &RunReport) -> impl Iterator<Item = (&str, &ChangedTest)> {
    report.classes.iter().flat_map(|class| class.changed.iter().map(|test| (&*class.name, test)))
}

/// Each removed test with the name of its class.
fn removed(report: &RunReport) -> impl Iterator<Item = (&str, &RemovedTest)> {
    report.classes.iter().flat_map(|class| class.removed.iter().map(|test| (&*class.name, test)))
}

/// Whether tests of earlier runs fail.
pub fn has_changes(report: &RunReport) -> bool {
    changed(report).next().is_some()
}

fn headline(count: usize) -> String {
    let (tests, fail) = (counted(count as u64, "test"), if count == 1 { "fails" } else { "fail" });
    format!("Changed behaviour: {tests} of an earlier run {fail} now")
}

/// For the console; empty where nothing changed or was removed.
pub fn text(report: &RunReport) -> String {
    let mut text = failing(report);
    let mut by_reason: BTreeMap<RemovalReason, usize> = BTreeMap::new();
    removed(report).for_each(|(_, test)| *by_reason.entry(test.reason).or_default() += 1);
    if !by_reason.is_empty() {
        let reasons: Vec<String> = by_reason.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        let _ = writeln!(text, "\nTests of earlier runs removed: {}", reasons.join(", "));
    }
    text
}

/// The tests that fail, for the console; empty where nothing changed.
pub fn failing(report: &RunReport) -> String {
    let mut text = String::new();
    let count = changed(report).count();
    if count > 0 {
        let _ = writeln!(text, "\n{}. Mend the code, or accept the new behaviour with --accept", headline(count));
    }
    for (number, (class, test)) in changed(report).take(SHOWN).enumerate() {
        let _ = writeln!(text, "  {}. {class}: {}: {}", number + 1, test.name, test.said());
        for line in test.source.lines() {
            let _ = writeln!(text, "{}", format!("       {line}").trim_end());
        }
    }
    if let Some(more @ 1..) = count.checked_sub(SHOWN) {
        let _ = writeln!(text, "  … and {more} more in the report");
    }
    text
}

/// For `report.md`; empty where nothing changed or was removed.
pub fn markdown(report: &RunReport) -> String {
    let mut text = String::new();
    let count = changed(report).count();
    if count > 0 {
        let _ = writeln!(text, "\n## Changed behaviour\n\n{}. They stay as they are until the code", headline(count));
        let _ = writeln!(text, "does again what they expect, or the new behaviour is accepted with `--accept`.");
    }
    for (class, test) in changed(report) {
        let _ = writeln!(text, "\n### {class} `{}`\n\n{}\n", test.name, test.said());
        let _ = writeln!(text, "```java\n{}\n```", test.source.trim_end());
    }
    if removed(report).next().is_some() {
        text.push_str("\n## Removed tests of earlier runs\n\n");
    }
    for (class, test) in removed(report) {
        let detail = visible(test.detail.lines().next().unwrap_or_default());
        let detail = if detail.is_empty() { detail } else { format!(": {detail}") };
        let _ = writeln!(text, "- `{class}`, `{}`, {}{detail}", test.name, test.reason);
    }
    without_html(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn values_are_read_from_the_messages_of_junit_4_and_5() {
        let check = |message: &str, expected: Option<(&str, &str)>| {
            let expected = expected.map(|(one, two)| (one.to_string(), two.to_string()));
            assert_eq!(values(message), expected, "{message}");
        };
        check("org.opentest4j.AssertionFailedError: expected: <8> but was: <9>", Some(("8", "9")));
        check("java.lang.AssertionError: expected:<a> but was:<null>", Some(("a", "null")));
        check("array contents differ at index [0], expected: <1> but was: <2>", Some(("1", "2")));
        check(
            "expected: java.lang.Long<1> but was: java.lang.Integer<1>",
            Some(("java.lang.Long<1>", "java.lang.Integer<1>")),
        );
        check("java.lang.IllegalStateException: closed", None);
    }

    #[test]
    fn changes_are_told_with_values_and_source() {
        let mut run = example::run();
        assert_eq!((text(&run), markdown(&run)), (String::new(), String::new()));
        let test = |detail: &str| {
            let source = "@Test\nvoid size_returns1() {\n}\n".to_string();
            ChangedTest::new("size_returns1".into(), "A.java".into(), DropReason::Fails, detail.into(), source)
        };
        run.classes[0].changed = vec![test("x: expected: <1> but was: <2>"), test("java.lang.Error: no")];
        run.classes[0].removed = vec![RemovedTest {
            name: "clear".to_string(),
            file: "A.java".to_string(),
            reason: RemovalReason::DoesNotCompile,
            detail: "cannot find symbol".to_string(),
        }];
        let said = text(&run);
        assert!(
            said.contains("2 tests of an earlier run fail now") && said.contains(": was 1, is 2\n       @Test"),
            "{said}"
        );
        assert!(said.contains("java.lang.Error: no") && said.contains("removed: 1 does-not-compile"), "{said}");
        let page = markdown(&run);
        assert!(
            page.contains("`clear`, does-not-compile: cannot find symbol") && page.contains("```java\n@Test"),
            "{page}"
        );
    }
}
