//! What a search may still find, estimated from what it has found: counts alone, no clock.
//!
//! The shards of a search are samples of the same program, so what a further one would find can be told from what only one of
//! them found (Good and Turing; for incidences of species in samples Chao, applied to fuzzing by Böhme's STADS,
//! docs/bibliography.md): about a fraction of those goals, one in as many as there are shards. But shards tell one another what
//! they found, and behind a goal there may be others that no sample has, so the estimate is never less than what the second
//! half of the sequences brought. An operation that was tried and never completed is another goal that may come.
//!
//! It costs a byte for each goal. It hurts where a class has goals behind a goal that takes longer than all others took.

use super::texts::Texts;
use super::{Goal, SHARDS, Search};
use rustc_hash::FxHashMap;

/// A search is saturated if it may expect no larger share of its goals than this…
const SATURATED: f64 = 0.01;
/// …and ran so many sequences for each operation that it may call.
const SEQUENCES_OF_OPERATION: u64 = 50;
/// Fewer sequences say nothing.
const LEAST_SEQUENCES: u64 = 1_000;

impl Search<'_> {
    /// Whether next to nothing is to be expected of further sequences.
    pub(super) fn is_saturated(&self) -> bool {
        let has_others_to_try = !self.seeds.is_empty() || self.texts.as_ref().is_some_and(Texts::are_fruitful);
        let may_complete = self.operation_statistics.iter().filter(|own| own.may_complete()).count();
        let operations = self.model.program.operations.len();
        !has_others_to_try && self.discovery.is_saturated(self.sequences, operations, may_complete)
    }
}

/// The goals found so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Discovery {
    /// The shards that found the goal, as bits.
    found_by: FxHashMap<Goal, u8>,
    /// Goals that only one shard found.
    found_by_one: usize,
    /// After how many sequences there were how many goals; only where there were more than before.
    growth: Vec<(u64, usize)>,
}

impl Discovery {
    /// The shard has found the goal.
    pub(super) fn note(&mut self, goal: &Goal, shard: usize) {
        let by = match self.found_by.get_mut(goal) {
            Some(by) => by,
            None => self.found_by.entry(goal.clone()).or_default(),
        };
        let before = by.count_ones();
        *by |= 1 << shard;
        match (before, by.count_ones()) {
            (0, 1) => self.found_by_one += 1,
            (1, 2) => self.found_by_one -= 1,
            _ => {}
        }
    }

    /// A round is over; so many sequences ran.
    pub(super) fn end_round(&mut self, sequences: u64) {
        let goals = self.found_by.len();
        if self.growth.last().is_none_or(|(_, before)| *before < goals) {
            self.growth.push((sequences, goals));
        }
    }

    /// Whether there is next to nothing to expect of as many sequences again, in a search that may call so many operations.
    /// `may_complete` of them were tried and have not completed yet.
    pub(super) fn is_saturated(&self, sequences: u64, operations: usize, may_complete: usize) -> bool {
        let goals = self.found_by.len();
        let of_second_half = goals - self.goals_after(sequences / 2);
        let of_a_further_shard = self.found_by_one as f64 / SHARDS as f64;
        let expected = of_a_further_shard.max(of_second_half as f64).max(may_complete as f64);
        sequences >= LEAST_SEQUENCES.max(SEQUENCES_OF_OPERATION * operations as u64)
            && expected <= SATURATED * goals as f64
    }

    /// How many goals had been found after so many sequences.
    fn goals_after(&self, sequences: u64) -> usize {
        let later = self.growth.partition_point(|(at, _)| *at <= sequences);
        later.checked_sub(1).map_or(0, |last| self.growth[last].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All of so many goals, found by all shards within the first hundred sequences.
    fn common(goals: u32) -> Discovery {
        let mut discovery = Discovery::default();
        (0..goals).for_each(|edge| (0..SHARDS).for_each(|shard| discovery.note(&Goal::Edge(edge), shard)));
        discovery.end_round(100);
        discovery
    }

    #[test]
    fn search_is_saturated_when_all_shards_have_found_the_same_long_ago() {
        let discovery = common(100);
        assert!(discovery.is_saturated(1_000, 20, 0));
        assert!(!discovery.is_saturated(999, 1, 0), "few sequences ran");
        assert!(!discovery.is_saturated(1_000, 21, 0), "there are more operations");
    }

    #[test]
    fn goals_that_one_shard_found_tell_that_there_are_others() {
        let with = |rare: u32| {
            let mut discovery = common(200);
            (200..200 + rare).for_each(|edge| discovery.note(&Goal::Edge(edge), 2));
            discovery.end_round(200);
            discovery
        };
        assert!(with(8).is_saturated(1_000, 1, 0));
        assert!(!with(9).is_saturated(1_000, 1, 0));
        let mut again = with(9);
        again.note(&Goal::Edge(200), 2);
        assert!(!again.is_saturated(1_000, 1, 0), "the same shard found it again");
        again.note(&Goal::Edge(200), 3);
        assert!(again.is_saturated(1_000, 1, 0), "another one did");
    }

    #[test]
    fn goals_that_came_late_tell_that_others_will_follow() {
        let mut discovery = common(100);
        (100..102).for_each(|edge| (0..SHARDS).for_each(|shard| discovery.note(&Goal::Edge(edge), shard)));
        discovery.end_round(600);
        assert!(!discovery.is_saturated(1_100, 1, 0));
        assert!(discovery.is_saturated(1_200, 1, 0));
    }

    #[test]
    fn operations_that_may_complete_are_goals_to_come() {
        assert!(common(100).is_saturated(1_000, 1, 1));
        assert!(!common(100).is_saturated(1_000, 1, 2));
        assert!(!Discovery::default().is_saturated(1_000, 1, 1) && Discovery::default().is_saturated(1_000, 1, 0));
    }
}
