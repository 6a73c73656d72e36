//! Further tests for mutants that survive the tests of the selection.
//!
//! A suite that is selected by edges calls a method without branches only by the way, and shows each state once. The search
//! keeps samples of what each operation returned, after which other calls. They are tried from the cheapest to read on, a few
//! for each surviving mutant, and more for those that survive these too. For what is left, sequences are changed until they
//! kill it ([directed](super::directed)).

use super::directed::{self, Target, as_test};
use super::mutation::{Asked, Kill, MutationAnalysis};
use super::strengthen::{at_home, extended, run, run_also};
use super::{SelectionContext, TestCandidate, cover, split};
use crate::generator::Goal;
use crate::reader_cost;
use crate::redundancy::sequence_hash;
use model::execution::{Detail, Edge, Executor, ExecutorError};
use model::sequence::{OperationId, Sequence};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Most tests that are tried for one mutant, by round. The directed search then begins with others that reach it.
const TRIED_FOR_MUTANT: [usize; 2] = [8, 24];
/// Most sequences that are executed to see which mutants they reach, the cheapest to read first.
const MOST_SEQUENCES: usize = 20_000;
/// Least rounds of the directed search, if it has the time.
const LEAST_ROUNDS: usize = 6;
/// With a limit of time, a further round follows if the last one killed at least one of so many mutants.
const WORTH_A_ROUND: usize = 100;
/// Most sequences that show what is done with objects, beside the tests.
const MOST_USES: usize = 20_000;

/// What is needed to find further tests.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    /// The sequences of the archive: first those that were observed, as far as they ran.
    pub(super) pool: &'a [Sequence],
    /// Operations that show the state of an object.
    pub(super) observers: &'a [OperationId],
    /// The mutants that were run with the tests.
    pub(super) tried: &'a BTreeSet<u32>,
    pub(super) mutation: &'a MutationAnalysis<'a>,
    pub(super) context: &'a SelectionContext<'a>,
}

/// A sequence that may become a test, and the surviving mutants that it reaches.
struct Untried {
    sequence: Sequence,
    mutants: Vec<u32>,
}

/// Sequences to which the directed search for one mutant may begin with.
const REACHING: usize = 12;

/// The tests, with those added that kill mutants which survived; and the mutants that were run with them.
pub(super) fn add(
    tests: Vec<TestCandidate>,
    task: &Task,
    executors: &mut [Box<dyn Executor>],
) -> Result<(Vec<TestCandidate>, BTreeSet<u32>), ExecutorError> {
    let Task { mutation, context, .. } = *task;
    let in_order = mutation.in_order();
    let left = survivors(&tests, task);
    let mut untried = untried(&tests, &left, task, executors)?;
    let mut reaching = reaching(&tests, &untried, &left, mutation, context);
    let mut growing = Growing { tests, left, tried: BTreeSet::new() };
    for most in TRIED_FOR_MUTANT {
        let chosen = take(&mut untried, most, &growing.left);
        if chosen.is_empty() || !(mutation.should_continue)() {
            break;
        }
        growing.add_killers(&chosen, most, task, executors)?;
    }
    let known = match (mutation.should_continue_search)() {
        true => uses_of_objects(&growing.tests, task),
        false => Vec::new(),
    };
    let uses = mutation.vocabulary.uses(&known);
    for round in 0.. {
        let is_target = |mutant: &u32| growing.left.contains(mutant) && reaching.contains_key(mutant);
        let targets = in_order.iter().copied().filter(is_target);
        let targets: Vec<Target> =
            targets.map(|mutant| Target { mutant, reaching: reaching[&mutant].clone() }).collect();
        if targets.is_empty() || !(mutation.should_continue_search)() {
            break;
        }
        let before = growing.left.len();
        let found = directed::search(&targets, round, &uses, task, executors)?;
        let chosen: Vec<Sequence> = found.iter().map(|(_, sequence)| sequence.clone()).collect();
        growing.add_killers(&chosen, usize::MAX, task, executors)?;
        for (mutant, sequence) in found {
            let known = reaching.entry(mutant).or_default();
            if !known.contains(&sequence) {
                known.push(sequence);
            }
        }
        let killed = before - growing.left.len();
        if !is_followed(round, killed, targets.len(), mutation.is_search_timed) {
            break;
        }
    }
    let Growing { tests, tried, .. } = growing;
    Ok((cover::cover_in_reason(tests, context), tried))
}

/// The mutants that no test kills, as far as the tests that reach them were run with them.
fn survivors(tests: &[TestCandidate], task: &Task) -> BTreeSet<u32> {
    let Task { tried, mutation, context, .. } = *task;
    let killed = killed_by(tests);
    let is_left = |mutant: &u32| !killed.contains(mutant) && !context.held.has(&Goal::Mutant(*mutant));
    let mut left: BTreeSet<u32> = (0..mutation.sites.len() as u32).filter(is_left).collect();
    let behind = behind(left.iter().copied().filter(|mutant| !tried.contains(mutant)), mutation);
    for mutant in tests.iter().flat_map(|one| reached(one, &behind, mutation, context)) {
        left.remove(&mutant);
    }
    left
}

