//! Caused or found? The gate keeps the classes of the last version that had no new findings. A finding that is not in the
//! baseline, and whose test fails on that version in the same way, was there before: a search with more time or another seed
//! found it, and no edit caused it.
//!
//! Where nothing is known of an earlier version, as in a fresh clone, every finding that is not in the baseline is new.

use crate::PipelineError;
use crate::kept::{self, FilesByClass};
use crate::last_run::{self, FINDINGS};
use crate::task::{self, Task, writable_root};
use crate::{subject, suites};
use emitter::WrittenFile;
use host::classpath::{ClassPath, Module, Snapshot};
use host::output;
use host::supervisor::verification::Failure;
use model::progress::{Event, Stage};
use report::baseline::Comparison;
use report::{Finding, RunReport};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Below the gate's own reports: the classes and resources of the last version that had no new findings.
pub const FILE: &str = "passed.jar";

/// Keeps the module's classes as those that a later version is compared with.
pub fn keep(task: &Task, gate_reports: &Path) -> Result<(), PipelineError> {
    let Ok(snapshot) = Snapshot::of(&task.module.classes) else { return Ok(()) };
    // A version that does not fit into a jar is not kept: then every later finding is new.
    let Ok(jar) = snapshot.to_jar() else { return Ok(()) };
    let path = gate_reports.join(FILE);
    output::write_file(&path, writable_root(task.module, &path), &jar)?;
    Ok(())
}

/// Moves the new findings that the last version without new findings shows as well to those that were found, not caused.
pub fn separate(
    task: &Task,
    gate_reports: &Path,
    run: &RunReport,
    comparison: &mut Comparison,
) -> Result<(), PipelineError> {
    let jar = gate_reports.join(FILE);
    let Ok(before) = Snapshot::of(std::slice::from_ref(&jar)) else { return Ok(()) };
    let ids: BTreeSet<&str> = comparison.new.iter().map(|failure| failure.id.as_str()).collect();
    let shown = match Snapshot::of(&task.module.classes).is_ok_and(|now| now == before) {
        true => ids.iter().map(|id| id.to_string()).collect(),
        false => {
            let findings = run.classes.iter().flat_map(|class| &class.findings);
            shown_by(jar, &findings.filter(|finding| ids.contains(&*finding.id)).collect::<Vec<_>>(), task)?
        }
    };
    let new = std::mem::take(&mut comparison.new);
    (comparison.found, comparison.new) = new.into_iter().partition(|failure| shown.contains(&failure.id));
    Ok(())
}

/// The ids of those findings whose tests fail on the classes of the jar as they should.
fn shown_by(jar: PathBuf, findings: &[&Finding], task: &Task) -> Result<BTreeSet<String>, PipelineError> {
    let Task { module, options, jdk, listener, .. } = *task;
    let by_test: BTreeMap<(&str, &str), &Finding> =
        findings.iter().map(|finding| ((&*finding.file, &*finding.test), *finding)).collect();
    let directory = module.reports_directory(options).join(FINDINGS);
    let mut files = FilesByClass::new();
    for path in by_test.keys().map(|(file, _)| *file).collect::<BTreeSet<_>>() {
        let written = last_run::text_below(&directory, path).and_then(|text| WrittenFile::read(&text));
        let wanted = written.and_then(|file| file.with_tests(&|test| by_test.contains_key(&(path, &*test.method))));
        files.entry(0).or_default().extend(wanted);
    }
    if files.values().all(Vec::is_empty) {
        return Ok(BTreeSet::new());
    }
    listener.announce(Event::StageStarted(Stage::Verifying));
    let older = Module { classes: vec![jar], ..Module::clone(module) };
    let class_path = ClassPath::open(&older.classes, &older.dependencies, jdk.feature_version)?;
    let (classes, _) = subject::select(class_path.read_own()?, options);
    let scratch = task::scratch()?;
    let target = suites::target(task, &class_path, &classes, scratch.path())?;
    let task = Task { module: &older, ..*task };
    let verification = suites::verification_of(&task, &class_path, &target, scratch.path().join("before"));
    let in_order: Vec<&Finding> =
        kept::tests_of(&files).map(|(_, file, test)| by_test[&(&*file.relative_path(), &*test.method)]).collect();
    let fails = |number: usize| {
        Some(match &in_order[number].exception {
            Some(exception) => Failure::Exception(exception.class.clone()),
            None => Failure::Assertion,
        })
    };
    let judged = kept::judge(&verification, &files, &fails)?;
    let is_shown = |number: &usize| judged.complete.contains(number) && !judged.rejected.contains_key(number);
    Ok((0..in_order.len()).filter(is_shown).map(|number| in_order[number].id.clone()).collect())
}
