//! `randgen explore`.

use super::args::ExploreArgs;
use super::exit::ExitCode;
use super::{CommandError, modules};
use pipeline::PipelineError;
use pipeline::explore::{ExploreError, Progress, explore};
use report::exploration;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Explores the class in the module that has it, printing a line for each iteration.
pub fn run(args: &ExploreArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    let settings = args.exploration();
    let (mut is_found, mut may_be_elsewhere) = (false, false);
    let mut without = Vec::new();
    let exit_code = modules::each(&args.modules, interrupt, &mut |task, console| {
        let answer = explore(&settings, task, &mut |progress| match progress {
            Progress::Started(report) => {
                console.finish();
                println!("{}\n\n{}", report.headline(), exploration::header());
            }
            Progress::Iteration(iteration, seconds) => println!("{}", exploration::row(iteration, seconds)),
        })?;
        console.finish();
        match answer {
            None => {
                may_be_elsewhere |= modules::is_asked_in_part(&args.modules.project, task.module);
                without.push(task.module.name.clone());
            }
            Some(answer) => {
                is_found = true;
                print!("\n{}", answer.report.text());
                if let Some(file) = answer.file {
                    println!("Report: {}", file.display());
                }
            }
        }
        Ok(Some(ExitCode::Clean))
    })?;
    if is_found || exit_code != ExitCode::Clean {
        return Ok(exit_code);
    }
    let error = ExploreError::UnknownClass { class: args.class.clone(), modules: without };
    if may_be_elsewhere {
        println!("{error}");
        return Ok(ExitCode::Clean);
    }
    Err(PipelineError::from(error).into())
}
