//! Asks Gradle for projects and class paths: one run with a script of ours, which writes a request for each.
//!
//! The run compiles, as one project's class path names what another's makes. Gradle knows by itself what has not changed, so
//! no answer is kept.

use super::request::{self, RequestError};
use super::{BuildTool, Module, ResolveError};
use crate::files;
use crate::project::ProjectError;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

const SCRIPT: &str = include_str!("modules.gradle");
const TASK: &str = "randgenModule";

/// The projects at and below `root` that have Java's plugin, by path.
pub(super) fn resolve(root: &Path, interrupted: &AtomicBool) -> Result<Vec<Module>, ResolveError> {
    let scratch = tempfile::Builder::new().prefix("randgen-").tempdir().map_err(ResolveError::Scratch)?;
    let script = scratch.path().join("modules.gradle");
    std::fs::write(&script, SCRIPT).map_err(ResolveError::Scratch)?;
    let answers = scratch.path().join("answers");
    std::fs::create_dir(&answers).map_err(ResolveError::Scratch)?;

    let mut command = Command::new(wrapper(root).unwrap_or_else(|| "gradle".into()));
    command.current_dir(root).args(["--quiet", "--console=plain", "--init-script"]).arg(script).arg(TASK);
    command.arg(format!("-Drandgen.answers={}", answers.display()));
    // The script asks for the project while tasks run, which no build with such a cache allows; 6.6 to 8.0 name it otherwise.
    command.args(["-Dorg.gradle.configuration-cache=false", "-Dorg.gradle.unsafe.configuration-cache=false"]);
    super::build(BuildTool::Gradle, &mut command, root, interrupted)?;

    let unreadable = |source| ProjectError::Unreadable { path: answers.clone(), source };
    let files = std::fs::read_dir(&answers).and_then(|files| files.map(|file| Ok(file?.path())).collect());
    let mut files: Vec<PathBuf> = files.map_err(unreadable)?;
    files.sort();
    Ok(files.iter().map(|file| Ok(request::load(file)?.module)).collect::<Result<_, RequestError>>()?)
}

/// The script that starts the project's own version of Gradle, which lies in its directory or around it.
fn wrapper(root: &Path) -> Option<PathBuf> {
    files::around(root).map(|around| around.join("gradlew")).find(|path| path.is_file())
}

/// The lines that say something about the project, not about Gradle's flags.
pub(super) fn telling(mut lines: Vec<String>) -> Vec<String> {
    const ADVICE: [&str; 6] =
        ["FAILURE: Build", "* What went wrong", "* Try:", "> Run with", "* Get more help", "BUILD FAILED"];
    let is_advice = |line: &String| line.is_empty() || ADVICE.iter().any(|advice| line.starts_with(advice));
    // Older Gradles say their advice without a mark, at the end.
    let end = lines.iter().rposition(|line| line.starts_with("* Try:")).unwrap_or(lines.len());
    lines.truncate(end);
    lines.retain(|line| !is_advice(line));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapper_of_another_user_is_not_run() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir_all(at("tmp/shop/core")).unwrap();
        std::fs::set_permissions(at("tmp"), std::fs::Permissions::from_mode(0o1777)).unwrap();
        std::fs::write(at("tmp/gradlew"), "").unwrap();
        assert_eq!(wrapper(&at("tmp/shop/core")), None);
        std::fs::write(at("tmp/shop/gradlew"), "").unwrap();
        assert_eq!(wrapper(&at("tmp/shop/core")), Some(at("tmp/shop/gradlew")));
    }

    #[test]
    fn gradle_error_omits_gradles_usage_hints() {
        let lines = [
            "/shop/src/main/java/A.java:1: error: ';' expected",
            "",
            "FAILURE: Build failed with an exception.",
            "",
            "* What went wrong:",
            "Execution failed for task ':compileJava'.",
            "> Compilation failed; see the compiler error output for details.",
            "",
            "* Try:",
            "Run with --stacktrace option to get the stack trace. Run with --info or --debug option to get more log output.",
            "* Get more help at https://help.gradle.org",
            "BUILD FAILED in 1s",
        ];
        let expected = [
            "/shop/src/main/java/A.java:1: error: ';' expected",
            "Execution failed for task ':compileJava'.",
            "> Compilation failed; see the compiler error output for details.",
        ];
        assert_eq!(telling(lines.map(str::to_string).to_vec()), expected);
    }
}
