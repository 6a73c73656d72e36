//! The JDKs of this machine, for tests that run on each.

use std::io::Write;
use std::path::{Path, PathBuf};

/// Runs `test` with each JDK of this machine.
pub fn for_each_jdk(test: impl Fn(&Path)) {
    for jdk in jdks() {
        println!("JDK {}", jdk.display());
        test(&jdk);
    }
}

/// Each JDK below `/usr/lib/jvm` and in `JAVA_HOME`; there is at least one.
pub fn jdks() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir("/usr/lib/jvm")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.path().canonicalize().ok())
        .filter(|path| path.join("bin/javac").exists() && path.join("lib/server/libjvm.so").exists())
        .collect();
    found.extend(std::env::var_os("JAVA_HOME").and_then(|home| PathBuf::from(home).canonicalize().ok()));
    found.sort();
    found.dedup();
    assert!(!found.is_empty(), "no JDK below /usr/lib/jvm or in JAVA_HOME");
    if !found.iter().any(|path| path.to_string_lossy().contains("25")) {
        assert!(std::env::var_os("RANDGEN_TEST_JDK_25").is_none(), "no JDK 25 among {found:?}");
        // Past the capture of the test's output, as it passes.
        let _ = std::io::stderr().write_all(b"skipped: no JDK 25 here\n");
    }
    found
}
