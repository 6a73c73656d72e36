//! `randgen check`: the gate, or a comparison with an older version of the classes.

use super::args::{CheckArgs, CheckFormat, ProjectArgs};
use super::console::Console;
use super::exit::ExitCode;
use super::{CommandError, modules, settings, step_summary};
use chrono::DateTime;
use host::classpath::Module;
use pipeline::comparison::{self, Comparison};
use pipeline::gate::{self, Judgement};
use pipeline::revision::WorkTree;
use pipeline::task::Task;
use pipeline::{PipelineError, specs};
use report::gate::GateReport;
use report::{RunReport, aging, checkstyle};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

/// Holds every module that the arguments select against its baseline, or an older version.
pub fn run(args: &CheckArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    let each = |work: &mut modules::Work| modules::each(&args.modules, interrupt, work);
    let here = std::env::current_dir().map_err(CommandError::CurrentDirectory)?;
    if let Some(revision) = &args.since {
        let directory = args.modules.project.directory.as_ref().map_or(here.clone(), |directory| here.join(directory));
        let work_tree = WorkTree::check_out(&directory, revision, interrupt).map_err(PipelineError::from)?;
        let project = ProjectArgs { directory: Some(work_tree.project.clone()), ..ProjectArgs::default() };
        let old = settings::modules(&project, &args.modules.settings.layer, None, interrupt, &mut |_| {})?;
        return each(&mut |task, console| match old.iter().find(|(module, _)| module.name == task.module.name) {
            Some((old, _)) => compare(task, console, old, revision),
            None => {
                println!("{}: no such module in {revision}", task.module.name);
                Ok(Some(ExitCode::Clean))
            }
        });
    }
    if !args.against.is_empty() {
        let classes: Vec<PathBuf> = args.against.iter().map(|path| here.join(path)).collect();
        let shown: Vec<String> = args.against.iter().map(|path| path.display().to_string()).collect();
        return each(&mut |task, console| {
            let old = Module { classes: classes.clone(), ..task.module.clone() };
            compare(task, console, &old, &shown.join(", "))
        });
    }
    let today = today()?;
    let mut judged = Vec::new();
    let exit_code = each(&mut |task, console| judge(task, console, &today, args.format, &mut judged))?;
    if args.format == CheckFormat::Checkstyle {
        let document = checkstyle::render(&judged).expect("memory can be written to");
        print!("{document}");
    }
    Ok(exit_code)
}

/// Says which behaviour of the older version the module has not.
fn compare(task: &Task, console: &Console, old: &Module, against: &str) -> Result<Option<ExitCode>, CommandError> {
    let compared = comparison::compare(task, old, against)?;
    console.finish();
    Ok(compared.map(|compared| match compared {
        Comparison::NotCompared(outcome) => outcome.into(),
        Comparison::Compared { report, reports } => {
            print!("{}", report.text());
            println!("Report: {}", reports.display());
            step_summary::append(&report.markdown(), console);
            match report.changes.changes.is_empty() {
                false => ExitCode::NewFailures,
                true if report.changes.finished => ExitCode::Clean,
                // A comparison that was cut short proves nothing.
                true => ExitCode::Internal,
            }
        }
    }))
}

/// Says what the gate says, and adds it to what was judged before.
fn judge(
    task: &Task,
    console: &Console,
    today: &str,
    format: CheckFormat,
    judged: &mut Vec<(GateReport, RunReport)>,
) -> Result<Option<ExitCode>, CommandError> {
    // Standard output is for one document.
    let say = |text: &str| match format {
        CheckFormat::Text => print!("{text}"),
        CheckFormat::Checkstyle => eprint!("{text}"),
    };
    let Some(judgement) = gate::judge(task, today)? else { return Ok(None) };
    console.finish();
    let (gate, run, reports) = match judgement {
        Judgement::NotJudged(outcome) => return Ok(Some(outcome.into())),
        Judgement::Judged { gate, run, reports } => (gate, run, reports),
    };
    say(&gate.text());
    say(&format!("Report: {}\n", reports.display()));
    step_summary::append(&gate.markdown(), console);
    let of_specification = specs::check(task, &run)?;
    console.finish();
    say(&of_specification.text);
    // Above it says that the gate passes, which is about findings.
    if gate.passed && of_specification.is_broken {
        say(&format!("{}: the gate fails, as accepted specifications are broken\n", task.module.name));
    }
    say(&aging::failing(&run));
    let is_clean = gate.passed && !of_specification.is_broken && !aging::has_changes(&run);
    judged.push((*gate, *run));
    Ok(Some(if is_clean { ExitCode::Clean } else { ExitCode::NewFailures }))
}

/// The day, which is `SOURCE_DATE_EPOCH`'s where that is set.
fn today() -> Result<String, CommandError> {
    let seconds = match std::env::var_os("SOURCE_DATE_EPOCH") {
        Some(text) => {
            let text = text.to_string_lossy().into_owned();
            text.parse().map_err(|_| CommandError::WrongDate(text))?
        }
        None => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
    };
    date(seconds).ok_or_else(|| CommandError::WrongDate(seconds.to_string()))
}

/// The day of a moment, in seconds since 1970; `None` hundreds of thousands of years from now.
fn date(seconds: u64) -> Option<String> {
    let moment = DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)?;
    Some(moment.date_naive().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unix_days_are_shown_as_dates() {
        for (day, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_779, "2026-11-22"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(day * 86_400 + 86_399).as_deref(), Some(expected));
        }
        assert_eq!(date(u64::MAX), None);
    }
}
