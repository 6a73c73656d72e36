//! The refine stage: what was found by chance is written as a person would write it.
//!
//! A test keeps its goals and the mutants that it alone kills, or it alone of those of its method, and gets values without
//! detours ([`Effort::Refine`]). What its observers show may change with that. Where a mutant is then missed, each change is run
//! with the mutants that the test needs; failing that, the test is refined so that its observers show the same.

use super::mutation::{Kill, MutationAnalysis, MutationSubject};
use super::strengthen::{at_home, run_asked};
use super::with_mutants::{MutatedRuns, WithMutants};
use super::{SelectionContext, TestCandidate, subject_of};
use crate::minimizer::Effort;
use crate::reader_cost;
use crate::redundancy::sequence_hash;
use model::execution::mutant::Mutant;
use model::execution::{Edge, Execution, Executor, ExecutorError, Outcome, Value};
use model::sequence::{OperationId, Sequence};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::mem::discriminant;

/// What a refined test has to do as before, beside reaching its goals and ending alike.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Its last statements show values of the same kind.
    Kinds,
    /// Also, each smaller test notices the mutants that no other test does.
    Mutants,
    /// Its last statements show the same values.
    Values,
}

/// Most mutants with which each smaller test is run.
const MOST_MUTANTS: usize = 6;

/// The tests, refined where they stay as good. `pool` are sequences that ran, from which makers of objects are taken.
pub(super) fn refine(
    tests: Vec<TestCandidate>,
    pool: &[Sequence],
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    context.knowledge.know_makers(pool.iter().chain(mutation.samples.iter().map(AsRef::as_ref)));
    let mut refining = (vec![false; tests.len()], tests);
    for kept in [Kept::Kinds, Kept::Mutants, Kept::Values] {
        refining = attempt(refining, kept, mutation, context, executors)?;
    }
    let mut known = FxHashSet::default();
    Ok(refining.1.into_iter().filter(|one| known.insert(sequence_hash(&one.sequence))).collect())
}

/// How many tests kill each mutant, and how many of them are about the method that it is in.
struct Killers<'a> {
    of: FxHashMap<u32, usize>,
    at_home: FxHashMap<(u32, OperationId), usize>,
    mutation: &'a MutationAnalysis<'a>,
    context: &'a SelectionContext<'a>,
}

impl Killers<'_> {
    fn new<'a>(tests: &[TestCandidate], mutation: &'a MutationAnalysis, context: &'a SelectionContext) -> Killers<'a> {
        let mut killers = Killers { of: FxHashMap::default(), at_home: FxHashMap::default(), mutation, context };
        for one in tests {
            for &mutant in one.kills.keys() {
                *killers.of.entry(mutant).or_default() += 1;
                if let Some(home) = killers.home(one, mutant) {
                    *killers.at_home.entry((mutant, home)).or_default() += 1;
                }
            }
        }
        killers
    }

    /// The method that the test is about, if the mutant is in it.
    fn home(&self, one: &TestCandidate, mutant: u32) -> Option<OperationId> {
        let body = |id: &OperationId| &self.context.probes.of_operation[id.0 as usize];
        let reached = &self.mutation.sites[mutant as usize].reached_by;
        subject_of(one).filter(|id| body(id).iter().any(|probe| reached.contains(probe)))
    }

    /// Whether no other test kills the mutant, or none that is about the same method.
    fn needs(&self, one: &TestCandidate, mutant: u32) -> bool {
        self.of[&mutant] == 1 || self.home(one, mutant).is_some_and(|home| self.at_home[&(mutant, home)] == 1)
    }

    /// The test does not kill the mutant any more.
    fn lose(&mut self, one: &TestCandidate, mutant: u32) {
        *self.of.entry(mutant).or_default() -= 1;
        if let Some(home) = self.home(one, mutant) {
            *self.at_home.entry((mutant, home)).or_default() -= 1;
        }
    }
}

