//! A module held against an older version of its classes: tests are generated of the older, and each that does not hold for
//! the newer is a change of behaviour.

use crate::gate::GateError;
use crate::generate::{self, Tests};
use crate::task::{Task, writable_root};
use crate::{PipelineError, specs, writing};
use host::classpath::Module;
use host::output;
use model::progress::Event;
use report::Outcome;
use report::changes::{CHANGES_FILES, ChangesReport};
use report::specifications::SpecificationChanges;
use std::path::PathBuf;

/// How the versions differ.
pub enum Comparison {
    /// The run over the older version did not end well.
    NotCompared(Outcome),
    /// Tests of the older version ran on both.
    Compared {
        /// The differences, each with a test that shows it.
        report: ChangesReport,
        /// Where the reports are.
        reports: PathBuf,
    },
}

/// Generates tests of the older version and finds those that do not hold for the module; `None` if the settings select no
/// class of it. `against` names the older version for people.
pub fn compare(task: &Task, older: &Module, against: &str) -> Result<Option<Comparison>, PipelineError> {
    let Task { module, options, .. } = *task;
    let reports = module.reports_directory(options);
    let root = writable_root(module, &reports);
    let own_reports = reports.join("check");
    output::check_reports(&own_reports, root, &CHANGES_FILES)?;
    let Some(run) = generate::run_module(&Task { module: older, ..*task }, Tests::ComparedWith(module))? else {
        return Ok(None);
    };
    if run.report.outcome != Outcome::Complete {
        return Ok(Some(Comparison::NotCompared(run.report.outcome)));
    }
    if let Some(why) = run.report.ended_early {
        return Err(GateError::EndedEarly { module: module.name.clone(), why }.into());
    }
    // Differences in specifications do not fail the gate, so an error while comparing them must not either.
    let specification = specs::versions::compare(task, older).unwrap_or_else(|error| {
        let warning = format!("inferred specifications could not be compared: {error}");
        task.listener.announce(Event::Warned(warning));
        SpecificationChanges::default()
    });
    let report = ChangesReport::new(&module.name, against.to_string(), run.changes, specification);
    if !options.dry_run {
        let files = writing::report_files(report.files()?);
        output::write_reports(&own_reports, root, &format!("{} changes", module.name), &files)?;
    }
    Ok(Some(Comparison::Compared { report, reports: own_reports }))
}
