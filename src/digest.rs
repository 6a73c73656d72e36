//! Hashes as text.

use sha2::{Digest, Sha256};

/// What was hashed, in hexadecimal digits.
pub fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
