//! Finds JUnit's API for checking tests of classes that come without a build.

use crate::process::group;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Which generation of JUnit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    Four,
    Five,
}

/// Group, artifact and version.
type Coordinates = (&'static str, &'static str, &'static str);

impl Generation {
    /// The artifacts that tests compile and run against.
    fn artifacts(self) -> &'static [Coordinates] {
        match self {
            Generation::Four => &[("junit", "junit", "4.13.2"), ("org.hamcrest", "hamcrest-core", "1.3")],
            Generation::Five => &[
                ("org.junit.jupiter", "junit-jupiter-api", "5.10.2"),
                ("org.junit.platform", "junit-platform-commons", "1.10.2"),
                ("org.opentest4j", "opentest4j", "1.3.0"),
                ("org.apiguardian", "apiguardian-api", "1.1.2"),
            ],
        }
    }
}

/// No JUnit could be had.
#[derive(Debug, thiserror::Error)]
#[error(
    "could not get {artifact} to check the tests with: {reason}; put JUnit's jars on the class path given by --classpath"
)]
pub struct JunitError {
    artifact: String,
    reason: String,
}

/// How long Maven may take for it.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The jars of JUnit's API: from the user's local Maven repository, else from `cache`, into which Maven copies them.
pub fn locate(generation: Generation, cache: &Path) -> Result<Vec<PathBuf>, JunitError> {
    let artifacts = generation.artifacts();
    let repository = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".m2").join("repository"));
    let in_repository = |(group, artifact, version): &Coordinates| {
        let directory = repository.as_ref()?.join(group.replace('.', "/")).join(artifact).join(version);
        Some(directory.join(format!("{artifact}-{version}.jar")))
    };
    let present =
        |jars: Vec<PathBuf>| (jars.len() == artifacts.len() && jars.iter().all(|jar| jar.is_file())).then_some(jars);
    if let Some(jars) = present(artifacts.iter().filter_map(in_repository).collect()) {
        return Ok(jars);
    }
    let copies =
        || artifacts.iter().map(|(_, artifact, version)| cache.join(format!("{artifact}-{version}.jar"))).collect();
    if let Some(jars) = present(copies()) {
        return Ok(jars);
    }
    let failed = |reason: String| {
        let (group, artifact, version) = artifacts[0];
        JunitError { artifact: format!("{group}:{artifact}:{version}"), reason }
    };
    copy_with_maven(artifacts, cache).map_err(&failed)?;
    present(copies()).ok_or_else(|| failed("Maven copied something else".to_string()))
}

/// A project of nothing but dependencies, whose dependencies Maven copies.
fn copy_with_maven(artifacts: &[Coordinates], cache: &Path) -> Result<(), String> {
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
    let pom = cache.join("pom.xml");
    let written = std::fs::create_dir_all(cache).and_then(|()| std::fs::write(&pom, project));
    written.map_err(|error| format!("{}: {error}", pom.display()))?;
    let log = cache.join("maven.log");
    let output = std::fs::File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    let mut command = Command::new("mvn");
    command
        .args(["-q", "-B", "-f"])
        .arg(&pom)
        .args(["dependency:copy-dependencies"])
        .arg(format!("-DoutputDirectory={}", cache.display()))
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(Stdio::null());
    use std::os::unix::process::CommandExt;
    let mut child = command.process_group(0).spawn().map_err(|error| format!("mvn: {error}"))?;
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => {
                let text = std::fs::read_to_string(&log).unwrap_or_default();
                let first = text.lines().find(|line| line.contains("ERROR")).unwrap_or("Maven failed").to_string();
                return Err(first);
            }
            Ok(None) if started.elapsed() < TIMEOUT => std::thread::sleep(Duration::from_millis(20)),
            Ok(None) => {
                group::kill(child.id());
                let _ = child.wait();
                return Err(format!("Maven took longer than {} seconds", TIMEOUT.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}
