//! Is this sequence worth keeping.
//!
//! So far: the same sequence is never run twice, and (in the pool) the same state is kept once. The five state
//! representations of Rostra come here.

use crate::sequence::Sequence;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Equal sequences have equal hashes, in every run and on every machine with the same word size.
pub fn sequence_hash(sequence: &Sequence) -> u64 {
    let mut hasher = FxHasher::default();
    sequence.hash(&mut hasher);
    hasher.finish()
}
