//! Reads what a project's own files say: which build tool it uses, its modules, and randgen's settings in them.
//!
//! Nothing is resolved here, no parent fetched and no property computed: that is the build tool's part, and `classpath`
//! asks it.

mod pom;
mod xml;

pub use pom::{Pom, PomSettingError, read_effective};
pub use xml::{Element, XmlError};

use crate::files;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Names of the file that makes a directory a Gradle project.
const GRADLE_FILES: [&str; 4] = ["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"];

/// Why a project's files cannot be used.
#[derive(Debug, Error)]
pub enum ProjectError {
    /// The user named a directory that is not there.
    #[error("{directory} does not exist")]
    NoDirectory {
        /// As the user named it.
        directory: PathBuf,
    },
    /// No build tool is known to build this directory.
    #[error(
        "neither pom.xml nor a Gradle build in {directory}; name a project's directory, or compiled classes with --classes"
    )]
    NoBuildFile {
        /// As the user named it.
        directory: PathBuf,
    },
    /// A build file cannot be read.
    #[error("cannot read {path}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A POM is not XML.
    #[error("{path}:{error}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line and column, and what is wrong there.
        error: XmlError,
    },
    /// It is XML of another kind.
    #[error("{path} is no POM: its outermost element is <{found}> instead of <project>")]
    NotAPom {
        /// The file.
        path: PathBuf,
        /// Name of the outermost element.
        found: String,
    },
    /// A POM lists a directory that is no module.
    #[error("{path}:{line}: the module {module} has no pom.xml")]
    MissingModule {
        /// The POM that lists it.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// As the POM names it.
        module: String,
    },
}

/// A project by its build files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Project {
    /// Modules in the order of the build files, the root first.
    Maven {
        /// The directory of the outermost POM.
        root: PathBuf,
        /// One for each module.
        poms: Vec<Pom>,
    },
    /// Gradle knows its own modules.
    Gradle {
        /// The directory of the settings script.
        root: PathBuf,
    },
}

impl Project {
    /// Reads the project whose build file lies in `directory`; Maven's wins if there are two.
    pub fn read(directory: &Path) -> Result<Project, ProjectError> {
        let root = directory.canonicalize().map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => ProjectError::NoDirectory { directory: directory.to_path_buf() },
            _ => ProjectError::Unreadable { path: directory.to_path_buf(), source },
        })?;
        let pom = root.join("pom.xml");
        if pom.is_file() {
            let mut poms = Vec::new();
            add_with_modules(pom, &mut BTreeSet::new(), &mut poms)?;
            return Ok(Project::Maven { root, poms });
        }
        match GRADLE_FILES.iter().any(|name| root.join(name).is_file()) {
            true => Ok(Project::Gradle { root }),
            false => Err(ProjectError::NoBuildFile { directory: directory.to_path_buf() }),
        }
    }

    /// The outermost Maven project around this one that has it as a module.
    pub fn enclosing(&self) -> Option<Project> {
        let around = files::around(self.root()).skip(1).filter(|directory| directory.join("pom.xml").is_file());
        let holds_this = |project: &Project| match project {
            Project::Maven { poms, .. } => poms.iter().any(|pom| pom.basedir == self.root()),
            Project::Gradle { .. } => false,
        };
        around.filter_map(|directory| Project::read(directory).ok()).filter(holds_this).last()
    }

    /// The directory of the outermost build file.
    pub fn root(&self) -> &Path {
        match self {
            Project::Maven { root, .. } | Project::Gradle { root } => root,
        }
    }
}

/// Reads a POM and, depth first, those of its modules; one that is named twice counts once, so cycles end.
fn add_with_modules(path: PathBuf, seen: &mut BTreeSet<PathBuf>, poms: &mut Vec<Pom>) -> Result<(), ProjectError> {
    if !seen.insert(path.clone()) {
        return Ok(());
    }
    let pom = Pom::read(&path)?;
    let (basedir, modules) = (pom.basedir.clone(), pom.modules.clone());
    poms.push(pom);
    for module in modules {
        // A module is named by its directory, or rarely by a POM file of another name.
        let named = basedir.join(&module.path);
        let file = if named.is_dir() { named.join("pom.xml") } else { named };
        let Ok(file) = file.canonicalize() else {
            return Err(ProjectError::MissingModule { path, line: module.line, module: module.path });
        };
        add_with_modules(file, seen, poms)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn pom(directory: &Path, name: &str, modules: &[&str]) {
        fs::create_dir_all(directory).unwrap();
        let modules: String = modules.iter().map(|module| format!("    <module>{module}</module>\n")).collect();
        let text = format!(
            "<project>\n  <artifactId>{name}</artifactId>\n  <modules>\n{modules}  </modules>\n\
             <profiles><profile><modules><module>absent</module></modules></profile></profiles></project>"
        );
        fs::write(directory.join("pom.xml"), text).unwrap();
    }

    #[test]
    fn nested_maven_modules_are_found() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        pom(root, "root", &["a", "b/pom.xml"]);
        pom(&root.join("a"), "a", &["inner", "../b"]);
        pom(&root.join("a/inner"), "inner", &["../.."]);
        pom(&root.join("b"), "b", &[]);
        let Project::Maven { poms, .. } = Project::read(root).unwrap() else { panic!("not Maven") };
        let names: Vec<&str> = poms.iter().map(|pom| pom.artifact_id.as_str()).collect();
        assert_eq!(names, ["root", "a", "inner", "b"]);
        assert_eq!(poms[2].basedir, root.canonicalize().unwrap().join("a/inner"));
        let enclosing = Project::read(&root.join("a/inner")).unwrap().enclosing();
        assert_eq!(enclosing.unwrap().root(), root.canonicalize().unwrap());
        assert_eq!(Project::read(root).unwrap().enclosing(), None);
    }

    #[test]
    fn missing_module_is_named_with_its_position_in_the_pom() {
        let scratch = tempfile::tempdir().unwrap();
        pom(scratch.path(), "root", &["gone"]);
        let message = Project::read(scratch.path()).unwrap_err().to_string();
        assert!(message.ends_with("pom.xml:4: the module gone has no pom.xml"), "{message}");
    }

    #[test]
    fn gradle_project_is_recognised() {
        let scratch = tempfile::tempdir().unwrap();
        assert!(matches!(Project::read(scratch.path()), Err(ProjectError::NoBuildFile { .. })));
        fs::write(scratch.path().join("build.gradle.kts"), "").unwrap();
        assert!(matches!(Project::read(scratch.path()), Ok(Project::Gradle { .. })));
        assert!(matches!(Project::read(&scratch.path().join("gone")), Err(ProjectError::NoDirectory { .. })));
    }
}
