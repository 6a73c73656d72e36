//! Literals that an interpreter finds: for edges that stay uncovered, a sequence that came by is interpreted, and goes another
//! way with other literals.
//!
//! It hurts while the search finds much by itself, as it takes its time; so it is asked only after rounds without a new
//! edge, and what it may cost is counted in instructions, which are the same on every machine.

use crate::execution::{Edge, ExecutorError};
use crate::generator::Kept;
use crate::sequence::Sequence;

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
