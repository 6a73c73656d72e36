//! Generates for each language level on each JDK, and compiles the tests for the level with the compiler of the JDK.

use super::{Bench, RUN_IN_PERTURBED_ENVIRONMENTS, Result, files, json, number};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(super) fn compile_for(bench: &Bench, levels: &[u32], jdks: &[PathBuf], seed: u64) -> Result<()> {
    println!("| subject | JDK | level | tests | files | not compiling | left out |");
    println!("|{}", " --- |".repeat(7));
    let junit: Vec<PathBuf> = files(&bench.cache.join("junit"))?;
    for library in &bench.libraries(&RUN_IN_PERTURBED_ENVIRONMENTS)? {
        for (index, jdk) in jdks.iter().enumerate() {
            for level in levels {
                let suffix = format!("-level-{level}-{index}");
                let flag = format!("--source-level={level}");
                let directory = bench.generate_on(library, seed, &suffix, &[flag], Some(jdk))?;
                let tests = sources(&directory.join("tests"))?;
                let class_path = [&library.jar].into_iter().chain(&library.dependencies).chain(&junit);
                let failing = not_compiling(&tests, jdk, *level, &std::env::join_paths(class_path)?)?;
                let report = json(&directory.join("reports/report.json"))?;
                println!(
                    "| {} | {} | {level} | {} | {} | {} | {} |",
                    library.name,
                    jdk.file_name().unwrap_or_default().display(),
                    number(&report, "/totals/tests")?,
                    tests.len(),
                    failing,
                    number(&report, "/totals/dropped")?,
                );
            }
        }
    }
    Ok(())
}

/// The Java files below the directory.
fn sources(directory: &Path) -> Result<Vec<PathBuf>> {
    let files = walkdir::WalkDir::new(directory).sort_by_file_name().into_iter();
    let files: Vec<PathBuf> = files.map(|entry| Ok(entry?.into_path())).collect::<Result<_>>()?;
    Ok(files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "java")).collect())
}

/// How many of the files have errors for the compiler.
fn not_compiling(files: &[PathBuf], jdk: &Path, level: u32, class_path: &OsString) -> Result<usize> {
    let scratch = tempfile::tempdir()?;
    let mut command = Command::new(jdk.join("bin/javac"));
    command.args(["-nowarn", "-Xlint:-options", "-Xmaxerrs", "10000", "--release", &level.to_string()]);
    command.arg("-d").arg(scratch.path()).arg("-cp").arg(class_path).args(files);
    let compiled = command.stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&compiled.stderr);
    let errors = said.lines().filter(|line| line.contains(": error: "));
    let failing: BTreeSet<&str> = errors.filter_map(|line| line.split(':').next()).collect();
    if failing.is_empty() && !compiled.status.success() {
        return Err(format!("javac failed: {said}").into());
    }
    Ok(failing.len())
}
