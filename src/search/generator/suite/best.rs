//! The best entries: of a large archive, the sequences that are worth observing.
//!
//! An archive keeps for each goal what came early and what later cost a reader less. All of it is run in two orders, which took a
//! quarter of a minute of joda-time. The best entries of each goal suffice; the others are still there for mutants.

use crate::generator::{ArchiveEntry, Goal};
use model::sequence::Sequence;
use rustc_hash::FxHashMap;

/// An archive with no more entries is observed whole.
const SMALL: usize = 4_000;

/// The sequences of so many best entries of each goal, and the others.
pub(super) fn split(archive: &[ArchiveEntry], observed_for_goal: usize) -> (Vec<Sequence>, Vec<Sequence>) {
    let are_best = match archive.len() <= SMALL {
        true => vec![true; archive.len()],
        false => are_best(archive, observed_for_goal),
    };
    let (best, others): (Vec<_>, Vec<_>) = archive.iter().zip(are_best).partition(|(_, is_best)| *is_best);
    let sequences = |of: Vec<(&ArchiveEntry, bool)>| of.iter().map(|(entry, _)| (*entry.sequence).clone()).collect();
    (sequences(best), sequences(others))
}

/// Of each entry, whether it is among so many best ones of one of its goals.
fn are_best(archive: &[ArchiveEntry], most: usize) -> Vec<bool> {
    let mut by_rank: Vec<usize> = (0..archive.len()).collect();
    by_rank.sort_by_key(|at| archive[*at].rank);
    let mut found: FxHashMap<&Goal, usize> = FxHashMap::default();
    let mut is_kept = vec![false; archive.len()];
    for at in by_rank {
        for goal in &archive[at].goals {
            let count = found.entry(goal).or_default();
            is_kept[at] |= *count < most;
            *count += 1;
        }
    }
    is_kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{Merit, Rank};
    use std::sync::Arc;

    #[test]
    fn entry_is_kept_for_each_goal_of_which_it_is_a_best_one() {
        let entry = |goals: &[u32], merit, cost| ArchiveEntry {
            sequence: Arc::new(Sequence::new()),
            goals: goals.iter().copied().map(Goal::Edge).collect(),
            rank: Rank { through_back_door: false, merit, cost },
        };
        let archive = [
            entry(&[1], Merit::Completed, 9),
            entry(&[1, 2], Merit::Failed, 1),
            entry(&[1], Merit::Completed, 3),
            entry(&[1], Merit::Rejected, 1),
        ];
        assert_eq!(split(&archive, 1).0.len(), 4, "a small archive is observed whole");
        assert_eq!(are_best(&archive, 1), [false, true, true, false]);
        assert_eq!(are_best(&archive, 2), [true, true, true, false]);
    }
}
