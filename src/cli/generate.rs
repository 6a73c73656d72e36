//! `randgen generate`.

use super::args::GenerateArgs;
use super::exit::ExitCode;
use super::{CommandError, modules, step_summary};
use pipeline::generate::{Tests, run_module};
use pipeline::specs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Generates tests for every module that the arguments select.
pub fn run(args: &GenerateArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    modules::each(&args.modules, interrupt, &mut |task, console| {
        let tests = if task.options.dry_run { Tests::Planned } else { Tests::Written };
        specs::check_files(task)?;
        let Some(run) = run_module(task, tests)? else { return Ok(None) };
        console.finish();
        let reports = run.reports_directory.display().to_string();
        print!(
            "{}",
            match &run.timing {
                Some(timing) => report::text(&run.report, Some(timing), &reports),
                None => report::text_of_last_run(&run.report, &reports),
            }
        );
        step_summary::append(&report::markdown(&run.report), console);
        // Like findings, broken specifications are told here and judged by `check`.
        let checked = specs::check(task, &run.report)?;
        console.finish();
        print!("{}", checked.text);
        Ok(Some(run.report.outcome.into()))
    })
}
