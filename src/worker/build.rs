//! Compiles the few Java classes that run inside the worker's JVM, so that the binary can carry them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const SOURCES: &str = "runtime";

fn main() {
    println!("cargo::rerun-if-changed={SOURCES}");
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let classes = out.join("runtime");
    // Classes of sources that are gone must not be embedded.
    let _ = fs::remove_dir_all(&classes);
    let listing = fs::create_dir_all(&classes)
        .map_err(|error| format!("could not make {}: {error}", classes.display()))
        .and_then(|()| compile(&classes))
        .and_then(|()| list(&classes));
    match listing.and_then(|text| {
        fs::write(out.join("runtime_classes.rs"), text).map_err(|error| format!("could not write the list: {error}"))
    }) {
        Ok(()) => {}
        Err(message) => {
            eprintln!("{message}");
            std::process::exit(1);
        }
    }
}

fn compile(classes: &Path) -> Result<(), String> {
    let javac = env::var_os("JAVA_HOME")
        .map(|home| PathBuf::from(home).join("bin/javac"))
        .filter(|javac| javac.exists())
        .unwrap_or_else(|| PathBuf::from("javac"));
    let mut command = Command::new(&javac);
    // Not `--release`: the runtime reads memory by a class that the platform does not export.
    command.args(["-source", "17", "-target", "17", "--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED"]);
    command.args(["-g:lines", "-proc:none", "-Xlint:-options", "-encoding", "UTF-8", "-d"]);
    command.arg(classes).args(sorted(Path::new(SOURCES), "java")?);
    let output = command.output().map_err(|error| {
        let javac = javac.display();
        format!("could not run `{javac}`: {error}; randgen needs a JDK to build: set JAVA_HOME or put javac on PATH")
    })?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("{} refused {SOURCES}:\n{}", javac.display(), String::from_utf8_lossy(&output.stderr)))
    }
}

fn list(classes: &Path) -> Result<String, String> {
    let mut text = String::from("&[\n");
    for path in sorted(&classes.join("randgen/runtime"), "class")? {
        let name = path.file_stem().expect("a listed file has a name").to_string_lossy().into_owned();
        writeln!(text, "    (\"randgen/runtime/{name}\", include_bytes!({path:?})),").expect("writing to a string");
    }
    text.push_str("]\n");
    Ok(text)
}

fn sorted(directory: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let failed = |error| format!("could not list {}: {error}", directory.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
