//! Turns: part of each round is about one family of classes that has goals left.
//!
//! Weights and the corpus are shared by all classes of a module, so a class that needs many steps to its next edge is seldom
//! built upon: of a million sequences for thirty classes, one with a quarter of its edges left got 13,730. Classes nested in
//! one another are a family; families with edges left in the bodies of their operations, or with operations that never
//! completed, have their turns, shard after shard and round after round. It costs one pass over the operations per round,
//! and hurts where the edges that are left cannot be reached. An operation that always throws ends its family's turns once
//! it was tried for long.

use super::SHARDS;
use super::corpus::Subject;
use super::select::{Focus, OperationStatistics, Weights};
use super::weighted::Weighted;
use model::sequence::OperationId;
use program::Program;
use rustc_hash::FxHashMap;

/// The families of the classes under test.
pub struct Families {
    /// By class, its family.
    of_class: Vec<usize>,
    /// By family, the operations of its classes.
    operations: Vec<Vec<OperationId>>,
}

/// A family whose turn it is.
pub struct Turn {
    pub family: usize,
    /// Its operations by weight.
    pub operations: Weighted<OperationId>,
}

impl Families {
    pub fn new(program: &Program) -> Families {
        let mut families: FxHashMap<&str, usize> = FxHashMap::default();
        let mut operations: Vec<Vec<OperationId>> = Vec::new();
        let mut of_class = Vec::with_capacity(program.targets.len());
        for target in &program.targets {
            let family = *families.entry(target.name.outermost()).or_insert_with(|| {
                operations.push(Vec::new());
                operations.len() - 1
            });
            operations[family].extend(&target.operations);
            of_class.push(family);
        }
        Families { of_class, operations }
    }

    /// The class with its family.
    pub fn subject(&self, class: usize) -> Subject {
        Subject { class, family: self.of_class[class] }
    }

    /// For each shard of the round the family whose turn it is, among those with edges that no run reached, or operations
    /// that none completed. `None` if the module has but one family, or the search another focus.
    pub fn in_turn(&self, statistics: &[OperationStatistics], weights: &Weights, round: u64) -> Option<[Turn; SHARDS]> {
        let has_goals_left = |id: &OperationId| {
            let own = &statistics[id.0 as usize];
            (own.covered < own.edges || own.may_complete()) && weights.of(*id) > 0.0
        };
        let left: Vec<usize> =
            (0..self.operations.len()).filter(|&family| self.operations[family].iter().any(has_goals_left)).collect();
        let has_focus = statistics.iter().any(|own| own.focus != Focus::Everywhere);
        if self.operations.len() < 2 || left.is_empty() || has_focus {
            return None;
        }
        let turn = |shard: usize| {
            let family = left[(round as usize).wrapping_mul(SHARDS).wrapping_add(shard) % left.len()];
            let mut operations = Weighted::default();
            self.operations[family].iter().for_each(|id| operations.push(*id, weights.of(*id)));
            Turn { family, operations }
        };
        Some(std::array::from_fn(turn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::Trials;
    use crate::generator::guidance::Bloodhound;

    #[test]
    fn families_with_edges_left_have_their_turns_one_after_the_other() {
        let trials = Trials { tries: 1, completed: 1, ..Trials::default() };
        let of = |covered, focus| OperationStatistics { edges: 2, covered, focus, trials, ..Default::default() };
        let operations: Vec<OperationId> = (0..3).map(OperationId).collect();
        let families =
            Families { of_class: vec![0, 1, 2], operations: operations.iter().map(|&id| vec![id]).collect() };
        let in_turn = |statistics: &[OperationStatistics], round| {
            let weights = Weights::new(&operations, statistics, &Bloodhound);
            let turns = families.in_turn(statistics, &weights, round);
            turns.map(|turns| turns.map(|turn| turn.family))
        };
        let everywhere = [0, 2, 1].map(|covered| of(covered, Focus::Everywhere));
        assert_eq!(in_turn(&everywhere, 0), Some([0, 2, 0, 2]));
        assert_eq!(in_turn(&[of(2, Focus::Everywhere); 3], 0), None, "nothing is left");
        assert_eq!(in_turn(&[of(0, Focus::Everywhere); 3], 1), Some([1, 2, 0, 1]));
        assert_eq!(in_turn(&[of(0, Focus::Changed); 3], 0), None, "what changed comes first");
        let all = of(2, Focus::Everywhere);
        let vain = |tries| OperationStatistics { trials: Trials { tries, ..Trials::default() }, ..all };
        assert_eq!(in_turn(&[all, vain(1), all], 0), Some([1; 4]), "one never completed");
        assert_eq!(in_turn(&[all, vain(u64::MAX), all], 0), None, "it always throws");
    }
}
