//! The tests of one suite that add to another.

use crate::PipelineError;
use crate::kills;
use crate::task;
use crate::traced::{self, Answer, Context};
use host::classpath::Module;
use model::options::{Options, SettingValue, StateRepresentation};
use report::suites::{SELECT_FILES, SelectReport, SuiteFacts};
use search::redundancy::suites;
use std::path::Path;

/// Selects from the tests in `candidates`, telling states apart by `state`, and writes the report.
pub fn select(
    context: &Context,
    module: &Module,
    options: &Options,
    state: StateRepresentation,
    candidates: &Path,
) -> Result<Answer, PipelineError> {
    let scratch = task::scratch()?;
    let found = context.trace(module, options, Some(candidates), &SELECT_FILES, scratch.path())?;
    let (own, others) = (&found.tests[0], &found.tests[1]);
    let executed = traced::executed(state, &found.tests);
    let selected: Vec<&traced::Traced> =
        suites::select(&executed[0], &executed[1]).into_iter().map(|index| &others[index]).collect();
    let both = || own.iter().chain(selected.iter().copied());
    let edges = traced::edges(both().map(|(_, trace)| trace));
    let kills = kills::judge(context, &found, both().collect())?;
    let mutants = kills.as_ref().map(|kills| kills.of_first(own.len()));
    let report = SelectReport {
        suite: SuiteFacts { mutants, ..traced::facts(module, own, &found) },
        state: state.show(),
        candidates: others.len(),
        selected: selected.iter().map(|(name, _)| name.to_string()).collect(),
        edges_with_selected: found.code.coverage(&edges),
        mutants_killed_with_selected: kills.map(|kills| kills.of_first(both().count()).killed),
    };
    context.answer("select", module, options, report.text(), report.files()?)
}
