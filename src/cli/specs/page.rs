//! Specifications in `report.html`: what the last `specs` said of the module, and what became of what was accepted, beside what
//! the last run says.

use crate::cli::modules::Task;
use crate::cli::{settings, sources};
use crate::options::OutputFormat;
use crate::output::{self, OutputError};
use crate::report::specifications::{SPECS, SpecificationReport};
use crate::report::{self, ReportFile, RunReport};

/// What the last `specs` inferred, if it was about this module. What is accepted may have changed since.
pub fn last(task: &Task) -> Option<SpecificationReport> {
    let text = read(task, SPECS)?;
    let report: SpecificationReport = serde_json::from_str(&text).ok()?;
    let is_own = report.module == task.module.name && report.schema == report::SCHEMA;
    is_own.then(|| SpecificationReport { accepted: Vec::new(), broken: Vec::new(), gone: Vec::new(), ..report })
}

/// The page with what the last run said, if people are to have one.
pub fn of(task: &Task, specification: &SpecificationReport) -> Option<ReportFile> {
    let last_run = || serde_json::from_str::<RunReport>(&read(task, report::JSON)?).ok();
    is_wanted(task)
        .then(|| with_run(task, specification, last_run().filter(|run| run.module == task.module.name).as_ref()))
}

/// Writes the page of the run again.
pub fn rewrite(task: &Task, specification: &SpecificationReport, run: &RunReport) -> Result<(), OutputError> {
    if !is_wanted(task) || task.options.dry_run {
        return Ok(());
    }
    let directory = task.module.reports_directory(task.options);
    let page = with_run(task, specification, Some(run));
    output::write_file(&directory.join(page.name), settings::writable_root(task.module, &directory), &page.text)
}

fn is_wanted(task: &Task) -> bool {
    task.options.output_formats.contains(&OutputFormat::Html)
}

fn with_run(task: &Task, specification: &SpecificationReport, run: Option<&RunReport>) -> ReportFile {
    let texts = run.map(|run| sources::texts(run, &task.module.project_root)).unwrap_or_default();
    specification.page(run.map(|run| (run, &texts)))
}

fn read(task: &Task, name: &str) -> Option<String> {
    std::fs::read_to_string(task.module.reports_directory(task.options).join(name)).ok()
}
