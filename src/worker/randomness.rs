//! Reports draws from generators of random numbers, and that they get a seed.
//!
//! One that was made without a seed is no reason to give a sequence up before it is drawn from: many classes keep one in a
//! field. Instrumented code tells [`PROBES`](bytecode::instrument::PROBES) of those that it makes.

use bytecode::instrument::{Prologue, Shows, still, with_prologues};

const RANDOM: &str = "java/util/Random";
const SECURE_RANDOM: &str = "java/security/SecureRandom";

/// Classes of the JDK that are changed.
pub const CLASSES: &[&str] = &[RANDOM, SECURE_RANDOM];

/// The class file of one of [`CLASSES`], changed; `None` if it cannot be read.
pub fn announced(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let prologue = |name, descriptor, calls| Prologue { name, descriptor, calls, shows: Shows::Object(0) };
    let drawn = |name, descriptor| prologue(name, descriptor, "drawn");
    let asked = |name, descriptor| prologue(name, descriptor, "asked");
    if name == RANDOM {
        // Its seeds are drawn from the time.
        let stilled = still(bytes).ok()?;
        let reads = [
            drawn("next", "(I)I"),
            // It keeps every second number for later.
            drawn("nextGaussian", "()D"),
            drawn("writeObject", "(Ljava/io/ObjectOutputStream;)V"),
            prologue("setSeed", "(J)V", "seeded"),
        ];
        return with_prologues(&stilled, &reads).ok();
    }
    let reads = [
        drawn("next", "(I)I"),
        drawn("nextBytes", "([B)V"),
        drawn("nextBytes", "([BLjava/security/SecureRandomParameters;)V"),
        drawn("generateSeed", "(I)[B"),
        // Which one a platform has differs, too.
        asked("getAlgorithm", "()Ljava/lang/String;"),
        asked("toString", "()Ljava/lang/String;"),
        asked("getParameters", "()Ljava/security/SecureRandomParameters;"),
        asked("getProvider", "()Ljava/security/Provider;"),
    ];
    with_prologues(bytes, &reads).ok()
}
