//! The test of a finding, compiled and run again.

use crate::findings::FindingError;
use crate::last_run::{self, FINDINGS};
use crate::task::Task;
use crate::{PipelineError, subject, suites, task};
use host::classpath::ClassPath;
use host::supervisor::verification::{self, DropReason, TestFile, TestSpan};
use report::Finding;
use std::path::Path;

/// Compiles the test of the finding again and runs it in fresh JVMs; how it fails, or `None` if it passes in all of them.
pub fn replay(task: &Task, finding: &Finding) -> Result<Option<String>, PipelineError> {
    if finding.test.is_empty() {
        return Err(FindingError::NoTest(finding.id.clone()).into());
    }
    let directory = task.module.reports_directory(task.options).join(FINDINGS);
    let file = test_file(&directory, &finding.file, &finding.test);
    let gone = || {
        let path = directory.join(&finding.file).display().to_string();
        FindingError::TestGone { id: finding.id.clone(), path }
    };
    outcome(task, file.ok_or_else(gone)?)
}

/// The file in the directory with one test method of it, if that is there.
fn test_file(directory: &Path, relative: &str, method: &str) -> Option<TestFile> {
    let text = last_run::text_below(directory, relative)?;
    let head = format!("void {method}()");
    let first_line = text.lines().position(|line| line.contains(&head))? + 1;
    let after = text.lines().skip(first_line).position(|line| line == "    }")?;
    let span = TestSpan {
        id: 0,
        method: method.to_string(),
        first_line,
        last_line: first_line + after + 1,
        fails: None,
        checks: Vec::new(),
    };
    let class_name = relative.strip_suffix(".java")?.replace('/', ".");
    Some(TestFile { path: relative.to_string(), class_name, text, tests: vec![span] })
}

/// How the test fails in fresh JVMs; `None` if it passes in all of them.
fn outcome(task: &Task, file: TestFile) -> Result<Option<String>, PipelineError> {
    let Task { module, options, jdk, .. } = *task;
    sandbox::attainable(options.sandbox)?;
    let class_path = ClassPath::open(&module.classes, &module.dependencies, jdk.feature_version)?;
    let (classes, _) = subject::select(class_path.read_own()?, options);
    let scratch = task::scratch()?;
    let target = suites::target(task, &class_path, &classes, scratch.path())?;
    let directory = scratch.path().join("verification");
    let request = suites::verification_of(task, &class_path, &target, directory);
    let verified = verification::verify(&request, &mut |rejected| match rejected.dropped.is_empty() {
        true => vec![file.clone()],
        false => Vec::new(),
    })?;
    Ok(verified.rejected.dropped.into_values().next().map(|reason| match reason {
        DropReason::DoesNotCompile(message) => format!("it does not compile: {message}"),
        DropReason::Fails(message) => message,
        DropReason::Flaky(message) => format!("now and then: {message}"),
        DropReason::TimesOut => "it does not end in time".to_string(),
        DropReason::KillsTheJvm(message) => format!("it ends the JVM: {message}"),
        DropReason::Passes => unreachable!("it is not asked to fail"),
    }))
}
