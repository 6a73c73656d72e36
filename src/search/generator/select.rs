//! Which operation to extend with: by the weights that guidance gives, less what it cost before.
//!
//! It costs one pass over the operations per round.

use super::Trials;
use super::guidance::MethodChoice;
use super::weighted::Weighted;
use model::sequence::OperationId;
use rand_chacha::ChaCha8Rng;

/// Weight that every operation has.
const FLOOR: f64 = 0.05;

/// What the weight of one operation depends on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    /// Probes of its body.
    pub edges: u32,
    pub covered: u32,
    pub trials: Trials,
    /// Effort in probes, overhead included, since it last reached a new edge.
    pub fruitless: u64,
    /// It was part of a run that ended by itself.
    pub survived: bool,
    /// Runs that did not end by themselves.
    pub kills: u64,
    pub quarantined: bool,
}

/// The weights of all operations during one round.
#[derive(Clone, Debug)]
pub struct Weights {
    weights: Vec<f64>,
    quarantined: Vec<bool>,
    candidates: Weighted<OperationId>,
}

impl Weights {
    /// Weighs the `operations`; `standings` has an entry for every operation.
    pub fn new(operations: &[OperationId], standings: &[Standing], choice: &dyn MethodChoice) -> Weights {
        let mut weights = vec![0.0; standings.len()];
        let mut candidates = Weighted::default();
        let most_completed = operations.iter().map(|id| standings[id.0 as usize].trials.completed).max().unwrap_or(0);
        for &operation in operations {
            let standing = &standings[operation.0 as usize];
            let weight = if standing.quarantined {
                0.0
            } else {
                // Each run that did not end by itself costs thousands of others.
                (FLOOR + choice.weigh(standing, most_completed)) / (1.0 + standing.kills as f64)
            };
            weights[operation.0 as usize] = weight;
            candidates.push(operation, weight);
        }
        let quarantined = standings.iter().map(|standing| standing.quarantined).collect();
        Weights { weights, quarantined, candidates }
    }

    /// Whether there is anything to choose.
    pub fn is_exhausted(&self) -> bool {
        self.candidates.sum() <= 0.0
    }

    /// Operations weighed.
    pub fn len(&self) -> usize {
        self.candidates.len()
    }

    pub fn of(&self, operation: OperationId) -> f64 {
        self.weights[operation.0 as usize]
    }

    pub fn is_quarantined(&self, operation: OperationId) -> bool {
        self.quarantined[operation.0 as usize]
    }

    /// An operation by weight.
    ///
    /// # Panics
    /// If the weights are exhausted.
    pub fn choose(&self, rng: &mut ChaCha8Rng) -> OperationId {
        *self.candidates.draw(rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::guidance::Bloodhound;
    use model::seed::Seed;

    #[test]
    fn uncovered_operations_are_chosen_more_often_and_quarantined_ones_never() {
        let trials = Trials { completed: 1, ..Trials::default() };
        let standing =
            |covered, quarantined| Standing { edges: 10, covered, trials, quarantined, ..Standing::default() };
        let ids = [OperationId(0), OperationId(1), OperationId(2)];
        let weights = Weights::new(&ids, &[standing(0, false), standing(10, false), standing(0, true)], &Bloodhound);
        let mut rng = Seed::root(1).rng();
        let mut counts = [0; 3];
        for _ in 0..1000 {
            counts[weights.choose(&mut rng).0 as usize] += 1;
        }
        assert!(counts[0] > counts[1] && counts[1] > 0 && counts[2] == 0, "{counts:?}");
    }
}
