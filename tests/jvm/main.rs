//! Real workers and real tests, on every JDK of this machine. Without a JDK they fail.

mod any_object;
mod emission;
mod engine;
mod fixture;
mod implementations;
mod platform_strings;
mod sandbox;
mod splicer_behaviour;
mod splicer_corpus;
mod subject;
mod verification;
