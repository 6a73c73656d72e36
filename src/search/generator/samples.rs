//! Samples: for each operation a few sequences that end in a call of it, with different results.
//!
//! A suite selected by edges omits methods without branches, or calls them only indirectly. A sample may kill a mutant that
//! survives in such a method (`suite::strengthen`).

use model::execution::{Execution, Fingerprint, Value};
use model::sequence::{OperationId, Sequence};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Samples of one operation.
const SAMPLES: usize = 6;

/// The result of a call: its value and the value's state, or the states of its inputs.
#[derive(PartialEq, Eq)]
struct Result {
    value: Value,
    states: Vec<Option<Fingerprint>>,
}

/// The samples so far.
#[derive(Default)]
pub(super) struct Samples {
    results: FxHashMap<OperationId, Vec<Result>>,
    sequences: Vec<Arc<Sequence>>,
}

impl Samples {
    /// Notes a sequence that ended normally in a call of the operation.
    pub fn note(&mut self, operation: OperationId, sequence: &Arc<Sequence>, execution: &Execution) {
        let results = self.results.entry(operation).or_default();
        let Some(value) = execution.values.last().filter(|_| results.len() < SAMPLES) else { return };
        let states = match (value, execution.states.split_last()) {
            (Value::Void, Some((_, inputs))) => inputs.to_vec(),
            (_, Some((made, _))) => vec![*made],
            (_, None) => Vec::new(),
        };
        let result = Result { value: value.clone(), states };
        if !execution.environment_dependent && !results.contains(&result) {
            results.push(result);
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
            samples.note(OperationId(operation), &sequence, &execution);
            samples.sequences.len() > before
        };
        assert!(noted(0, Value::Null, 1));
        assert!(!noted(0, Value::Null, 1));
        assert!(noted(0, Value::Literal(Literal::Int(1)), 1));
        assert!(noted(1, Value::Void, 1) && noted(1, Value::Void, 2) && !noted(1, Value::Void, 1));
        let many = (0..20).filter(|&number| noted(2, Value::Literal(Literal::Int(number)), 0)).count();
        assert_eq!(many, SAMPLES);
    }
}
