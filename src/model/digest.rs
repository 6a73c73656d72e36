//! Hashes as text and as numbers.

use sha2::{Digest, Sha256};

/// What was hashed, in hexadecimal digits.
pub fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What was hashed, as a number.
pub fn number(hasher: Sha256) -> u64 {
    hasher.finalize().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}
