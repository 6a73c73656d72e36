//! One module's share of a command: what it is, its settings, and whom to tell.

use crate::PipelineError;
use host::classpath::{Jdk, Module};
use host::scratch::Scratch;
use model::options::Options;
use model::progress::Listener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A module of a command, and what the command has for it.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// As the build describes it.
    pub module: &'a Module,
    /// As they hold for this module.
    pub options: &'a Options,
    /// The JDK that runs code under test, and compiles tests.
    pub jdk: &'a Jdk,
    /// Is told of progress and warnings.
    pub listener: &'a dyn Listener,
    /// Becomes true when the user wants the command to end.
    pub interrupt: &'a Arc<AtomicBool>,
}

/// The directory that nothing written to `directory` may leave: the project, or the directory itself where the user
/// names one outside without a build.
pub fn writable_root<'a>(module: &'a Module, directory: &'a Path) -> &'a Path {
    let without_build = module.source_roots.is_empty() && module.test_source_roots.is_empty();
    if without_build && !directory.starts_with(&module.project_root) { directory } else { &module.project_root }
}

/// A directory for what a command needs for a while; it goes with the value.
pub fn scratch() -> Result<Scratch, PipelineError> {
    Scratch::new().map_err(PipelineError::Scratch)
}
