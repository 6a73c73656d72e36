//! Tests that share a JVM: what one leaves behind must not change what another is there for.
//!
//! JUnit runs a module's tests one after the other, in an order of its own. So each test is run here after each that leaves
//! something in static fields or in the JVM's defaults. Where that harms others, the one that leaves it gets calls at its
//! end that put it back, if another test has them. If none has, it goes, unless it reaches more goals than it spoils: then
//! the others go, or lose the assertions that no longer hold.

use super::merge::join;
use super::{BATCH, Context, Selected, agree, sequences_of};
use model::execution::{Detail, Execution, Executor, ExecutorError, Fingerprint, Outcome};
use model::sequence::Sequence;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Other tests that are tried at the end of one that leaves something.
const MENDERS: usize = 64;

/// Tests run after another one at most: in a suite that is full of leftovers those that the fewest tests leave are not
/// looked at.
const FOLLOWERS: usize = 40_000;

/// A test, and what it did after another one.
struct Harmed {
    test: usize,
    /// What both runs agree on; `None` if it ended in another way.
    agreed: Option<Execution>,
}

/// The tests that get on with one another.
pub(super) fn settle(
    mut suite: Vec<Selected>,
    context: &Context,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<Selected>, ExecutorError> {
    let mut kinds = kinds(&suite);
    kinds.sort_by_key(|kind| Reverse(kind.len()));
    kinds.truncate(FOLLOWERS / suite.len().max(1));
    let firsts: Vec<usize> = kinds.iter().map(|kind| kind[0]).collect();
    let harmed = each(&firsts, &suite, context, executors, &|first, alone, executor| {
        harmed_by(first, &suite, alone, context, executor)
    })?;
    let mut harmful: Vec<(Vec<usize>, Vec<Harmed>)> = kinds.into_iter().zip(harmed).collect();
    harmful.retain(|(_, harmed)| !harmed.is_empty());
    let mut is_harmless = vec![true; suite.len()];
    harmful.iter().flat_map(|(kind, _)| kind).for_each(|&test| is_harmless[test] = false);
    let culprits: Vec<usize> = (0..suite.len()).filter(|&test| !is_harmless[test]).collect();
    let mended = each(&culprits, &suite, context, executors, &|test, alone, executor| {
        mended(test, &suite, &is_harmless, alone, context, executor)
    })?;
    for (test, mended) in culprits.into_iter().zip(mended) {
        if let Some(mended) = mended {
            suite[test] = mended;
            is_harmless[test] = true;
        }
    }
    let mut stays = vec![true; suite.len()];
    for (kind, harmed) in harmful {
        let harmed: Vec<Harmed> = harmed.into_iter().filter(|harmed| stays[harmed.test]).collect();
        let kind: Vec<usize> = kind.into_iter().filter(|&test| stays[test] && !is_harmless[test]).collect();
        let goals = |test: usize| suite[test].goals.len();
        let worth: usize = kind.iter().map(|&test| goals(test)).sum();
        let harm: usize =
            harmed.iter().map(|harmed| if harmed.agreed.is_none() { goals(harmed.test) } else { 1 }).sum();
        if harm >= worth {
            kind.into_iter().for_each(|test| stays[test] = false);
            continue;
        }
        for Harmed { test, agreed } in harmed {
            let execution = agreed.and_then(|agreed| agree(suite[test].execution.clone(), &agreed));
            match execution {
                Some(agreed) => suite[test].execution = agreed,
                None => stays[test] = false,
            }
        }
    }
    let mut stays = stays.into_iter();
    suite.retain(|_| stays.next().unwrap_or_default());
    Ok(suite)
}

/// On a test, given what all tests do alone.
type Work<'a, R> = dyn Fn(usize, &[Execution], &mut dyn Executor) -> Result<R, ExecutorError> + Sync + 'a;

/// Does work on tests of the suite, given what all of its tests do alone in the same worker: only there are leftovers
/// comparable, as it has met the same classes.
fn each<R: Send>(
    tests: &[usize],
    suite: &[Selected],
    context: &Context,
    executors: &mut [Box<dyn Executor>],
    work: &Work<R>,
) -> Result<Vec<R>, ExecutorError> {
    let shards = executors.len().min(tests.len());
    let parts: Vec<usize> = (0..shards).collect();
    let sequences = sequences_of(suite);
    let parts = context.on_shards(parts, executors, &|shard, executor| {
        // The first time some classes are met when others have changed them.
        executor.execute(&sequences, Detail::Observe)?;
        let alone = executor.execute(&sequences, Detail::Observe)?;
        let own = tests.iter().skip(shard).step_by(shards);
        own.map(|&test| work(test, &alone, executor)).collect::<Result<Vec<R>, ExecutorError>>()
    })?;
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    Ok((0..tests.len()).filter_map(|index| parts[index % shards].next()).collect())
}

/// The test with a harmless one at its end that puts back what it leaves, or leaves what it leaves alone.
fn mended(
    test: usize,
    suite: &[Selected],
    is_harmless: &[bool],
    alone: &[Execution],
    context: &Context,
    executor: &mut dyn Executor,
) -> Result<Option<Selected>, ExecutorError> {
    let one = suite[test].clone();
    if one.execution.outcome != Outcome::Completed || !(context.go_on)() {
        return Ok(None);
    }
    let class_of = |one: &Selected| context.program.class_of_sequence(&one.sequence);
    let package_of = |one: &Selected| Some(context.program.targets[class_of(one)?].name.package());
    let can_mend = |&other: &usize| {
        is_harmless[other]
            && alone[other].outcome == Outcome::Completed
            && alone[other].leftovers != alone[test].leftovers
            && package_of(&suite[other]) == package_of(&one)
    };
    let mut menders: Vec<usize> = (0..suite.len()).filter(can_mend).collect();
    menders.sort_by_key(|&other| class_of(&suite[other]) != class_of(&one));
    menders.truncate(MENDERS);
    let joined: Vec<Sequence> = menders.iter().map(|&other| join(&one.sequence, &suite[other].sequence)).collect();
    let runs = executor.execute(&joined, Detail::Observe)?;
    let is_mended = |(mender, (sequence, run)): &(usize, (Sequence, Execution))| {
        run.outcome == Outcome::Completed
            && (run.leftovers.is_none() || run.leftovers == alone[*mender].leftovers)
            && !run.environment_dependent
            && context.reaches(sequence, run, &one.goals)
    };
    match menders.into_iter().zip(joined.into_iter().zip(runs)).find(is_mended) {
        Some((_, (sequence, execution))) => {
            let leftovers = execution.leftovers;
            let mended = Selected { sequence, execution, ..one };
            if !(context.go_on)() {
                return Ok(Some(mended));
            }
            context.minimize_while(mended, 0, executor, &|run| run.leftovers == leftovers).map(Some)
        }
        None => Ok(None),
    }
}

/// The tests that leave something, those that leave the same together.
fn kinds(suite: &[Selected]) -> Vec<Vec<usize>> {
    let mut kinds: Vec<Vec<usize>> = Vec::new();
    let mut known: FxHashMap<Fingerprint, usize> = FxHashMap::default();
    for (test, one) in suite.iter().enumerate() {
        let Some(leftovers) = one.execution.leftovers else { continue };
        let kind = *known.entry(leftovers).or_insert(kinds.len());
        if kind == kinds.len() {
            kinds.push(Vec::new());
        }
        kinds[kind].push(test);
    }
    kinds
}

/// The tests that do something else when they run after `first`.
fn harmed_by(
    first: usize,
    suite: &[Selected],
    alone: &[Execution],
    context: &Context,
    executor: &mut dyn Executor,
) -> Result<Vec<Harmed>, ExecutorError> {
    let mut harmed = Vec::new();
    if !(context.go_on)() {
        return Ok(harmed);
    }
    let sequence_of = |test: usize| suite[test].sequence.clone();
    let differs = |test: usize, run: &Execution| {
        let expected = &suite[test].execution;
        agree(expected.clone(), run).is_none_or(|agreed| agreed.values != expected.values)
    };
    // What is another in this worker anyway is due to what cannot be put back.
    let is_comparable = |&test: &usize| test != first && !differs(test, &alone[test]);
    let others: Vec<usize> = (0..suite.len()).filter(is_comparable).collect();
    for followers in others.chunks(BATCH / 2) {
        // Anew before each, as the one before may have put back what `first` left.
        let sequences: Vec<Sequence> = followers.iter().flat_map(|&test| [first, test]).map(sequence_of).collect();
        let runs = executor.execute(&sequences, Detail::Sequel)?;
        put_back(executor)?;
        for (&test, run) in followers.iter().zip(runs.iter().skip(1).step_by(2)) {
            if !differs(test, run) {
                continue;
            }
            // It may be due to a test before them.
            let pair = executor.execute(&[first, test].map(sequence_of), Detail::Sequel)?;
            put_back(executor)?;
            if differs(test, &pair[1]) {
                harmed.push(Harmed { test, agreed: agree(suite[test].execution.clone(), &pair[1]) });
            }
        }
    }
    Ok(harmed)
}

/// Ends what sequels left.
fn put_back(executor: &mut dyn Executor) -> Result<(), ExecutorError> {
    executor.execute(&[Sequence::new()], Detail::Observe).map(drop)
}
