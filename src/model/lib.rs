//! Plain values that every other crate may use: names and types of the JVM, operations and sequences, what a run did,
//! settings as resolved, randomness, and the events that a run announces.

pub mod digest;
pub mod execution;
pub mod jvm;
pub mod options;
pub mod progress;
pub mod seed;
pub mod sequence;
pub mod unseen;
pub mod words;
