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

/// What tests of the one version do on the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Changes {
    /// Cases that hold for the first.
    pub tests: usize,
    /// Those that do not for the second, sorted by class and test.
    pub changes: Vec<Change>,
    /// Tests that pass on the newer version only in some runs.
    // The key is part of schema 1; messages say "flaky".
    #[serde(rename = "unsteady")]
    pub flaky: usize,
}

/// A test that passes on the one version and not on the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Change {
    /// Binary name of the class that it is about.
    pub class: String,
    /// Name of the test method.
    pub test: String,
    /// How the test failed.
    pub reason: DropReason,
    /// The compiler's or the exception's own words.
    pub detail: String,
    /// Source of the test.
    pub source: String,
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
        let Changes { tests, changes, .. } = &self.changes;
        let count = counted(changes.len() as u64, "behaviour change");
        format!("{}: {count} since {}, by {}", self.module, self.against, counted(*tests as u64, "test"))
    }

    fn flaky_line(&self) -> Option<String> {
        let flaky = self.changes.flaky as u64;
        (flaky > 0).then(|| format!("{} passed in some runs and failed in others.", counted(flaky, "test")))
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
        if let Some(line) = self.flaky_line() {
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
        if let Some(line) = self.flaky_line() {
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
    /// What the test says, in a line.
    fn said(&self) -> String {
        let what = match self.reason {
            DropReason::DoesNotCompile => "the test does not compile any more",
            DropReason::TimesOut => "the test does not end any more",
            DropReason::KillsTheJvm => "the test ends the JVM",
            DropReason::Fails | DropReason::Flaky | DropReason::NotExpressible => "the test fails",
        };
        match self.detail.lines().next() {
            Some(detail) if !detail.is_empty() => format!("{what}: {}", visible(detail)),
            _ => what.to_string(),
        }
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
            detail: "expected: <false> but was: <true>\n  at …".to_string(),
            source: "@Test\npublic void isFull_returnsFalse() {\n}\n".to_string(),
        };
        let changes = Changes { tests: 4, changes: vec![change], flaky: 1 };
        let gone = SelectedTest {
            class: "buffer.RingBuffer".to_string(),
            method: "buffer.RingBuffer.isFull()".to_string(),
            violates: vec!["!$result".to_string()],
            source: String::new(),
        };
        let specification = SpecificationChanges { gone: vec![gone], new: Vec::new() };
        let report = ChangesReport::new("ring-buffer", "v1".to_string(), changes, specification);
        let expected = "ring-buffer: 1 behaviour change since v1, by 4 tests

  1. buffer.RingBuffer: the test fails: expected: <false> but was: <true>
       @Test
       public void isFull_returnsFalse() {
       }

1 test passed in some runs and failed in others.
Inferred specifications that differ (does not fail the gate):
  no longer buffer.RingBuffer.isFull(): !$result
";
        assert_eq!(report.text(), expected);
        assert!(report.markdown().contains("```java\n@Test\n"));
        assert!(report.markdown().contains("- `no longer buffer.RingBuffer.isFull(): !$result`\n"));
        assert!(report.files().unwrap()[0].text.contains("\"reason\": \"fails\""));
    }
}
