//! Concolic seeds: for edges that stay uncovered, an archived sequence that executes their branch is interpreted, and a solver
//! looks for literals with which the branch goes the other way.
//!
//! It hurts while random search still makes progress, as it takes time; so it is used only after rounds without a new
//! edge, and its cost is limited in instructions, which are the same on every machine.

use crate::generator::ArchiveEntry;
use model::execution::{Edge, ExecutorError};
use model::sequence::Sequence;

/// Instruction budget for each round without a new edge: some hundredths of a second to a tenth.
const PER_ROUND: i64 = 2_500_000;

/// Solves for literals that take uncovered branches.
pub trait ConcolicSolver {
    /// Sequences like the entry's that may cover unseen edges, and the cost of finding them in instructions. An error ends the
    /// search, because its further course would depend on the missing seeds.
    fn seeds(
        &mut self,
        entry: &ArchiveEntry,
        is_seen: &dyn Fn(Edge) -> bool,
    ) -> Result<(Vec<Sequence>, u64), ExecutorError>;
}

/// Solves one archived sequence after the other, within the budget.
pub struct ConcolicSeeds<'a> {
    solver: Box<dyn ConcolicSolver + 'a>,
    /// Index of the first entry that was not solved yet.
    next_entry: usize,
    balance: i64,
}

impl<'a> ConcolicSeeds<'a> {
    pub fn new(solver: Box<dyn ConcolicSolver + 'a>) -> ConcolicSeeds<'a> {
        ConcolicSeeds { solver, next_entry: 0, balance: 0 }
    }

    /// The seeds to enqueue after a round without a new edge.
    pub fn after_round(
        &mut self,
        archive: &[ArchiveEntry],
        is_seen: &dyn Fn(Edge) -> bool,
    ) -> Result<Vec<Sequence>, ExecutorError> {
        let mut proposed = Vec::new();
        if self.next_entry < archive.len() {
            self.balance = (self.balance + PER_ROUND).min(PER_ROUND);
        }
        while self.balance > 0
            && let Some(entry) = archive.get(self.next_entry)
        {
            self.next_entry += 1;
            let (sequences, cost) = self.solver.seeds(entry, is_seen)?;
            self.balance -= i64::try_from(cost).unwrap_or(i64::MAX);
            proposed.extend(sequences);
        }
        Ok(proposed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{Merit, Rank};
    use model::jvm::Literal;
    use std::cell::RefCell;
    use std::rc::Rc;
    use std::sync::Arc;

    /// Returns the sequence itself; its literal is the cost.
    struct Echo {
        asked: Rc<RefCell<Vec<i32>>>,
    }

    impl ConcolicSolver for Echo {
        fn seeds(
            &mut self,
            entry: &ArchiveEntry,
            _: &dyn Fn(Edge) -> bool,
        ) -> Result<(Vec<Sequence>, u64), ExecutorError> {
            let price = price(&entry.sequence);
            self.asked.borrow_mut().push(price);
            Ok((vec![Sequence::clone(&entry.sequence)], price as u64))
        }
    }

    fn price(sequence: &Sequence) -> i32 {
        use model::sequence::Action;
        let Action::Literal(Literal::Int(price)) = sequence.statements()[0].action else { panic!("{sequence:?}") };
        price
    }

    /// The costs of the sequences that are solved in each round; `sizes` are the sizes of the archive.
    fn solved(prices: &[i32], sizes: &[usize]) -> Vec<Vec<i32>> {
        let sequence = |&price: &i32| {
            let mut sequence = Sequence::new();
            sequence.push_literal(Literal::Int(price));
            let rank = Rank { through_back_door: false, merit: Merit::Completed, cost: 0 };
            ArchiveEntry { sequence: Arc::new(sequence), goals: Vec::new(), rank }
        };
        let all: Vec<ArchiveEntry> = prices.iter().map(sequence).collect();
        let asked = Rc::new(RefCell::new(Vec::new()));
        let mut seeds = ConcolicSeeds::new(Box::new(Echo { asked: asked.clone() }));
        let round = |&size: &usize| {
            let proposed = seeds.after_round(&all[..size], &|_| false).unwrap();
            let asked = asked.take();
            assert_eq!(proposed.iter().map(price).collect::<Vec<_>>(), asked);
            asked
        };
        sizes.iter().map(round).collect()
    }

    #[test]
    fn sequence_is_solved_at_most_once() {
        assert_eq!(solved(&[1, 2, 3], &[1, 3, 3]), [vec![1], vec![2, 3], vec![]]);
    }

    #[test]
    fn expensive_solving_delays_the_next_request() {
        let expensive = 2 * PER_ROUND as i32;
        assert_eq!(solved(&[expensive, 7, 8], &[3; 4]), [vec![expensive], vec![], vec![7, 8], vec![]]);
    }

    #[test]
    fn unused_solver_budget_does_not_accumulate() {
        let round = PER_ROUND as i32;
        assert_eq!(solved(&[1, round, round], &[1, 1, 1, 3]), [vec![1], vec![], vec![], vec![round]]);
    }
}
