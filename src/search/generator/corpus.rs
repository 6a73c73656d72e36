//! The corpus: sequences that reached new edges, from which others are made by a change.
//!
//! Half of the draws are left to chance. The others look at a class by the most promising of its operations, as a class
//! whose edges are all covered has the most sequences and needs them least.

use super::weighted::Weighted;
use model::sequence::Sequence;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Share of draws by the promise of classes.
const P_BY_CLASS: f64 = 0.5;

/// Sequences in the order in which they came, and by the class whose tests they belong to.
pub struct Corpus {
    all: Vec<Arc<Sequence>>,
    of_class: Vec<Vec<Arc<Sequence>>>,
}

impl Corpus {
    /// An empty corpus for so many classes.
    pub fn new(classes: usize) -> Corpus {
        Corpus { all: Vec::new(), of_class: vec![Vec::new(); classes] }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn push(&mut self, sequence: Arc<Sequence>, class: Option<usize>) {
        if let Some(class) = class {
            self.of_class[class].push(sequence.clone());
        }
        self.all.push(sequence);
    }

    pub fn retain(&mut self, stays: impl Fn(&Sequence) -> bool) {
        self.all.retain(|sequence| stays(sequence));
        self.of_class.iter_mut().for_each(|own| own.retain(|sequence| stays(sequence)));
    }

    /// The classes that have sequences, by what each promises.
    pub fn classes(&self, promise: impl Fn(usize) -> f64) -> Weighted<usize> {
        let mut classes = Weighted::default();
        let with_some = (0..self.of_class.len()).filter(|class| !self.of_class[*class].is_empty());
        with_some.for_each(|class| classes.push(class, promise(class)));
        classes
    }

    /// A sequence to change. Half of the choices fall on the newest eighth: it stands at the frontier.
    ///
    /// # Panics
    /// If the corpus is empty.
    pub fn base(&self, classes: &Weighted<usize>, rng: &mut ChaCha8Rng) -> &Sequence {
        let by_class = classes.len() > 1 && classes.sum() > 0.0 && rng.random_bool(P_BY_CLASS);
        let from = if by_class { &self.of_class[*classes.draw(rng)] } else { &self.all };
        let newest = from.len().div_ceil(8);
        let span = if rng.random_bool(0.5) { newest } else { from.len() };
        &from[from.len() - 1 - rng.random_range(0..span)]
    }

    /// Any sequence.
    ///
    /// # Panics
    /// If the corpus is empty.
    pub fn any(&self, rng: &mut ChaCha8Rng) -> &Sequence {
        &self.all[rng.random_range(0..self.all.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::seed::Seed;
    use model::sequence::OperationId;

    #[test]
    fn sequences_of_a_promising_class_are_drawn_more_often_than_their_number_says() {
        let mut corpus = Corpus::new(3);
        let call = |id| {
            let mut sequence = Sequence::new();
            sequence.push_call(OperationId(id), &[]);
            Arc::new(sequence)
        };
        (0..99).for_each(|_| corpus.push(call(0), Some(0)));
        corpus.push(call(1), Some(1));
        let mut rng = Seed::root(1).rng();
        let mut share = |promises: [f64; 3]| {
            let classes = corpus.classes(|class| promises[class]);
            let promising = (0..1000).filter(|_| corpus.base(&classes, &mut rng).call_at(0) == Some(OperationId(1)));
            promising.count()
        };
        assert!((400..600).contains(&share([0.1, 2.0, 5.0])));
        assert!(share([2.0, 0.1, 5.0]) < 100);
        assert!(share([0.0, 0.0, 0.0]) < 100);
        corpus.retain(|sequence| sequence.call_at(0) == Some(OperationId(0)));
        assert_eq!(corpus.classes(|_| 1.0).len(), 1);
    }
}
