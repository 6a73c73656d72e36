//! What can be known of code without running it.
//!
//! Bodies are interpreted over abstract values ([`interpret`]). Nothing is verified: a body that does not fit together
//! is one of which nothing is known.

pub mod caches;
pub mod caller_obligations;
pub mod constants;
pub mod initialised;
pub mod null_provenance;
pub mod purity;
pub mod rejections;
pub mod rethrows;
pub mod traces;
pub mod versions;

pub mod fold;
mod interpret;

/// Longest constant string that is kept, in UTF-16 units.
const STRING_LIMIT: usize = 1_000;
