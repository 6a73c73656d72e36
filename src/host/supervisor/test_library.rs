//! Finds the libraries that tests are written against, for checking tests of classes that come without a build.

use crate::process::{End, ProcessLimits, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What tests compile against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestLibrary {
    /// JUnit 4.
    JUnit4,
    /// JUnit 5, Jupiter.
    JUnit5,
    /// AssertJ 3, beside a version of JUnit.
    AssertJ,
}

/// Group, artifact and version.
type Coordinates = (&'static str, &'static str, &'static str);

impl TestLibrary {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            TestLibrary::JUnit4 => "JUnit 4",
            TestLibrary::JUnit5 => "JUnit 5",
            TestLibrary::AssertJ => "AssertJ",
        }
    }

    /// What a build declares to compile and run tests against it.
    pub fn dependency(self) -> &'static str {
        match self {
            TestLibrary::JUnit4 => "junit:junit:4.13.2",
            TestLibrary::JUnit5 => "org.junit.jupiter:junit-jupiter:5.10.2",
            TestLibrary::AssertJ => "org.assertj:assertj-core:3.24.2",
        }
    }

    /// The artifacts that tests compile and run against.
    fn artifacts(self) -> &'static [Coordinates] {
        match self {
            TestLibrary::JUnit4 => &[("junit", "junit", "4.13.2"), ("org.hamcrest", "hamcrest-core", "1.3")],
            TestLibrary::JUnit5 => &[
                ("org.junit.jupiter", "junit-jupiter-api", "5.10.2"),
                ("org.junit.jupiter", "junit-jupiter-params", "5.10.2"),
                ("org.junit.platform", "junit-platform-commons", "1.10.2"),
                ("org.opentest4j", "opentest4j", "1.3.0"),
                ("org.apiguardian", "apiguardian-api", "1.1.2"),
            ],
            TestLibrary::AssertJ => {
                &[("org.assertj", "assertj-core", "3.24.2"), ("net.bytebuddy", "byte-buddy", "1.12.21")]
            }
        }
    }
}

/// A library could not be had.
#[derive(Debug, thiserror::Error)]
pub enum TestLibraryError {
    /// Neither the class path nor a repository has it.
    #[error(
        "could not get {artifact} to check the tests with: {reason}; put the jars of {name} on the class path given by --classpath"
    )]
    NotFound {
        /// What people call it.
        name: &'static str,
        /// Coordinates in Maven's form.
        artifact: &'static str,
        /// What was tried, and how it failed.
        reason: String,
    },
    /// The user asked for the end of the run, by a signal.
    #[error("interrupted")]
    Interrupted,
}

/// How long Maven may take for it, and how much of its output is kept.
const TIME: Duration = Duration::from_secs(120);
const OUTPUT: usize = 64 << 10;

/// The jars of the library: from the user's local Maven repository, else from the user's cache, into which Maven copies
/// them. Without a cache they are copied to `scratch`.
pub fn locate(
    library: TestLibrary,
    scratch: &Path,
    interrupted: &AtomicBool,
) -> Result<Vec<PathBuf>, TestLibraryError> {
    let artifacts = library.artifacts();
    let repository = std::env::home_dir().map(|home| home.join(".m2").join("repository"));
    let in_repository = |(group, artifact, version): &Coordinates| {
        let directory = repository.as_ref()?.join(group.replace('.', "/")).join(artifact).join(version);
        Some(directory.join(format!("{artifact}-{version}.jar")))
    };
    let present =
        |jars: Vec<PathBuf>| (jars.len() == artifacts.len() && jars.iter().all(|jar| jar.is_file())).then_some(jars);
    if let Some(jars) = present(artifacts.iter().filter_map(in_repository).collect()) {
        return Ok(jars);
    }
    let cache = user_cache().filter(|cache| std::fs::create_dir_all(cache).is_ok());
    let cache = cache.as_deref().unwrap_or(scratch);
    let names = || artifacts.iter().map(|(_, artifact, version)| format!("{artifact}-{version}.jar"));
    let copies = || names().map(|name| cache.join(name)).collect();
    if let Some(jars) = present(copies()) {
        return Ok(jars);
    }
    let failed =
        |reason: String| TestLibraryError::NotFound { name: library.name(), artifact: library.dependency(), reason };
    // Another run may do the same: what is in the cache under its name is whole.
    let arriving = tempfile::tempdir_in(cache).map_err(|error| failed(format!("{}: {error}", cache.display())))?;
    match copy_with_maven(artifacts, arriving.path(), interrupted) {
        Ok(End::Interrupted) => return Err(TestLibraryError::Interrupted),
        Ok(_) => {}
        Err(reason) => return Err(failed(reason)),
    }
    for name in names() {
        // A sandbox of another run may know the file that is there by its inode: a link leaves it in place.
        let (arrived, kept) = (arriving.path().join(&name), cache.join(&name));
        if std::fs::hard_link(&arrived, &kept).is_err() && !kept.is_file() {
            std::fs::rename(arrived, kept).map_err(|error| failed(format!("Maven did not copy {name}: {error}")))?;
        }
    }
    Ok(copies())
}

/// Outside of every project, so that a dry run may use it too.
fn user_cache() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    Some(cache.or_else(|| Some(std::env::home_dir()?.join(".cache")))?.join("randgen").join("junit"))
}

/// A project of nothing but dependencies, whose dependencies Maven copies.
fn copy_with_maven(artifacts: &[Coordinates], directory: &Path, interrupted: &AtomicBool) -> Result<End, String> {
    let dependencies: String = artifacts
        .iter()
        .map(|(group, artifact, version)| {
            format!(
                "    <dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
                 <version>{version}</version></dependency>\n"
            )
        })
        .collect();
    let project = format!(
        "<project>\n  <modelVersion>4.0.0</modelVersion>\n  <groupId>randgen</groupId>\n  <artifactId>junit</artifactId>\n  \
         <version>0</version>\n  <dependencies>\n{dependencies}  </dependencies>\n</project>\n"
    );
    let pom = directory.join("pom.xml");
    std::fs::write(&pom, project).map_err(|error| format!("{}: {error}", pom.display()))?;
    let mut command = Command::new("mvn");
    command.args(["-q", "-B", "-f"]).arg(&pom).arg("dependency:copy-dependencies");
    command.arg(format!("-DoutputDirectory={}", directory.display()));
    let limits = ProcessLimits { time: TIME, output: OUTPUT, interrupted };
    let finished = run(&mut command, &limits).map_err(|error| format!("mvn: {error}"))?;
    match finished.end {
        End::Exited(0) | End::Interrupted => Ok(finished.end),
        End::TimedOut => Err(format!("Maven took longer than {} seconds", TIME.as_secs())),
        End::Exited(_) | End::Signalled(_) => {
            let lines = finished.last_lines(usize::MAX);
            Err(lines.into_iter().find(|line| line.contains("ERROR")).unwrap_or("Maven failed".to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_ends_the_wait_for_maven() {
        let scratch = tempfile::tempdir().unwrap();
        let end = copy_with_maven(TestLibrary::JUnit5.artifacts(), scratch.path(), &AtomicBool::new(true));
        assert_eq!(end, Ok(End::Interrupted));
    }
}
