//! Beside a rejection, the nearest accepted input: what a method throws says little without what it takes.
//!
//! For each method and type of exception that it throws on purpose, the suite gets a test in which the method returns and whose
//! inputs differ from those of a rejection in one value, unless it has one. Such inputs are [varied](crate::minimizer) from the
//! rejected ones; where none of these is accepted and no test shows the method returning, the plainest sample does. What only the
//! rejection was there for is then written plainer.

use super::detach::is_by_the_way;
use super::mutation::{Asked, MutationAnalysis};
use super::strengthen::{at_home, extended, run};
use super::{SelectionContext, TestCandidate, is_rejection, refine, subject_of};
use crate::minimizer::{distance, variations};
use crate::reader_cost;
use crate::redundancy::sequence_hash;
use model::execution::{Detail, Execution, Executor, ExecutorError, Outcome};
use model::jvm::ClassName;
use model::sequence::{OperationId, Sequence};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Most other sequences whose arguments are tried for a method.
const MOST_LIKE: usize = 12;
/// Most rejections of one kind beside which an accepted input is looked for.
const MOST_REJECTIONS: usize = 3;
/// Most inputs that are tried beside one rejection.
const MOST_TRIED: usize = 48;

/// Rejections by one method with one type of exception, as their sequences, the cheapest to read first.
struct Kind {
    rejections: Vec<Sequence>,
    method: OperationId,
    /// A test shows the method returning.
    is_shown: bool,
}

/// The tests, and those added that stand beside rejections.
pub(super) fn add(
    mut tests: Vec<TestCandidate>,
    observers: &[OperationId],
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let kinds = kinds(&tests, context);
    if kinds.is_empty() || !(mutation.should_continue)() {
        return Ok(tests);
    }
    let rejecting = tests.iter().filter(|one| is_rejection(one, context)).filter_map(subject_of).collect();
    let like = like_of(&rejecting, mutation, context);
    let found = at_home(executors, &mut |home| {
        let find = |kind: &Kind, executor: &mut dyn Executor| match (mutation.should_continue)() {
            true => accepted(kind, like.get(&kind.method).map_or(&[][..], Vec::as_slice), context, executor),
            false => Ok(None),
        };
        context.on_shards(kinds.iter().collect(), home, &find)
    })?;
    let mut known: FxHashSet<u64> = tests.iter().map(|one| sequence_hash(&one.subject())).collect();
    let found: Vec<Sequence> = found.into_iter().flatten().filter(|one| known.insert(sequence_hash(one))).collect();
    let (steady, _) = context.observe(&found, true, executors)?;
    let mut accepted = at_home(executors, &mut |home| extended(steady.clone(), observers, mutation, context, home))?;
    accepted.retain(|one| one.execution.outcome == Outcome::Completed && says_something(one, mutation));
    let plainer = |one: TestCandidate, executor: &mut dyn Executor| match (mutation.should_continue)() {
        true => refine::plainer(one, mutation, context, executor),
        false => Ok(one),
    };
    let mut accepted = at_home(executors, &mut |home| context.on_shards(accepted.clone(), home, &plainer))?;
    at_home(executors, &mut |home| run(&mut accepted, Asked::all(&mutation.in_order()), mutation, context, home))?;
    tests.extend(accepted.into_iter().map(|one| TestCandidate { beside_rejection: true, ..one }));
    Ok(tests)
}

/// The kinds of rejections beside which no near test returns.
fn kinds(tests: &[TestCandidate], context: &SelectionContext) -> Vec<Kind> {
    let mut rejections: BTreeMap<(OperationId, ClassName), Vec<Sequence>> = BTreeMap::new();
    let mut returning: FxHashMap<OperationId, Vec<Sequence>> = FxHashMap::default();
    for one in tests {
        let Some(method) = subject_of(one) else { continue };
        match &one.execution.outcome {
            Outcome::Threw { exception, .. } if is_rejection(one, context) => {
                rejections.entry((method, exception.class.clone())).or_default().push(one.subject());
            }
            Outcome::Completed => returning.entry(method).or_default().push(one.subject()),
            _ => {}
        }
    }
    let kind = |((method, _), mut rejections): ((OperationId, ClassName), Vec<Sequence>)| {
        let returning = returning.get(&method).map_or(&[][..], Vec::as_slice);
        let is_near = |one: &Sequence| returning.iter().any(|other| distance(one, other) <= 1);
        if rejections.iter().any(is_near) {
            return None;
        }
        rejections.sort_by_cached_key(|one| reader_cost::of(one, None, &context.program.operations));
        rejections.truncate(MOST_REJECTIONS);
        Some(Kind { rejections, method, is_shown: !returning.is_empty() })
    };
    rejections.into_iter().filter_map(kind).collect()
}

/// For each of the methods the sequences that ended in a call of it which returned, the cheapest to read first.
pub(super) fn like_of<'a>(
    methods: &FxHashSet<OperationId>,
    mutation: &'a MutationAnalysis,
    context: &SelectionContext,
) -> FxHashMap<OperationId, Vec<&'a Sequence>> {
    let mut like: FxHashMap<OperationId, Vec<&'a Sequence>> = FxHashMap::default();
    for sample in mutation.samples {
        let last = sample.len().checked_sub(1).and_then(|last| sample.call_at(last));
        if let Some(method) = last.filter(|method| methods.contains(method)) {
            like.entry(method).or_default().push(sample);
        }
    }
    for of_method in like.values_mut() {
        of_method.sort_by_cached_key(|one| reader_cost::of(one, None, &context.program.operations));
        of_method.truncate(MOST_LIKE);
    }
    like
}

/// The nearest input that the method accepts.
fn accepted(
    kind: &Kind,
    like: &[&Sequence],
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<Option<Sequence>, ExecutorError> {
    let is_accepted = |(sequence, run): &(Sequence, Execution)| {
        run.outcome == Outcome::Completed
            && !run.environment_dependent
            && run.residual_state.is_none()
            && (!context.calls_back_door(sequence) || kind.rejections.iter().all(|one| context.calls_back_door(one)))
    };
    for rejection in &kind.rejections {
        let mut tried = variations(rejection, like, &context.knowledge);
        tried.truncate(MOST_TRIED);
        let runs = executor.execute(&tried, Detail::Observe)?;
        if let Some((sequence, _)) = tried.into_iter().zip(runs).find(is_accepted) {
            return Ok(Some(sequence));
        }
    }
    if kind.is_shown {
        return Ok(None);
    }
    let samples: Vec<Sequence> = like.iter().map(|one| (*one).clone()).collect();
    let runs = executor.execute(&samples, Detail::Observe)?;
    Ok(samples.into_iter().zip(runs).find(is_accepted).map(|(sequence, _)| sequence))
}

/// Whether the test can assert a value of what it is about.
pub(super) fn says_something(one: &TestCandidate, mutation: &MutationAnalysis) -> bool {
    let tells = |statement: usize| !is_by_the_way(one, statement);
    (mutation.assertions)(one).iter().any(|assertion| tells(assertion.statement) && !assertion.is_bare)
}
