//! How redundant a suite is, in each state representation.

use crate::PipelineError;
use crate::kills;
use crate::task;
use crate::traced::{self, Answer, Context};
use host::classpath::Module;
use model::options::{Options, SettingValue, StateRepresentation};
use report::suites::{ASSESS_FILES, AssessReport, Redundancy, SuiteFacts};
use search::redundancy::suites;

/// Assesses the tests of a module and writes the report.
pub fn assess(context: &Context, module: &Module, options: &Options) -> Result<Answer, PipelineError> {
    let scratch = task::scratch()?;
    let found = context.trace(module, options, None, &ASSESS_FILES, scratch.path())?;
    let tests = &found.tests[0];
    let kills = kills::judge(context, &found, tests.iter().collect())?;
    let mutants = kills.map(|kills| kills.of_first(tests.len()));
    let suite = SuiteFacts { mutants, ..traced::facts(module, tests, &found) };
    let representations = StateRepresentation::ALL.map(|state| {
        let assessed = suites::assess(&traced::executed(state, &found.tests)[0]);
        Redundancy {
            state: state.show(),
            redundant_tests: assessed.redundant_tests,
            redundant_tests_percent: percent(assessed.redundant_tests, suite.tests),
            redundant_method_executions: assessed.redundant_executions,
            redundant_method_executions_percent: percent(assessed.redundant_executions, assessed.executions),
        }
    });
    let report = AssessReport { suite, representations: representations.to_vec() };
    context.answer("assess", module, options, report.text(), report.files()?)
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
