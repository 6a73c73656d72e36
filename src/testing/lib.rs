//! What tests need of the machine: its JDKs, and class files, of the running JDK and compiled from source. Class files are
//! handed over as bytes, so that the crate that parses them can use them in its own tests too.

mod jdk_classes;
mod jdks;
mod tools;

pub use jdk_classes::{JdkClasses, jdk_classes};
pub use jdks::{for_each_jdk, jdks};
pub use tools::skip;

use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The class files that `javac` makes of `source`, by file name, sorted. What was compiled once is kept in the build's
/// directory, as starting a compiler takes longer than most tests.
pub fn compile(source: &str, options: &[&str]) -> Vec<(String, Vec<u8>)> {
    let home = java_locator::locate_java_home().unwrap();
    let cache = cache_directory().join(digest(&home, source, options));
    if !cache.is_dir() {
        let directory = tempfile::tempdir_in(cache_directory()).unwrap();
        run_javac(&home, source, options, directory.path());
        // All or nothing; a test that was quicker has put the same there.
        let _ = std::fs::rename(directory.path(), &cache);
    }
    let mut classes: Vec<(String, Vec<u8>)> = walkdir::WalkDir::new(&cache)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "class"))
        .map(|entry| (entry.file_name().to_str().unwrap().to_string(), std::fs::read(entry.path()).unwrap()))
        .collect();
    classes.sort();
    classes
}

/// Compiles to `directory`.
fn run_javac(home: &str, source: &str, options: &[&str], directory: &Path) {
    let file = directory.join(if source.starts_with("module ") { "module-info.java" } else { "Source.java" });
    std::fs::write(&file, source).unwrap();
    let output = Command::new(Path::new(home).join("bin/javac"))
        .args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"])
        .args(options)
        .arg("-d")
        .arg(directory)
        .arg(&file)
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Below the build's directory, which the test's binary is in (`target/debug/deps`).
fn cache_directory() -> PathBuf {
    let binary = std::env::current_exe().unwrap();
    let directory = binary.ancestors().nth(3).unwrap().join("tmp/compiled");
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// Hash of everything that the class files depend on: the JDK, the source and the options.
fn digest(home: &str, source: &str, options: &[&str]) -> String {
    let release = std::fs::read(Path::new(home).join("release")).unwrap_or_default();
    let mut digest = Sha256::new();
    for part in [home.as_bytes(), &release, source.as_bytes()].into_iter().chain(options.iter().map(|o| o.as_bytes())) {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
