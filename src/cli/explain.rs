//! `randgen explain`: what a finding, a contract or a reason code says.

use super::CommandError;
use super::args::{ExplainArgs, ModuleArgs};
use super::exit::ExitCode;
use super::modules::{self, Task};
use crate::oracle::contract;
use crate::report::{self, Finding, Reason, RunReport};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// There is nothing to explain or replay.
#[derive(Debug, thiserror::Error)]
pub enum FindingError {
    #[error(
        "{0} is no finding of the last run, no contract and no reason code; {report} has the ids, and docs/contracts.md the contracts",
        report = report::JSON
    )]
    Unknown(String),
    #[error("several findings of the last run have an id that begins with {0}: give more of it")]
    Ambiguous(String),
    #[error("finding {0} has no test: none was seen to fail as it should")]
    NoTest(String),
    #[error("the test of finding {id} is not in {path} any more; generate again")]
    TestGone { id: String, path: String },
}

/// Explains what the argument names.
pub fn run(args: &ExplainArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    let what = args.what.as_str();
    if let Some(contract) = contract::ALL.iter().find(|contract| contract.name() == what) {
        println!("{what} holds when {}", contract.law());
        return Ok(ExitCode::Clean);
    }
    if let Some(reason) = Reason::ALL.into_iter().find(|reason| reason.to_string() == what) {
        println!("{what}: the code {}", reason.explanation());
        return Ok(ExitCode::Clean);
    }
    of_last_run(&args.modules, what, interrupt, &mut |_, class, finding| {
        print!("{}", report::finding(class, &finding));
        if let Some(contract) = contract::ALL.iter().find(|contract| contract.name() == finding.contract) {
            println!("\n{} holds when {}", contract.name(), contract.law());
        }
        Ok(ExitCode::Clean)
    })
}

/// Does the work for the finding whose id begins so, in the module whose last run has it.
pub(super) fn of_last_run(
    modules: &ModuleArgs,
    id: &str,
    interrupt: &Arc<AtomicBool>,
    work: &mut dyn FnMut(&Task, &str, Finding) -> Result<ExitCode, CommandError>,
) -> Result<ExitCode, CommandError> {
    let mut is_found = false;
    let exit_code = modules::each(modules, interrupt, &mut |task| {
        let Some((class, finding)) = find(task, id)? else { return Ok(Some(ExitCode::Clean)) };
        is_found = true;
        work(task, &class, finding).map(Some)
    })?;
    if is_found { Ok(exit_code) } else { Err(FindingError::Unknown(id.to_string()).into()) }
}

/// The finding of the module's last run whose id begins so, and its class.
fn find(task: &Task, id: &str) -> Result<Option<(String, Finding)>, FindingError> {
    let reports = task.module.reports_directory(task.options);
    let Some(report) = read(&reports) else { return Ok(None) };
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

fn read(reports: &Path) -> Option<RunReport> {
    serde_json::from_slice(&std::fs::read(reports.join(report::JSON)).ok()?).ok()
}