/// Whether a round that killed so many of its mutants is followed by another one.
fn is_followed(round: usize, killed: usize, mutants: usize, is_timed: bool) -> bool {
    round + 1 < LEAST_ROUNDS || is_timed && killed * WORTH_A_ROUND >= mutants
}

/// Sequences that show what is done with objects: the tests, and the last calls of others with what they need and what changed that.
fn uses_of_objects(tests: &[TestCandidate], task: &Task) -> Vec<Sequence> {
    let effects = &task.context.program.effects;
    let samples = task.mutation.samples.iter().map(|sample| &**sample);
    let others = task.pool.iter().chain(samples).take(MOST_USES).map(|one| split::with_changes(one, effects));
    let mut known = FxHashSet::default();
    let all = tests.iter().map(TestCandidate::subject).chain(others);
    all.filter(|one| known.insert(sequence_hash(one))).collect()
}

/// The tests so far, the mutants that survive them, and those that were run with tests that were tried.
struct Growing {
    tests: Vec<TestCandidate>,
    left: BTreeSet<u32>,
    tried: BTreeSet<u32>,
}

impl Growing {
    /// Adds tests of those sequences that kill surviving mutants, of which each runs with the first so many tests.
    fn add_killers(
        &mut self,
        chosen: &[Sequence],
        most_tests: usize,
        task: &Task,
        executors: &mut [Box<dyn Executor>],
    ) -> Result<(), ExecutorError> {
        let Task { observers, mutation, context, .. } = *task;
        let fresh = context.observe(chosen, true, executors)?.0;
        let mut fresh = at_home(executors, &mut |home| extended(fresh.clone(), observers, mutation, context, home))?;
        let is_left = |mutant: &u32| self.left.contains(mutant);
        let mutants: Vec<u32> = mutation.in_order().into_iter().filter(is_left).collect();
        let asked = Asked { most_tests, ..Asked::all(&mutants) };
        self.tried.extend(at_home(executors, &mut |home| run(&mut fresh, asked, mutation, context, home))?);
        fresh.retain(|one| !one.kills.is_empty());
        // Those that are of use may kill more than what they were tried for; what ends runs is known well enough.
        if most_tests < usize::MAX {
            let kills = fresh.iter().flat_map(|one| &one.kills);
            let ends: BTreeSet<u32> = kills.filter(|(_, kill)| **kill == Kill::Stopped).map(|(it, _)| *it).collect();
            let others: Vec<u32> = mutants.into_iter().filter(|mutant| !ends.contains(mutant)).collect();
            at_home(executors, &mut |home| run_also(&mut fresh, Asked::all(&others), mutation, context, home))?;
        }
        let killed = killed_by(&fresh);
        self.left.retain(|mutant| !killed.contains(mutant));
        self.tests.extend(fresh);
        Ok(())
    }
}

/// For each surviving mutant some sequences that reach it: the first ones, which are the cheapest to read, and others evenly
/// from the rest.
fn reaching(
    tests: &[TestCandidate],
    untried: &[Untried],
    left: &BTreeSet<u32>,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
) -> FxHashMap<u32, Vec<Sequence>> {
    let behind = behind(left.iter().copied(), mutation);
    let mut all: FxHashMap<u32, Vec<&Sequence>> = FxHashMap::default();
    // What stands behind a rejected call would be cut off there.
    let subject = |one: &TestCandidate| match one.sequence.rejected() {
        Some(_) => one.subject(),
        None => one.sequence.clone(),
    };
    let sequences: Vec<Sequence> = tests.iter().map(subject).collect();
    for (one, sequence) in tests.iter().zip(&sequences) {
        for mutant in reached(one, &behind, mutation, context) {
            all.entry(mutant).or_default().push(sequence);
        }
    }
    for one in untried {
        one.mutants.iter().for_each(|mutant| all.entry(*mutant).or_default().push(&one.sequence));
    }
    let some = |of: Vec<&Sequence>| {
        let (first, rest) = of.split_at(of.len().min(REACHING / 2));
        let others = rest.iter().step_by(rest.len().div_ceil(REACHING - REACHING / 2).max(1));
        first.iter().chain(others).map(|one| (*one).clone()).collect()
    };
    all.into_iter().map(|(mutant, of)| (mutant, some(of))).collect()
}

/// The mutants that the test reaches, of those that count for it.
pub(super) fn reached(
    one: &TestCandidate,
    behind: &FxHashMap<Edge, Vec<u32>>,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
) -> BTreeSet<u32> {
    let counts = context.counts(one);
    let reached = one.execution.edges.iter().filter_map(|hit| behind.get(&hit.edge)).flatten();
    reached.copied().filter(|mutant| counts(&mutation.sites[*mutant as usize])).collect()
}

