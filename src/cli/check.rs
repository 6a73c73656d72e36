//! `randgen check`: the gate. It lets pass what the baseline knows, and nothing else; or, held against an older version of
//! the classes, what behaves as that did.
//!
//! Findings are those of the last run for the classes that did not change ([`last_run`](super::last_run)), and of a run for
//! the others that writes reports and no tests: a gate does not change what it judges.

use super::args::{CheckArgs, ProjectArgs, SuiteArgs};
use super::exit::ExitCode;
use super::generate::{self, Tests};
use super::modules::{self, Task};
use super::since::WorkTree;
use super::{CommandError, settings, specs, step_summary, traced};
use crate::classpath::Module;
use crate::options::{OutputFormat, Percent, StateRepresentation};
use crate::output::{self, GeneratedFile};
use crate::progress::{Event, Listener};
use crate::redundancy::suites;
use crate::report::baseline::{Baseline, BaselineError};
use crate::report::changes::{CHANGES_FILES, ChangesReport};
use crate::report::gate::{CHECK_FILES, GateReport, Threshold};
use crate::report::specifications::SpecificationChanges;
use crate::report::{self, ReportFile, RunReport};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

const BASELINE: &str = "randgen-baseline.toml";

/// Why the gate has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    #[error(
        "cannot use the baseline {path}: {error}; restore it, or delete it and let check write it with update-baseline"
    )]
    Baseline { path: PathBuf, error: BaselineError },
    #[error("cannot read the baseline {path}")]
    BaselineUnreadable { path: PathBuf, source: io::Error },
    #[error("the run over {module} ended early, so that failures may be missing: {why}")]
    EndedEarly { module: String, why: String },
    #[error("SOURCE_DATE_EPOCH is {0:?}, expected a number of seconds")]
    WrongDate(String),
}

/// Holds every module that the arguments select against its baseline, or an older version.
pub fn run(args: &CheckArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    let each = |work: &mut dyn FnMut(&Task) -> Result<Option<ExitCode>, CommandError>| {
        modules::each(&args.modules, interrupt, work)
    };
    let here = std::env::current_dir().map_err(CommandError::CurrentDirectory)?;
    if let Some(revision) = &args.since {
        let directory = args.modules.project.directory.as_ref().map_or(here.clone(), |directory| here.join(directory));
        let work_tree = WorkTree::check_out(&directory, revision, interrupt)?;
        let project = ProjectArgs { directory: Some(work_tree.project.clone()), ..ProjectArgs::default() };
        let old = settings::modules(&project, &args.modules.settings, None, interrupt, &mut |_| {})?;
        return each(&mut |task| match old.iter().find(|(module, _)| module.name == task.module.name) {
            Some((old, _)) => compare(task, old, revision),
            None => {
                println!("{}: no such module in {revision}", task.module.name);
                Ok(Some(ExitCode::Clean))
            }
        });
    }
    if !args.against.is_empty() {
        let classes: Vec<PathBuf> = args.against.iter().map(|path| here.join(path)).collect();
        let shown: Vec<String> = args.against.iter().map(|path| path.display().to_string()).collect();
        return each(&mut |task| {
            compare(task, &Module { classes: classes.clone(), ..task.module.clone() }, &shown.join(", "))
        });
    }
    each(&mut check)
}

/// Generates tests of the older version and says which of them do not hold for the module.
fn compare(task: &Task, old: &Module, against: &str) -> Result<Option<ExitCode>, CommandError> {
    let Task { module, options, .. } = *task;
    let reports = module.reports_directory(options);
    let root = settings::writable_root(module, &reports);
    let own_reports = reports.join("check");
    output::check_reports(&own_reports, root, &CHANGES_FILES)?;
    let Some(run) = generate::run_module(&Task { module: old, ..*task }, Tests::HeldAgainst(module))? else {
        return Ok(None);
    };
    task.console.finish();
    if run.exit_code != ExitCode::Clean {
        return Ok(Some(run.exit_code));
    }
    if let Some(why) = run.report.ended_early {
        return Err(CheckError::EndedEarly { module: module.name.clone(), why }.into());
    }
    // What methods promise fails no gate, so neither does a comparison of it that cannot be made.
    let specification = specs::versions::compare(task, old).unwrap_or_else(|error| {
        let warning = format!("what methods promise could not be compared: {error}");
        task.console.announce(Event::Warned(warning));
        SpecificationChanges::default()
    });
    task.console.finish();
    let report = ChangesReport::new(&module.name, against.to_string(), run.changes, specification);
    print!("{}", report.text());
    println!("Report: {}", own_reports.display());
    step_summary::append(&report.markdown(), task.console);
    if !options.dry_run {
        write_reports(&own_reports, root, &format!("{} changes", module.name), report.files()?)?;
    }
    Ok(Some(if report.changes.changes.is_empty() { ExitCode::Clean } else { ExitCode::NewFailures }))
}

fn write_reports(
    directory: &Path,
    root: &Path,
    owner: &str,
    files: Vec<ReportFile>,
) -> Result<(), output::OutputError> {
    let files = files.into_iter().map(|file| GeneratedFile { path: file.name.into(), text: file.text });
    output::write_reports(directory, root, owner, &files.collect::<Vec<_>>())
}