/// Refines those tests that are not refined yet, and says which are.
fn attempt(
    (is_refined, tests): (Vec<bool>, Vec<TestCandidate>),
    kept: Kept,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<(Vec<bool>, Vec<TestCandidate>), ExecutorError> {
    let mut killers = Killers::new(&tests, mutation, context);
    let needed = |one: &TestCandidate| one.kills.keys().copied().filter(|&it| killers.needs(one, it)).collect();
    // If time is short, those are refined that a reader pays most for.
    let cost = |at: &usize| Reverse(reader_cost::of(&tests[*at].subject(), None, &context.program.operations));
    let mut order: Vec<usize> = (0..tests.len()).filter(|at| !is_refined[*at]).collect();
    order.sort_by_key(cost);
    let waiting: Vec<(TestCandidate, Vec<u32>)> =
        order.iter().map(|&at| (tests[at].clone(), needed(&tests[at]))).collect();
    let killed: BTreeSet<u32> = waiting.iter().flat_map(|(one, _)| one.kills.keys().copied()).collect();
    let killed: Vec<u32> = killed.into_iter().collect();
    let refined = at_home(executors, &mut |home| {
        let one_by_one = |(one, needed): (TestCandidate, Vec<u32>), executor: &mut dyn Executor| match kept {
            _ if !(mutation.should_continue)() => Ok(one),
            Kept::Mutants if needed.len() > MOST_MUTANTS => Ok(one),
            Kept::Mutants => noticing(one, &needed, mutation, context, executor),
            Kept::Kinds | Kept::Values => refined(one, kept, context, executor),
        };
        let mut refined = context.on_shards(waiting.clone(), home, &one_by_one)?;
        let is_changed = |at: usize| waiting[at].0.sequence != refined[at].sequence;
        let changed: Vec<bool> = (0..waiting.len()).map(is_changed).collect();
        // What costs a worker is run again only for the test that alone notices it.
        let asks = |at: usize, mutant: u32| {
            let (long, needed) = &waiting[at];
            changed[at] && (long.kills.get(&mutant) != Some(&Kill::Stopped) || needed.contains(&mutant))
        };
        run_asked(&mut refined, (&killed, &asks), mutation, context, home)?;
        Ok(refined)
    })?;
    let mut refined: FxHashMap<usize, TestCandidate> = order.into_iter().zip(refined).collect();
    // What others kill too, a test may miss.
    let choose = |(at, (long, done)): (usize, (TestCandidate, bool))| {
        if done {
            return (true, long);
        }
        let mut short = refined.remove(&at).expect("each test that waits is refined");
        if short.sequence == long.sequence {
            return (kept != Kept::Mutants, long);
        }
        let stopped = still_stopped(&long, &short, mutation).into_iter().filter(|&it| !killers.needs(&long, it));
        short.kills.extend(stopped.map(|mutant| (mutant, Kill::Stopped)));
        let lost: Vec<u32> = long.kills.keys().copied().filter(|mutant| !short.kills.contains_key(mutant)).collect();
        if lost.iter().any(|&it| killers.needs(&long, it)) {
            return (false, long);
        }
        lost.iter().for_each(|&mutant| killers.lose(&long, mutant));
        (true, short)
    };
    Ok(tests.into_iter().zip(is_refined).enumerate().map(choose).unzip())
}

/// The mutants with which a test ended workers: its refined form is taken to do the same if it reaches them.
fn still_stopped(long: &TestCandidate, short: &TestCandidate, mutation: &MutationAnalysis) -> Vec<u32> {
    let reached: FxHashSet<Edge> = short.execution.edges.iter().map(|hit| hit.edge).collect();
    let reaches = |mutant: &u32| mutation.sites[*mutant as usize].reached_by.iter().any(|edge| reached.contains(edge));
    let stopped = long.kills.iter().filter(|(_, kill)| **kill == Kill::Stopped).map(|(mutant, _)| *mutant);
    stopped.filter(reaches).collect()
}

/// The test refined, with what it shows last kept.
fn refined(
    one: TestCandidate,
    kept: Kept,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<TestCandidate, ExecutorError> {
    let is_alike = alike(&one, kept);
    // What the test is about stays.
    let fixed = one.observers + 1;
    context.minimize_while(one, fixed, Effort::Refine, executor, &|_, run| is_alike(run))
}

/// The test refined, while it notices these mutants.
fn noticing(
    one: TestCandidate,
    needed: &[u32],
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<TestCandidate, ExecutorError> {
    let is_cheap = |site: &&u32| one.kills.get(site) != Some(&Kill::Stopped);
    let mutants: Vec<Mutant> =
        needed.iter().filter(is_cheap).map(|&site| mutation.sites[site as usize].mutant).collect();
    let runs = MutatedRuns::default();
    let mut both = WithMutants::new(executor, &mutants, &runs);
    let is_alike = alike(&one, Kept::Mutants);
    let long = one.clone();
    let notices = |sequence: &Sequence, run: &Execution| {
        let small = TestCandidate { sequence: sequence.clone(), execution: run.clone(), ..long.clone() };
        let assertions = (mutation.assertions)(&small);
        let subject = MutationSubject { one: &small, assertions };
        runs.all(sequence, &mutants, |mutated| subject.notices(mutated).is_some())
    };
    let fixed = one.observers + 1;
    context
        .minimize_while(one, fixed, Effort::Refine, &mut both, &|sequence, run| is_alike(run) && notices(sequence, run))
}

/// Whether a run is like that of the test.
fn alike(one: &TestCandidate, kept: Kept) -> impl Fn(&Execution) -> bool + use<> {
    let shown = one.observers + 1;
    let last = move |run: &Execution| run.values.iter().rev().take(shown).cloned().collect::<Vec<Value>>();
    let expected = last(&one.execution);
    let leaves_state = one.execution.residual_state.is_some();
    let shows = move |run: &Execution| {
        let seen = last(run);
        let is_like = |(one, other): (&Value, &Value)| discriminant(one) == discriminant(other);
        seen == expected
            || kept != Kept::Values && seen.len() == expected.len() && seen.iter().zip(&expected).all(is_like)
    };
    move |run: &Execution| {
        !run.environment_dependent
            && (leaves_state || run.residual_state.is_none())
            && (run.outcome != Outcome::Completed || shows(run))
    }
}
