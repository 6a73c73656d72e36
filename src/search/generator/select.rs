//! Choice of the operation to extend with: by the weights of guidance, reduced by the operation's past costs.
//!
//! It costs one pass over the operations per round.

use super::Trials;
use super::doors::Door;
use super::guidance::MethodChoice;
use super::weighted::Weighted;
use model::sequence::OperationId;
use rand_chacha::ChaCha8Rng;

/// Least weight of an operation.
const FLOOR: f64 = 0.05;

/// What an operation is to a search that looks for the effects of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// The search has no focus.
    #[default]
    Everywhere,
    /// Its code changed, or leads to code that did.
    Changed,
    /// It brings about or shows states of classes with changed code.
    Beside,
    /// It is there only for the values that it makes.
    Elsewhere,
}

impl Focus {
    /// The share of all choices, among those kinds that have operations.
    fn share(self) -> f64 {
        match self {
            Focus::Everywhere | Focus::Changed => 0.5,
            Focus::Beside => 0.45,
            Focus::Elsewhere => 0.05,
        }
    }

    /// The weight beside others of the same kind. What changed is called however well it is covered, as it is the values that
    /// have to differ.
    fn weigh(self, weight: f64) -> f64 {
        if self == Focus::Changed { weight + 0.5 } else { weight }
    }
}

/// An operation that was tried so often and never completed throws whatever it is given.
const MOST_VAIN_TRIES: u64 = 10_000;

/// Statistics of one operation, from which its weight is computed.
#[derive(Clone, Copy, Debug, Default)]
pub struct OperationStatistics {
    /// Probes of its body.
    pub edges: u32,
    pub covered: u32,
    pub trials: Trials,
    /// Effort in probes, overhead included, since it last reached a new edge.
    pub fruitless: u64,
    /// Some run that called it ended by itself.
    pub survived: bool,
    /// Runs of it that were ended from outside.
    pub kills: u64,
    pub quarantined: bool,
    pub door: Door,
    pub focus: Focus,
}

impl OperationStatistics {
    /// What is left to reach: edges of its body, and a run that completes.
    pub fn left(&self) -> u32 {
        self.edges.saturating_sub(self.covered) + u32::from(self.trials.completed == 0)
    }

    /// Whether it never completed, and was not tried for long: it may need other arguments, though all its edges are reached.
    pub fn may_complete(&self) -> bool {
        let is_open = self.edges > 0 && !self.is_left_out();
        is_open && self.trials.completed == 0 && (1..MOST_VAIN_TRIES).contains(&self.trials.tries)
    }

    fn is_left_out(&self) -> bool {
        self.quarantined || self.door == Door::Closed
    }
}

/// The weights of all operations during one round.
#[derive(Clone, Debug)]
pub struct Weights {
    weights: Vec<f64>,
    left_out: Vec<bool>,
    /// Operations for which back doors may be used.
    through_back_doors: Vec<bool>,
    candidates: Weighted<OperationId>,
}

impl Weights {
    /// Weighs the `operations`; `statistics` has an entry for every operation.
    pub fn new(operations: &[OperationId], statistics: &[OperationStatistics], choice: &dyn MethodChoice) -> Weights {
        let mut weights = vec![0.0; statistics.len()];
        let most_completed = operations.iter().map(|id| statistics[id.0 as usize].trials.completed).max().unwrap_or(0);
        let mut sums = [0.0; 4];
        for &operation in operations {
            let own = &statistics[operation.0 as usize];
            let weight = if own.is_left_out() {
                0.0
            } else {
                // A run that is ended from outside costs as much as thousands of others.
                own.focus.weigh(FLOOR + choice.weigh(own, most_completed)) / (1.0 + own.kills as f64)
            };
            weights[operation.0 as usize] = weight;
            sums[own.focus as usize] += weight;
        }
        let mut candidates = Weighted::default();
        for &operation in operations {
            let focus = statistics[operation.0 as usize].focus;
            let weight = &mut weights[operation.0 as usize];
            if focus != Focus::Everywhere && *weight > 0.0 {
                *weight *= focus.share() / sums[focus as usize];
            }
            candidates.push(operation, *weight);
        }
        let left_out = statistics.iter().map(OperationStatistics::is_left_out).collect();
        let through_back_doors = statistics.iter().map(|own| own.door == Door::Open).collect();
        Weights { weights, left_out, through_back_doors, candidates }
    }

    /// Whether no operation has a positive weight.
    pub fn is_exhausted(&self) -> bool {
        self.candidates.sum() <= 0.0
    }

    /// Number of weighted operations.
    pub fn len(&self) -> usize {
        self.candidates.len()
    }

    pub fn of(&self, operation: OperationId) -> f64 {
        self.weights[operation.0 as usize]
    }

    /// Whether it is not to be called: it is quarantined, or a back door that is closed.
    pub fn is_left_out(&self, operation: OperationId) -> bool {
        self.left_out[operation.0 as usize]
    }

    /// Whether what it takes may come through back doors.
    pub fn may_use_back_doors(&self, operation: OperationId) -> bool {
        self.through_back_doors[operation.0 as usize]
    }

    /// Draws an operation by weight.
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
    fn changed_operations_get_half_of_the_choices_however_many_others_there_are() {
        let of = |covered, focus| OperationStatistics { edges: 10, covered, focus, ..OperationStatistics::default() };
        let mut statistics = vec![of(0, Focus::Elsewhere); 98];
        statistics.extend([of(10, Focus::Changed), of(10, Focus::Beside)]);
        let ids: Vec<OperationId> = (0..100).map(OperationId).collect();
        let weights = Weights::new(&ids, &statistics, &Bloodhound);
        assert!((weights.of(ids[98]) - 0.5).abs() < 1e-9 && (weights.of(ids[99]) - 0.45).abs() < 1e-9);
    }

    #[test]
    fn uncovered_operations_are_chosen_more_often_and_quarantined_ones_never() {
        let trials = Trials { completed: 1, ..Trials::default() };
        let statistics = |covered, quarantined| OperationStatistics {
            edges: 10,
            covered,
            trials,
            quarantined,
            ..OperationStatistics::default()
        };
        let ids = [OperationId(0), OperationId(1), OperationId(2)];
        let weights =
            Weights::new(&ids, &[statistics(0, false), statistics(10, false), statistics(0, true)], &Bloodhound);
        let mut rng = Seed::root(1).rng();
        let mut counts = [0; 3];
        for _ in 0..1000 {
            counts[weights.choose(&mut rng).0 as usize] += 1;
        }
        assert!(counts[0] > counts[1] && counts[1] > 0 && counts[2] == 0, "{counts:?}");
    }
}
