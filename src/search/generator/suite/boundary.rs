//! Boundaries: before a call that rejects a number, the nearest one that is accepted.
//!
//! That a limit is one and not two shows in the pair of `setLimit(1)`, which returns, and `setLimit(0)`, which throws. A test of the
//! first alone asserts nothing. A rejection gets the accepted call before the rejected one, by a number that is one more or less, where
//! that kills a mutant which no test kills that shows a value.

use super::mutation::{Asked, Kill, KillsBySite, MutationAnalysis};
use super::refine::SLOW;
use super::strengthen::{at_home, run};
use super::{SelectionContext, TestCandidate, is_rejection, runs};
use model::execution::{Detail, Execution, Executor, ExecutorError, Outcome};
use model::jvm::Literal;
use model::sequence::Sequence;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The tests, in which accepted calls stand before some of those that are rejected. `tried` are the mutants that were run.
pub(super) fn add(
    mut tests: Vec<TestCandidate>,
    tried: &BTreeSet<u32>,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    if !(mutation.should_continue)() {
        return Ok(tests);
    }
    let found = at_home(executors, &mut |home| {
        context.on_shards(tests.iter().collect(), home, &|one: &TestCandidate, executor| {
            if can_tell_boundary(one, context) { with_accepted(one, executor) } else { Ok(Vec::new()) }
        })
    })?;
    let of_test: Vec<usize> =
        found.iter().enumerate().flat_map(|(test, found)| std::iter::repeat_n(test, found.len())).collect();
    let mut found: Vec<TestCandidate> = found.into_iter().flatten().collect();
    at_home(executors, &mut |home| run(&mut found, Asked::all(&mutation.in_order()), mutation, context, home))?;
    let showing = tests.iter().filter(|one| shows_value(one, mutation));
    let mut shown: FxHashSet<u32> = showing.flat_map(|one| one.kills.keys().copied()).collect();
    for (test, one) in of_test.into_iter().zip(found) {
        if is_worth(&one.kills, &tests[test].kills, &shown, tried) {
            shown.extend(one.kills.keys());
            tests[test] = one;
        }
    }
    Ok(tests)
}

/// Whether what the test kills with the accepted call is worth it: a mutant that was run, and that no test kills which shows a value;
/// beside all that it kills without. A run that had to be stopped shows no boundary.
fn is_worth(kills: &KillsBySite, before: &KillsBySite, shown: &FxHashSet<u32>, tried: &BTreeSet<u32>) -> bool {
    let is_new =
        |(mutant, kill): (&u32, &Kill)| *kill != Kill::Stopped && tried.contains(mutant) && !shown.contains(mutant);
    kills.iter().any(is_new) && before.keys().all(|mutant| kills.contains_key(mutant))
}

/// Whether the test is of a rejection, quick, and has nothing after it.
fn can_tell_boundary(one: &TestCandidate, context: &SelectionContext) -> bool {
    is_rejection(one, context)
        && one.observers == 0
        && one.sequence.rejected().is_none()
        && one.execution.residual_state.is_none()
        && one.execution.cost < SLOW
}

/// Whether the test asserts a value, or what is thrown on purpose.
fn shows_value(one: &TestCandidate, mutation: &MutationAnalysis) -> bool {
    one.execution.outcome != Outcome::Completed || (mutation.assertions)(one).iter().any(|assertion| !assertion.is_bare)
}

/// The test with an accepted call before the rejected one, for each number that the call takes.
fn with_accepted(one: &TestCandidate, executor: &mut dyn Executor) -> Result<Vec<TestCandidate>, ExecutorError> {
    let tries = accepted_before(&one.sequence);
    let tried = executor.execute(&tries, Detail::Observe)?;
    // What a test leaves in the JVM would show the second time.
    let again = executor.execute(&tries, Detail::Observe)?;
    let runs = tried.into_iter().zip(again).map(|(run, again)| runs::agree(run, &again));
    let rejects_alike = |sequence: &Sequence, run: &Execution| match (&run.outcome, &one.execution.outcome) {
        (Outcome::Threw { statement, exception }, Outcome::Threw { exception: alone, .. }) => {
            *statement + 1 == sequence.len() && (&exception.class, &exception.message) == (&alone.class, &alone.message)
        }
        _ => false,
    };
    let is_like = |sequence: &Sequence, run: &Execution| {
        rejects_alike(sequence, run) && !run.may_vary() && run.residual_state.is_none()
    };
    let like = tries.into_iter().zip(runs).filter_map(|(sequence, run)| Some((sequence, run?)));
    let like = like.filter(|(sequence, run)| is_like(sequence, run));
    Ok(like.map(|(sequence, execution)| TestCandidate { sequence, execution, ..one.clone() }).collect())
}

