//! Specifications in `specs.json` and `report.html`: those that the last `specs` inferred, and the accepted ones with
//! whether they still hold. The page shows them next to the results of the last run.

use crate::task::Task;
use crate::task::writable_root;
use crate::{PipelineError, findings, sources};
use host::files;
use host::output::{self, GeneratedFile};
use model::options::OutputFormat;
use model::progress::Event;
use report::specifications::{SPECS, SpecificationReport};
use report::{self, HTML, ReportFile, RunReport};
use std::path::Path;

/// What was last written of the module.
pub fn read(reports: &Path, module: &str) -> Option<SpecificationReport> {
    let text = files::read_text(&reports.join(SPECS)).ok()?;
    let report: SpecificationReport = serde_json::from_str(&text).ok()?;
    (report.module == module && report.schema == report::SCHEMA).then_some(report)
}

/// What was last written of the task's module. What is accepted may have changed since.
pub fn last(task: &Task) -> Option<SpecificationReport> {
    read(&task.module.reports_directory(task.options), &task.module.name)
}

/// Owner of `specs.json`, and of a page without results of a run. A page with such results belongs to the run, which may
/// remove it.
pub fn owner(module: &str) -> String {
    format!("{module} specs")
}

/// Makes sure that [`write`] can.
pub fn check(task: &Task) -> Result<(), output::OutputError> {
    let directory = task.module.reports_directory(task.options);
    let names: &[&str] = if is_wanted(task) { &[SPECS, HTML] } else { &[SPECS] };
    output::check_reports(&directory, writable_root(task.module, &directory), names)
}

/// Writes `specs.json`, and the page with what this run says or else the last one, if people are to have it.
pub fn write(task: &Task, specification: &SpecificationReport, run: Option<&RunReport>) -> Result<(), PipelineError> {
    if task.options.dry_run {
        return Ok(());
    }
    let directory = task.module.reports_directory(task.options);
    let root = writable_root(task.module, &directory);
    let module = &task.module.name;
    let file = |file: ReportFile| GeneratedFile { path: file.name.into(), text: file.text };
    let mut own = vec![file(specification.json()?)];
    if is_wanted(task) {
        let last_run = || findings::last_report(&directory);
        let run = run.cloned().or_else(last_run).filter(|run: &RunReport| run.module == *module);
        if let Some(run) = run {
            let texts = sources::texts(&run, &task.module.project_root);
            output::write_report(&directory, root, module, file(specification.page(Some((&run, &texts)))))?;
        } else if output::module_of_report(&directory, HTML).is_some_and(|owner| owner == *module) {
            let why =
                "report.html is left as it is: what the last run said in it is not in report.json too".to_string();
            task.listener.announce(Event::Warned(why));
        } else {
            own.push(file(specification.page(None)));
        }
    }
    Ok(output::write_reports(&directory, root, &owner(module), &own)?)
}

fn is_wanted(task: &Task) -> bool {
    task.options.output_formats.contains(&OutputFormat::Html)
}
