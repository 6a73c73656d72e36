//! The gate: it passes if the baseline, or the last version that passed, has every finding that a test shows, and every
//! threshold is met; with `strict`, only if no entry of the baseline is gone.
//!
//! Classes that did not change keep the findings of the last run ([`last_run`](crate::last_run)). The others are searched
//! again, which writes reports but no tests: a gate does not change what it judges.

use crate::generate::{self, Tests};
use crate::specs;
use crate::task::{Task, scratch, writable_root};
use crate::traced::{self, Context, Tracing};
use crate::{PipelineError, passed, writing};
use host::files;
use host::output;
use model::options::{FailOn, OutputFormat, Percent, StateRepresentation};
use report::Outcome;
use report::baseline::{Baseline, BaselineError};
use report::gate::{CHECK_FILES, GateReport, Threshold};
use report::{self, RunReport};
use search::redundancy::suites;
use std::io;
use std::path::{Path, PathBuf};

const BASELINE: &str = "randgen-baseline.toml";

/// Why the gate has no answer.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// The file is there, and is no baseline.
    #[error(
        "cannot use the baseline {path}: {error}; restore it, or delete it and let check write it with update-baseline"
    )]
    Baseline {
        /// Where the baseline is.
        path: PathBuf,
        /// What is wrong with it.
        error: BaselineError,
    },
    /// The file is there, and the system does not let it be read.
    #[error("cannot read the baseline {path}")]
    BaselineUnreadable {
        /// Where the baseline is.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The run ended early, so the gate might pass only because findings are missing.
    #[error("the run over {module} ended early, so that failures may be missing: {why}")]
    EndedEarly {
        /// Its name.
        module: String,
        /// What ended the run.
        why: String,
    },
}

/// What the gate says of a module.
pub enum Judgement {
    /// The run that the gate would judge did not end well.
    NotJudged(Outcome),
    /// The gate passed or failed.
    Judged {
        /// What is new, known and gone, and the thresholds.
        gate: Box<GateReport>,
        /// The run that was judged.
        run: Box<RunReport>,
        /// Where the gate's reports are.
        reports: PathBuf,
    },
}

/// Compares the module with its baseline and its thresholds; `None` if the settings select no class of it. `today` becomes
/// the date of new entries in an updated baseline.
pub fn judge(task: &Task, today: &str) -> Result<Option<Judgement>, PipelineError> {
    let Task { module, options, .. } = *task;
    let path = module.basedir.join(options.baseline.as_deref().unwrap_or(Path::new(BASELINE)));
    let mut baseline = read(&path)?;
    let reports = module.reports_directory(options);
    let root = writable_root(module, &reports);
    // Gradle tracks the output files of `generateTests`, among them the list of reports, so the gate has a directory of its
    // own.
    let own_reports = reports.join("check");
    output::check_reports(&own_reports, root, &CHECK_FILES)?;
    specs::check_files(task)?;

    let Some(run) = generate::run_module(task, Tests::Left)? else { return Ok(None) };
    // Tests of an earlier run that fail are for the caller to tell, beside what the gate says.
    if !matches!(run.report.outcome, Outcome::Complete | Outcome::Changed) {
        return Ok(Some(Judgement::NotJudged(run.report.outcome)));
    }
    let run = run.report;
    if let Some(why) = run.ended_early {
        return Err(GateError::EndedEarly { module: run.module, why }.into());
    }
    let thresholds = thresholds(task, &run)?;
    let mut comparison = baseline.compare(&run);
    if options.update_baseline {
        baseline = baseline.updated(&module.name, &comparison, today);
        comparison = baseline.compare(&run);
        if !options.dry_run {
            output::write_file(&path, writable_root(module, &path), baseline.render().as_bytes())?;
        }
    }
    if options.fail_on == FailOn::New && !comparison.new.is_empty() {
        passed::separate(task, &own_reports, &run, &mut comparison)?;
    }
    let shown = path.strip_prefix(&module.basedir).unwrap_or(&path).display().to_string();
    let junit = match options.output_formats.contains(&OutputFormat::JunitXml) {
        true => report::junit_files(&run, &comparison.excuses())?,
        false => Vec::new(),
    };
    let has_new = !comparison.new.is_empty();
    let gate = GateReport::new(&run, shown, comparison, thresholds, options.strict);
    if !options.dry_run {
        let files = writing::report_files([gate.files()?, junit].concat());
        output::write_reports(&own_reports, root, &module.name, &files)?;
        // A run that left classes out says nothing of them.
        let is_whole = options.target_classes.is_empty() && options.shard.is_none();
        if !has_new && is_whole {
            passed::keep(task, &own_reports)?;
        }
    }
    Ok(Some(Judgement::Judged { gate: Box::new(gate), run: Box::new(run), reports: own_reports }))
}

/// An empty one where there is no file.
fn read(path: &Path) -> Result<Baseline, GateError> {
    let unreadable = |source| GateError::BaselineUnreadable { path: path.to_path_buf(), source };
    match files::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Baseline::default()),
        Err(source) => Err(unreadable(source)),
        Ok(bytes) => {
            let text = String::from_utf8(bytes).map_err(|error| unreadable(io::Error::other(error.utf8_error())))?;
            Baseline::parse(&text).map_err(|error| GateError::Baseline { path: path.to_path_buf(), error })
        }
    }
}

/// The figures that have a limit.
fn thresholds(task: &Task, report: &RunReport) -> Result<Vec<Threshold>, PipelineError> {
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
            None => ((0, 1), "there are none, because `disable` lists `mutants`".to_string()),
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

/// How many of the module's compiled tests are redundant, and how many there are.
fn redundant_tests(task: &Task) -> Result<(u64, u64), PipelineError> {
    let scratch = scratch()?;
    let Task { module, options, listener, interrupt, jdk } = *task;
    let context = Context { tracing: Tracing::of_build(), jdk: jdk.clone(), listener, interrupt };
    let found = context.trace(module, options, None, &[], scratch.path())?;
    let executed = traced::executed(StateRepresentation::MonitorEquals, &found.tests);
    Ok((suites::assess(&executed[0]).redundant_tests as u64, found.tests[0].len() as u64))
}
