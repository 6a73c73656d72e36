//! Running many sequences on the executors of the shards, so that results depend neither on the number of threads nor on
//! their speed.

use super::{BATCH, SelectionContext, TestCandidate, passes_on_what_varies, sequences_of};
use crate::generator::SHARDS;
use model::execution::{
    Detail, Execution, Executor, ExecutorError, MOCK_CALLS, MockArgument, MockCall, Observed, Outcome, TIMES, Value,
};
use model::jvm::Type;
use model::seed::Seed;
use model::sequence::Sequence;
use rand::seq::SliceRandom;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The times that tell most of what depends on the time before it is known which sequences become tests: years apart, each with
/// clocks of another speed.
const SOME_TIMES: [u8; 3] = [1, 6, 11];

impl TestCandidate {
    /// Whether another run of the sequence ends in another way, or has another value of those that the test asserts.
    pub fn is_changed(&self, run: &Execution) -> bool {
        let is_asserted = |at: &usize| self.asserted.as_ref().is_none_or(|asserted| asserted.contains(at));
        let Some(agreed) = agree(self.execution.clone(), run) else { return true };
        let mut values = self.execution.values.iter().zip(&agreed.values).enumerate();
        self.execution.outcome != agreed.outcome || values.any(|(at, (one, agreed))| is_asserted(&at) && one != agreed)
    }
}

