//! A small part of a suite that has all its method executions, and what it loses nevertheless.

use crate::PipelineError;
use crate::engine::EngineError;
use crate::kills;
use crate::task;
use crate::traced::{self, Answer, Context, Traced};
use host::classpath::Module;
use host::supervisor::suite_tracing::{self, TestName};
use model::options::{Options, SettingValue, StateRepresentation};
use report::suites::{MINIMIZE_FILES, MinimizeReport, SuiteFacts};
use search::redundancy::suites;

/// Minimizes the suite of a module, telling states apart by `state`, and writes the report.
pub fn minimize(
    context: &Context,
    module: &Module,
    options: &Options,
    state: StateRepresentation,
) -> Result<Answer, PipelineError> {
    let scratch = task::scratch()?;
    let found = context.trace(module, options, None, &MINIMIZE_FILES, scratch.path())?;
    let executed = traced::executed(state, &found.tests);
    let kept = suites::minimize(&executed[0]);
    let tests = &found.tests[0];
    let names: Vec<TestName> = kept.iter().map(|&index| tests[index].0.clone()).collect();
    // Without the others, as the part will run.
    let alone = suite_tracing::run_again(&found.launch, &names).map_err(EngineError::from)?;
    let is_kept = |index: usize| kept.binary_search(&index).is_ok();
    let excluded = || tests.iter().enumerate().filter(|(index, _)| !is_kept(*index)).map(|(_, test)| test);
    let kept_first = kept.iter().map(|&index| &tests[index]).chain(excluded()).collect();
    let kills = kills::judge(context, &found, kept_first)?;
    let mutants = kills.as_ref().map(|kills| kills.of_first(tests.len()));
    let before = || tests.iter().map(|(_, trace)| trace);
    let after = || alone.iter().flatten();
    let edges = traced::edges(after());
    let lost_edges = traced::edges(before()).difference(&edges).map(|edge| found.code.describe(*edge)).collect();
    let exceptions = found.code.exceptions(after());
    let lost_exceptions = found.code.exceptions(before()).difference(&exceptions).cloned().collect();
    let broken = names.iter().zip(&alone).filter(|(_, trace)| trace.is_none());
    let report = MinimizeReport {
        suite: SuiteFacts { mutants, ..traced::facts(module, tests, &found) },
        state: state.show(),
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
    context.answer("minimize", module, options, report.text(), report.files()?)
}
