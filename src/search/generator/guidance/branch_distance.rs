//! Branch distance: steps towards the other outcome of a comparison.
//!
//! A sequence whose operands came nearer to each other than any before, at a comparison of which one outcome was never
//! seen, is changed further as if it had reached an edge. It hurts where operands are hashes: nearer means nothing there,
//! so a step must take off an eighth of the distance.

use crate::generator::ProbeMap;
use model::execution::{Comparison, Edge};
use model::jvm::Literal;
use rustc_hash::FxHashMap;

/// The smallest distance at each comparison.
#[derive(Debug, Default)]
pub struct Nearest {
    distances: FxHashMap<Edge, u64>,
}

impl Nearest {
    /// Whether the comparison brought a sequence nearer to an edge; `seen` are the buckets seen of each probe.
    pub fn is_nearer(&mut self, comparison: &Comparison, probes: &ProbeMap, seen: &[u8]) -> bool {
        // A comparison of ints is the jump itself; others stand before one.
        let site = comparison.site as usize;
        let first = if probes.is_edge.get(site) == Some(&true) { site } else { site + 1 };
        let outcomes = seen.get(first..first + 2).unwrap_or_default();
        if outcomes.iter().all(|buckets| *buckets != 0) {
            return false;
        }
        let Some(distance) = distance(&comparison.left, &comparison.right) else { return false };
        let nearest = self.distances.entry(comparison.site).or_insert(u64::MAX);
        let nearer = distance < *nearest - *nearest / 8;
        if nearer {
            *nearest = distance;
        }
        nearer
    }
}

/// How far apart two operands are; `None` where that means nothing.
fn distance(left: &Literal, right: &Literal) -> Option<u64> {
    match (left, right) {
        (Literal::Int(left), Literal::Int(right)) => Some(u64::from(left.abs_diff(*right))),
        (Literal::Long(left), Literal::Long(right)) => Some(left.abs_diff(*right)),
        (Literal::Double(left), Literal::Double(right)) => {
            let apart = (f64::from_bits(*left) - f64::from_bits(*right)).abs();
            apart.is_finite().then_some((apart * 1024.0) as u64)
        }
        (Literal::String(left), Literal::String(right)) => {
            let (left, right) = (left.units(), right.units());
            let common = left.iter().zip(right).take_while(|(one, other)| one == other).count();
            Some((left.len().max(right.len()) - common) as u64)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jump() -> ProbeMap {
        ProbeMap { count: 2, is_edge: vec![true; 2], ..ProbeMap::default() }
    }

    fn comparison(left: i32, right: i32) -> Comparison {
        Comparison { site: 0, left: Literal::Int(left), right: Literal::Int(right) }
    }

    #[test]
    fn branch_distance_must_shrink_clearly_to_count_as_progress() {
        let mut nearest = Nearest::default();
        let (probes, seen) = (jump(), [1, 0]);
        let is_nearer = [(1000, 0), (900, 0), (700, 0), (700, 0), (0, 2), (0, 1)];
        let is_nearer = is_nearer.map(|(left, right)| nearest.is_nearer(&comparison(left, right), &probes, &seen));
        assert_eq!(is_nearer, [true, false, true, false, true, true]);
    }

    #[test]
    fn comparison_with_both_outcomes_covered_is_ignored() {
        assert!(!Nearest::default().is_nearer(&comparison(1000, 0), &jump(), &[1, 1]));
    }
}
