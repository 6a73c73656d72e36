//! A module held against an older version of its classes: what both do in the same call sequences, and what is inferred of
//! both.

use crate::differential::{self, Found};
use crate::task::{Task, writable_root};
use crate::{PipelineError, specs, writing};
use host::classpath::Module;
use host::output;
use model::progress::Event;
use report::Outcome;
use report::changes::{CHANGES_FILES, ChangesReport};
use report::specifications::SpecificationChanges;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// How the versions differ.
pub enum Comparison {
    /// The user ended the comparison.
    NotCompared(Outcome),
    /// Both versions ran the same sequences.
    Compared {
        /// The differences, each with a test that shows it.
        report: Box<ChangesReport>,
        /// Where the reports are.
        reports: PathBuf,
    },
}

/// Runs both versions side by side and says what differs; `None` if the settings select no class of the older. `against` names
/// the older version for people.
pub fn compare(task: &Task, older: &Module, against: &str) -> Result<Option<Comparison>, PipelineError> {
    let started = Instant::now();
    let Task { module, options, .. } = *task;
    let reports = module.reports_directory(options);
    let root = writable_root(module, &reports);
    let own_reports = reports.join("check");
    output::check_reports(&own_reports, root, &CHANGES_FILES)?;
    let Some(found) = differential::find(task, older, started)? else { return Ok(None) };
    if task.interrupt.load(Ordering::Relaxed) {
        return Ok(Some(Comparison::NotCompared(Outcome::Interrupted)));
    }
    let specification = specifications(task, older, &found);
    let report = ChangesReport::new(&module.name, against.to_string(), found.changes, specification);
    if !options.dry_run {
        let files = writing::report_files(report.files()?);
        output::write_reports(&own_reports, root, &format!("{} changes", module.name), &files)?;
    }
    Ok(Some(Comparison::Compared { report: Box::new(report), reports: own_reports }))
}

/// The inferred specifications that differ. They do not fail the gate, so an error does not either, and nobody waits for them
/// where the time is limited.
fn specifications(task: &Task, older: &Module, found: &Found) -> SpecificationChanges {
    if found.is_same_code || found.has_time_limit || !found.changes.finished {
        return SpecificationChanges::default();
    }
    specs::versions::compare(task, older).unwrap_or_else(|error| {
        let warning = format!("inferred specifications could not be compared: {error}");
        task.listener.announce(Event::Warned(warning));
        SpecificationChanges::default()
    })
}
