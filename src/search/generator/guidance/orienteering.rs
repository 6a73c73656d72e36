//! Orienteering: cheap sequences first (GRT §3.5, docs/bibliography.md).
//!
//! w = 1 / (Σ cost · √size) over the uses of a sequence. The cost is counted in probes, so it is the same everywhere. It
//! hurts where only long ways lead to a rare state; the draw is one among few, so that those are found too.

use crate::generator::pool::PoolValue;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// What a run costs before its first probe, in probes: building, sending, recording.
pub const OVERHEAD: u64 = 1_000;
/// Share of receivers chosen by most calls instead of by weight.
const P_DEEP: f64 = 0.3;

/// How values of the pool are chosen.
pub trait ValueChoice: Send + Sync {
    /// The weight of a value that was used so many times before.
    fn weigh(&self, value: &PoolValue, uses: u32) -> f64;

    /// Whether a receiver is to be the value that took most calls, not one by weight.
    fn wants_deep_receiver(&self, rng: &mut ChaCha8Rng) -> bool;
}

pub struct Orienteering;

impl ValueChoice for Orienteering {
    fn weigh(&self, value: &PoolValue, uses: u32) -> f64 {
        let spent = (OVERHEAD + value.cost) as f64 * f64::from(uses + 1);
        1.0 / (spent * f64::from(value.calls.max(1)).sqrt())
    }

    fn wants_deep_receiver(&self, rng: &mut ChaCha8Rng) -> bool {
        rng.random_bool(P_DEEP)
    }
}

pub(super) struct Uniform;

impl ValueChoice for Uniform {
    fn weigh(&self, _: &PoolValue, _: u32) -> f64 {
        1.0
    }

    fn wants_deep_receiver(&self, _: &mut ChaCha8Rng) -> bool {
        false
    }
}
