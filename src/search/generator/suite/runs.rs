//! Running many sequences on the executors of the shards, so that results depend neither on the number of threads nor on
//! their speed.

use super::{BATCH, SelectionContext, TestCandidate, agree};
use model::execution::{Detail, Execution, Executor, ExecutorError};
use model::seed::Seed;
use model::sequence::Sequence;
use rand::seq::SliceRandom;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

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

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::{Outcome, Value};
    use model::jvm::Literal;
    use model::sequence::OperationId;
    use std::collections::BTreeSet;

    fn run(numbers: [i32; 2]) -> Execution {
        let values = numbers.map(|number| Value::Literal(Literal::Int(number))).to_vec();
        Execution { values, ..Execution::ended(Outcome::Completed) }
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
