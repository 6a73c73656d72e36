//! Tests that share a JVM: what one leaves behind must not change what another is there for.
//!
//! JUnit runs a module's tests one after the other, in an order of its own. So each test that leaves something in static
//! fields or in the JVM's defaults first gets calls at its end that put it back, if another test has them. If none has, each
//! other test is run after it here. Where that harms the others, the one that leaves it goes, unless it reaches more
//! goals than it spoils: then the others go, or lose the assertions that no longer hold.

use super::merge::join;
use super::{BATCH, Context, Selected, agree, leaves_no_more};
use crate::execution::{Detail, Execution, Executor, ExecutorError, Fingerprint, Outcome};
use crate::sequence::Sequence;
use rustc_hash::FxHashMap;

/// Other tests that are tried at the end of one that leaves something.
const MENDERS: usize = 64;

/// Runs of a test after another one at most: what leaves the rarest things is not looked at in a suite that is full of it.
const RUNS: usize = 400_000;

/// A test, and what it did after another one.
struct Harmed {
    test: usize,
    /// What both runs agree on; `None` if it ended in another way.
    agreed: Option<Execution>,
}

/// Each test that leaves something, with another one at its end that puts it back, or leaves what it leaves alone; as it
/// was where there is none.
pub(super) fn mend(
    suite: Vec<Selected>,
    context: &Context,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<Selected>, ExecutorError> {
    let leaving: Vec<usize> = (0..suite.len()).filter(|&test| suite[test].execution.leftovers.is_some()).collect();
    let mended =
        context.on_shards(leaving.clone(), executors, &|test, executor| mended(test, &suite, context, executor))?;
    let mut suite = suite;
    leaving.into_iter().zip(mended).for_each(|(test, mended)| suite[test] = mended);
    Ok(suite)
}

fn mended(
    test: usize,
    suite: &[Selected],
    context: &Context,
    executor: &mut dyn Executor,
) -> Result<Selected, ExecutorError> {
    let one = suite[test].clone();
    if one.execution.outcome != Outcome::Completed || !(context.go_on)() {
        return Ok(one);
    }
    let class_of = |one: &Selected| context.program.class_of_sequence(&one.sequence);
    let mut menders: Vec<&Selected> = suite.iter().filter(|other| other.sequence != one.sequence).collect();
    menders.sort_by_key(|other| class_of(other) != class_of(&one));
    menders.truncate(MENDERS);
    let joined: Vec<Sequence> = menders.iter().map(|other| join(&one.sequence, &other.sequence)).collect();
    let runs = executor.execute(&joined, Detail::Observe)?;
    let is_mended = |(mender, (sequence, run)): &(&Selected, (Sequence, Execution))| {
        run.outcome == Outcome::Completed
            && run.leftovers != one.execution.leftovers
            && leaves_no_more(run, &[&mender.execution])
            && !run.environment_dependent
            && context.reaches(sequence, run, &one.goals)
    };
    match menders.into_iter().zip(joined.into_iter().zip(runs)).find(is_mended) {
        Some((_, (sequence, execution))) => context.minimize_one(Selected { sequence, execution, ..one }, executor),
        None => Ok(one),
    }
}

/// The tests that get on with one another.
pub(super) fn settle(
    mut suite: Vec<Selected>,
    context: &Context,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<Selected>, ExecutorError> {
    let mut kinds = kinds(&suite);
    kinds.truncate(RUNS / suite.len().max(1));
    let firsts: Vec<usize> = kinds.iter().map(|kind| kind[0]).collect();
    let harmed =
        context.on_shards(firsts, executors, &|first, executor| harmed_by(first, &suite, context, executor))?;
    let mut stays = vec![true; suite.len()];
    for (kind, harmed) in kinds.into_iter().zip(harmed) {
        let harmed: Vec<Harmed> = harmed.into_iter().filter(|harmed| stays[harmed.test]).collect();
        let kind: Vec<usize> = kind.into_iter().filter(|&test| stays[test]).collect();
        let goals = |test: usize| suite[test].goals.len();
        let worth: usize = kind.iter().map(|&test| goals(test)).sum();
        let harm: usize =
            harmed.iter().map(|harmed| if harmed.agreed.is_none() { goals(harmed.test) } else { 1 }).sum();
        if harm >= worth.max(1) {
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
    context: &Context,
    executor: &mut dyn Executor,
) -> Result<Vec<Harmed>, ExecutorError> {
    let mut harmed = Vec::new();
    if !(context.go_on)() {
        return Ok(harmed);
    }
    let others = (0..suite.len()).filter(|&test| test != first);
    let (tidy, untidy): (Vec<usize>, Vec<usize>) = others.partition(|&test| suite[test].execution.leftovers.is_none());
    // What tidy tests find is what `first` left, however many ran in between.
    for followers in tidy.chunks(BATCH).chain(untidy.chunks(1)) {
        let tests: Vec<usize> = [first].iter().chain(followers).copied().collect();
        let sequences: Vec<Sequence> = tests.iter().map(|&test| suite[test].sequence.clone()).collect();
        let runs = executor.execute(&sequences, Detail::Sequel)?;
        // Puts back what was left, too.
        executor.execute(&[Sequence::new()], Detail::Observe)?;
        for (test, run) in tests.into_iter().zip(runs).skip(1) {
            let alone = &suite[test].execution;
            let agreed = agree(alone.clone(), &run);
            let differs =
                |agreed: &Option<Execution>| agreed.as_ref().is_none_or(|agreed| agreed.values != alone.values);
            // What it does by itself here may be due to what cannot be put back.
            if differs(&agreed) {
                let again = executor.execute(std::slice::from_ref(&suite[test].sequence), Detail::Observe)?;
                if !differs(&agree(alone.clone(), &again[0])) {
                    harmed.push(Harmed { test, agreed });
                }
            }
        }
    }
    Ok(harmed)
}
