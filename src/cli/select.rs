//! `randgen select`: the tests of one suite that add to another.

use super::CommandError;
use super::args::SelectArgs;
use super::console::{Console, Display};
use super::exit::ExitCode;
use super::kills;
use super::traced::{self, Context};
use crate::options::Value;
use crate::redundancy::suites;
use crate::report::suites::{SELECT_FILES, SelectReport, SuiteFacts};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Selects from the other suite for every module that the arguments select.
pub fn run(args: &SelectArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    let console = Console::new(Display::chosen(args.console));
    let context = Context::new(&args.suite, &console, interrupt)?;
    let here = std::env::current_dir().map_err(CommandError::CurrentDirectory)?;
    for (module, options) in traced::modules(&args.suite, &console, interrupt)? {
        let scratch = tempfile::Builder::new().prefix("randgen-").tempdir().map_err(CommandError::Scratch)?;
        let found = context.trace(&module, &options, Some(&here.join(&args.also)), &SELECT_FILES, scratch.path())?;
        let (own, others) = (&found.tests[0], &found.tests[1]);
        let executed = traced::executed(args.state, &found.tests);
        let selected: Vec<&traced::Traced> =
            suites::select(&executed[0], &executed[1]).into_iter().map(|index| &others[index]).collect();
        let both = || own.iter().chain(selected.iter().copied());
        let edges = traced::edges(both().map(|(_, trace)| trace));
        let kills = kills::judge(&context, &found, both().collect())?;
        let mutants = kills.as_ref().map(|kills| kills.of_first(own.len()));
        let report = SelectReport {
            suite: SuiteFacts { mutants, ..traced::facts(&module, own, &found) },
            state: args.state.show(),
            candidates: others.len(),
            selected: selected.iter().map(|(name, _)| name.to_string()).collect(),
            edges_with_selected: found.code.coverage(&edges),
            mutants_killed_with_selected: kills.map(|kills| kills.of_first(both().count()).killed),
        };
        context.report("select", &module, &options, &report.text(), report.files()?)?;
    }
    Ok(ExitCode::Clean)
}
