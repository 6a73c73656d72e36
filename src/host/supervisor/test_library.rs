//! Finds the libraries that tests are written against, for checking tests of classes that come without a build.

use crate::files;
use crate::process::{End, ProcessLimits, run};
use model::digest;
use sha2::{Digest, Sha256};
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

/// Group, artifact, version, and the SHA-256 of the jar as Maven Central has it.
type Coordinates = (&'static str, &'static str, &'static str, &'static str);

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
            TestLibrary::JUnit4 => &[
                ("junit", "junit", "4.13.2", "8e495b634469d64fb8acfa3495a065cbacc8a0fff55ce1e31007be4c16dc57d3"),
                (
                    "org.hamcrest",
                    "hamcrest-core",
                    "1.3",
                    "66fdef91e9739348df7a096aa384a5685f4e875584cce89386a7a47251c4d8e9",
                ),
            ],
            TestLibrary::JUnit5 => &[
                (
                    "org.junit.jupiter",
                    "junit-jupiter-api",
                    "5.10.2",
                    "afff77c186cd317275803872fa5133aa801fd6ac40bd91c78a6cf8009b4b17cc",
                ),
                (
                    "org.junit.jupiter",
                    "junit-jupiter-params",
                    "5.10.2",
                    "edb1e43ff0b8067626ffb55e5e9eeca1d9ab2478141a7c7f253d115b29cc7cf2",
                ),
                (
                    "org.junit.platform",
                    "junit-platform-commons",
                    "1.10.2",
                    "b56a5ec000a479df4973b18bba24c98fe0db8faa14c8907d3ef451d8c71fd8ae",
                ),
                (
                    "org.opentest4j",
                    "opentest4j",
                    "1.3.0",
                    "48e2df636cab6563ced64dcdff8abb2355627cb236ef0bf37598682ddf742f1b",
                ),
                (
                    "org.apiguardian",
                    "apiguardian-api",
                    "1.1.2",
                    "b509448ac506d607319f182537f0b35d71007582ec741832a1f111e5b5b70b38",
                ),
            ],
            TestLibrary::AssertJ => &[
                (
                    "org.assertj",
                    "assertj-core",
                    "3.24.2",
                    "df3d0b348f1fe806bdddcb10fa4ae63c6679e9888d4bc7055f09848517976aa3",
                ),
                (
                    "net.bytebuddy",
                    "byte-buddy",
                    "1.12.21",
                    "f6f45c2237a7f132c16745ad2a52c4cdde58028b11ee80b09f0d422f4930d685",
                ),
            ],
        }
    }
}

/// A library could not be had.
#[derive(Debug, thiserror::Error)]
pub enum TestLibraryError {
    /// Neither the class path nor a repository has it.
    #[error(
        "no {artifact} to check the tests with: {reason}; put the jars of {name} on the class path given by --classpath"
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
/// them if it may `fetch`. Without a cache they are copied to `scratch`. What was fetched for this is used only if
/// it is what was published.
///
/// # Errors
/// If they are nowhere, or Maven cannot get them.
pub fn locate(
    library: TestLibrary,
    fetch: bool,
    scratch: &Path,
    interrupted: &AtomicBool,
) -> Result<Vec<PathBuf>, TestLibraryError> {
    let artifacts = library.artifacts();
    let repository = std::env::home_dir().map(|home| home.join(".m2").join("repository"));
    let in_repository = |(group, artifact, version, _): &Coordinates| {
        let directory = repository.as_ref()?.join(group.replace('.', "/")).join(artifact).join(version);
        Some(directory.join(format!("{artifact}-{version}.jar")))
    };
    let present =
        |jars: Vec<PathBuf>| (jars.len() == artifacts.len() && jars.iter().all(|jar| jar.is_file())).then_some(jars);
    if let Some(jars) = present(artifacts.iter().filter_map(in_repository).collect()) {
        return Ok(jars);
    }
    let cache = user_cache().filter(|cache| !fetch || std::fs::create_dir_all(cache).is_ok());
    let cache = cache.as_deref().unwrap_or(scratch);
    let names = || artifacts.iter().map(|(_, artifact, version, _)| format!("{artifact}-{version}.jar"));
    let copies = || names().map(|name| cache.join(name)).collect::<Vec<_>>();
    let published = |jar: &Path, sum: &str| files::read(jar).is_ok_and(|bytes| is_published(&bytes, sum));
    let sums = || artifacts.iter().map(|(_, _, _, sum)| *sum);
    if copies().iter().zip(sums()).all(|(jar, sum)| published(jar, sum)) {
        return Ok(copies());
    }
    let failed =
        |reason: String| TestLibraryError::NotFound { name: library.name(), artifact: library.dependency(), reason };
    if !fetch {
        let places = "neither the local Maven repository nor randgen's cache has its jars";
        return Err(failed(format!("{places}, and --fetch-junit=false forbids Maven to download them")));
    }
    // Another run may do the same: what is in the cache under its name is whole.
    let arriving = tempfile::tempdir_in(cache).map_err(|error| failed(format!("{}: {error}", cache.display())))?;
    match copy_with_maven(artifacts, arriving.path(), interrupted) {
        Ok(End::Interrupted) => return Err(TestLibraryError::Interrupted),
        Ok(_) => {}
        Err(reason) => return Err(failed(reason)),
    }
    for (name, sum) in names().zip(sums()) {
        let (arrived, kept) = (arriving.path().join(&name), cache.join(&name));
        if arrived.is_file() && !published(&arrived, sum) {
            return Err(failed(format!("{name} has another SHA-256 than the published one, {sum}")));
        }
        // A sandbox of another run may know the file that is there by its inode: it stays if it is the same.
        if published(&kept, sum) {
            continue;
        }
        let _ = std::fs::remove_file(&kept);
        if std::fs::hard_link(&arrived, &kept).is_err() && !published(&kept, sum) {
            std::fs::rename(arrived, kept).map_err(|error| failed(format!("Maven did not copy {name}: {error}")))?;
        }
    }
    Ok(copies())
}

/// Whether these bytes have the SHA-256, which is given in hexadecimal digits.
fn is_published(bytes: &[u8], sum: &str) -> bool {
    digest::hex(Sha256::new_with_prefix(bytes)) == sum
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
        .map(|(group, artifact, version, _)| {
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
    let written = std::fs::write(&pom, project);
    // Where Maven ends its search for settings of a project: around a temporary directory, they are of any user.
    let written = written.and_then(|()| std::fs::create_dir(directory.join(".mvn")));
    written.map_err(|error| format!("{}: {error}", pom.display()))?;
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
    fn checksums_have_the_form_of_sha_256_and_of_no_other_bytes() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert!(is_published(b"", empty) && !is_published(b"PK", empty));
        for library in [TestLibrary::JUnit4, TestLibrary::JUnit5, TestLibrary::AssertJ] {
            for (_, artifact, _, sum) in library.artifacts() {
                assert!(sum.len() == 64 && sum.chars().all(|digit| "0123456789abcdef".contains(digit)), "{artifact}");
            }
        }
    }

    #[test]
    fn an_interrupt_ends_the_wait_for_maven() {
        let scratch = tempfile::tempdir().unwrap();
        let end = copy_with_maven(TestLibrary::JUnit5.artifacts(), scratch.path(), &AtomicBool::new(true));
        assert_eq!(end, Ok(End::Interrupted));
    }
}