impl SelectionContext<'_> {
    /// Runs all sequences in so many orders; returns the runs of each sequence. Two orders contain each pair of sequences both
    /// ways; more orders reveal dependencies of three: polluter, cleaner and victim. Where sequences share the JVM, each order
    /// has a fresh worker. Elsewhere static state is reset after each sequence, so that a worker will do that has run few
    /// others ([`Executor::freshen`]): starting one takes longer than running a small suite.
    pub(super) fn in_orders(
        &self,
        sequences: &[Sequence],
        orders: usize,
        detail: Detail,
        executors: &mut [Box<dyn Executor>],
    ) -> Result<Vec<Vec<Execution>>, ExecutorError> {
        // Each order is one worker's, as long as there are so many.
        let orders: Vec<usize> = (0..orders).collect();
        let runs = self.on_shards(orders, executors, &|number: usize, executor: &mut dyn Executor| {
            if detail == Detail::SharedJvm {
                executor.restart()?;
            }
            let order = order(sequences.len(), number);
            let mut executions = Vec::new();
            for batch in order.chunks(BATCH) {
                let sequences: Vec<Sequence> = batch.iter().map(|&at| sequences[at].clone()).collect();
                executions.extend(batch.iter().copied().zip(executor.execute(&sequences, detail)?));
            }
            Ok(executions)
        })?;
        let mut of_sequence: Vec<Vec<Execution>> = vec![Vec::new(); sequences.len()];
        runs.into_iter().flatten().for_each(|(at, execution)| of_sequence[at].push(execution));
        Ok(of_sequence)
    }

    /// Runs all sequences in so many orders, and those that read a clock at [`SOME_TIMES`], too.
    pub(super) fn at_several_times(
        &self,
        sequences: &[Sequence],
        orders: usize,
        executors: &mut [Box<dyn Executor>],
    ) -> Result<Vec<Vec<Execution>>, ExecutorError> {
        let mut runs = self.in_orders(sequences, orders, Detail::Observe, executors)?;
        let timed: Vec<usize> = (0..sequences.len()).filter(|at| is_timed(&runs[*at])).collect();
        for (at, at_other_times) in self.at_other_times(&SOME_TIMES, sequences, &timed, executors)? {
            runs[at].extend(at_other_times);
        }
        Ok(runs)
    }

    /// Runs those of the sequences at these times; one whose run was killed is not run again.
    fn at_other_times(
        &self,
        times: &[u8],
        sequences: &[Sequence],
        chosen: &[usize],
        executors: &mut [Box<dyn Executor>],
    ) -> Result<FxHashMap<usize, Vec<Execution>>, ExecutorError> {
        let mut found: FxHashMap<usize, Vec<Execution>> = FxHashMap::default();
        let mut left = chosen.to_vec();
        for (round, times) in times.chunks(executors.len()).enumerate() {
            if left.is_empty() {
                break;
            }
            let run = |time, executor: &mut dyn Executor| {
                let mut executions = Vec::new();
                for batch in left.chunks(BATCH) {
                    let sequences: Vec<Sequence> = batch.iter().map(|&at| sequences[at].clone()).collect();
                    // What classes read when they are initialised is of the time of the search, unless the worker is replaced.
                    if round == 0 {
                        executor.execute(&sequences, Detail::Observe)?;
                    }
                    executions.extend(executor.execute(&sequences, Detail::AnotherTime(time))?);
                }
                Ok(executions)
            };
            for runs in self.on_shards(times.to_vec(), executors, &run)? {
                left.iter().zip(runs).for_each(|(at, run)| found.entry(*at).or_default().push(run));
            }
            // What hangs at one time hangs at others, too.
            left.retain(|at| !found[at].iter().any(|run| matches!(run.outcome, Outcome::Killed { .. })));
        }
        found.values_mut().for_each(|runs| mark_random_decisions(runs));
        Ok(found)
    }

    /// The tests that behave the same when they share a JVM, with the edges that all runs reach; and how many do not.
    pub(super) fn in_shared_jvm(
        &self,
        suite: Vec<TestCandidate>,
        executors: &mut [Box<dyn Executor>],
    ) -> Result<(Vec<TestCandidate>, usize), ExecutorError> {
        // Where nothing is left behind, the order matters only to what no reset reaches.
        let orders = if leave_state(suite.iter().map(|one| &one.execution)) { 2 * SHARDS } else { SHARDS };
        let runs = self.in_orders(&sequences_of(&suite), orders, Detail::SharedJvm, executors)?;
        let count = suite.len();
        let agreed = suite.into_iter().zip(runs).filter_map(|(one, runs)| {
            let edges_of = |run: &Execution| run.edges.iter().map(|hit| hit.edge).collect();
            let beside_others = runs.iter().map(edges_of).collect();
            Some(TestCandidate { beside_others, ..agreed(one, runs)? })
        });
        let agreed: Vec<TestCandidate> = agreed.collect();
        let unstable = count - agreed.len();
        Ok((agreed, unstable))
    }

    /// The tests that end alike at all times, with what they show and reach at each; and how many do not.
    pub(super) fn at_all_times(
        &self,
        suite: Vec<TestCandidate>,
        executors: &mut [Box<dyn Executor>],
    ) -> Result<(Vec<TestCandidate>, usize), ExecutorError> {
        let is_timed = |at: &usize| is_timed(std::slice::from_ref(&suite[*at].execution));
        let timed: Vec<usize> = (0..suite.len()).filter(is_timed).collect();
        let times = Vec::from_iter(0..TIMES);
        let mut runs = self.at_other_times(&times, &sequences_of(&suite), &timed, executors)?;
        let count = suite.len();
        let agreed = suite.into_iter().enumerate().filter_map(|(at, one)| match runs.remove(&at) {
            Some(runs) => agreed(one, runs),
            None => Some(one),
        });
        let agreed: Vec<TestCandidate> = agreed.collect();
        let varying = count - agreed.len();
        Ok((agreed, varying))
    }

    /// Gives each shard a fresh worker.
    pub(super) fn restart(&self, executors: &mut [Box<dyn Executor>]) -> Result<(), ExecutorError> {
        let all = vec![(); executors.len()];
        self.on_shards(all, executors, &|(), executor| executor.restart()).map(drop)
    }

    /// Does work on executors that are [freshened](Executor::freshen), item i on that of shard i mod their number, results in
    /// order: so the result depends neither on the number of threads nor on their speed.
    pub(super) fn on_shards<T: Send, R: Send>(
        &self,
        items: Vec<T>,
        executors: &mut [Box<dyn Executor>],
        work: &(dyn Fn(T, &mut dyn Executor) -> Result<R, ExecutorError> + Sync),
    ) -> Result<Vec<R>, ExecutorError> {
        let shards = executors.len();
        let mut parts: Vec<Vec<(usize, T)>> = (0..shards).map(|_| Vec::new()).collect();
        for (index, item) in items.into_iter().enumerate() {
            parts[index % shards].push((index, item));
        }
        let parts: Vec<_> = parts.into_iter().zip(executors.iter_mut()).map(|part| Mutex::new(Some(part))).collect();
        let done = Mutex::new(Vec::new());
        let next = AtomicUsize::new(0);
        let run_part = |(part, executor): (Vec<(usize, T)>, &mut Box<dyn Executor>)| {
            if !part.is_empty() {
                executor.freshen()?;
            }
            let run = |(index, item)| work(item, executor.as_mut()).map(|result| (index, result));
            part.into_iter().map(run).collect::<Result<Vec<_>, ExecutorError>>()
        };
        std::thread::scope(|scope| {
            for _ in 0..self.threads.clamp(1, shards) {
                scope.spawn(|| {
                    while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let part = part.lock().expect("no part panics").take().expect("each part is taken once");
                        let result = run_part(part);
                        done.lock().expect("no part panics").push(result);
                    }
                });
            }
        });
        let mut results = Vec::new();
        for part in done.into_inner().expect("threads are joined") {
            results.extend(part?);
        }
        results.sort_by_key(|(index, _)| *index);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }
}

