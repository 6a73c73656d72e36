//! Behaviour that changed from one version to another, each change with the test that shows it.

use super::markup::without_html;
use super::specifications::SpecificationChanges;
use super::summary::{counted, visible};
use super::{DropReason, ReportError, ReportFile, SCHEMA};
use serde::Serialize;
use std::fmt::Write;

/// The files that are written.
pub const CHANGES_FILES: [&str; 1] = ["changes.json"];

/// Changes that the console shows; the report has them all.
const SHOWN: usize = 10;

/// What the newer version does otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Changes {
    /// Call sequences that ran on both versions.
    // The key is part of schema 1; once each was a test.
    pub tests: usize,
    /// The differences, sorted by class and message.
    pub changes: Vec<Change>,
    /// Differences that were seen in some runs only.
    // The key is part of schema 1; messages say "flaky".
    #[serde(rename = "unsteady")]
    pub flaky: usize,
    /// Whether the comparison came to its end; if not, changes may be missing.
    pub finished: bool,
    /// Differences that were seen and that there was no time to confirm.
    pub unconfirmed: usize,
    /// Changed methods that no sequence ran.
    pub unreached: Vec<String>,
}

/// A call that does something else in the newer version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Change {
    /// Binary name of the class that it is about.
    pub class: String,
    /// Name of the test method.
    pub test: String,
    /// How the test fails on the newer version.
    pub reason: DropReason,
    /// The call and what it did in both versions: `mapTo(1, MONDAY): was 7, is 0`.
    pub detail: String,
    /// Source of a test that holds for the older version.
    pub source: String,
    /// The changed methods that ran.
    pub through: Vec<String>,
}

/// The answer for a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangesReport {
    /// Version of the document's shape.
    pub schema: u32,
    /// Version of randgen.
    pub version: String,
    /// The module's name.
    pub module: String,
    /// The version that the tests are of: a path, or a revision.
    pub against: String,
    /// What the tests of the one version do on the other.
    #[serde(flatten)]
    pub changes: Changes,
    /// Differences do not fail the gate, as inferred specifications may say more than was intended.
    pub specification: SpecificationChanges,
}

impl ChangesReport {
    /// The report of this version of randgen.
    pub fn new(module: &str, against: String, changes: Changes, specification: SpecificationChanges) -> ChangesReport {
        let (version, module) = (env!("CARGO_PKG_VERSION").to_string(), module.to_string());
        ChangesReport { schema: SCHEMA, version, module, against, changes, specification }
    }

    /// The report as JSON.
    pub fn files(&self) -> Result<Vec<ReportFile>, ReportError> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        Ok(vec![ReportFile { name: CHANGES_FILES[0].to_string(), text }])
    }

    fn headline(&self) -> String {
        let Changes { tests, changes, finished, unreached, .. } = &self.changes;
        let by = counted(*tests as u64, "call sequence");
        let count = counted(changes.len() as u64, "behaviour change");
        let known = match (changes.len(), finished) {
            (0, false) => "not finished, no behaviour change known".to_string(),
            (_, false) => format!("not finished, {count}"),
            (0, true) if !unreached.is_empty() => "no behaviour change seen".to_string(),
            (_, true) => count,
        };
        format!("{}: {known} since {}, by {by}", self.module, self.against)
    }

    /// What else there is to say of the comparison.
    fn remarks(&self) -> Vec<String> {
        let Changes { flaky, unconfirmed, unreached, .. } = &self.changes;
        let mut remarks = Vec::new();
        if *unconfirmed > 0 {
            let seen = counted(*unconfirmed as u64, "difference");
            remarks.push(format!("{seen} could not be confirmed within the time limit."));
        }
        if *flaky > 0 {
            let seen = counted(*flaky as u64, "difference");
            remarks.push(format!("{seen} did not show in every run (flaky)."));
        }
        if !unreached.is_empty() {
            let methods = counted(unreached.len() as u64, "changed method");
            remarks.push(format!("{methods} never ran: {}.", unreached.join(", ")));
        }
        remarks
    }

    /// For the console.
    pub fn text(&self) -> String {
        let mut text = self.headline() + "\n";
        for (number, change) in self.changes.changes.iter().take(SHOWN).enumerate() {
            let _ = writeln!(text, "\n  {}. {}: {}", number + 1, change.class, change.said());
            for line in change.source.lines() {
                let _ = writeln!(text, "{}", format!("       {line}").trim_end());
            }
        }
        if let Some(more @ 1..) = self.changes.changes.len().checked_sub(SHOWN) {
            let _ = writeln!(text, "\n  … and {more} more in the report");
        }
        text.push('\n');
        for line in self.remarks() {
            let _ = writeln!(text, "{line}");
        }
        let clauses: Vec<String> = self.specification.lines().map(|(line, _)| line).collect();
        if !clauses.is_empty() {
            text.push_str("Inferred specifications that differ (does not fail the gate):\n");
        }
        for clause in clauses.iter().take(SHOWN) {
            let _ = writeln!(text, "  {clause}");
        }
        if let Some(more @ 1..) = clauses.len().checked_sub(SHOWN) {
            let _ = writeln!(text, "  … and {more} more in the report");
        }
        text
    }

    /// For a pull request.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n", self.headline());
        for change in &self.changes.changes {
            let _ = writeln!(text, "\n## {}\n\n{}\n", change.class, change.said());
            let _ = writeln!(text, "```java\n{}\n```", change.source.trim_end());
        }
        for line in self.remarks() {
            let _ = writeln!(text, "\n{line}");
        }
        for (number, (line, _)) in self.specification.lines().enumerate() {
            let heading = if number == 0 { "\n## Inferred specifications that differ\n\n" } else { "" };
            let _ = writeln!(text, "{heading}- `{}`", line.replace('`', "'"));
        }
        without_html(&text)
    }
}