/// The sequence with a call like its last one right before it, by a number one more or less.
fn accepted_before(alone: &Sequence) -> Vec<Sequence> {
    let Some(last) = alone.len().checked_sub(1) else { return Vec::new() };
    let mut found = Vec::new();
    for (slot, input) in alone.inputs_of(last).enumerate() {
        for near in alone.literal_at(input).into_iter().flat_map(neighbours) {
            let mut sequence = alone.prefix(last);
            let near = sequence.push_literal(near);
            let mut inputs: Vec<usize> = alone.inputs_of(last).collect();
            let rejected = inputs.clone();
            inputs[slot] = near;
            let action = &alone.statements()[last].action;
            sequence.push(action.clone(), &inputs);
            sequence.push(action.clone(), &rejected);
            found.push(sequence);
        }
    }
    found
}

/// The numbers next to a number.
fn neighbours(literal: &Literal) -> Vec<Literal> {
    match *literal {
        Literal::Int(value) => [1, -1].into_iter().filter_map(|by| value.checked_add(by)).map(Literal::Int).collect(),
        Literal::Long(value) => [1, -1].into_iter().filter_map(|by| value.checked_add(by)).map(Literal::Long).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::Thrown;
    use model::jvm::ClassName;
    use model::sequence::OperationId;

    #[test]
    fn accepted_call_stands_before_the_rejected_one_on_the_same_object() {
        let mut alone = Sequence::new();
        let made = alone.push_call(OperationId(0), &[]);
        let name = alone.push_literal(Literal::String("a".into()));
        let limit = alone.push_literal(Literal::Int(0));
        alone.push_call(OperationId(1), &[made, name, limit]);
        let found = accepted_before(&alone);
        let told = |sequence: &Sequence| {
            let calls: Vec<usize> =
                (0..sequence.len()).filter(|at| sequence.call_at(*at) == Some(OperationId(1))).collect();
            let inputs = |at: usize| sequence.inputs_of(at).collect::<Vec<usize>>();
            let (first, second) = (inputs(calls[0]), inputs(calls[1]));
            assert_eq!((first[0], first[1], &second[..]), (made, name, &[made, name, limit][..]));
            sequence.literal_at(first[2]).cloned()
        };
        assert_eq!(found.iter().map(told).collect::<Vec<_>>(), [Some(Literal::Int(1)), Some(Literal::Int(-1))]);
        assert_eq!(neighbours(&Literal::Int(i32::MAX)), [Literal::Int(i32::MAX - 1)]);
        assert_eq!(neighbours(&Literal::Boolean(true)), []);
    }

    #[test]
    fn accepted_call_has_to_kill_a_mutant_that_was_run_and_no_telling_test_kills() {
        let kills = |mutants: &[u32]| mutants.iter().map(|mutant| (*mutant, Kill::End)).collect::<KillsBySite>();
        let (shown, tried) = (FxHashSet::from_iter([1]), BTreeSet::from([1, 2, 3]));
        let is_worth = |with: &[u32], before: &[u32]| is_worth(&kills(with), &kills(before), &shown, &tried);
        assert!(is_worth(&[1, 2], &[1]));
        assert!(!is_worth(&[1], &[1]), "a test that shows a value kills it");
        assert!(!is_worth(&[2], &[1]), "it misses what it killed alone");
        assert!(!is_worth(&[1, 9], &[1]), "nothing is known of it");
        assert!(!super::is_worth(&[(2, Kill::Stopped)].into(), &kills(&[]), &shown, &tried));
    }

    #[test]
    fn call_that_is_rejected_too_or_changes_the_message_is_not_taken() {
        let mut alone = Sequence::new();
        let limit = alone.push_literal(Literal::Int(0));
        alone.push_call(OperationId(1), &[limit]);
        let threw = |statement: usize, message: &str| {
            let class = ClassName::new("p/Refused");
            let (nameable, superclasses) = (class.clone(), Vec::new());
            let message = Some(message.into());
            let exception = Thrown { class, nameable, superclasses, message, stack: Vec::new() };
            Execution::ended(Outcome::Threw { statement, exception })
        };
        let one = TestCandidate::new(alone, threw(1, "below one"), BTreeSet::new());
        struct Fake(Vec<Execution>);
        impl Executor for Fake {
            fn execute(&mut self, _: &[Sequence], _: Detail) -> Result<Vec<Execution>, ExecutorError> {
                Ok(self.0.clone())
            }
            fn restart(&mut self) -> Result<(), ExecutorError> {
                Ok(())
            }
        }
        // One more is accepted, one less rejected.
        let count = |runs: [Execution; 2]| with_accepted(&one, &mut Fake(runs.to_vec())).unwrap().len();
        assert_eq!(count([threw(3, "below one"), threw(2, "below one")]), 1);
        assert_eq!(count([threw(3, "has a limit"), threw(2, "below one")]), 0);
    }
}
