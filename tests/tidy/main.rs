//! What is read of this repository alone: the order of the crates, and documents that say what the code does.

mod architecture;
mod documents;
mod releases;
