//! Classes that changed only in what they use: if all their tests pass as before, the results of the last run stand, and the
//! class is not searched.
//!
//! Otherwise, a change of one line would make every class that uses it, directly or not, get further tests, which have nothing
//! to do with the change.

use super::{FilesByClass, judge, tests_of};
use crate::PipelineError;
use crate::budget::{Budget, Portion};
use crate::subject::ClassFiles;
use crate::suites;
use crate::task::{self, Task};
use emitter::WrittenFile;
use host::classpath::ClassPath;
use host::output::GeneratedFile;
use host::scratch::Scratch;
use host::supervisor::verification::VerificationRequest;
use model::jvm::ClassName;
use model::options::Origin;
use model::progress::{Event, Stage};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Instant;

/// Classes whose results stand.
#[derive(Default)]
pub struct Standing {
    /// Their names.
    pub classes: BTreeSet<ClassName>,
    /// Their tests.
    pub(super) suite: Option<StandingSuite>,
}

/// Compiled tests that pass.
pub(super) struct StandingSuite {
    /// Where they are compiled, together with some that do not pass.
    pub compiled: PathBuf,
    /// The names of the test classes, with dots.
    pub names: Vec<String>,
    /// What they are compiled in, which goes with the value.
    _scratch: Scratch,
}

/// Compiles and runs the tests of some of the classes; those of which all pass.
pub fn standing(
    task: &Task,
    class_path: &ClassPath,
    classes: &ClassFiles,
    tests: &BTreeMap<ClassName, Vec<GeneratedFile>>,
) -> Result<Standing, PipelineError> {
    let Task { options, listener, .. } = *task;
    if tests.values().all(Vec::is_empty) {
        return Ok(Standing { classes: tests.keys().cloned().collect(), suite: None });
    }
    listener.announce(Event::StageStarted(Stage::Tracing));
    let scratch = task::scratch()?;
    let target = suites::target(task, class_path, classes, scratch.path())?;
    let mut files = FilesByClass::new();
    for (number, of_class) in tests.values().enumerate() {
        let read = |file: &GeneratedFile| WrittenFile::read(&file.text).filter(|file| file.fits(&target.style));
        // A file in another form is generated anew, and so is its class.
        if let Some(read) = of_class.iter().map(read).collect() {
            files.insert(number, read);
        }
    }
    let portion = Portion { searched: files.len(), of: classes.len() };
    let is_limited = options.origin("time-limit") != Origin::Default;
    let budget = Budget::new(options, files.len(), portion, Instant::now(), is_limited);
    let verification = VerificationRequest {
        deadline: budget.end.map(|end| end + suites::GRACE),
        ..suites::verification_of(task, class_path, &target, scratch.path().join("standing"))
    };
    let judged = judge(&verification, &files, &|_| None)?;
    let passes = |number: &usize| judged.complete.contains(number) && !judged.rejected.contains_key(number);
    let failing = tests_of(&files).enumerate().filter(|(number, _)| !passes(number));
    let failing: BTreeSet<usize> = failing.map(|(_, (class, ..))| class).collect();
    files.retain(|number, _| !failing.contains(number));
    let names = files.values().flatten().map(WrittenFile::binary_name).collect();
    let suite = StandingSuite { compiled: judged.classes, names, _scratch: scratch };
    let standing = tests.keys().enumerate().filter(|(number, _)| files.contains_key(number));
    Ok(Standing { classes: standing.map(|(_, name)| name.clone()).collect(), suite: Some(suite) })
}
