//! Class files: reading and writing them, what their code does by abstract interpretation, and what is spliced into them.

pub mod analysis;
pub mod classfile;
pub mod instrument;
