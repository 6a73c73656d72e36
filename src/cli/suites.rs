//! From selected sequences to files of verified tests.

use super::CommandError;
use super::engine::Engine;
use super::reporting::{ClassTests, FindingTest, Written};
use super::subject::Subject;
use crate::classpath::{ClassPath, Jdk, JunitFound, Module, feature_version_of};
use crate::emitter::{self, Emission, EmittedTest, JUnitVersion, SourceFile, Style, TestCase};
use crate::jvm::ClassName;
use crate::options::{Junit, Options};
use crate::oracle::Finding;
use crate::report::{self, DroppedTest};
use crate::supervisor::junit;
use crate::supervisor::verification::{
    self, CutShort, DropReason, Failure, Rejected, TestFile, TestSpan, VerificationRequest,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Times each test has to pass, each in a fresh JVM.
const RUNS: usize = 3;
/// Verification of a large suite may go on this long after the budget: a suite that was not verified is worth nothing.
const GRACE: Duration = Duration::from_secs(120);

/// What suites are made from.
pub struct Request<'a> {
    pub subject: &'a Subject,
    pub engine: &'a Engine,
    pub module: &'a Module,
    pub options: &'a Options,
    pub jdk: &'a Jdk,
    pub class_path: &'a ClassPath,
    pub classes: &'a BTreeMap<ClassName, Vec<u8>>,
    pub scratch: &'a Path,
    pub reports_directory: &'a Path,
    pub interrupt: &'a Arc<AtomicBool>,
}

/// The verified tests of a module.
#[derive(Default)]
pub struct Suites<'a> {
    pub files: Vec<SourceFile>,
    pub tests: BTreeMap<ClassName, ClassTests>,
    pub findings: Vec<FindingTest<'a>>,
    /// Tests that show findings: they fail as long as the fault is there, so they stay out of the user's tree.
    pub finding_files: Vec<SourceFile>,
    /// Why verification ended early; `files` are those that were verified by then.
    pub cut_short: Option<CutShort>,
}

/// Emits and verifies.
pub fn make<'a>(request: &Request<'a>) -> Result<Suites<'a>, CommandError> {
    let (style, junit_path) = style(request)?;
    let verification = VerificationRequest {
        java_home: request.jdk.home.clone(),
        java_version: u32::from(request.jdk.feature_version),
        class_path: request.module.class_path().into_iter().chain(junit_path).collect(),
        source_level: u32::from(style.source_level),
        encoding: request.module.source_encoding.clone(),
        jvm_args: request.options.jvm_args.clone(),
        scratch: request.scratch.join("verification"),
        runs: RUNS,
        test_timeout: Duration::from_secs(5),
        seed: request.options.seed,
        deadline: Instant::now() + GRACE,
        interrupt: request.interrupt.clone(),
    };
    let mut suites = Suites::default();
    let by_class = cases_by_class(request);
    if !by_class.is_empty() {
        verify_tests(request, &style, &verification, by_class, &mut suites)?;
    }
    if !request.engine.findings.is_empty() {
        // Not among the others: what shows a fault may leave the JVM in a state in which other tests fail.
        let verification = VerificationRequest { scratch: request.scratch.join("findings"), ..verification };
        let style = Style { label: "Finding".to_string(), ..style };
        verify_findings(request, &style, &verification, &mut suites)?;
    }
    Ok(suites)
}

/// Selected sequences by the class under test they are about, with their index.
fn cases_by_class(request: &Request) -> BTreeMap<ClassName, Vec<(usize, TestCase)>> {
    let program = &request.subject.program;
    let mut by_class: BTreeMap<ClassName, Vec<(usize, TestCase)>> = BTreeMap::new();
    for (index, selected) in request.engine.selection.selected.iter().enumerate() {
        if let Some(class) = program.class_of_sequence(&selected.sequence) {
            let class = &program.targets[class].name;
            let case = TestCase::regression(selected.sequence.clone(), selected.execution.clone());
            by_class.entry(class.clone()).or_default().push((index, case));
        }
    }
    by_class
}

