//! Where classes come from: modules as a build tool describes them, their class paths, and the JDK.
//!
//! What a build tool says ends here: nothing after this module knows whether Maven, Gradle or a flag named a class path.

mod entry;
mod gradle;
mod index;
mod jdk;
mod maven;
mod module;
mod platform;
pub mod request;
mod snapshot;

pub use entry::{ModuleIdentity, jar_content, module_identity};
pub use index::{ClassPath, ClassPathError, feature_version_of};
pub use jdk::{Jdk, JdkError};
pub use module::{JunitFound, Module, expand, of_classes};
pub use platform::PlatformRelease;
pub use snapshot::Snapshot;

use crate::process::{End, ProcessLimits, run};
use crate::project::{PomSettingError, Project, ProjectError};
use request::RequestError;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use thiserror::Error;

/// End of messages: what the user can do without a build.
const WITHOUT_BUILD: &str = "compiled classes can be named with --classes and their class path with --classpath";

/// A first build may fetch half the internet; more than this is a hang.
const TIME: Duration = Duration::from_secs(30 * 60);

/// How much of a build's output is kept, and how many of its lines an error shows.
const OUTPUT: usize = 64 << 10;
const LINES: usize = 12;

/// The tool that builds a project and knows its class paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildTool {
    /// Its `pom.xml` decides.
    Maven,
    /// Its build or settings script decides.
    Gradle,
}

/// Why a project's class paths are not known.
#[derive(Debug, Error)]
pub enum ResolveError {
    /// The build tool cannot be started.
    #[error("cannot start {tool:?}: {source}; install it, or: {WITHOUT_BUILD}")]
    NoBuildTool {
        /// The tool that the project is built with.
        tool: BuildTool,
        /// The system's reason.
        source: io::Error,
    },
    /// The build tool ended with an error.
    #[error("{tool:?} could not build {root}:{}\n{WITHOUT_BUILD}", lines.iter().map(|line| format!("\n    {line}")).collect::<String>())]
    BuildFailed {
        /// The tool that the project is built with.
        tool: BuildTool,
        /// Directory of the project.
        root: PathBuf,
        /// The errors in its output.
        lines: Vec<String>,
    },
    /// The build tool was ended.
    #[error("{tool:?} did not end within {minutes} minutes; {WITHOUT_BUILD}")]
    BuildHangs {
        /// The tool that the project is built with.
        tool: BuildTool,
        /// How long it had.
        minutes: u64,
    },
    /// A file of the build's answer would be written elsewhere.
    #[error("{path} is a link; remove it, as the build or code under test would follow it to where it leads")]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// There is no place for an init script.
    #[error("cannot write what Gradle is asked to a scratch directory")]
    Scratch(#[source] io::Error),
    /// The build tool answered with what cannot be read.
    #[error(transparent)]
    Answer(#[from] RequestError),
    /// The build files cannot be read.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The POM configures randgen wrongly.
    #[error(transparent)]
    Setting(#[from] PomSettingError),
    /// The user asked for the end of the run, by a signal.
    #[error("interrupted")]
    Interrupted,
}

/// Asks the project's build tool for its modules; those that only hold others are left out.
///
/// This compiles the project's main classes. Whether a module has any is for [`ClassPath::open`] to say.
pub fn resolve(project: &Project, interrupted: &AtomicBool) -> Result<Vec<Module>, ResolveError> {
    let modules = match project {
        Project::Maven { root, poms } => maven::resolve(root, poms, interrupted)?,
        Project::Gradle { root } => gradle::resolve(root, interrupted)?,
    };
    modules.iter().try_for_each(refuse_linked_classes)?;
    Ok(modules)
}

/// Refuses a module of a build whose classes are reached by a link in the build directory.
///
/// # Errors
/// [`ResolveError::Link`], with the link.
pub fn refuse_linked_classes(module: &Module) -> Result<(), ResolveError> {
    linked_classes(module).map_or(Ok(()), |path| Err(ResolveError::Link { path }))
}

/// A link on the way from the module's build directory to its classes: code under test may read where it leads. The build directory
/// itself may be one, as it is where people build in memory.
fn linked_classes(module: &Module) -> Option<PathBuf> {
    let of_build = |path: &Path| path != module.build_directory && path.starts_with(&module.build_directory);
    let classes = module.classes.iter().chain(&module.test_classes);
    let own = classes.filter(|path| path.starts_with(&module.project_root));
    let mut parts = own.flat_map(|path| path.ancestors().filter(|part| *part == path.as_path() || of_build(part)));
    parts.find(|part| part.is_symlink()).map(Path::to_path_buf)
}

/// Runs a build to its end.
fn build(tool: BuildTool, command: &mut Command, root: &Path, interrupted: &AtomicBool) -> Result<(), ResolveError> {
    let limits = ProcessLimits { time: TIME, output: OUTPUT, interrupted };
    let finished = run(command, &limits).map_err(|source| ResolveError::NoBuildTool { tool, source })?;
    match finished.end {
        End::Exited(0) => Ok(()),
        End::Interrupted => Err(ResolveError::Interrupted),
        End::TimedOut => Err(ResolveError::BuildHangs { tool, minutes: TIME.as_secs() / 60 }),
        End::Exited(_) | End::Signalled(_) => {
            // Plugins colour what they log whatever the build was told.
            let lines = finished.last_lines(200).into_iter();
            let lines = lines.map(|line| console::strip_ansi_codes(&line).into_owned());
            let mut lines = match tool {
                BuildTool::Maven => maven::telling(lines.collect()),
                BuildTool::Gradle => gradle::telling(lines.collect()),
            };
            lines.drain(..lines.len().saturating_sub(LINES));
            Err(ResolveError::BuildFailed { tool, root: root.to_path_buf(), lines })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn link_between_the_build_directory_and_the_classes_is_found() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        let build_directory = root.join("shop/target");
        let module = Module {
            name: "shop".into(),
            basedir: root.join("shop"),
            project_root: root.to_path_buf(),
            classes: vec![build_directory.join("java/classes")],
            test_classes: Some(build_directory.join("test-classes")),
            dependencies: Vec::new(),
            source_level: None,
            source_encoding: None,
            source_roots: Vec::new(),
            test_source_roots: Vec::new(),
            build_directory: build_directory.clone(),
            is_built: true,
            settings: Default::default(),
        };
        fs::create_dir_all(root.join("memory/java/classes")).unwrap();
        fs::create_dir_all(root.join("shop")).unwrap();
        symlink(root.join("memory"), &build_directory).unwrap();
        assert_eq!(linked_classes(&module), None, "people build in memory");
        symlink("/", root.join("memory/test-classes")).unwrap();
        assert_eq!(linked_classes(&module), module.test_classes);
        fs::rename(root.join("memory/java"), root.join("memory/moved")).unwrap();
        symlink("moved", root.join("memory/java")).unwrap();
        assert_eq!(linked_classes(&module), Some(build_directory.join("java")));
    }
}
