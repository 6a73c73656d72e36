//! Bloodhound: operations with uncovered edges first (GRT §3.6, docs/bibliography.md).
//!
//! Beyond the paper, the weight grows with the number of edges left, as a large method has more to find than a small one
//! with the same share, and falls with the effort since the last new edge. A run that completes counts as one more edge
//! until there is one. It costs one pass over the operations per round and hurts where a covered method is the only way to
//! a state that others need; so no weight falls to zero.

use crate::generator::select::OperationStatistics;

/// α: what coverage weighs against successes.
const COVERAGE: f64 = 0.9;
/// p: how slowly the weight falls while an operation is chosen again and again.
const DECAY: f64 = 0.99;
/// Probes executed without a new edge after which patience is down to 1/√2.
const PATIENCE: f64 = 300_000.0;

/// How operations under test are chosen.
pub trait MethodChoice: Send + Sync {
    /// w(m, 0): the weight at the start of a round. `most_completed` is that of the operation that completed most often.
    fn weigh(&self, statistics: &OperationStatistics, most_completed: u64) -> f64;

    /// What remains of the weight after so many choices in this round, of one among so many operations: from 0 to 1.
    fn remains(&self, choices: u32, operations: usize) -> f64;
}

pub struct Bloodhound;

impl MethodChoice for Bloodhound {
    fn weigh(&self, statistics: &OperationStatistics, most_completed: u64) -> f64 {
        let left = statistics.left();
        let goals = statistics.edges + u32::from(statistics.trials.completed == 0);
        let uncovered = f64::from(left) / f64::from(goals.max(1));
        let succeeded = statistics.trials.completed as f64 / most_completed.max(1) as f64;
        let patience = 1.0 / (1.0 + statistics.fruitless as f64 / PATIENCE).sqrt();
        COVERAGE * uncovered * f64::from(left).sqrt().max(1.0) * patience + (1.0 - COVERAGE) * (1.0 - succeeded)
    }

    fn remains(&self, choices: u32, operations: usize) -> f64 {
        if choices == 0 {
            return 1.0;
        }
        let k = f64::from(choices);
        let falling = -3.0 / (1.0 - DECAY).ln() * DECAY.powf(k) / k;
        falling.max(1.0 / ((operations + 3) as f64).ln())
    }
}

pub(super) struct Uniform;

impl MethodChoice for Uniform {
    fn weigh(&self, _: &OperationStatistics, _: u64) -> f64 {
        1.0
    }

    fn remains(&self, _: u32, _: usize) -> f64 {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::Trials;

    #[test]
    fn method_weight_decreases_with_coverage_and_successes() {
        let weigh = |covered, completed| {
            let trials = Trials { tries: completed, completed, ..Trials::default() };
            Bloodhound.weigh(&OperationStatistics { edges: 10, covered, trials, ..OperationStatistics::default() }, 100)
        };
        assert!(weigh(0, 0) > weigh(5, 0) && weigh(5, 0) > weigh(5, 100));
        assert_eq!(weigh(10, 100), 0.0);
        assert!(weigh(10, 0) > weigh(9, 50), "a run that completes is left");
    }

    #[test]
    fn method_weight_decay_has_a_floor() {
        let floor = 1.0 / 103f64.ln();
        let remains: Vec<f64> = [0, 1, 2, 50].into_iter().map(|choices| Bloodhound.remains(choices, 100)).collect();
        assert!(remains[0] > remains[1] && remains[1] > remains[2], "{remains:?}");
        assert_eq!(remains[3], floor);
    }
}