fn verify_tests(
    request: &Request,
    style: &Style,
    verification: &VerificationRequest,
    by_class: BTreeMap<ClassName, Vec<(usize, TestCase)>>,
    suites: &mut Suites,
) -> Result<(), CommandError> {
    let program = &request.subject.program;
    let emit = |class: &ClassName, cases: &[(usize, TestCase)]| -> Emission {
        let cases: Vec<TestCase> = cases.iter().map(|(_, case)| case.clone()).collect();
        emitter::emit(class, &cases, &program.operations, &program.types, style)
    };
    let mut last: BTreeMap<ClassName, (Vec<usize>, Emission)> = BTreeMap::new();
    let mut names: BTreeMap<usize, String> = BTreeMap::new();
    // A test of several cases has a number of its own. If it is dropped, each of them is tried alone.
    let selected = request.engine.selection.selected.len();
    let mut shared: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut emit_all = |rejected: &Rejected| -> Vec<TestFile> {
        let mut files = Vec::new();
        for (class, cases) in &by_class {
            let mut kept: Vec<(usize, TestCase)> =
                cases.iter().filter(|(index, _)| !rejected.dropped.contains_key(index)).cloned().collect();
            let alone: BTreeSet<usize> =
                rejected.dropped.keys().filter_map(|id| shared.get(id)).flatten().copied().collect();
            let is_proved = |index: &usize| rejected.proved.as_ref().is_none_or(|proved| proved.contains(index));
            kept.retain(|(index, _)| !alone.contains(index) || is_proved(index));
            for (index, case) in &mut kept {
                case.unasserted.extend(rejected.unasserted.get(index).into_iter().flatten());
                case.alone = alone.contains(index);
            }
            let indices: Vec<usize> = kept.iter().map(|(index, _)| *index).collect();
            let emission = emit(class, &kept);
            let id = |test: &EmittedTest| match test.cases[..] {
                [case] => indices[case],
                _ => selected + indices[test.cases[0]],
            };
            for file in &emission.files {
                let several = file.tests.iter().filter(|test| test.cases.len() > 1);
                shared.extend(several.map(|test| (id(test), test.cases.iter().map(|&case| indices[case]).collect())));
                let of_cases = |test: &EmittedTest| {
                    let method = test.method.clone();
                    test.cases.iter().map(|&case| (indices[case], method.clone())).collect::<Vec<_>>()
                };
                names.extend(file.tests.iter().flat_map(of_cases));
                files.push(test_file(file, |test| (id(test), None)));
            }
            last.insert(class.clone(), (indices, emission));
        }
        files
    };
    let verified = verification::verify(verification, &mut emit_all)?;
    suites.cut_short = verified.cut_short;
    let complete: BTreeSet<String> = verified.files.into_iter().map(|file| file.path).collect();
    let skipped: Vec<(ClassName, emitter::Skipped)> = (last.iter())
        .flat_map(|(class, (_, emission))| emission.skipped.iter().map(|skipped| (class.clone(), skipped.clone())))
        .collect();
    for (class, (indices, emission)) in last {
        let tests = suites.tests.entry(class).or_default();
        for file in emission.files.into_iter().filter(|file| complete.contains(&file.relative_path())) {
            let path = file.relative_path();
            tests.written.extend(file.tests.iter().map(|test| Written {
                selected: test.cases.iter().map(|&case| indices[case]).collect(),
                method: test.method.clone(),
                file: path.clone(),
            }));
            suites.files.push(file);
        }
    }
    for (class, skipped) in skipped {
        suites.tests.entry(class).or_default().dropped.push(DroppedTest {
            name: format!("case {}", skipped.case + 1),
            reason: report::DropReason::NotExpressible,
            detail: skipped.reason,
        });
    }
    let written: BTreeSet<usize> =
        suites.tests.values().flat_map(|tests| &tests.written).flat_map(|test| &test.selected).copied().collect();
    let dropped = verified.rejected.dropped;
    let is_left_out = |index: &usize| !written.contains(index) && !dropped.contains_key(index);
    let mut left_out: BTreeMap<usize, DropReason> = BTreeMap::new();
    for (id, cases) in &shared {
        if let Some(reason) = dropped.get(id) {
            left_out.extend(cases.iter().filter(|index| is_left_out(index)).map(|&index| (index, reason.clone())));
        }
    }
    let dropped: BTreeMap<usize, DropReason> =
        left_out.into_iter().chain(dropped.into_iter().filter(|(id, _)| !shared.contains_key(id))).collect();
    for (index, reason) in dropped {
        let sequence = &request.engine.selection.selected[index].sequence;
        let Some(class) = program.class_of_sequence(sequence) else { continue };
        let class = &program.targets[class].name;
        let (reason, detail) = drop_reason(reason);
        let name = names.get(&index).cloned().unwrap_or_default();
        suites.tests.entry(class.clone()).or_default().dropped.push(DroppedTest { name, reason, detail });
    }
    Ok(())
}

fn drop_reason(reason: DropReason) -> (report::DropReason, String) {
    match reason {
        DropReason::DoesNotCompile(message) => (report::DropReason::DoesNotCompile, message),
        DropReason::Fails(message) => (report::DropReason::Fails, message),
        DropReason::Passes => (report::DropReason::Fails, "the finding did not show again".to_string()),
        DropReason::Flaky(message) => (report::DropReason::Flaky, message),
        DropReason::TimesOut => (report::DropReason::TimesOut, String::new()),
        DropReason::KillsTheJvm(message) => (report::DropReason::KillsTheJvm, message),
    }
}

