//! Whether the last run's report still holds: what it was made from, as one hash.
//!
//! A run finds what it finds because of the program, the class files and resources of the module, those it depends on, the
//! JDK, and the settings. The module's own tests are no part of it: they only say where the search begins, and a build
//! compiles them after it generates. Nor are settings that say where files go, or that the gate alone reads.

use crate::classpath::{Jdk, Module};
use crate::digest;
use crate::options::{Options, Origin};
use crate::report::{self, ReportFile, RunReport};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

const FILE_NAME: &str = "run.json";

/// Settings that do not change what a run finds.
const OF_NO_ACCOUNT: &[&str] = &[
    "skip",
    "output-directory",
    "reports-directory",
    // With a limit of sequences every number of workers finds the same, and reports are the same bytes.
    "threads",
    "baseline",
    "update-baseline",
    "strict",
    "coverage-threshold",
    "mutation-threshold",
    "max-redundancy",
    "executable",
    "verbose",
    "dry-run",
];

#[derive(Deserialize, Serialize)]
struct Record {
    /// Hash of what the run was made from.
    inputs: String,
    /// Hash of the JSON report.
    report: String,
}

/// What a run of the module is made from, as a hash.
pub fn inputs(module: &Module, options: &Options, jdk: &Jdk) -> String {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    let program = std::env::current_exe().and_then(std::fs::read);
    add(&program.unwrap_or_default());
    add(&std::fs::read(jdk.home.join("release")).unwrap_or_default());
    for (name, value, origin) in options.describe() {
        if !OF_NO_ACCOUNT.contains(&name) {
            // A time limit that goes without saying gives way to a limit of sequences.
            add(format!("{name}={value} {}", origin == Origin::Default).as_bytes());
        }
    }
    add(format!("{:?} {:?}", module.source_level, module.source_encoding).as_bytes());
    for entry in module.classes.iter().chain(&module.dependencies) {
        add(b"entry");
        for found in walkdir::WalkDir::new(entry).follow_links(true).sort_by_file_name().into_iter().flatten() {
            if found.file_type().is_file() {
                let below = found.path().strip_prefix(entry).unwrap_or(Path::new(""));
                add(below.as_os_str().as_encoded_bytes());
                add(&std::fs::read(found.path()).unwrap_or_default());
            }
        }
    }
    digest::hex(hash)
}

/// A note of what the run was made from, beside its report; none of one that ended early or has no report in JSON.
pub fn record(inputs: &str, run: &RunReport, reports: &[ReportFile]) -> Option<ReportFile> {
    let report = reports.iter().find(|file| file.name == report::JSON).filter(|_| run.ended_early.is_none())?;
    let record = Record { inputs: inputs.to_string(), report: digest::hex(Sha256::new_with_prefix(&report.text)) };
    let text = serde_json::to_string_pretty(&record).ok()? + "\n";
    Some(ReportFile { name: FILE_NAME.to_string(), text })
}

/// The report in the directory, if a run with these inputs wrote it and it is as it was written.
pub fn find(directory: &Path, inputs: &str) -> Option<RunReport> {
    let record: Record = serde_json::from_slice(&std::fs::read(directory.join(FILE_NAME)).ok()?).ok()?;
    let report = std::fs::read(directory.join(report::JSON)).ok()?;
    let holds = record.inputs == inputs && record.report == digest::hex(Sha256::new_with_prefix(&report));
    holds.then(|| serde_json::from_slice(&report).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classpath;
    use crate::options::PartialOptions;
    use std::fs;
    use std::path::PathBuf;

    fn options(settings: &[(&str, &str)]) -> Options {
        let mut partial = PartialOptions::default();
        settings.iter().for_each(|(name, value)| partial.set_text(name, value).unwrap());
        Options::resolve(&[(Origin::Flag, partial)])
    }

    #[test]
    fn a_byte_of_a_class_or_a_dependency_and_a_setting_of_the_search_count() {
        let scratch = tempfile::tempdir().unwrap();
        fs::create_dir(scratch.path().join("classes")).unwrap();
        let write = |name: &str, text: &str| fs::write(scratch.path().join(name), text).unwrap();
        write("classes/A.class", "1");
        write("lib.jar", "1");
        let module = classpath::of_classes(scratch.path(), &[PathBuf::from("classes")], None, Some("lib.jar"));
        let jdk = Jdk { home: scratch.path().join("jdk"), feature_version: 17 };
        let inputs = |settings: &[(&str, &str)]| inputs(&module, &options(settings), &jdk);
        let first = inputs(&[]);
        assert_eq!(inputs(&[("strict", "true"), ("threads", "3"), ("coverage-threshold", "9")]), first);
        assert_ne!(inputs(&[("seed", "1")]), first);
        for name in ["classes/A.class", "lib.jar", "classes/more.properties"] {
            let before = inputs(&[]);
            write(name, "2");
            assert_ne!(inputs(&[]), before, "{name}");
        }
    }

    #[test]
    fn a_report_that_was_changed_or_made_from_something_else_is_not_found() {
        let scratch = tempfile::tempdir().unwrap();
        let run = RunReport { module: "shop".to_string(), ..RunReport::default() };
        let formats = [crate::options::OutputFormat::Json];
        let mut files = report::files(&run, &Default::default(), &formats).unwrap();
        files.extend(record("inputs", &run, &files));
        files.iter().for_each(|file| fs::write(scratch.path().join(&file.name), &file.text).unwrap());
        assert_eq!(find(scratch.path(), "inputs"), Some(run.clone()));
        assert_eq!(find(scratch.path(), "others"), None);
        fs::write(scratch.path().join(report::JSON), files[0].text.replace("shop", "stop")).unwrap();
        assert_eq!(find(scratch.path(), "inputs"), None);
        let early = RunReport { ended_early: Some("interrupted".to_string()), ..run };
        assert_eq!(record("inputs", &early, &files), None);
    }
}
