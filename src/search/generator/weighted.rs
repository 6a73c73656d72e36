//! Draws by weight, each by binary search.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Items, each with the sum of the weights up to its own.
#[derive(Clone, Debug)]
pub struct Weighted<T> {
    items: Vec<T>,
    sums: Vec<f64>,
}

impl<T> Default for Weighted<T> {
    fn default() -> Weighted<T> {
        Weighted { items: Vec::new(), sums: Vec::new() }
    }
}

impl<T> Weighted<T> {
    /// Adds an item that is drawn in proportion to its weight; never if that is zero.
    pub fn push(&mut self, item: T, weight: f64) {
        self.items.push(item);
        self.sums.push(self.sum() + weight);
    }

    /// How many items there are, those without weight too.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// The weights of all items together; nothing can be drawn if it is zero.
    pub fn sum(&self) -> f64 {
        self.sums.last().copied().unwrap_or_default()
    }

    /// One of the items.
    ///
    /// # Panics
    /// If the weights' sum is zero.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> &T {
        let ticket = rng.random_range(0.0..self.sum());
        let at = self.sums.partition_point(|&sum| sum <= ticket);
        &self.items[at.min(self.items.len() - 1)]
    }
}
