//! `randgen assess`: how redundant a suite is, in each state representation.

use super::CommandError;
use super::args::AssessArgs;
use super::console::{Console, Display};
use super::exit::ExitCode;
use super::kills;
use super::traced::{self, Context};
use crate::options::{StateRepresentation, Value};
use crate::redundancy::suites;
use crate::report::suites::{ASSESS_FILES, AssessReport, Redundancy, SuiteFacts};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Assesses the tests of every module that the arguments select.
pub fn run(args: &AssessArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    let console = Console::new(Display::chosen(args.console));
    let context = Context::new(&args.suite, &console, interrupt)?;
    for (module, options) in traced::modules(&args.suite, &console, interrupt)? {
        let scratch = tempfile::Builder::new().prefix("randgen-").tempdir().map_err(CommandError::Scratch)?;
        let found = context.trace(&module, &options, None, &ASSESS_FILES, scratch.path())?;
        let tests = &found.tests[0];
        let kills = kills::judge(&context, &found, tests.iter().collect())?;
        let mutants = kills.map(|kills| kills.of_first(tests.len()));
        let suite = SuiteFacts { mutants, ..traced::facts(&module, tests, &found) };
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
        context.report("assess", &module, &options, &report.text(), report.files()?)?;
    }
    Ok(ExitCode::Clean)
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
