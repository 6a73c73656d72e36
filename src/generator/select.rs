//! Which operation to extend with.
//!
//! An operation's weight falls with the share of its edges that are covered and with how often it was tried since it
//! last reached something new. It costs one pass over the operations per round and hurts where a covered method is
//! the only way to a state that others need; so no weight falls to zero.

use super::Trials;
use crate::sequence::OperationId;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Weight that remains to an operation whose edges are all covered.
const FLOOR: f64 = 0.05;

/// What the weight of one operation depends on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    /// Probes of its body.
    pub edges: u32,
    pub covered: u32,
    pub trials: Trials,
    /// Tries since it last reached a new edge.
    pub fruitless: u64,
    /// It was part of a run that ended by itself.
    pub survived: bool,
    /// Runs that did not end by themselves: each costs thousands of others.
    pub kills: u64,
    pub quarantined: bool,
}

/// The weights of all operations during one round.
#[derive(Clone, Debug)]
pub struct Weights {
    weights: Vec<f64>,
    quarantined: Vec<bool>,
    candidates: Vec<OperationId>,
    cumulative: Vec<f64>,
}

impl Weights {
    /// Weighs the `candidates`; `standings` has an entry for every operation.
    pub fn new(candidates: &[OperationId], standings: &[Standing]) -> Weights {
        let mut weights = vec![0.0; standings.len()];
        let mut cumulative = Vec::with_capacity(candidates.len());
        let mut sum = 0.0;
        for candidate in candidates {
            let weight = weigh(&standings[candidate.0 as usize]);
            weights[candidate.0 as usize] = weight;
            sum += weight;
            cumulative.push(sum);
        }
        let quarantined = standings.iter().map(|standing| standing.quarantined).collect();
        Weights { weights, quarantined, candidates: candidates.to_vec(), cumulative }
    }

    /// Whether there is anything to choose.
    pub fn is_exhausted(&self) -> bool {
        self.cumulative.last().is_none_or(|&sum| sum <= 0.0)
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
        let sum = *self.cumulative.last().expect("there is an operation to choose");
        let ticket = rng.random_range(0.0..sum);
        let at = self.cumulative.partition_point(|&end| end <= ticket);
        self.candidates[at.min(self.candidates.len() - 1)]
    }
}

fn weigh(standing: &Standing) -> f64 {
    if standing.quarantined {
        return 0.0;
    }
    let uncovered = if standing.edges == 0 {
        if standing.trials.completed == 0 { 1.0 } else { 0.0 }
    } else {
        f64::from(standing.edges - standing.covered.min(standing.edges)) / f64::from(standing.edges)
    };
    // Large methods have more to find than small ones with the same share left.
    let left = f64::from(standing.edges.saturating_sub(standing.covered)).sqrt().max(1.0);
    let patience = 1.0 / (1.0 + standing.fruitless as f64 / 300.0).sqrt();
    let never_completed = if standing.trials.completed == 0 { 0.3 } else { 0.0 };
    (FLOOR + (uncovered * left + never_completed) * patience) / (1.0 + standing.kills as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    #[test]
    fn uncovered_operations_are_chosen_more_often_and_quarantined_ones_never() {
        let trials = Trials { completed: 1, ..Trials::default() };
        let standing =
            |covered, quarantined| Standing { edges: 10, covered, trials, quarantined, ..Standing::default() };
        let ids = [OperationId(0), OperationId(1), OperationId(2)];
        let weights = Weights::new(&ids, &[standing(0, false), standing(10, false), standing(0, true)]);
        let mut rng = Seed::root(1).rng();
        let mut counts = [0; 3];
        for _ in 0..1000 {
            counts[weights.choose(&mut rng).0 as usize] += 1;
        }
        assert!(counts[0] > counts[1] && counts[1] > 0 && counts[2] == 0, "{counts:?}");
    }
}
