//! randgen generates JUnit tests for Maven and Gradle projects by guided random generation.
//!
//! The modules are listed bottom-up: each uses only those above it, as `tests/architecture.rs` checks.

// Vocabulary: plain values.
pub mod digest;
pub mod execution;
pub mod jvm;
pub mod options;
pub mod progress;
pub mod seed;
pub mod sequence;

// Reading the program: bytes in, knowledge out.
pub mod classfile;

pub mod analysis;
pub mod instrument;
pub mod program;

// Deciding: no files, no clock, no processes.
pub mod redundancy;

pub mod oracle;
pub mod specification;

pub mod explorer;
pub mod generator;
pub mod minimizer;
pub mod symbolic;

// Telling: values in, text out.
pub mod emitter;
pub mod report;

// Touching the world.
pub mod process;
pub mod project;

pub mod classpath;
pub mod output;
pub mod protocol;
pub mod sandbox;
pub mod smt;

pub mod supervisor;
pub mod worker;

pub mod cli;