/// One test per finding, in files of their own. A finding whose test does not fail as it should is reported without.
fn verify_findings<'a>(
    request: &Request<'a>,
    style: &Style,
    verification: &VerificationRequest,
    suites: &mut Suites<'a>,
) -> Result<(), CommandError> {
    let program = &request.subject.program;
    let findings = &request.engine.findings;
    let mut by_class: BTreeMap<&ClassName, Vec<usize>> = BTreeMap::new();
    for (index, finding) in findings.iter().enumerate() {
        by_class.entry(&finding.class).or_default().push(index);
    }
    let mut last: Vec<(Vec<usize>, Emission)> = Vec::new();
    let mut names: BTreeMap<usize, String> = BTreeMap::new();
    let mut emit_all = |rejected: &Rejected| -> Vec<TestFile> {
        last.clear();
        let mut files = Vec::new();
        for (class, indices) in &by_class {
            let kept: Vec<usize> =
                indices.iter().copied().filter(|index| !rejected.dropped.contains_key(index)).collect();
            let case = |&index: &usize| {
                let finding = &findings[index];
                TestCase::finding(finding.sequence.clone(), finding.execution.clone(), finding.violation.clone())
            };
            let cases: Vec<TestCase> = kept.iter().map(case).collect();
            let emission = emitter::emit(class, &cases, &program.operations, &program.types, style);
            // Each has a test of its own.
            let index = |test: &EmittedTest| kept[test.cases[0]];
            for file in &emission.files {
                names.extend(file.tests.iter().map(|test| (index(test), test.method.clone())));
                files.push(test_file(file, |test| (index(test), Some(failure(&findings[index(test)])))));
            }
            last.push((kept, emission));
        }
        files
    };
    let verified = verification::verify(verification, &mut emit_all)?;
    suites.cut_short = suites.cut_short.or(verified.cut_short);
    let complete: BTreeSet<String> = verified.files.into_iter().map(|file| file.path).collect();
    let mut sources: BTreeMap<usize, (String, String)> = BTreeMap::new();
    let mut dropped: BTreeMap<usize, (report::DropReason, String)> = BTreeMap::new();
    for (kept, emission) in last {
        let reason = |skipped: emitter::Skipped| (report::DropReason::NotExpressible, skipped.reason);
        dropped.extend(emission.skipped.into_iter().map(|skipped| (kept[skipped.case], reason(skipped))));
        for file in emission.files.into_iter().filter(|file| complete.contains(&file.relative_path())) {
            let source = |test: &EmittedTest| (kept[test.cases[0]], (test.method.clone(), file.source_of(test)));
            sources.extend(file.tests.iter().map(source));
            suites.finding_files.push(file);
        }
    }
    dropped.extend(verified.rejected.dropped.into_iter().map(|(index, reason)| (index, drop_reason(reason))));
    for (index, (reason, detail)) in dropped {
        let finding = &findings[index];
        let name = names.remove(&index).unwrap_or_else(|| finding.violation.contract.to_string());
        suites.tests.entry(finding.class.clone()).or_default().dropped.push(DroppedTest { name, reason, detail });
    }
    let tests = findings.iter().enumerate();
    suites.findings = tests.map(|(index, finding)| FindingTest { finding, source: sources.remove(&index) }).collect();
    Ok(())
}

/// How the test of a finding fails.
fn failure(finding: &Finding) -> Failure {
    match &finding.violation.thrown {
        Some(thrown) => Failure::Exception(thrown.class.binary()),
        None => Failure::Assertion,
    }
}

/// A file for verification; `role` gives each test's number and how it fails.
fn test_file(file: &SourceFile, role: impl Fn(&EmittedTest) -> (usize, Option<Failure>)) -> TestFile {
    let span = |test: &EmittedTest| {
        let (id, fails) = role(test);
        TestSpan {
            id,
            method: test.method.clone(),
            first_line: test.first_line,
            last_line: test.last_line,
            fails,
            checks: test.checks.clone(),
        }
    };
    TestFile {
        path: file.relative_path(),
        class_name: file.binary_name(),
        text: file.text.clone(),
        tests: file.tests.iter().map(span).collect(),
    }
}

/// How tests are to look, and what the class path lacks for it.
fn style(request: &Request) -> Result<(Style, Vec<PathBuf>), CommandError> {
    let found = JunitFound::on(request.class_path);
    let assert_throws = || request.class_path.contains(&ClassName::new("org/junit/function/ThrowingRunnable"));
    let version = match request.options.junit {
        Junit::Five => JUnitVersion::Five,
        Junit::Four => JUnitVersion::Four { assert_throws: !found.four || assert_throws() },
        Junit::Auto if found.five || !found.four => JUnitVersion::Five,
        Junit::Auto => JUnitVersion::Four { assert_throws: assert_throws() },
    };
    let (generation, has) = match version {
        JUnitVersion::Five => (junit::Generation::Five, found.five),
        JUnitVersion::Four { .. } => (junit::Generation::Four, found.four),
    };
    let missing = if has { Vec::new() } else { junit::locate(generation, &request.reports_directory.join("junit"))? };
    let of_classes = || {
        let levels = request.classes.values().filter_map(|bytes| feature_version_of(bytes));
        levels.max().unwrap_or(request.jdk.feature_version).max(8)
    };
    // A build that says 7 compiles tests as 7 too, so no lambda may be in them.
    let level = request.module.source_level.unwrap_or_else(of_classes).min(request.jdk.feature_version);
    let mut style = Style::new(version, level as u8);
    style.utf8 = request.module.source_encoding.eq_ignore_ascii_case("utf-8");
    Ok((style, missing))
}