/// The mutants by the edges that lead to them.
pub(super) fn behind(mutants: impl IntoIterator<Item = u32>, mutation: &MutationAnalysis) -> FxHashMap<Edge, Vec<u32>> {
    let mut behind: FxHashMap<Edge, Vec<u32>> = FxHashMap::default();
    for mutant in mutants {
        for &edge in &mutation.sites[mutant as usize].reached_by {
            behind.entry(edge).or_default().push(mutant);
        }
    }
    behind
}

/// The mutants that any of the tests kills.
pub(super) fn killed_by(tests: &[TestCandidate]) -> BTreeSet<u32> {
    tests.iter().flat_map(|one| one.kills.keys()).copied().collect()
}

/// The sequences of the pool and the samples that may become tests and reach mutants that survive, the cheapest to read
/// first: calls with what they need, and with what may have changed that.
fn untried(
    tests: &[TestCandidate],
    left: &BTreeSet<u32>,
    task: &Task,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<Untried>, ExecutorError> {
    let Task { pool, mutation, context, .. } = *task;
    let mut known: FxHashSet<u64> = tests.iter().map(|one| sequence_hash(&one.sequence)).collect();
    let effects = &context.program.effects;
    let mut slices: Vec<Sequence> = pool.iter().flat_map(split::slices).collect();
    for sample in mutation.samples {
        slices.extend(split::slice(sample, sample.len() - 1));
        slices.push(split::with_changes(sample, effects));
    }
    slices.retain(|slice| known.insert(sequence_hash(slice)));
    slices.sort_by_cached_key(|slice| reader_cost::of(slice, None, &context.program.operations));
    slices.truncate(MOST_SEQUENCES);
    let runs = at_home(executors, &mut |home| {
        let run = |batch: &[Sequence], executor: &mut dyn Executor| match (mutation.should_continue)() {
            true => executor.execute(batch, Detail::Observe),
            false => Ok(Vec::new()),
        };
        context.on_shards(slices.chunks(super::BATCH).collect(), home, &run)
    })?;
    let behind = behind(left.iter().copied(), mutation);
    // A batch for which there was no time has no runs.
    let ran = slices.chunks(super::BATCH).zip(runs).flat_map(|(batch, runs)| batch.iter().cloned().zip(runs));
    let tests = ran.filter_map(|(sequence, run)| as_test(sequence, run, context));
    let untried = tests.filter_map(|one| {
        let mutants = reached(&one, &behind, mutation, context);
        (!mutants.is_empty()).then(|| Untried { mutants: mutants.into_iter().collect(), sequence: one.sequence })
    });
    Ok(untried.collect())
}

/// Takes the first so many sequences for each mutant that survives.
fn take(untried: &mut Vec<Untried>, most: usize, left: &BTreeSet<u32>) -> Vec<Sequence> {
    let mut reached: FxHashMap<u32, usize> = FxHashMap::default();
    let mut is_wanted = |one: &mut Untried| {
        one.mutants.retain(|mutant| left.contains(mutant));
        let is_wanted = one.mutants.iter().any(|mutant| reached.get(mutant).is_none_or(|times| *times < most));
        if is_wanted {
            one.mutants.iter().for_each(|mutant| *reached.entry(*mutant).or_default() += 1);
        }
        is_wanted
    };
    untried.extract_if(.., |one| is_wanted(one)).map(|one| one.sequence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::sequence::OperationId;

    fn untried(operation: u32, mutants: &[u32]) -> Untried {
        let mut sequence = Sequence::new();
        sequence.push_call(OperationId(operation), &[]);
        Untried { sequence, mutants: mutants.to_vec() }
    }

    #[test]
    fn few_sequences_are_taken_for_each_surviving_mutant() {
        let mut waiting = vec![untried(0, &[1]), untried(1, &[1]), untried(2, &[1, 2]), untried(3, &[3])];
        let left = BTreeSet::from([1, 2]);
        let taken = take(&mut waiting, 1, &left);
        assert_eq!(taken.iter().flat_map(Sequence::calls).collect::<Vec<_>>(), [OperationId(0), OperationId(2)]);
        let taken = take(&mut waiting, 1, &left);
        assert_eq!(taken.iter().flat_map(Sequence::calls).collect::<Vec<_>>(), [OperationId(1)]);
        assert_eq!(waiting.len(), 1);
    }

    #[test]
    fn rounds_follow_while_there_is_time_and_one_of_a_hundred_mutants_is_killed() {
        assert!(is_followed(0, 0, 300, false));
        assert!(!is_followed(LEAST_ROUNDS - 1, 300, 300, false));
        assert!(is_followed(LEAST_ROUNDS - 1, 3, 300, true));
        assert!(!is_followed(LEAST_ROUNDS - 1, 2, 300, true));
    }
}
