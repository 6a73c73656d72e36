//! Order dependency between tests that share a JVM: a test must not change the result of another.
//!
//! JUnit runs a module's tests one after the other, in an order of its own. So each polluter, a test that leaves residual
//! state in static fields or in the JVM's defaults, is run here before every other test; those that then behave differently
//! are its victims. If another test resets the residual state, that cleaner's calls are appended to the polluter. If none
//! does, the polluter is dropped, unless it is worth more than its victims lose: then the victims are dropped, or lose
//! the assertions that no longer hold.
//!
//! Mutants add tests and make others shorter, which may depend on the order again: what is new is checked once more at the
//! end, when nothing is cleaned any longer.

use super::join::join;
use super::{BATCH, SelectionContext, TestCandidate, agree, sequences_of};
use crate::generator::Goal;
use crate::minimizer::Effort;
use model::execution::{Detail, Execution, Executor, ExecutorError, Fingerprint, Outcome};
use model::sequence::Sequence;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Tests that are tried as the cleaner of one polluter.
const CLEANERS: usize = 64;

/// Most pairs of polluter and possible victim that are run. In a suite with many polluters, the residual states that the
/// fewest tests leave are skipped.
const PAIRS: usize = 40_000;

/// A test that behaves differently after a polluter.
struct Victim {
    test: usize,
    /// What its runs alone and after the polluter agree on; `None` if they ended differently.
    agreed: Option<Execution>,
}

/// Tests of which none changes the result of another.
pub(super) type Independent = FxHashSet<Sequence>;

/// Polluters that leave the same residual state, and their victims.
type Groups = Vec<(Vec<usize>, Vec<Victim>)>;

