//! Findings of the last run, by their ids.

use crate::task::Task;
use host::files;
use report::{self, Finding, RunReport};
use std::path::Path;

/// There is nothing to explain or replay.
#[derive(Debug, thiserror::Error)]
pub enum FindingError {
    /// No finding of the last run has this id.
    #[error("no finding of the last run has the id {0}; {report} lists the ids", report = report::JSON)]
    UnknownId(String),
    /// Nothing that can be explained has this name or id.
    #[error(
        "{0} is not the id of a finding of the last run ({report} lists the ids), nor the name of a contract, a finding rule or a reason code",
        report = report::JSON
    )]
    UnknownName(String),
    /// More than one id begins like this.
    #[error("several findings of the last run have an id that begins with {0}: give more of it")]
    Ambiguous(String),
    /// The finding is in the report without a test; the text is its id.
    #[error("finding {0} has no test: none was seen to fail as it should")]
    NoTest(String),
    /// The user removed or changed the file since.
    #[error("the test of finding {id} is not in {path} any more; generate again")]
    TestGone {
        /// Of the finding.
        id: String,
        /// The file that had the test, as the report has it.
        path: String,
    },
}

/// The finding of the module's last run whose id begins so, and its class.
pub fn find(task: &Task, id: &str) -> Result<Option<(String, Finding)>, FindingError> {
    let reports = task.module.reports_directory(task.options);
    let Some(report) = last_report(&reports) else { return Ok(None) };
    let classes = report.classes.into_iter();
    let all = classes.flat_map(|class| class.findings.into_iter().map(move |finding| (class.name.clone(), finding)));
    let mut found: Vec<(String, Finding)> = all.filter(|(_, finding)| finding.id.starts_with(id)).collect();
    if let Some(exact) = found.iter().position(|(_, finding)| finding.id == id) {
        return Ok(Some(found.swap_remove(exact)));
    }
    match found.len() {
        0 | 1 => Ok(found.pop()),
        _ => Err(FindingError::Ambiguous(id.to_string())),
    }
}

/// The report of the last run in the directory. It lies in the project: what it says may be anybody's.
pub fn last_report(reports: &Path) -> Option<RunReport> {
    RunReport::parse(&files::read_text(&reports.join(report::JSON)).ok()?)
}
