//! `randgen replay`: the test of a finding, compiled and run again.

use super::args::ReplayArgs;
use super::exit::ExitCode;
use super::explain::{self, FindingError};
use super::last_run::FINDINGS;
use super::modules::Task;
use super::{CommandError, generate, suites};
use crate::classpath::ClassPath;
use crate::report;
use crate::sandbox;
use crate::supervisor::verification::{self, DropReason, TestFile, TestSpan};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Replays the finding that the argument names; exit code 1 if its test still fails.
pub fn run(args: &ReplayArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    explain::of_last_run(&args.modules, &args.id, interrupt, &mut |task, class, finding| {
        if finding.test.is_empty() {
            return Err(FindingError::NoTest(finding.id).into());
        }
        let path = task.module.reports_directory(task.options).join(FINDINGS).join(&finding.file);
        let file = test_file(&path, &finding.file, &finding.test);
        let gone = || FindingError::TestGone { id: finding.id.clone(), path: path.display().to_string() };
        let reason = outcome(task, file.ok_or_else(gone)?)?;
        task.console.finish();
        print!("{}", report::finding(class, &finding));
        Ok(match reason {
            None => {
                println!("\nIt does not fail any more.");
                ExitCode::Clean
            }
            Some(reason) => {
                println!("\nIt still fails: {reason}");
                ExitCode::NewFailures
            }
        })
    })
}

/// The file with one test method of it, if that is there.
fn test_file(path: &Path, relative: &str, method: &str) -> Option<TestFile> {
    let text = std::fs::read_to_string(path).ok()?;
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
fn outcome(task: &Task, file: TestFile) -> Result<Option<String>, CommandError> {
    let Task { module, options, jdk, interrupt, .. } = *task;
    sandbox::attainable(options.sandbox)?;
    let class_path = ClassPath::open(&module.classes, &module.dependencies, jdk.feature_version)?;
    let (classes, _) = generate::select(class_path.read_own()?, options);
    let scratch = tempfile::Builder::new().prefix("randgen-").tempdir().map_err(CommandError::Scratch)?;
    let target = suites::target(module, options, jdk, &class_path, &classes, scratch.path(), interrupt)?;
    let directory = scratch.path().join("verification");
    let request = suites::verification_of(module, options, jdk, &class_path, &target, directory, interrupt);
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
