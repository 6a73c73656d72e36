//! What is redundant in suites: assessment, selection and minimization (Rostra, docs/bibliography.md, "Applications").
//!
//! A test is redundant for others if they have an equivalent of each of its method executions.

use super::representation::ExecutionKey;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The method executions of a test.
pub type Executed = Vec<ExecutionKey>;

/// What a suite repeats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assessment {
    /// Tests that are redundant for those before them.
    pub redundant_tests: usize,
    /// Method executions in all.
    pub executions: usize,
    /// Method executions of which there is an equivalent before them.
    pub redundant_executions: usize,
}

/// Counts what is redundant when the tests run in this order.
pub fn assess(tests: &[Executed]) -> Assessment {
    let mut known = FxHashSet::default();
    let mut assessment = Assessment::default();
    for test in tests {
        let new = test.iter().filter(|&&key| known.insert(key)).count();
        assessment.redundant_tests += usize::from(new == 0);
        assessment.executions += test.len();
        assessment.redundant_executions += test.len() - new;
    }
    assessment
}

/// The tests among `more`, by index, that add to `existing` and to those chosen before them.
pub fn select(existing: &[Executed], more: &[Executed]) -> Vec<usize> {
    let mut known: FxHashSet<ExecutionKey> = existing.iter().flatten().copied().collect();
    let mut adds = |test: &Executed| test.iter().filter(|&&key| known.insert(key)).count() > 0;
    (0..more.len()).filter(|&index| adds(&more[index])).collect()
}

/// A small part of the suite, as sorted indices, that has an equivalent of each execution: always the test with the most that
/// the chosen lack, the first of several; in the end those that later ones made redundant go.
pub fn minimize(tests: &[Executed]) -> Vec<usize> {
    let distinct: Vec<FxHashSet<ExecutionKey>> = tests.iter().map(|test| test.iter().copied().collect()).collect();
    let mut times: FxHashMap<ExecutionKey, u32> = FxHashMap::default();
    let mut queue: BinaryHeap<(usize, Reverse<usize>)> =
        distinct.iter().enumerate().map(|(index, keys)| (keys.len(), Reverse(index))).collect();
    let mut chosen = Vec::new();
    while let Some((expected, Reverse(index))) = queue.pop() {
        let lacking = distinct[index].iter().filter(|key| !times.contains_key(key)).count();
        if lacking == 0 {
            continue;
        }
        // Others were chosen since it was counted: it may no longer be the best.
        if lacking < expected {
            queue.push((lacking, Reverse(index)));
            continue;
        }
        distinct[index].iter().for_each(|key| *times.entry(*key).or_default() += 1);
        chosen.push(index);
    }
    chosen.sort_unstable();
    let mut kept = Vec::with_capacity(chosen.len());
    for index in chosen.into_iter().rev() {
        if distinct[index].iter().all(|key| times[key] > 1) {
            distinct[index].iter().for_each(|key| *times.entry(*key).or_default() -= 1);
        } else {
            kept.push(index);
        }
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(tests: &[&[u32]]) -> Vec<Executed> {
        tests.iter().map(|test| test.to_vec()).collect()
    }

    #[test]
    fn test_is_redundant_if_earlier_tests_have_all_its_executions() {
        let assessment = assess(&suite(&[&[1, 2, 2], &[2, 1], &[2, 3], &[]]));
        assert_eq!(assessment, Assessment { redundant_tests: 2, executions: 7, redundant_executions: 4 });
    }

    #[test]
    fn selected_test_adds_executions_to_the_suite_and_to_earlier_selected_tests() {
        assert_eq!(select(&suite(&[&[1, 2]]), &suite(&[&[1], &[2, 3], &[3], &[4]])), [1, 3]);
    }

    #[test]
    fn minimized_suite_keeps_every_execution() {
        assert_eq!(minimize(&suite(&[&[1], &[1, 2, 3], &[3, 4], &[4]])), [1, 2]);
        // Greed takes the largest first, which the two others make redundant.
        assert_eq!(minimize(&suite(&[&[1, 2, 5], &[3, 4, 6], &[1, 2, 3, 4]])), [0, 1]);
        assert_eq!(minimize(&suite(&[&[], &[1], &[1]])), [1]);
    }
}