/// The test with what its other runs have, too, and reach; `None` if they end in another way or hand on what varies.
fn agreed(one: TestCandidate, runs: Vec<Execution>) -> Option<TestCandidate> {
    if passes_on_what_varies(&one.sequence, &runs, std::slice::from_ref(&one.execution)) {
        return None;
    }
    let run = common(runs)?;
    if run.environment_dependent && !one.execution.environment_dependent {
        return None;
    }
    let mut execution = agree(one.execution, &run)?;
    retain_common(&mut execution, &run);
    Some(TestCandidate { execution, ..one })
}

/// Whether some run reads a clock, and nothing that no worker sets, and all end by themselves: only then a test may do the same.
fn is_timed(runs: &[Execution]) -> bool {
    let ends = |run: &Execution| matches!(run.outcome, Outcome::Completed | Outcome::Threw { .. });
    runs.iter().any(|run| run.timed) && runs.iter().all(|run| ends(run) && !run.environment_dependent)
}

/// Marks runs with other random numbers if what these decide differs among them: numbers that no run drew may decide otherwise, too.
fn mark_random_decisions(runs: &mut [Execution]) {
    let differs = runs.windows(2).any(|pair| pair[0].decisions != pair[1].decisions);
    runs.iter_mut().for_each(|run| run.environment_dependent |= differs);
}

/// Whether some run leaves state behind, which a later one in the same JVM may come upon.
pub(super) fn leave_state<'a>(mut runs: impl Iterator<Item = &'a Execution>) -> bool {
    runs.any(|run| run.residual_state.is_some())
}

/// Order number `number` of so many sequences: forwards, backwards, and then shuffled ones.
fn order(count: usize, number: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    match number {
        0 => {}
        1 => order.reverse(),
        _ => order.shuffle(&mut Seed::root(0).child("order").nth(number as u64).rng()),
    }
    order
}

/// Leaves the edges that the other run has too.
pub(super) fn retain_common(execution: &mut Execution, other: &Execution) {
    let others: FxHashSet<u32> = other.edges.iter().map(|hit| hit.edge).collect();
    execution.edges.retain(|hit| others.contains(&hit.edge));
}

/// What all runs of a sequence agree on, and the edges that all reach.
pub(super) fn common(runs: Vec<Execution>) -> Option<Execution> {
    let mut runs = runs.into_iter();
    let first = runs.next()?;
    runs.try_fold(first, |mut agreed, other| {
        retain_common(&mut agreed, &other);
        agree(agreed, &other)
    })
}

