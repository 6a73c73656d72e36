//! Literals that an interpreter finds: for edges that stay uncovered, a sequence that came by is interpreted, and goes another
//! way with other literals.
//!
//! It hurts while the search finds much by itself, as it takes its time; so it is asked only after rounds without a new
//! edge, and what it may cost is counted in instructions, which are the same on every machine.

use crate::generator::Kept;
use model::execution::{Edge, ExecutorError};
use model::sequence::Sequence;

/// Instructions for each round without a new edge: some hundredths of a second to a tenth.
const PER_ROUND: i64 = 2_500_000;

/// Proposes sequences.
pub trait Advisor {
    /// Sequences like the one kept that may cover edges that were not seen, and what it cost to find them, in
    /// instructions. Without what it needs of a worker the search ends, as what it would have said is unknown.
    fn advise(&mut self, kept: &Kept, is_seen: &dyn Fn(Edge) -> bool) -> Result<(Vec<Sequence>, u64), ExecutorError>;
}

/// Asks an advisor about one kept sequence after the other.
pub struct Advice<'a> {
    advisor: Box<dyn Advisor + 'a>,
    asked: usize,
    balance: i64,
}

impl<'a> Advice<'a> {
    pub fn new(advisor: Box<dyn Advisor + 'a>) -> Advice<'a> {
        Advice { advisor, asked: 0, balance: 0 }
    }

    /// After a round without a new edge: what may cover one.
    pub fn after_round(
        &mut self,
        kept: &[Kept],
        is_seen: &dyn Fn(Edge) -> bool,
    ) -> Result<Vec<Sequence>, ExecutorError> {
        let mut proposed = Vec::new();
        if self.asked < kept.len() {
            self.balance = (self.balance + PER_ROUND).min(PER_ROUND);
        }
        while self.balance > 0
            && let Some(next) = kept.get(self.asked)
        {
            self.asked += 1;
            let (sequences, cost) = self.advisor.advise(next, is_seen)?;
            self.balance -= i64::try_from(cost).unwrap_or(i64::MAX);
            proposed.extend(sequences);
        }
        Ok(proposed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::Literal;
    use std::cell::RefCell;
    use std::rc::Rc;
    use std::sync::Arc;

    /// Proposes what it is asked about, at the price that the sequence's literal says.
    struct Echo {
        asked: Rc<RefCell<Vec<i32>>>,
    }

    impl Advisor for Echo {
        fn advise(&mut self, kept: &Kept, _: &dyn Fn(Edge) -> bool) -> Result<(Vec<Sequence>, u64), ExecutorError> {
            let price = price(&kept.sequence);
            self.asked.borrow_mut().push(price);
            Ok((vec![Sequence::clone(&kept.sequence)], price as u64))
        }
    }

    fn price(sequence: &Sequence) -> i32 {
        use model::sequence::Action;
        let Action::Literal(Literal::Int(price)) = sequence.statements()[0].action else { panic!("{sequence:?}") };
        price
    }

    /// What is asked about in each round, by its price; `kept` is how many sequences there are in each.
    fn asked(prices: &[i32], kept: &[usize]) -> Vec<Vec<i32>> {
        let sequence = |&price: &i32| {
            let mut sequence = Sequence::new();
            sequence.push_literal(Literal::Int(price));
            Kept { sequence: Arc::new(sequence), goals: Vec::new() }
        };
        let all: Vec<Kept> = prices.iter().map(sequence).collect();
        let asked = Rc::new(RefCell::new(Vec::new()));
        let mut advice = Advice::new(Box::new(Echo { asked: asked.clone() }));
        let round = |&kept: &usize| {
            let proposed = advice.after_round(&all[..kept], &|_| false).unwrap();
            let asked = asked.take();
            assert_eq!(proposed.iter().map(price).collect::<Vec<_>>(), asked);
            asked
        };
        kept.iter().map(round).collect()
    }

    #[test]
    fn sequence_is_solved_at_most_once() {
        assert_eq!(asked(&[1, 2, 3], &[1, 3, 3]), [vec![1], vec![2, 3], vec![]]);
    }

    #[test]
    fn expensive_solving_delays_the_next_request() {
        let dear = 2 * PER_ROUND as i32;
        assert_eq!(asked(&[dear, 7, 8], &[3; 4]), [vec![dear], vec![], vec![7, 8], vec![]]);
    }

    #[test]
    fn unused_solver_budget_does_not_accumulate() {
        let round = PER_ROUND as i32;
        assert_eq!(asked(&[1, round, round], &[1, 1, 1, 3]), [vec![1], vec![], vec![], vec![round]]);
    }
}
