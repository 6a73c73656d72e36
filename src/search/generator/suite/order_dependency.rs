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
use super::mutation::Kill;
use super::runs::agree;
use super::{BATCH, SelectionContext, TestCandidate, sequences_of};
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

/// Sequences that were run in pairs, each polluter among them before each other one.
pub(super) type Checked = FxHashSet<Sequence>;

/// Polluters that leave the same residual state, and what behaves differently after the first of them.
struct Group {
    polluters: Vec<usize>,
    victims: Vec<Victim>,
}

/// The tests of the suite that can run in any order, some with a cleaner's calls; and what was checked for that.
pub(super) fn remove_order_dependencies(
    mut suite: Vec<TestCandidate>,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<(Vec<TestCandidate>, Checked), ExecutorError> {
    let (groups, is_checked) = groups_of(&suite, &Checked::default(), context.should_continue, context, executors)?;
    let checked = suite.iter().zip(is_checked).filter(|(_, is_checked)| *is_checked);
    let mut checked: Checked = checked.map(|(one, _)| one.sequence.clone()).collect();
    let mut standing = vec![Standing::Harmless; suite.len()];
    let worth = worth(&suite);
    for group in &groups {
        let of_group = group.standing(&worth);
        group.polluters.iter().for_each(|&test| standing[test] = of_group);
    }
    let polluters: Vec<usize> = (0..suite.len()).filter(|&test| standing[test] != Standing::Harmless).collect();
    let cleaned = on_each(&polluters, &suite, context, executors, &|polluter, alone, executor| {
        with_cleaner(polluter, &suite, &standing, alone, context, executor)
    })?;
    let mut is_cleaned = vec![false; suite.len()];
    for (test, cleaned) in polluters.into_iter().zip(cleaned) {
        if let Some(cleaned) = cleaned {
            checked.remove(&suite[test].sequence);
            suite[test] = cleaned;
            is_cleaned[test] = true;
        }
    }
    Ok((drop_the_less_valuable(suite, groups, &is_cleaned), checked))
}

/// The tests of the suite that can run in any order; pairs of which both are checked are not run again. This is done even if
/// time is up, as what is left here fails in somebody's build.
pub(super) fn drop_order_dependent(
    suite: Vec<TestCandidate>,
    checked: &Checked,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let (groups, _) = groups_of(&suite, checked, &|| true, context, executors)?;
    let is_cleaned = vec![false; suite.len()];
    Ok(drop_the_less_valuable(suite, groups, &is_cleaned))
}

/// What a test does to others. Harmless ones are tried first as cleaners.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// Nothing.
    Harmless,
    /// It costs them a few assertions, as does the first use of a static builder whose defaults are others the first time.
    Mild,
    /// It costs them more than it is worth, or ends them.
    Polluter,
}

impl Group {
    fn standing(&self, worth: &[usize]) -> Standing {
        let gain: usize = self.polluters.iter().map(|&test| worth[test]).sum();
        let is_mild = self.victims.iter().all(|victim| victim.agreed.is_some()) && self.victims.len() < gain;
        if is_mild { Standing::Mild } else { Standing::Polluter }
    }
}

/// Of each test how many goals, and mutants that no other test kills, would be lost with it.
fn worth(suite: &[TestCandidate]) -> Vec<usize> {
    let mut killers: FxHashMap<u32, usize> = FxHashMap::default();
    suite.iter().flat_map(|one| one.kills.keys()).for_each(|mutant| *killers.entry(*mutant).or_default() += 1);
    let of = |one: &TestCandidate| {
        let goals = one.goals.iter().filter(|goal| !matches!(goal, Goal::Mutant(_))).count();
        goals + one.kills.keys().filter(|mutant| killers[*mutant] == 1).count()
    };
    suite.iter().map(of).collect()
}