impl Change {
    /// What changed, in a line.
    fn said(&self) -> String {
        let through = match &self.through[..] {
            [] => String::new(),
            methods => format!(" (through {})", methods.join(", ")),
        };
        format!("{}{through}", visible(self.detail.lines().next().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::specifications::SelectedTest;
    use super::*;

    #[test]
    fn behavioural_change_is_reported_with_its_test() {
        let change = Change {
            class: "buffer.RingBuffer".to_string(),
            test: "isFull_returnsFalse".to_string(),
            reason: DropReason::Fails,
            detail: "isFull(): was false, is true".to_string(),
            source: "@Test\npublic void isFull_returnsFalse() {\n}\n".to_string(),
            through: vec!["buffer.RingBuffer.isFull".to_string()],
        };
        let changes = Changes { tests: 4, changes: vec![change], flaky: 1, finished: true, ..Changes::default() };
        let gone = SelectedTest {
            class: "buffer.RingBuffer".to_string(),
            method: "buffer.RingBuffer.isFull()".to_string(),
            violates: vec!["!$result".to_string()],
            source: String::new(),
        };
        let specification = SpecificationChanges { gone: vec![gone], new: Vec::new() };
        let report = ChangesReport::new("ring-buffer", "v1".to_string(), changes, specification);
        let expected = "ring-buffer: 1 behaviour change since v1, by 4 call sequences

  1. buffer.RingBuffer: isFull(): was false, is true (through buffer.RingBuffer.isFull)
       @Test
       public void isFull_returnsFalse() {
       }

1 difference did not show in every run (flaky).
Inferred specifications that differ (does not fail the gate):
  no longer buffer.RingBuffer.isFull(): !$result
";
        assert_eq!(report.text(), expected);
        assert!(report.markdown().contains("```java\n@Test\n"));
        assert!(report.markdown().contains("- `no longer buffer.RingBuffer.isFull(): !$result`\n"));
        assert!(report.files().unwrap()[0].text.contains("\"reason\": \"fails\""));
    }

    #[test]
    fn comparison_that_was_cut_short_never_says_that_nothing_changed() {
        let text = |changes: Changes| {
            ChangesReport::new("m", "v1".to_string(), changes, SpecificationChanges::default()).text()
        };
        let cut = text(Changes { unconfirmed: 2, ..Changes::default() });
        assert!(cut.starts_with("m: not finished, no behaviour change known since v1") && !cut.contains("0 behaviour"));
        assert!(cut.contains("2 differences could not be confirmed within the time limit.\n"), "{cut}");
        let unreached = Changes { finished: true, unreached: vec!["p.A.run".to_string()], ..Changes::default() };
        let unreached = text(unreached);
        assert!(unreached.starts_with("m: no behaviour change seen since v1"), "{unreached}");
        assert!(unreached.contains("1 changed method never ran: p.A.run.\n"), "{unreached}");
    }
}
