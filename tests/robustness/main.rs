//! Broken input, and worlds that fail: no process but the compiler, and no JVM.

mod amplified;
mod heap;
mod parsers;
mod simulation;
