//! `randgen explain`: what a finding, a contract, a finding rule or a reason code says.

use super::CommandError;
use super::args::{ExplainArgs, ModuleArgs};
use super::console::Console;
use super::exit::ExitCode;
use super::modules;
use oracle::{contract, rules};
use pipeline::PipelineError;
use pipeline::findings::{self, FindingError};
use pipeline::task::Task;
use report::{self, Finding, Reason};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Explains what the argument names.
pub fn run(args: &ExplainArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    let what = args.what.as_str();
    if let Some(contract) = contract::ALL.iter().find(|contract| contract.name() == what) {
        println!("{what} holds when {}", contract.law());
        return Ok(ExitCode::Clean);
    }
    if let Ok(rule) = rules::find(what) {
        println!("{rule}");
        return Ok(ExitCode::Clean);
    }
    if let Some(reason) = Reason::ALL.into_iter().find(|reason| reason.to_string() == what) {
        println!("{what}: the code {}", reason.explanation());
        return Ok(ExitCode::Clean);
    }
    let unknown = || PipelineError::from(FindingError::UnknownName(what.to_string()));
    // What cannot be an id is unknown in every project, and where there is none.
    if !report::may_be_finding_id(what) {
        return Err(unknown().into());
    }
    of_last_run(&args.modules, what, interrupt, unknown, &mut |_, _, class, finding| {
        print!("{}", report::finding(class, &finding));
        if let Some(contract) = contract::ALL.iter().find(|contract| contract.name() == finding.contract) {
            println!("\n{} holds when {}", contract.name(), contract.law());
        }
        Ok(ExitCode::Clean)
    })
}

/// What a command does for a finding of a class, which it is given by name.
pub type Work<'a> = dyn FnMut(&Task, &Console, &str, Finding) -> Result<ExitCode, CommandError> + 'a;

/// Does the work for the finding whose id begins so, in the module whose last run has it; an error if no module has one.
pub(super) fn of_last_run(
    modules: &ModuleArgs,
    id: &str,
    interrupt: &Arc<AtomicBool>,
    unknown: impl Fn() -> PipelineError,
    work: &mut Work,
) -> Result<ExitCode, CommandError> {
    let (mut is_found, mut may_be_elsewhere) = (false, false);
    let exit_code = modules::each(modules, interrupt, &mut |task, console| {
        let Some((class, finding)) = findings::find(task, id).map_err(PipelineError::from)? else {
            if modules::is_asked_in_part(&modules.project, task.module) {
                may_be_elsewhere = true;
                console.finish();
                println!("{} has no such finding", task.module.name);
            }
            return Ok(Some(ExitCode::Clean));
        };
        is_found = true;
        work(task, console, &class, finding).map(Some)
    })?;
    if is_found || may_be_elsewhere { Ok(exit_code) } else { Err(unknown().into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn contracts_rules_and_reasons_have_distinct_names() {
        let contracts = contract::ALL.iter().map(|contract| contract.name().to_string());
        let names = contracts.chain(rules::ALL.iter().map(|rule| rule.id.to_string()));
        let names: Vec<String> = names.chain(Reason::ALL.into_iter().map(|reason| reason.to_string())).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}
