//! The corpus: sequences that reached new edges, from which others are made by a change.
//!
//! A class whose edges are all covered has the most sequences and needs them least, so most draws that fall on one are
//! drawn again.

use model::sequence::Sequence;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// How often another sequence is drawn for one of a class that promises nothing.
const REDRAWS: usize = 3;

/// Sequences in the order in which they came, each with the class that it is about.
#[derive(Default)]
pub struct Corpus(Vec<(Arc<Sequence>, Option<usize>)>);

impl Corpus {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn push(&mut self, sequence: Arc<Sequence>, class: Option<usize>) {
        self.0.push((sequence, class));
    }

    pub fn retain(&mut self, stays: impl Fn(&Sequence) -> bool) {
        self.0.retain(|(sequence, _)| stays(sequence));
    }

    /// A sequence to change, of a class that promises something where it can be had. Half of the choices fall on the newest
    /// eighth: it stands at the frontier.
    ///
    /// # Panics
    /// If the corpus is empty.
    pub fn base(&self, is_promising: &[bool], rng: &mut ChaCha8Rng) -> &Sequence {
        let newest = self.0.len().div_ceil(8);
        let mut draw = || {
            let span = if rng.random_bool(0.5) { newest } else { self.0.len() };
            &self.0[self.0.len() - 1 - rng.random_range(0..span)]
        };
        let mut drawn = draw();
        for _ in 0..REDRAWS {
            if drawn.1.is_none_or(|class| is_promising[class]) {
                break;
            }
            drawn = draw();
        }
        &drawn.0
    }

    /// Any sequence.
    ///
    /// # Panics
    /// If the corpus is empty.
    pub fn any(&self, rng: &mut ChaCha8Rng) -> &Sequence {
        &self.0[rng.random_range(0..self.0.len())].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::seed::Seed;
    use model::sequence::OperationId;

    #[test]
    fn sequences_of_a_promising_class_are_drawn_more_often_than_their_number_says() {
        let mut corpus = Corpus::default();
        let call = |id| {
            let mut sequence = Sequence::new();
            sequence.push_call(OperationId(id), &[]);
            Arc::new(sequence)
        };
        for number in 0..100 {
            let class = usize::from(number % 10 == 0);
            corpus.push(call(class as u32), Some(class));
        }
        let mut rng = Seed::root(1).rng();
        let mut share = |is_promising: [bool; 2]| {
            let drawn = (0..1000).map(|_| corpus.base(&is_promising, &mut rng).call_at(0));
            drawn.filter(|first| *first == Some(OperationId(1))).count()
        };
        let share_alone = share([false, true]);
        assert!(share_alone > 300, "{share_alone}");
        assert!(share([true, true]) < 200 && share([false, false]) < 200);
        corpus.retain(|sequence| sequence.call_at(0) == Some(OperationId(0)));
        assert_eq!(corpus.any(&mut rng).call_at(0), Some(OperationId(0)));
    }
}
