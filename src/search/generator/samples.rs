//! Samples: for each operation some sequences that end in a call of it, with different results, after different calls.
//!
//! A suite selected by edges omits methods without branches, or calls them only indirectly, and shows each state once. A
//! sample may kill a mutant that survives in such a method, or in one that was called before (`suite::fresh`).

use model::execution::{Execution, Fingerprint, Value};
use model::sequence::{OperationId, Sequence};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::sync::Arc;

/// Samples of one operation, whatever was called before.
const SAMPLES: usize = 6;
/// Samples of one operation after another one.
const SAMPLES_AFTER: usize = 3;
/// First samples of one operation, by what was called before.
const MOST_FIRST: usize = 48;
/// Samples of one operation that are drawn from its different results: early in a search, values are small.
const DRAWN: usize = 32;
/// Different results of one operation from which is drawn; later ones are not looked at.
const MOST_RESULTS: usize = 10_000;

/// The result of a call: its value and the value's state, or the states of its inputs.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Result {
    value: Value,
    states: Vec<Option<Fingerprint>>,
}

/// The samples so far.
#[derive(Default)]
pub(super) struct Samples {
    of_operation: FxHashMap<OperationId, OfOperation>,
    /// The first samples of all operations.
    first: Vec<Arc<Sequence>>,
}

/// The samples of one operation.
#[derive(Default)]
struct OfOperation {
    /// The results of the first ones, by an operation that was called before.
    results: FxHashMap<Option<OperationId>, Vec<Result>>,
    first: usize,
    /// Hashes of the different results, and samples drawn from them, each with the same probability.
    different: FxHashSet<u64>,
    drawn: Vec<Arc<Sequence>>,
}

impl Samples {
    /// Notes a sequence that ended normally in a call of the operation, and the operations under test among those that it
    /// called before.
    pub fn note(
        &mut self,
        operation: OperationId,
        before: BTreeSet<OperationId>,
        sequence: &Arc<Sequence>,
        execution: &Execution,
    ) {
        let Some(value) = execution.values.last().filter(|_| !execution.environment_dependent) else { return };
        let states = match (value, execution.states.split_last()) {
            (Value::Void, Some((_, inputs))) => inputs.to_vec(),
            (_, Some((made, _))) => vec![*made],
            (_, None) => Vec::new(),
        };
        let result = Result { value: value.clone(), states };
        let samples = self.of_operation.entry(operation).or_default();
        if samples.is_among_first(before, &result) {
            self.first.push(sequence.clone());
        }
        samples.draw(operation, &result, sequence);
    }

    /// The first ones in the order in which they were found, then those that were drawn, by operation.
    pub fn into_sequences(self) -> Vec<Arc<Sequence>> {
        let mut drawn: Vec<(OperationId, OfOperation)> = self.of_operation.into_iter().collect();
        drawn.sort_by_key(|(operation, _)| *operation);
        self.first.into_iter().chain(drawn.into_iter().flat_map(|(_, samples)| samples.drawn)).collect()
    }
}

impl OfOperation {
    /// Notes the result after each of the operations; whether there were few for one of them.
    fn is_among_first(&mut self, before: BTreeSet<OperationId>, result: &Result) -> bool {
        if self.first == MOST_FIRST {
            return false;
        }
        let mut is_new = false;
        for before in before.into_iter().map(Some).chain([None]) {
            let most = if before.is_none() { SAMPLES } else { SAMPLES_AFTER };
            let results = self.results.entry(before).or_default();
            if results.len() < most && !results.contains(result) {
                results.push(result.clone());
                is_new = true;
            }
        }
        self.first += usize::from(is_new);
        is_new
    }

    /// Reservoir sampling over the different results (Vitter, 1985).
    fn draw(&mut self, operation: OperationId, result: &Result, sequence: &Arc<Sequence>) {
        if self.different.len() == MOST_RESULTS || !self.different.insert(FxBuildHasher.hash_one(result)) {
            return;
        }
        if self.drawn.len() < DRAWN {
            self.drawn.push(sequence.clone());
            return;
        }
        let count = self.different.len() as u64;
        let place = FxBuildHasher.hash_one((operation, count)) % count;
        if let Some(drawn) = self.drawn.get_mut(place as usize) {
            *drawn = sequence.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::Outcome;
    use model::jvm::Literal;

    #[test]
    fn sample_is_kept_only_for_a_new_result() {
        let mut samples = Samples::default();
        let sequence = Arc::new(Sequence::new());
        let mut noted = |operation: u32, value: Value, state: u64| {
            let execution = Execution {
                values: vec![value],
                states: vec![Some(state), Some(state)],
                ..Execution::ended(Outcome::Completed)
            };
            let before = samples.first.len();
            samples.note(OperationId(operation), BTreeSet::new(), &sequence, &execution);
            samples.first.len() > before
        };
        assert!(noted(0, Value::Null, 1));
        assert!(!noted(0, Value::Null, 1));
        assert!(noted(0, Value::Literal(Literal::Int(1)), 1));
        assert!(noted(1, Value::Void, 1) && noted(1, Value::Void, 2) && !noted(1, Value::Void, 1));
        let many = (0..20).filter(|&number| noted(2, Value::Literal(Literal::Int(number)), 0)).count();
        assert_eq!(many, SAMPLES);
    }

    #[test]
    fn samples_are_drawn_from_late_results_too() {
        let mut samples = Samples::default();
        for number in 0..2_000 {
            let mut sequence = Sequence::new();
            sequence.push_literal(Literal::Int(number));
            let execution = Execution {
                values: vec![Value::Literal(Literal::Int(number))],
                ..Execution::ended(Outcome::Completed)
            };
            samples.note(OperationId(0), BTreeSet::new(), &Arc::new(sequence), &execution);
        }
        let drawn = &samples.of_operation[&OperationId(0)].drawn;
        let number = |sequence: &Arc<Sequence>| match &sequence.statements()[0].action {
            model::sequence::Action::Literal(Literal::Int(number)) => *number,
            other => panic!("{other:?}"),
        };
        assert_eq!(drawn.len(), DRAWN);
        assert!(drawn.iter().filter(|one| number(one) >= 1_000).count() >= DRAWN / 4);
    }

    #[test]
    fn sample_is_kept_for_a_known_result_after_another_call() {
        let mut samples = Samples::default();
        let sequence = Arc::new(Sequence::new());
        let execution = Execution { values: vec![Value::Null], ..Execution::ended(Outcome::Completed) };
        for (before, kept) in [(&[][..], 1), (&[1], 2), (&[1], 2), (&[2], 3), (&[1, 2], 3)] {
            let before = before.iter().copied().map(OperationId).collect();
            samples.note(OperationId(9), before, &sequence, &execution);
            assert_eq!(samples.first.len(), kept);
        }
    }
}
