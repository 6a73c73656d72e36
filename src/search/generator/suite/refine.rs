//! The refine stage: what was found by chance is written as a person would write it.
//!
//! A test keeps its goals and the mutants that it alone kills, and gets values without detours ([`Effort::Refine`]). What its
//! observers show may change with that; where a mutant is then missed, the test is refined once more so that they show the same.

use super::fresh::killed_by;
use super::mutation::MutationAnalysis;
use super::strengthen::{at_home, run};
use super::{SelectionContext, TestCandidate};
use crate::minimizer::Effort;
use crate::redundancy::sequence_hash;
use model::execution::{Execution, Executor, ExecutorError, Outcome, Value};
use model::sequence::Sequence;
use rustc_hash::{FxHashMap, FxHashSet};
use std::mem::discriminant;

/// What the last statements of a refined test have to show.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// Values of the same kind.
    Kinds,
    /// The same values.
    Values,
}

/// The tests, refined where they stay as good. `pool` are sequences that ran, from which makers of objects are taken.
pub(super) fn refine(
    tests: Vec<TestCandidate>,
    pool: &[Sequence],
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    context.knowledge.know_makers(pool.iter().chain(mutation.samples.iter().map(AsRef::as_ref)));
    let none = vec![false; tests.len()];
    let (tests, is_refined) = attempt((tests, none), Shown::Kinds, mutation, context, executors)?;
    let (tests, _) = attempt((tests, is_refined), Shown::Values, mutation, context, executors)?;
    let mut known = FxHashSet::default();
    Ok(tests.into_iter().filter(|one| known.insert(sequence_hash(&one.sequence))).collect())
}

/// Refines those tests that are not refined yet, and says which are.
fn attempt(
    (tests, is_refined): (Vec<TestCandidate>, Vec<bool>),
    shown: Shown,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<(Vec<TestCandidate>, Vec<bool>), ExecutorError> {
    let waiting: Vec<TestCandidate> =
        tests.iter().zip(&is_refined).filter(|(_, done)| !**done).map(|(one, _)| one.clone()).collect();
    let killed: Vec<u32> = killed_by(&waiting).into_iter().collect();
    let refined = at_home(executors, &mut |home| {
        let one_by_one = |one, executor: &mut dyn Executor| refined(one, shown, mutation, context, executor);
        let mut refined = context.on_shards(waiting.clone(), home, &one_by_one)?;
        run(&mut refined, &killed, mutation, context, home)?;
        Ok(refined)
    })?;
    let mut refined = refined.into_iter();
    // How many tests kill each mutant: what others kill too, a test may miss.
    let mut killers: FxHashMap<u32, usize> = FxHashMap::default();
    tests.iter().flat_map(|one| one.kills.keys()).for_each(|mutant| *killers.entry(*mutant).or_default() += 1);
    let choose = |(long, done): (TestCandidate, bool)| {
        if done {
            return (long, true);
        }
        let short = refined.next().expect("each test that waits is refined");
        let is_lost = |mutant: &&u32| !short.kills.contains_key(*mutant);
        if long.kills.keys().filter(is_lost).any(|mutant| killers[mutant] == 1) {
            return (long, false);
        }
        long.kills.keys().filter(is_lost).for_each(|mutant| *killers.entry(*mutant).or_default() -= 1);
        (short, true)
    };
    Ok(tests.into_iter().zip(is_refined).map(choose).unzip())
}

fn refined(
    one: TestCandidate,
    shown: Shown,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<TestCandidate, ExecutorError> {
    if !(mutation.should_continue)() {
        return Ok(one);
    }
    // What the test is about stays.
    let fixed = one.observers + 1;
    let last = |run: &Execution| run.values.iter().rev().take(fixed).cloned().collect::<Vec<Value>>();
    let expected = last(&one.execution);
    let leaves_state = one.execution.residual_state.is_some();
    let shows = |run: &Execution| {
        let seen = last(run);
        let is_like = |(one, other): (&Value, &Value)| discriminant(one) == discriminant(other);
        seen == expected
            || shown == Shown::Kinds && seen.len() == expected.len() && seen.iter().zip(&expected).all(is_like)
    };
    context.minimize_while(one, fixed, Effort::Refine, executor, &|run| {
        !run.environment_dependent
            && (leaves_state || run.residual_state.is_none())
            && (run.outcome != Outcome::Completed || shows(run))
    })
}
