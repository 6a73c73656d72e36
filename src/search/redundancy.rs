//! Is this sequence worth keeping.
//!
//! While generating, the same sequence is never run twice, (in the pool) the same state is kept once, and of failing
//! sequences that differ only in statements which are dead and pure one stands for all ([`clean`]). Of suites that are
//! there, [`suites`] says what is redundant in one of five state [`representation`]s.

mod dead;
mod made;
mod modifying_seq;
mod monitor_equals;
mod pairwise_equals;
pub mod representation;
pub mod suites;
mod terms;
#[cfg(test)]
mod tests;
mod whole_seq;
mod whole_state;

pub use dead::{alive, alive_for, clean, may_change};
pub use made::Made;

use model::sequence::Sequence;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Equal sequences have equal hashes, in every run and on every machine with the same word size.
pub fn sequence_hash(sequence: &Sequence) -> u64 {
    let mut hasher = FxHasher::default();
    sequence.hash(&mut hasher);
    hasher.finish()
}
