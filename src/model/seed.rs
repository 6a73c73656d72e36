//! The only source of randomness, split by label.
//!
//! Every random decision of a run comes from a [`Seed`] derived from the user's by a chain of labels
//! (`seed.child("round").nth(3).child("shard").nth(1)`), so that no decision depends on how many were
//! made elsewhere. The stream behind a seed is ChaCha8, which is the same on every platform.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// A point in the tree of seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    /// The root of a run, from `--seed`.
    pub fn root(seed: u64) -> Seed {
        Seed(Sha256::digest(seed.to_le_bytes()).into())
    }

    /// The seed of the part of the run that `label` names.
    pub fn child(&self, label: &str) -> Seed {
        self.derive(label.as_bytes())
    }

    /// The seed of the `index`-th of many equal parts.
    pub fn nth(&self, index: u64) -> Seed {
        self.derive(&index.to_le_bytes())
    }

    fn derive(&self, label: &[u8]) -> Seed {
        Seed(Sha256::new().chain_update(self.0).chain_update(label).finalize().into())
    }

    /// The stream of random numbers at this point.
    pub fn rng(&self) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn same_labels_give_the_same_stream() {
        let draw = |seed: Seed| seed.rng().next_u64();
        assert_eq!(draw(Seed::root(1).child("a").nth(2)), draw(Seed::root(1).child("a").nth(2)));
    }

    #[test]
    fn different_labels_give_different_streams() {
        let draw = |seed: Seed| seed.rng().next_u64();
        assert_ne!(draw(Seed::root(1).child("a")), draw(Seed::root(1).child("b")));
        assert_ne!(draw(Seed::root(1).nth(0)), draw(Seed::root(2).nth(0)));
    }
}