fn check(task: &Task) -> Result<Option<ExitCode>, CommandError> {
    let Task { module, options, .. } = *task;
    let path = module.basedir.join(options.baseline.as_deref().unwrap_or(Path::new(BASELINE)));
    let mut baseline = read(&path)?;
    let today = today()?;
    let reports = module.reports_directory(options);
    // Gradle keeps an eye on the files of `generateTests`, of which the list of reports is one.
    let own_reports = reports.join("check");
    output::check_reports(&own_reports, settings::writable_root(module, &reports), &CHECK_FILES)?;
    specs::check_files(task)?;

    let Some(run) = generate::run_module(task, Tests::Left)? else { return Ok(None) };
    task.console.finish();
    if run.exit_code != ExitCode::Clean {
        return Ok(Some(run.exit_code));
    }
    let report = run.report;
    if let Some(why) = report.ended_early {
        return Err(CheckError::EndedEarly { module: report.module, why }.into());
    }
    let thresholds = thresholds(task, &report)?;
    let mut comparison = baseline.compare(&report);
    if options.update_baseline {
        baseline = baseline.updated(&module.name, &comparison, &today);
        comparison = baseline.compare(&report);
        if !options.dry_run {
            output::write_file(&path, settings::writable_root(module, &path), &baseline.render())?;
        }
    }
    let shown = path.strip_prefix(&module.basedir).unwrap_or(&path).display().to_string();
    let junit = match options.output_formats.contains(&OutputFormat::JunitXml) {
        true => report::junit_files(&report, &comparison.excuses())?,
        false => Vec::new(),
    };
    let gate = GateReport::new(&module.name, shown, comparison, thresholds, options.strict);
    print!("{}", gate.text());
    println!("Report: {}", own_reports.display());
    step_summary::append(&gate.markdown(), task.console);
    if !options.dry_run {
        write_reports(
            &own_reports,
            settings::writable_root(module, &reports),
            &module.name,
            [gate.files()?, junit].concat(),
        )?;
    }
    let of_specification = specs::check(task, &report)?;
    // Above it says that the gate passes, which is about findings.
    if gate.passed && of_specification != ExitCode::Clean {
        println!("{}: the gate fails, as accepted specifications are broken", module.name);
    }
    let of_gate = if gate.passed { ExitCode::Clean } else { ExitCode::NewFailures };
    Ok(Some(of_gate.max(of_specification)))
}

/// An empty one where there is no file.
fn read(path: &Path) -> Result<Baseline, CheckError> {
    let unreadable = |source| CheckError::BaselineUnreadable { path: path.to_path_buf(), source };
    match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Baseline::default()),
        Err(source) => Err(unreadable(source)),
        Ok(bytes) => {
            let text = String::from_utf8(bytes).map_err(|error| unreadable(io::Error::other(error.utf8_error())))?;
            Baseline::parse(&text).map_err(|error| CheckError::Baseline { path: path.to_path_buf(), error })
        }
    }
}

/// The figures that have a limit.
fn thresholds(task: &Task, report: &RunReport) -> Result<Vec<Threshold>, CommandError> {
    let mut thresholds = Vec::new();
    if let Some(Percent(limit)) = task.options.coverage_threshold {
        let totals = report.totals();
        let edges = (totals.edges_covered, totals.edges_total);
        let detail = format!("{} of {} edges covered", edges.0, edges.1);
        thresholds.push(Threshold::at_least("coverage-threshold", limit, edges, detail));
    }
    if let Some(Percent(limit)) = task.options.mutation_threshold {
        let (figures, detail) = match &report.mutants {
            Some(mutants) => {
                let figures = (mutants.killed as u64, mutants.total as u64);
                (figures, format!("{} of {} mutants killed", figures.0, figures.1))
            }
            None => ((0, 1), "there are none, as `without` names them".to_string()),
        };
        thresholds.push(Threshold::at_least("mutation-threshold", limit, figures, detail));
    }
    if let Some(Percent(limit)) = task.options.max_redundancy {
        let tests = redundant_tests(task)?;
        let detail = format!("{} of {} compiled tests redundant", tests.0, tests.1);
        thresholds.push(Threshold::at_most("max-redundancy", limit, tests, detail));
    }
    Ok(thresholds)
}

/// Of the tests that the module's build has compiled, those that do in no new state what others do, and all; as `minimize`
/// tells states apart.
fn redundant_tests(task: &Task) -> Result<(u64, u64), CommandError> {
    let scratch = tempfile::Builder::new().prefix("randgen-").tempdir().map_err(CommandError::Scratch)?;
    let args = SuiteArgs::of_build();
    let Task { module, options, console, interrupt, jdk } = *task;
    let context = traced::Context { args: &args, jdk: jdk.clone(), console, interrupt };
    let found = context.trace(module, options, None, &[], scratch.path())?;
    let executed = traced::executed(StateRepresentation::MonitorEquals, &found.tests);
    Ok((suites::assess(&executed[0]).redundant_tests as u64, found.tests[0].len() as u64))
}

/// The day, which is `SOURCE_DATE_EPOCH`'s where that is set.
fn today() -> Result<String, CheckError> {
    let seconds = match std::env::var_os("SOURCE_DATE_EPOCH") {
        Some(text) => {
            let text = text.to_string_lossy().into_owned();
            text.parse().map_err(|_| CheckError::WrongDate(text))?
        }
        None => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
    };
    Ok(date(seconds / 86_400))
}

/// A day since 1970 in the Gregorian calendar; years begin in March here, so that February's end is a year's.
fn date(day: u64) -> String {
    let day = day + 719_468;
    let (era, day_of_era) = (day / 146_097, day % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{:02}", day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        for (day, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_779, "2026-11-22"),
            (47_540, "2100-02-28"),
        ] {
            assert_eq!(date(day), expected);
        }
        assert_eq!(date(47_541), "2100-03-01");
    }
}
