//! What a run has to tell, as one plain value, and its renderings: JUnit XML, JSON, SARIF, HTML, and a summary as text
//! or Markdown.
//!
//! A [`RunReport`] holds nothing that a clock, a worker count or a hash order decides, so the files rendered from it are
//! the same bytes for the same seed and sequence limit. What was measured goes into [`Timing`], which only the summary on
//! the console and `timing.json` show. Nothing here writes: [`files`] gives names and texts, `output` puts them in place.

pub mod aging;
pub mod baseline;
pub mod changes;
pub mod checkstyle;
#[cfg(test)]
mod example;
pub mod exploration;
pub mod gate;
mod html;
mod join;
mod json;
mod junit_xml;
mod lines;
mod markup;
mod mutants;
mod outcome;
mod place;
mod reason;
mod run;
mod sarif;
#[cfg(test)]
mod schemas;
#[cfg(test)]
mod snapshots;
pub mod specifications;
pub mod suites;
mod summary;
mod weakest;

pub use aging::{ChangedTest, RemovalReason, RemovedTest};
pub use junit_xml::Excuses;
pub use lines::LineCoverage;
pub use markup::plain_lines;
pub use mutants::{Mutant, MutantStatus, Mutants};
pub use outcome::Outcome;
pub use reason::{DropReason, Reason};
pub use run::{
    ClassReport, Coverage, DroppedTest, EdgeKind, EmittedTest, ExceptionReport, ExistingTests, FileChanges, Finding,
    MethodReport, NotTested, Obstacle, Position, RunReport, Timing, Totals, UncoveredEdge, WhyUncovered, WorkerDeath,
};
pub use summary::{finding, markdown, text, text_of_last_run};

use model::digest;
use model::options::OutputFormat;
use sha2::{Digest, Sha256};
use specifications::SpecificationReport;
use std::collections::BTreeMap;

/// Version of the JSON report's shape; raised when a field changes its meaning or goes away.
pub const SCHEMA: u32 = 1;

/// A file of the reports directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFile {
    /// Relative to the directory of reports.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// A report could not be put into text.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A text has characters that XML cannot hold.
    #[error("cannot write the report as JUnit XML")]
    JUnitXml(#[from] quick_junit::SerializeError),
    /// A value has no form in JSON.
    #[error("cannot write a report as JSON")]
    Json(#[from] serde_json::Error),
}

/// The name of the JSON report.
pub const JSON: &str = "report.json";
const MARKDOWN: &str = "report.md";
const SARIF: &str = "report.sarif";
/// The name of the page for people.
pub const HTML: &str = "report.html";
const TIMING: &str = "timing.json";

/// The names that [`files`] gives to reports of a whole run, which are known before it.
pub fn fixed_names(formats: &[OutputFormat]) -> Vec<&'static str> {
    let name = |format: &OutputFormat| match format {
        OutputFormat::JunitXml => None,
        OutputFormat::Json => Some(JSON),
        OutputFormat::Markdown => Some(MARKDOWN),
        OutputFormat::Sarif => Some(SARIF),
        OutputFormat::Html => Some(HTML),
    };
    formats.iter().filter_map(name).chain([TIMING]).collect()
}

/// Texts of the project's sources by their paths, as [`ClassReport::source`] has them.
pub type SourceTexts = BTreeMap<String, String>;

/// The reports in the given formats, and `timing.json`, which alone differs between equal runs. Specifications are in the
/// page for people.
pub fn files(
    report: &RunReport,
    timing: Option<&Timing>,
    texts: &SourceTexts,
    specification: Option<&SpecificationReport>,
    formats: &[OutputFormat],
) -> Result<Vec<ReportFile>, ReportError> {
    let mut files = Vec::new();
    for format in formats {
        match format {
            OutputFormat::JunitXml => files.extend(junit_files(report, &Excuses::new())?),
            OutputFormat::Json => files.push(ReportFile { name: JSON.to_string(), text: json::render(report)? }),
            OutputFormat::Markdown => files.push(ReportFile { name: MARKDOWN.to_string(), text: markdown(report) }),
            OutputFormat::Sarif => files.push(ReportFile { name: SARIF.to_string(), text: sarif::render(report)? }),
            OutputFormat::Html => {
                files.push(ReportFile { name: HTML.to_string(), text: html::render(report, texts, specification) });
            }
        }
    }
    if let Some(timing) = timing {
        files.push(ReportFile { name: TIMING.to_string(), text: serde_json::to_string_pretty(timing)? + "\n" });
    }
    Ok(files)
}

/// The reports in JUnit XML, in which findings with an excuse are skipped tests.
pub fn junit_files(report: &RunReport, excuses: &Excuses) -> Result<Vec<ReportFile>, ReportError> {
    let classes = report.classes.iter().filter(|class| junit_xml::has_cases(class));
    let file = |class: &ClassReport| {
        let name = format!("TEST-randgen-{}.xml", class.name);
        Ok(ReportFile { name, text: junit_xml::render(class, excuses)? })
    };
    classes.map(file).collect()
}

/// The id of a finding: a hash of its class, contract, cause, stack and calls. It depends neither on other findings nor on
/// edits elsewhere; another seed gives the same id if it shows the fault by the same calls.
pub fn finding_id(parts: [&str; 5]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    digest::hex(hash)[..12].to_string()
}

/// Whether an id of a finding may begin with the text.
pub fn may_be_finding_id(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte) || byte == b'-';
    !text.is_empty() && text.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finding_id_depends_on_every_part() {
        let id = finding_id(["a", "b", "c", "d", "e"]);
        assert_eq!(id, finding_id(["a", "b", "c", "d", "e"]));
        assert_ne!(id, finding_id(["ab", "", "c", "d", "e"]));
        assert_ne!(id, finding_id(["a", "b", "c", "d", ""]));
    }

    #[test]
    fn only_the_letters_of_ids_may_begin_one() {
        assert!(may_be_finding_id("1a2b3c4d5e6f-2") && may_be_finding_id(&finding_id(["a"; 5])));
        assert!(!may_be_finding_id("nonsense") && !may_be_finding_id(""));
    }

    #[test]
    fn measured_times_are_only_in_the_timing_file() {
        let after = |seconds| {
            let timing = Timing { seconds, ..Timing::default() };
            files(&example::run(), Some(&timing), &SourceTexts::new(), None, &OutputFormat::ALL).unwrap()
        };
        let (first, second) = (after(1.0), after(2.0));
        let differing: Vec<&str> =
            first.iter().zip(&second).filter(|(one, two)| one != two).map(|(one, _)| one.name.as_str()).collect();
        assert_eq!(differing, ["timing.json"]);
    }
}