/// What two runs of a sequence agree on, and the first one's edges; `None` if they ended differently, or not by themselves.
pub(super) fn agree(mut one: Execution, two: &Execution) -> Option<Execution> {
    let same_end = match (&one.outcome, &two.outcome) {
        (Outcome::Completed, Outcome::Completed) => true,
        (Outcome::Threw { statement: a, exception: x }, Outcome::Threw { statement: b, exception: y }) => {
            a == b && x.class == y.class
        }
        _ => false,
    };
    if !same_end || one.values.len() != two.values.len() {
        return None;
    }
    for (value, other) in one.values.iter_mut().zip(&two.values) {
        if value != other {
            // A class that says nothing more: there is nothing to assert.
            *value = Value::Object { class: Type::object(), observed: Observed::Nothing };
        }
    }
    agree_on_mocks(&mut one.mock_calls, &two.mock_calls);
    if let (Outcome::Threw { exception, .. }, Outcome::Threw { exception: other, .. }) =
        (&mut one.outcome, &two.outcome)
        && exception.message != other.message
    {
        exception.message = None;
    }
    one.environment_dependent |= two.environment_dependent;
    one.timed |= two.timed;
    one.denied = one.denied.or(two.denied);
    one.residual_state = one.residual_state.or(two.residual_state);
    Some(one)
}

/// Leaves what both runs pass to mocks; what another run calls is called, too, with arguments of which nothing is known.
fn agree_on_mocks(one: &mut Vec<MockCall>, two: &[MockCall]) {
    let unknown = || MockArgument {
        statement: None,
        value: Value::Object { class: Type::object(), observed: Observed::Nothing },
    };
    let is_alike = |a: &MockCall, b: &MockCall| (a.statement, a.method) == (b.statement, b.method);
    let same_calls = one.len() == two.len() && one.iter().zip(two).all(|(a, b)| is_alike(a, b));
    if same_calls {
        let arguments = |calls: &mut MockCall, others: &MockCall| {
            for (argument, other) in calls.arguments.iter_mut().zip(&others.arguments) {
                if argument != other {
                    *argument = unknown();
                }
            }
        };
        one.iter_mut().zip(two).for_each(|(call, other)| arguments(call, other));
        return;
    }
    let missing: Vec<MockCall> =
        two.iter().filter(|other| !one.iter().any(|call| is_alike(call, other))).cloned().collect();
    one.extend(missing);
    one.truncate(MOCK_CALLS);
    one.iter_mut().flat_map(|call| &mut call.arguments).for_each(|argument| *argument = unknown());
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::Value;
    use model::jvm::Literal;
    use model::sequence::OperationId;
    use std::collections::BTreeSet;

    fn run(numbers: [i32; 2]) -> Execution {
        let values = numbers.map(|number| Value::Literal(Literal::Int(number))).to_vec();
        Execution { values, ..Execution::ended(Outcome::Completed) }
    }

    #[test]
    fn runs_agree_on_what_each_of_them_passes_to_a_mock() {
        let call = |method: usize, number: i32| MockCall {
            statement: 0,
            method,
            arguments: vec![MockArgument { statement: None, value: Value::Literal(Literal::Int(number)) }],
        };
        let agreed = |one: &[MockCall], two: &[MockCall]| {
            let mut calls = one.to_vec();
            agree_on_mocks(&mut calls, two);
            calls
        };
        let is_known = |call: &MockCall| matches!(call.arguments[0].value, Value::Literal(_));
        assert_eq!(agreed(&[call(0, 1)], &[call(0, 1)]), [call(0, 1)]);
        assert!(!is_known(&agreed(&[call(0, 1)], &[call(0, 2)])[0]));
        // What one run alone calls is called.
        let more = agreed(&[call(0, 1)], &[call(0, 1), call(1, 1)]);
        assert_eq!(more.iter().map(|call| call.method).collect::<Vec<_>>(), [0, 1]);
        assert!(!more.iter().any(is_known));
    }

    #[test]
    fn test_is_changed_by_another_end_or_another_value_that_it_asserts() {
        let mut sequence = Sequence::new();
        sequence.push_call(OperationId(0), &[]);
        sequence.push_call(OperationId(1), &[]);
        let one = TestCandidate::new(sequence, run([1, 2]), BTreeSet::new());
        assert!(!one.is_changed(&run([1, 2])) && one.is_changed(&run([7, 2])) && one.is_changed(&run([1, 7])));
        let unlinkable = Outcome::Unlinkable { statement: 1, message: "p/Gone".to_string() };
        assert!(one.is_changed(&Execution { outcome: unlinkable, ..run([1, 2]) }));
        let second = TestCandidate { asserted: Some(BTreeSet::from([1])), ..one };
        assert!(!second.is_changed(&run([7, 2])) && second.is_changed(&run([1, 7])));
    }
}
