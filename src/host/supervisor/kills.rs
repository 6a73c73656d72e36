//! Which mutants the tests of a user's suite kill: a test kills one if it fails with it and passes without.
//!
//! Mutants share workers, and one may leave objects changed that static fields refer to, so that tests fail with the
//! mutants after it. A test that fails with a mutant therefore runs again without it at once. If it fails then too, both
//! runs are repeated, each in a fresh worker. The probe budget ends endless runs, so that no clock decides.

use super::connection::Answer;
use super::suite_tracing::{Runner, TestName};
use super::{Launch, SupervisorError};
use model::execution::mutant::Mutant;
use model::execution::trace::TestTrace;
use protocol::{outcomes, traces};
use rustc_hash::FxHashSet;

/// With a mutant, a test may execute this many times the probes that it executes without one, and [`MORE_WORK`] more.
const MOST_WORK: u64 = 10;
const MORE_WORK: u64 = 100_000;

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// By the test of this index.
    Killed(usize),
    /// All tests pass with it.
    Survived,
    /// Time was up before.
    NotRun,
}

/// Tests to run with mutants.
pub struct Judge<'a> {
    runner: Runner<'a>,
    tests: Vec<&'a (TestName, TestTrace)>,
    /// Tests that fail without a mutant too.
    unfit: FxHashSet<usize>,
}

impl<'a> Judge<'a> {
    /// Judges mutants by these tests.
    pub fn new(launch: &'a Launch, tests: Vec<&'a (TestName, TestTrace)>) -> Judge<'a> {
        Judge { runner: Runner::new(launch), tests, unfit: FxHashSet::default() }
    }

    /// Runs the tests of these indices with the mutant until one kills it; `should_continue` is called before each.
    pub fn fate(
        &mut self,
        mutant: Mutant,
        tests: impl IntoIterator<Item = usize>,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<Fate, SupervisorError> {
        for test in tests {
            if !should_continue() {
                return Ok(Fate::NotRun);
            }
            if !self.unfit.contains(&test) && self.kills(test, mutant)? {
                return Ok(Fate::Killed(test));
            }
        }
        Ok(Fate::Survived)
    }

    fn kills(&mut self, test: usize, mutant: Mutant) -> Result<bool, SupervisorError> {
        if self.passes(test, Some(mutant))? {
            return Ok(false);
        }
        if self.passes(test, None)? {
            return Ok(true);
        }
        self.runner.restart();
        let fails_with_it = !self.passes(test, Some(mutant))?;
        self.runner.restart();
        let passes_without = self.passes(test, None)?;
        if !passes_without {
            self.unfit.insert(test);
        }
        Ok(fails_with_it && passes_without)
    }

    fn passes(&mut self, test: usize, mutant: Option<Mutant>) -> Result<bool, SupervisorError> {
        let (name, trace) = self.tests[test];
        let budget = trace.cost.saturating_mul(MOST_WORK).saturating_add(MORE_WORK).min(i32::MAX as u64);
        match self.runner.ask(&traces::encode_judge(&name.class, &name.method, budget as u32, mutant))? {
            Answer::Report(report) => {
                let passes = traces::decode_judged(&report);
                if passes.is_err() || outcomes::is_spent(&report) {
                    self.runner.restart();
                }
                // A garbled report is the mutant's doing, so the test does not pass.
                Ok(passes.unwrap_or(false))
            }
            Answer::Hung | Answer::Silent | Answer::Died(_) => Ok(false),
            Answer::Interrupted => Err(SupervisorError::Interrupted),
        }
    }
}
