//! Swarm: rounds without a random half of the operations (Groce et al., "Swarm testing", ISSTA 2012).
//!
//! Some operations undo what others do: a stack that is also popped all the time is never full. It hurts where two
//! operations are needed together; three rounds of four have all.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Every so many-th round is thinned out.
const PERIOD: u64 = 4;

/// Which operations a round may choose.
pub trait Thinning: Send + Sync {
    /// Whether the round does without some.
    fn is_thinned(&self, round: u64) -> bool;

    /// Whether a thinned round has one operation; asked once for each.
    fn keeps(&self, rng: &mut ChaCha8Rng) -> bool;
}

pub(super) struct Swarm;

impl Thinning for Swarm {
    fn is_thinned(&self, round: u64) -> bool {
        round % PERIOD == PERIOD - 1
    }

    fn keeps(&self, rng: &mut ChaCha8Rng) -> bool {
        rng.random_bool(0.5)
    }
}

pub(super) struct Everything;

impl Thinning for Everything {
    fn is_thinned(&self, _: u64) -> bool {
        false
    }

    fn keeps(&self, _: &mut ChaCha8Rng) -> bool {
        true
    }
}