/// The tests of the suite that can run in any order, some with a cleaner's calls; and those of them that were run in pairs.
pub(super) fn remove_order_dependencies(
    mut suite: Vec<TestCandidate>,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<(Vec<TestCandidate>, Independent), ExecutorError> {
    let groups = groups_of(&suite, &Independent::default(), context.should_continue, context, executors)?;
    let mut is_harmless = vec![true; suite.len()];
    groups.iter().flat_map(|(polluters, _)| polluters).for_each(|&test| is_harmless[test] = false);
    let is_mild = mild(&suite, &groups);
    let polluters: Vec<usize> = (0..suite.len()).filter(|&test| !is_harmless[test]).collect();
    let cleaned = on_each(&polluters, &suite, context, executors, &|polluter, alone, executor| {
        let may_clean = |other: usize| is_harmless[other] || is_mild[other] && !is_mild[polluter];
        with_cleaner(polluter, &suite, &may_clean, alone, context, executor)
    })?;
    let mut independent =
        if (context.should_continue)() { suite.iter().map(sequence_of).collect() } else { Independent::default() };
    for (test, cleaned) in polluters.into_iter().zip(cleaned) {
        if let Some(cleaned) = cleaned {
            independent.remove(&suite[test].sequence);
            suite[test] = cleaned;
            is_harmless[test] = true;
        }
    }
    Ok((drop_the_less_valuable(suite, groups, &is_harmless), independent))
}

/// The tests of the suite that can run in any order, where only those pairs are run of which one is not known to be
/// independent. This is done even if time is up: what is left here fails in somebody's build.
pub(super) fn drop_order_dependent(
    suite: Vec<TestCandidate>,
    known: &Independent,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let groups = groups_of(&suite, known, &|| true, context, executors)?;
    let is_harmless = vec![false; suite.len()];
    Ok(drop_the_less_valuable(suite, groups, &is_harmless))
}

/// Which tests leave residual state that costs the suite a few assertions: a static builder, for example, that has other
/// defaults the first time. Such a test stays, and may clean up after others.
fn mild(suite: &[TestCandidate], groups: &Groups) -> Vec<bool> {
    let mut is_mild = vec![false; suite.len()];
    for (polluters, victims) in groups {
        let gain: usize = polluters.iter().map(|&test| worth(&suite[test])).sum();
        if victims.iter().all(|victim| victim.agreed.is_some()) && victims.len() < gain {
            polluters.iter().for_each(|&test| is_mild[test] = true);
        }
    }
    is_mild
}

/// How many goals and mutants would be lost with the test.
fn worth(one: &TestCandidate) -> usize {
    one.goals.len() + one.kills.len()
}

fn sequence_of(one: &TestCandidate) -> Sequence {
    one.sequence.clone()
}

/// The groups of polluters that have victims.
fn groups_of(
    suite: &[TestCandidate],
    known: &Independent,
    should_continue: &(dyn Fn() -> bool + Sync),
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Groups, ExecutorError> {
    let is_known: Vec<bool> = suite.iter().map(|one| known.contains(&one.sequence)).collect();
    if is_known.iter().all(|is_known| *is_known) {
        return Ok(Groups::new());
    }
    let mut groups = polluters_by_residual_state(suite);
    groups.sort_by_key(|polluters| Reverse(polluters.len()));
    groups.truncate(PAIRS / suite.len().max(1));
    let representatives: Vec<usize> = groups.iter().map(|polluters| polluters[0]).collect();
    let victims = on_each(&representatives, suite, context, executors, &|polluter, alone, executor| {
        let is_open = |test: usize| !(is_known[polluter] && is_known[test]);
        match should_continue() {
            true => victims_of(polluter, suite, &is_open, alone, executor),
            false => Ok(Vec::new()),
        }
    })?;
    let groups = groups.into_iter().zip(victims);
    Ok(groups.filter(|(_, victims)| !victims.is_empty()).collect())
}

/// Of each group of polluters without cleaner and its victims, drops the side that reaches fewer goals and kills fewer
/// mutants; victims that still end alike only lose assertions.
fn drop_the_less_valuable(mut suite: Vec<TestCandidate>, groups: Groups, is_harmless: &[bool]) -> Vec<TestCandidate> {
    let mut stays = vec![true; suite.len()];
    for (polluters, victims) in groups {
        let polluters: Vec<usize> = polluters.into_iter().filter(|&test| stays[test] && !is_harmless[test]).collect();
        let (mut agreed, mut loss) = (Vec::new(), 0);
        for victim in victims.iter().filter(|victim| stays[victim.test]) {
            let execution = &suite[victim.test].execution;
            let left = victim.agreed.as_ref().and_then(|agreed| agree(execution.clone(), agreed));
            // What an earlier group took is lost already.
            loss += match &left {
                Some(left) => usize::from(left.values != execution.values),
                None => worth(&suite[victim.test]),
            };
            agreed.push((victim.test, left));
        }
        let gain: usize = polluters.iter().map(|&test| worth(&suite[test])).sum();
        if loss >= gain {
            polluters.into_iter().for_each(|test| stays[test] = false);
            continue;
        }
        for (test, left) in agreed {
            match left {
                Some(left) => with_less(&mut suite[test], left),
                None => stays[test] = false,
            }
        }
    }
    let mut stays = stays.into_iter();
    suite.retain(|_| stays.next().unwrap_or_default());
    suite
}

/// The test with what is left of its execution, and without the mutants that only the rest shows.
fn with_less(one: &mut TestCandidate, left: Execution) {
    let is_left = |at: &usize| left.values.get(*at) == one.execution.values.get(*at);
    let kept =
        one.kills.iter().filter_map(|(mutant, kill)| Some((*mutant, kill.moved(|at| Some(at).filter(is_left))?)));
    one.kills = kept.collect();
    one.execution = left;
}

/// Work on one test, given what all tests do alone.
type TestTask<'a, R> = dyn Fn(usize, &[Execution], &mut dyn Executor) -> Result<R, ExecutorError> + Sync + 'a;

/// Does work on tests of the suite, given what all of its tests do alone in the same worker: residual states are comparable
/// only in one worker, which has loaded the same classes.
fn on_each<R: Send>(
    tests: &[usize],
    suite: &[TestCandidate],
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
    work: &TestTask<R>,
) -> Result<Vec<R>, ExecutorError> {
    let shards = executors.len().min(tests.len());
    let parts: Vec<usize> = (0..shards).collect();
    let sequences = sequences_of(suite);
    let parts = context.on_shards(parts, executors, &|shard, executor| {
        // In the first run, some classes are loaded after others have changed them.
        executor.execute(&sequences, Detail::Observe)?;
        let alone = executor.execute(&sequences, Detail::Observe)?;
        let own = tests.iter().skip(shard).step_by(shards);
        own.map(|&test| work(test, &alone, executor)).collect::<Result<Vec<R>, ExecutorError>>()
    })?;
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    Ok((0..tests.len()).filter_map(|index| parts[index % shards].next()).collect())
}

/// The polluter with the calls of a cleaner at its end: a test that may clean, after which the residual state is reset, or that
/// of the cleaner alone.
fn with_cleaner(
    test: usize,
    suite: &[TestCandidate],
    may_clean: &dyn Fn(usize) -> bool,
    alone: &[Execution],
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<Option<TestCandidate>, ExecutorError> {
    let polluter = suite[test].clone();
    if polluter.execution.outcome != Outcome::Completed || !(context.should_continue)() {
        return Ok(None);
    }
    let class_of = |one: &TestCandidate| context.program.class_of_sequence(&one.sequence);
    let package_of = |one: &TestCandidate| Some(context.program.targets[class_of(one)?].name.package());
    let can_clean = |&other: &usize| {
        may_clean(other)
            && alone[other].outcome == Outcome::Completed
            && alone[other].residual_state != alone[test].residual_state
            && package_of(&suite[other]) == package_of(&polluter)
    };
    let mut cleaners: Vec<usize> = (0..suite.len()).filter(can_clean).collect();
    cleaners.sort_by_key(|&other| class_of(&suite[other]) != class_of(&polluter));
    cleaners.truncate(CLEANERS);
    // What the last call of the polluter did is not the end of the joined test.
    let is_left = |goal: &&Goal| !matches!(goal, Goal::Returns(_) | Goal::ReturnsFor(..));
    let goals: BTreeSet<Goal> = polluter.goals.iter().filter(is_left).cloned().collect();
    if goals.is_empty() {
        return Ok(None);
    }
    let joined: Vec<Sequence> =
        cleaners.iter().map(|&other| join(&polluter.sequence, &suite[other].sequence)).collect();
    let runs = executor.execute(&joined, Detail::Observe)?;
    let is_cleaned = |(cleaner, (sequence, run)): &(usize, (Sequence, Execution))| {
        run.outcome == Outcome::Completed
            && (run.residual_state.is_none() || run.residual_state == alone[*cleaner].residual_state)
            && !run.environment_dependent
            && context.reaches(sequence, run, &goals)
    };
    match cleaners.into_iter().zip(joined.into_iter().zip(runs)).find(is_cleaned) {
        Some((_, (sequence, execution))) => {
            let residual_state = execution.residual_state;
            let cleaned = TestCandidate { sequence, execution, goals, ..polluter };
            if !(context.should_continue)() {
                return Ok(Some(cleaned));
            }
            context
                .minimize_while(cleaned, 0, Effort::Least, executor, &|_, run| run.residual_state == residual_state)
                .map(Some)
        }
        None => Ok(None),
    }
}

/// The polluters, grouped by the residual state that they leave.
fn polluters_by_residual_state(suite: &[TestCandidate]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: FxHashMap<Fingerprint, usize> = FxHashMap::default();
    for (test, one) in suite.iter().enumerate() {
        let Some(residual_state) = one.execution.residual_state else { continue };
        let group = *known.entry(residual_state).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(test);
    }
    groups
}

/// Those of the open tests that behave differently after the polluter.
fn victims_of(
    polluter: usize,
    suite: &[TestCandidate],
    is_open: &dyn Fn(usize) -> bool,
    alone: &[Execution],
    executor: &mut dyn Executor,
) -> Result<Vec<Victim>, ExecutorError> {
    let mut victims = Vec::new();
    let sequence_of = |test: usize| sequence_of(&suite[test]);
    let differs = |test: usize, run: &Execution| {
        let expected = &suite[test].execution;
        agree(expected.clone(), run).is_none_or(|agreed| agreed.values != expected.values)
    };
    // A test that already differs alone in this worker is affected by state that cannot be reset.
    let is_comparable = |&test: &usize| test != polluter && is_open(test) && !differs(test, &alone[test]);
    let others: Vec<usize> = (0..suite.len()).filter(is_comparable).collect();
    for followers in others.chunks(BATCH / 2) {
        // The polluter runs before each, as the previous test may have reset its residual state.
        let sequences: Vec<Sequence> = followers.iter().flat_map(|&test| [polluter, test]).map(sequence_of).collect();
        let runs = executor.execute(&sequences, Detail::SharedJvm)?;
        reset_static_state(executor)?;
        for (&test, run) in followers.iter().zip(runs.iter().skip(1).step_by(2)) {
            if !differs(test, run) {
                continue;
            }
            // An earlier test of the batch may be the cause, so the pair runs again alone.
            let pair = executor.execute(&[polluter, test].map(sequence_of), Detail::SharedJvm)?;
            reset_static_state(executor)?;
            if differs(test, &pair[1]) {
                victims.push(Victim { test, agreed: agree(suite[test].execution.clone(), &pair[1]) });
            }
        }
    }
    Ok(victims)
}

/// Resets the static state that runs in the shared JVM left: any other run starts from the initial state.
fn reset_static_state(executor: &mut dyn Executor) -> Result<(), ExecutorError> {
    executor.execute(&[Sequence::new()], Detail::Observe).map(drop)
}
