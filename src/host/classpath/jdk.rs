//! Finds the JDK whose JVM runs the code under test and whose compiler checks the tests.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The oldest Java whose JVM has what workers need.
pub const OLDEST: u16 = 17;

/// A JDK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// Its directory.
    pub home: PathBuf,
    /// 17 of `17.0.15`.
    pub feature_version: u16,
}

/// Why there is no JDK to use.
#[derive(Debug, Error)]
pub enum JdkError {
    /// Neither variable leads to a JDK.
    #[error("no JDK found: JAVA_HOME is not set and there is no `java` on PATH; install a JDK or set JAVA_HOME")]
    NotFound,
    /// JAVA_HOME leads nowhere.
    #[error("JAVA_HOME is {home}, which does not exist; set it to a JDK's directory")]
    Missing {
        /// Its value.
        home: PathBuf,
    },
    /// A JRE, or something else.
    #[error("{origin} {home}, which is no JDK: {missing} is missing; set JAVA_HOME to a JDK's directory")]
    NotAJdk {
        /// How the directory was found, as the beginning of a sentence.
        origin: &'static str,
        /// Its directory.
        home: PathBuf,
        /// A file that each JDK has.
        missing: &'static str,
    },
    /// The file is missing, or names no version.
    #[error("cannot tell the version of the JDK in {home} from its `release` file")]
    UnknownVersion {
        /// Its directory.
        home: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Workers need a later JVM.
    #[error("the JDK in {home} is Java {feature_version}, but {OLDEST} or later is needed; set JAVA_HOME")]
    TooOld {
        /// Its directory.
        home: PathBuf,
        /// Such as 8 or 11.
        feature_version: u16,
    },
}

impl Jdk {
    /// The JDK that `java_home` names, else that of the first `java` in the directories of `search_path` (the
    /// environment's JAVA_HOME and PATH).
    pub fn discover(java_home: Option<&OsStr>, search_path: Option<&OsStr>) -> Result<Jdk, JdkError> {
        if let Some(home) = java_home.filter(|home| !home.is_empty()) {
            let home = PathBuf::from(home);
            if !home.exists() {
                return Err(JdkError::Missing { home });
            }
            return Jdk::at(&home, "JAVA_HOME is");
        }
        let directories = search_path.map(|path| std::env::split_paths(path).collect::<Vec<_>>()).unwrap_or_default();
        let java = directories.iter().map(|directory| directory.join(executable("java"))).find(|java| java.is_file());
        let java = java.and_then(|java| java.canonicalize().ok()).ok_or(JdkError::NotFound)?;
        // Before Java 9 the real binary is in jre/bin.
        let homes = java.ancestors().skip(2).take(2);
        let home = homes.clone().find(|home| home.join("release").is_file()).or(homes.clone().next());
        Jdk::at(home.ok_or(JdkError::NotFound)?, "the `java` on PATH is of")
    }

    fn at(home: &Path, origin: &'static str) -> Result<Jdk, JdkError> {
        for (name, missing) in [("java", "bin/java"), ("javac", "bin/javac")] {
            if !home.join("bin").join(executable(name)).is_file() {
                return Err(JdkError::NotAJdk { origin, home: home.to_path_buf(), missing });
            }
        }
        let unknown = |source: io::Error| JdkError::UnknownVersion { home: home.to_path_buf(), source };
        let release = match std::fs::read_to_string(home.join("release")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(JdkError::NotAJdk { origin, home: home.to_path_buf(), missing: "the file `release`" });
            }
            read => read.map_err(unknown)?,
        };
        let feature_version = feature_version(&release)
            .ok_or_else(|| unknown(io::Error::new(io::ErrorKind::InvalidData, "no JAVA_VERSION in it")))?;
        if feature_version < OLDEST {
            return Err(JdkError::TooOld { home: home.to_path_buf(), feature_version });
        }
        Ok(Jdk { home: home.to_path_buf(), feature_version })
    }
}

fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// The feature version in a `release` file's `JAVA_VERSION`: `17` of `"17.0.15"`, `8` of `"1.8.0_392"`.
fn feature_version(release: &str) -> Option<u16> {
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?.trim().trim_matches('"');
    let version = version.strip_prefix("1.").unwrap_or(version);
    let digits = version.split(|letter: char| !letter.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn jdk(home: &Path, release: &str) {
        fs::create_dir_all(home.join("bin")).unwrap();
        for name in ["java", "javac"] {
            fs::write(home.join("bin").join(executable(name)), "").unwrap();
        }
        fs::write(home.join("release"), release).unwrap();
    }

    #[test]
    fn java_home_wins_over_the_path() {
        let scratch = tempfile::tempdir().unwrap();
        let (first, second) = (scratch.path().join("first"), scratch.path().join("second"));
        jdk(&first, "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"17.0.15\"\n");
        jdk(&second, "JAVA_VERSION=\"25-ea\"\n");
        let path = second.join("bin");
        let found = |home: Option<&Path>| {
            Jdk::discover(home.map(Path::as_os_str), Some(path.as_os_str())).unwrap().feature_version
        };
        assert_eq!((found(Some(&first)), found(None)), (17, 25));
    }

    #[cfg(unix)]
    #[test]
    fn symlinked_java_on_path_resolves_to_java_home() {
        let scratch = tempfile::tempdir().unwrap();
        let home = scratch.path().join("jdk").canonicalize().unwrap_or(scratch.path().join("jdk"));
        jdk(&home, "JAVA_VERSION=\"21.0.1\"\n");
        std::os::unix::fs::symlink(home.join("bin/java"), scratch.path().join("java")).unwrap();
        let found = Jdk::discover(None, Some(scratch.path().as_os_str())).unwrap();
        assert_eq!(found, Jdk { home: home.canonicalize().unwrap(), feature_version: 21 });
    }

    #[test]
    fn each_kind_of_broken_installation_has_its_own_message() {
        let scratch = tempfile::tempdir().unwrap();
        let home = scratch.path().join("jdk");
        let message = |home: Option<&Path>| {
            Jdk::discover(home.map(Path::as_os_str), Some(OsStr::new(""))).unwrap_err().to_string()
        };
        assert!(message(None).starts_with("no JDK found"));
        assert!(message(Some(&home)).contains("does not exist"));
        jdk(&home, "JAVA_VERSION=\"1.8.0_392\"");
        assert!(message(Some(&home)).contains("is Java 8, but"), "{}", message(Some(&home)));
        fs::write(home.join("release"), "").unwrap();
        assert!(message(Some(&home)).contains("`release`"));
        fs::remove_file(home.join("release")).unwrap();
        assert!(message(Some(&home)).contains("no JDK: the file `release` is missing"));
        fs::remove_file(home.join("bin").join(executable("javac"))).unwrap();
        assert!(message(Some(&home)).contains("bin/javac is missing"));
    }
}
