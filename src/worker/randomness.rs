//! Has the generators of random numbers say that they are drawn from, and that they are given a seed.
//!
//! One that was made without a seed is no reason to give a sequence up before it is drawn from: many classes keep one in a
//! field. Which were, [`PROBES`](bytecode::instrument::PROBES) is told where code under test makes them.

use bytecode::instrument::{Prologue, Shows, still, with_prologues};

const RANDOM: &str = "java/util/Random";
const SECURE_RANDOM: &str = "java/security/SecureRandom";

/// Classes of the JDK that are changed.
pub const CLASSES: &[&str] = &[RANDOM, SECURE_RANDOM];

/// The class file of one of [`CLASSES`], changed; `None` if it cannot be read.
pub fn announced(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let prologue = |name, descriptor, calls| Prologue { name, descriptor, calls, shows: Shows::Object(0) };
    let drawn = |name, descriptor| prologue(name, descriptor, "drawn");
    if name == RANDOM {
        // Its seeds are drawn from the time.
        let stilled = still(bytes).ok()?;
        return with_prologues(&stilled, &[drawn("next", "(I)I"), prologue("setSeed", "(J)V", "seeded")]).ok();
    }
    let draws = [drawn("next", "(I)I"), drawn("nextBytes", "([B)V"), drawn("generateSeed", "(I)[B")];
    with_prologues(bytes, &draws).ok()
}
