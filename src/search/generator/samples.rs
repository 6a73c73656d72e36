//! Samples: for each operation some sequences that end in a call of it, with different results, after different calls.
//!
//! A suite selected by edges omits methods without branches, or calls them only indirectly, and shows each state once. A
//! sample may kill a mutant that survives in such a method, or in one that was called before (`suite::fresh`).

use model::execution::{Execution, Fingerprint, Value};
use model::sequence::{OperationId, Sequence};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Samples of one operation, whatever was called before.
const SAMPLES: usize = 6;
/// Samples of one operation after another one.
const SAMPLES_AFTER: usize = 3;
/// All samples of one operation.
const MOST_SAMPLES: usize = 48;

/// The result of a call: its value and the value's state, or the states of its inputs.
#[derive(Clone, PartialEq, Eq)]
struct Result {
    value: Value,
    states: Vec<Option<Fingerprint>>,
}

/// The samples so far.
#[derive(Default)]
pub(super) struct Samples {
    /// Results by operation, and by an operation that was called before it.
    results: FxHashMap<(OperationId, Option<OperationId>), Vec<Result>>,
    counts: FxHashMap<OperationId, usize>,
    sequences: Vec<Arc<Sequence>>,
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
        let count = self.counts.entry(operation).or_default();
        let Some(value) = execution.values.last().filter(|_| *count < MOST_SAMPLES) else { return };
        if execution.environment_dependent {
            return;
        }
        let states = match (value, execution.states.split_last()) {
            (Value::Void, Some((_, inputs))) => inputs.to_vec(),
            (_, Some((made, _))) => vec![*made],
            (_, None) => Vec::new(),
        };
        let result = Result { value: value.clone(), states };
        let mut is_new = false;
        for before in before.into_iter().map(Some).chain([None]) {
            let most = if before.is_none() { SAMPLES } else { SAMPLES_AFTER };
            let results = self.results.entry((operation, before)).or_default();
            if results.len() < most && !results.contains(&result) {
                results.push(result.clone());
                is_new = true;
            }
        }
        if is_new {
            *count += 1;
            self.sequences.push(sequence.clone());
        }
    }

    /// In the order in which they were found.
    pub fn into_sequences(self) -> Vec<Arc<Sequence>> {
        self.sequences
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
            let before = samples.sequences.len();
            samples.note(OperationId(operation), BTreeSet::new(), &sequence, &execution);
            samples.sequences.len() > before
        };
        assert!(noted(0, Value::Null, 1));
        assert!(!noted(0, Value::Null, 1));
        assert!(noted(0, Value::Literal(Literal::Int(1)), 1));
        assert!(noted(1, Value::Void, 1) && noted(1, Value::Void, 2) && !noted(1, Value::Void, 1));
        let many = (0..20).filter(|&number| noted(2, Value::Literal(Literal::Int(number)), 0)).count();
        assert_eq!(many, SAMPLES);
    }

    #[test]
    fn sample_is_kept_for_a_known_result_after_another_call() {
        let mut samples = Samples::default();
        let sequence = Arc::new(Sequence::new());
        let execution = Execution { values: vec![Value::Null], ..Execution::ended(Outcome::Completed) };
        for (before, kept) in [(&[][..], 1), (&[1], 2), (&[1], 2), (&[2], 3), (&[1, 2], 3)] {
            let before = before.iter().copied().map(OperationId).collect();
            samples.note(OperationId(9), before, &sequence, &execution);
            assert_eq!(samples.sequences.len(), kept);
        }
    }
}
