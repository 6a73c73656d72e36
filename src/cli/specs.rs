//! `randgen specs`.

use super::args::SpecsArgs;
use super::exit::ExitCode;
use super::{CommandError, modules};
use model::options::Accept;
use pipeline::specs::{self, Settings};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Infers specifications for every module that the arguments select; exit code 1 if what was accepted is broken.
pub fn run(args: &SpecsArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    let SpecsArgs { max_iterations, axiom_tests, .. } = *args;
    modules::each(&args.modules, interrupt, &mut |task, console| {
        let accept = task.options.accept != Accept::Nothing;
        let settings = Settings { max_iterations, accept, axiom_tests };
        let Some(answer) = specs::run(&settings, task)? else { return Ok(None) };
        console.finish();
        println!("{}", answer.report.text().trim_end());
        if let Some(reports) = answer.reports {
            println!("Report: {}", reports.display());
        }
        if let Some(file) = answer.accepted {
            println!("Accepted: {}", file.display());
        }
        Ok(Some(if answer.report.broken.is_empty() { ExitCode::Clean } else { ExitCode::NewFailures }))
    })
}