/// The groups of polluters that have victims, and which tests were run in pairs.
fn groups_of(
    suite: &[TestCandidate],
    checked: &Checked,
    should_continue: &(dyn Fn() -> bool + Sync),
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<(Vec<Group>, Vec<bool>), ExecutorError> {
    let is_checked: Vec<bool> = suite.iter().map(|one| checked.contains(&one.sequence)).collect();
    let is_open = |polluter: usize, test: usize| !(is_checked[polluter] && is_checked[test]);
    let mut groups = polluters_by_residual_state(suite);
    groups.sort_by_key(|polluters| Reverse(polluters.len()));
    let mut pairs = 0;
    let mut is_run = vec![true; suite.len()];
    groups.retain(|polluters| {
        let open = (0..suite.len()).filter(|&test| is_open(polluters[0], test)).count();
        pairs += open;
        if pairs > PAIRS {
            polluters.iter().for_each(|&test| is_run[test] = false);
        }
        open > 0 && pairs <= PAIRS
    });
    let representatives: Vec<usize> = groups.iter().map(|polluters| polluters[0]).collect();
    let victims =
        on_each(&representatives, suite, context, executors, &|polluter, alone, executor| match should_continue() {
            true => victims_of(polluter, suite, &|test| is_open(polluter, test), alone, executor).map(Some),
            false => Ok(None),
        })?;
    let mut found = Vec::new();
    for (polluters, victims) in groups.into_iter().zip(victims) {
        match victims {
            Some(victims) if victims.is_empty() => {}
            Some(victims) => found.push(Group { polluters, victims }),
            None => polluters.iter().for_each(|&test| is_run[test] = false),
        }
    }
    Ok((found, is_run))
}

/// Of each group of polluters that were not cleaned and its victims, drops the side that is worth less; victims that still end
/// alike only lose assertions.
fn drop_the_less_valuable(
    mut suite: Vec<TestCandidate>,
    groups: Vec<Group>,
    is_cleaned: &[bool],
) -> Vec<TestCandidate> {
    let mut stays = vec![true; suite.len()];
    let worth = worth(&suite);
    for Group { polluters, victims } in groups {
        let polluters: Vec<usize> = polluters.into_iter().filter(|&test| stays[test] && !is_cleaned[test]).collect();
        let (mut agreed, mut loss) = (Vec::new(), 0);
        // What was cleaned is another test now.
        for victim in victims.iter().filter(|victim| stays[victim.test] && !is_cleaned[victim.test]) {
            let execution = &suite[victim.test].execution;
            let left = victim.agreed.as_ref().and_then(|agreed| agree(execution.clone(), agreed));
            // What an earlier group took is lost already.
            loss += match &left {
                Some(left) => usize::from(!shows_alike(left, execution)),
                None => worth[victim.test],
            };
            agreed.push((victim.test, left));
        }
        let gain: usize = polluters.iter().map(|&test| worth[test]).sum();
        if loss > 0 && loss >= gain {
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

/// Whether two runs show the same values, or the same exception with its message.
fn shows_alike(one: &Execution, other: &Execution) -> bool {
    one.values == other.values && one.outcome == other.outcome
}

/// The test with what is left of its execution, and without the mutants that only the rest shows.
fn with_less(one: &mut TestCandidate, left: Execution) {
    let is_left = |at: &usize| left.values.get(*at) == one.execution.values.get(*at);
    let ends_alike = left.outcome == one.execution.outcome;
    let of_rest = |kill: &Kill| match kill {
        Kill::End => ends_alike.then_some(Kill::End),
        Kill::Stopped | Kill::Values(_) => kill.moved(|at| Some(at).filter(is_left)),
    };
    let kept = one.kills.iter().filter_map(|(mutant, kill)| Some((*mutant, of_rest(kill)?)));
    one.kills = kept.collect();
    one.goals.retain(|goal| !matches!(goal, Goal::Mutant(mutant) if !one.kills.contains_key(mutant)));
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

/// The polluter with the calls of a cleaner at its end: a harmless test, or a mild one, after which the residual state is
/// reset, or that of the cleaner alone.
fn with_cleaner(
    test: usize,
    suite: &[TestCandidate],
    standing: &[Standing],
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
        standing[other] < standing[test]
            && alone[other].outcome == Outcome::Completed
            && alone[other].residual_state != alone[test].residual_state
            && package_of(&suite[other]) == package_of(&polluter)
    };
    let mut cleaners: Vec<usize> = (0..suite.len()).filter(can_clean).collect();
    cleaners.sort_by_key(|&other| (standing[other], class_of(&suite[other]) != class_of(&polluter)));
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
    let sequence_of = |test: usize| suite[test].sequence.clone();
    let differs = |test: usize, run: &Execution| {
        let expected = &suite[test].execution;
        agree(expected.clone(), run).is_none_or(|agreed| !shows_alike(&agreed, expected))
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::{Observed, Value};
    use model::jvm::{Literal, Type};
    use std::collections::BTreeMap;

    fn shown(values: &[i32]) -> Execution {
        let values = values.iter().map(|&number| Value::Literal(Literal::Int(number))).collect();
        Execution { values, ..Execution::ended(Outcome::Completed) }
    }

    fn candidate(edges: &[u32], kills: &[(u32, Kill)]) -> TestCandidate {
        let goals =
            edges.iter().map(|&edge| Goal::Edge(edge)).chain(kills.iter().map(|(mutant, _)| Goal::Mutant(*mutant)));
        let one = TestCandidate::new(Sequence::new(), shown(&[1, 2]), goals.collect());
        TestCandidate { kills: BTreeMap::from_iter(kills.iter().cloned()), ..one }
    }

    #[test]
    fn what_is_lost_takes_the_mutants_along_that_it_alone_shows() {
        let kills = [(5, Kill::Values(vec![0])), (6, Kill::Values(vec![0, 1])), (7, Kill::End)];
        let mut one = candidate(&[1], &kills);
        let mut left = one.execution.clone();
        left.values[0] = Value::Object { class: Type::object(), observed: Observed::Nothing };
        with_less(&mut one, left.clone());
        assert_eq!(one.kills, BTreeMap::from([(6, Kill::Values(vec![1])), (7, Kill::End)]));
        assert_eq!(one.goals, BTreeSet::from([Goal::Edge(1), Goal::Mutant(6), Goal::Mutant(7)]));
        assert_eq!(one.execution.values, left.values);
    }

    #[test]
    fn test_is_worth_its_goals_and_the_mutants_that_no_other_kills() {
        let suite = [candidate(&[1, 2], &[(5, Kill::End), (6, Kill::End)]), candidate(&[3], &[(5, Kill::End)])];
        assert_eq!(worth(&suite), [3, 1]);
    }

    #[test]
    fn group_is_mild_if_it_costs_fewer_assertions_than_it_is_worth() {
        let victim = |agreed: Option<Execution>| Victim { test: 1, agreed };
        let group = |victims| Group { polluters: vec![0], victims };
        assert!(group(vec![victim(Some(shown(&[1])))]).standing(&[2, 9]) == Standing::Mild);
        assert!(group(vec![victim(Some(shown(&[1])))]).standing(&[1, 9]) == Standing::Polluter);
        assert!(group(vec![victim(None)]).standing(&[2, 9]) == Standing::Polluter);
    }
}
