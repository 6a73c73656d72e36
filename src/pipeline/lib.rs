//! What a run does, from settings to written files: the application without a console.
//!
//! Each command has a function here that takes a [`Task`](task::Task) or what it is made of and returns what there is to
//! say. Nothing here knows a flag, reads the environment or prints; progress and warnings go to the task's listener.
//! [`generate`] is the table of contents of a run, and `search` the chain from class files to verified tests.

pub mod assess;
pub mod comparison;
pub mod concolic;
pub mod doctor;
mod endless;
pub mod engine;
pub mod explore;
pub mod findings;
pub mod gate;
pub mod generate;
pub mod merge;
pub mod minimize;
pub mod replay;
pub mod revision;
pub mod select;
pub mod specs;
pub mod subject;
pub mod task;
pub mod traced;

mod assertions;
mod budget;
mod coverage;
mod deadline;
mod differential;
mod error;
mod inputs;
mod interpreted;
mod kept;
mod kills;
mod last_run;
mod mutants;
mod passed;
mod patched;
mod reporting;
mod rounds;
mod search;
mod sources;
mod spent;
mod suites;
mod writing;

pub use engine::EngineError;
pub use error::PipelineError;
