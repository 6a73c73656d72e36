//! `randgen minimize`: a small part of a suite that has all its method executions, and what it loses nevertheless.

use super::CommandError;
use super::args::MinimizeArgs;
use super::console::{Console, Display};
use super::engine::EngineError;
use super::exit::ExitCode;
use super::kills;
use super::traced::{self, Context, Traced};
use crate::options::Value;
use crate::redundancy::suites;
use crate::report::suites::{MINIMIZE_FILES, MinimizeReport, SuiteFacts};
use crate::supervisor::tracing::{self, TestName};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Minimizes the suite of every module that the arguments select.
pub fn run(args: &MinimizeArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    let console = Console::new(Display::chosen(args.console));
    let context = Context::new(&args.suite, &console, interrupt)?;
    for (module, options) in traced::modules(&args.suite, &console, interrupt)? {
        let scratch = tempfile::Builder::new().prefix("randgen-").tempdir().map_err(CommandError::Scratch)?;
        let found = context.trace(&module, &options, None, &MINIMIZE_FILES, scratch.path())?;
        let executed = traced::executed(args.state, &found.tests);
        let kept = suites::minimize(&executed[0]);
        let tests = &found.tests[0];
        let names: Vec<TestName> = kept.iter().map(|&index| tests[index].0.clone()).collect();
        // Without the others, as the part will run.
        let alone = tracing::run_again(&found.launch, &names).map_err(EngineError::from)?;
        let is_kept = |index: usize| kept.binary_search(&index).is_ok();
        let excluded = || tests.iter().enumerate().filter(|(index, _)| !is_kept(*index)).map(|(_, test)| test);
        let kept_first = kept.iter().map(|&index| &tests[index]).chain(excluded()).collect();
        let kills = kills::judge(&context, &found, kept_first)?;
        let mutants = kills.as_ref().map(|kills| kills.of_first(tests.len()));
        let before = || tests.iter().map(|(_, trace)| trace);
        let after = || alone.iter().flatten();
        let edges = traced::edges(after());
        let lost_edges = traced::edges(before()).difference(&edges).map(|edge| found.code.describe(*edge)).collect();
        let exceptions = found.code.exceptions(after());
        let lost_exceptions = found.code.exceptions(before()).difference(&exceptions).cloned().collect();
        let broken = names.iter().zip(&alone).filter(|(_, trace)| trace.is_none());
        let report = MinimizeReport {
            suite: SuiteFacts { mutants, ..traced::facts(&module, tests, &found) },
            state: args.state.show(),
            kept: names.iter().map(TestName::to_string).collect(),
            excluded: excluded().map(|(name, _): &Traced| name.to_string()).collect(),
            kept_method_executions: after().map(|trace| trace.executions.len()).sum(),
            kept_edges: found.code.coverage(&edges),
            lost_edges,
            lost_exceptions,
            kept_mutants_killed: kills.as_ref().map(|kills| kills.of_first(kept.len()).killed),
            lost_mutants: kills.map(|kills| kills.lost_behind(kept.len())).unwrap_or_default(),
            broken: broken.map(|(name, _)| name.to_string()).collect(),
        };
        context.report("minimize", &module, &options, &report.text(), report.files()?)?;
    }
    Ok(ExitCode::Clean)
}
