//! A revision of the project beside it: a work tree of git, which is gone when its value is.

use host::process::{self, End, ProcessLimits};
use host::scratch::Scratch;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A large repository takes its time.
const PATIENCE: Duration = Duration::from_secs(600);
const KEPT_OUTPUT: usize = 1 << 16;

/// Options of Git: hooks of the repository, and its monitor of files, do not run.
const NO_HOOKS: [&str; 4] = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];

/// Why there is no such revision.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    /// There is no `git` that can be run.
    #[error("cannot start git")]
    NoGit(#[source] io::Error),
    /// There is no place to check the revision out to.
    #[error("cannot make a scratch directory")]
    Scratch(#[source] io::Error),
    /// There is no such revision, or no repository.
    #[error("git cannot check out {revision} beside {directory}: {said}")]
    Refused {
        /// As the user wrote it.
        revision: String,
        /// The project that is compared.
        directory: PathBuf,
        /// Git's own message.
        said: String,
    },
    /// In the revision, the project's directory is missing, or a link to another place.
    #[error("the project's directory is not part of {revision}")]
    LeadsOut {
        /// As the user wrote it.
        revision: String,
    },
    /// The user ended the command while Git worked.
    #[error("interrupted")]
    Interrupted,
}

/// A revision on disk.
pub struct WorkTree {
    repository: PathBuf,
    root: PathBuf,
    /// Where the project is in it.
    pub project: PathBuf,
    _scratch: Scratch,
}

impl WorkTree {
    /// Checks the revision out, for the project in `directory` of a repository.
    pub fn check_out(directory: &Path, revision: &str, interrupted: &AtomicBool) -> Result<WorkTree, RevisionError> {
        let scratch = Scratch::new().map_err(RevisionError::Scratch)?;
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.args(NO_HOOKS).arg("-C").arg(directory).args(arguments);
            let limits = ProcessLimits { time: PATIENCE, output: KEPT_OUTPUT, interrupted };
            let finished = process::run(&mut command, &limits).map_err(RevisionError::NoGit)?;
            match finished.end {
                End::Exited(0) => Ok(String::from_utf8_lossy(&finished.stdout).trim_end().to_string()),
                End::Interrupted => Err(RevisionError::Interrupted),
                _ => Err(RevisionError::Refused {
                    revision: revision.to_string(),
                    directory: directory.to_path_buf(),
                    said: finished.last_lines(1).concat(),
                }),
            }
        };
        let below = git(&["rev-parse", "--show-prefix"])?;
        // A name that begins with a hyphen would be an option.
        let commit = git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{revision}^{{commit}}")])
            .map_err(|error| match error {
                RevisionError::Refused { revision, directory, .. } => {
                    RevisionError::Refused { revision, directory, said: "there is no such revision".to_string() }
                }
                other => other,
            })?;
        let root = scratch.path().join("revision");
        git(&["worktree", "add", "--quiet", "--detach", &root.display().to_string(), &commit])?;
        let project = root.join(below);
        let leads_out = |_| RevisionError::LeadsOut { revision: revision.to_string() };
        let real = project.canonicalize().map_err(leads_out)?;
        if !real.starts_with(root.canonicalize().map_err(RevisionError::Scratch)?) {
            return Err(leads_out(io::ErrorKind::InvalidInput.into()));
        }
        end_search_of_build_tools(&project, &root).map_err(RevisionError::Scratch)?;
        Ok(WorkTree { repository: directory.to_path_buf(), root, project, _scratch: scratch })
    }
}

/// Maven looks for `.mvn`, and Gradle for a settings script, in the directories around a project: in this case in that of all
/// temporary files, where any user of the machine can put what the build then executes. An empty one, where the revision has
/// none, ends the search and means the same as none.
fn end_search_of_build_tools(project: &Path, root: &Path) -> io::Result<()> {
    let own = || project.ancestors().take_while(|directory| directory.starts_with(root));
    let has = |names: &[&str]| own().any(|directory| names.iter().any(|name| directory.join(name).exists()));
    if !has(&[".mvn"]) {
        fs::create_dir(project.join(".mvn"))?;
    }
    if has(&["build.gradle", "build.gradle.kts"]) && !has(&["settings.gradle", "settings.gradle.kts"]) {
        fs::File::create_new(project.join("settings.gradle"))?;
    }
    Ok(())
}

impl Drop for WorkTree {
    fn drop(&mut self) {
        let mut command = Command::new("git");
        command.args(NO_HOOKS).arg("-C").arg(&self.repository).args(["worktree", "remove", "--force"]).arg(&self.root);
        // What is left is a note in the repository that git prunes by itself.
        let _ = command.output();
    }
}
