//! Where classes come from: modules as a build tool describes them, their class paths, and the JDK.
//!
//! What a build tool says ends here: nothing after this module knows whether Maven, Gradle or a flag named a class path.

mod entry;
mod index;
mod jdk;
mod maven;
mod module;
mod platform;
pub mod request;

pub use index::{ClassPath, ClassPathError, feature_version_of};
pub use jdk::{Jdk, JdkError};
pub use module::{JunitFound, Module, expand, of_classes};
pub use platform::PlatformRelease;

use crate::project::{PomSettingError, Project, ProjectError};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use thiserror::Error;

/// What is always possible, for the ends of messages.
const WITHOUT_BUILD: &str = "compiled classes can be named with --classes and their class path with --classpath";

/// Why a project's class paths are not known.
#[derive(Debug, Error)]
pub enum ResolveError {
    #[error("cannot start Maven: {source}; install it, or: {WITHOUT_BUILD}")]
    NoMaven { source: io::Error },
    #[error("Maven could not build {root}:{}\n{WITHOUT_BUILD}", lines.iter().map(|line| format!("\n    {line}")).collect::<String>())]
    MavenFailed { root: PathBuf, lines: Vec<String> },
    #[error("Maven did not end within {minutes} minutes; {WITHOUT_BUILD}")]
    MavenHangs { minutes: u64 },
    #[error("{build_file} is a Gradle build, which cannot be asked for its class path yet; {WITHOUT_BUILD}")]
    Gradle { build_file: PathBuf },
    #[error(transparent)]
    Project(#[from] ProjectError),
    #[error(transparent)]
    Setting(#[from] PomSettingError),
    #[error("interrupted")]
    Interrupted,
}

/// Asks the project's build tool for its modules; those that only hold others are left out.
///
/// This compiles the project's main classes. Whether a module has any is for [`ClassPath::open`] to say.
pub fn resolve(project: &Project, interrupted: &AtomicBool) -> Result<Vec<Module>, ResolveError> {
    match project {
        Project::Maven { root, poms } => maven::resolve(root, poms, interrupted),
        Project::Gradle { build_file, .. } => Err(ResolveError::Gradle { build_file: build_file.clone() }),
    }
}
