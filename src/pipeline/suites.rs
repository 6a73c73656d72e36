//! From selected sequences to files of verified tests.

use crate::PipelineError;
use crate::assertions;
use crate::budget::Budget;
use crate::engine::Engine;
use crate::kept::{Kept, KeptClass};
use crate::patched;
use crate::reporting::{ClassTests, FindingSource, FindingTest, Written};
use crate::rounds::{CasesByClass, Rounds};
use crate::subject::{self, ClassFiles, Numbered, Subject};
use crate::task::Task;
use bytecode::instrument::{self, Sides};
use emitter::{self, AssertionLibrary, EmittedTest, JUnitVersion, SourceFile, Style, TestCase, WrittenFile};
use host::classpath::{ClassPath, JunitFound, Module};
use host::output::GeneratedFile;
use host::supervisor;
use host::supervisor::test_library::{self, TestLibrary};
use host::supervisor::verification::{
    self, DropReason, Rejected, VerificationError, VerificationRequest, Verified, Workspace,
};
use model::execution::{Edge, Outcome};
use model::jvm::ClassName;
use model::options::Junit;
use oracle::Intent;
use oracle::contract::TERMINATES;
use program::Program;
use report::{self, DroppedTest};
use search::generator::suite::TestCandidate;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Times each test has to pass, each in a fresh JVM.
const RUNS: usize = 3;
/// Verification of a large suite may go on this long after the budget's end, as a suite that was not verified is worth
/// nothing. A budget without an end lets it take what it takes: no clock is to decide what a sequence limit gives.
pub const GRACE: Duration = Duration::from_secs(120);

/// What suites are made from.
pub struct Request<'a> {
    /// The program.
    pub subject: &'a Subject,
    /// The class files of what is searched.
    pub classes: &'a ClassFiles,
    /// The results of the workers' stages.
    pub engine: &'a Engine,
    /// The module and its settings.
    pub task: Task<'a>,
    /// The class path of the module.
    pub class_path: &'a ClassPath,
    /// What tests are compiled for.
    pub target: &'a TestTarget,
    /// The tests of earlier runs.
    pub kept: &'a Kept,
    /// The time limits.
    pub budget: &'a Budget,
    /// A directory for temporary files.
    pub scratch: &'a Path,
}

/// What tests are written for.
pub struct TestTarget {
    /// Style of the tests.
    pub style: Style,
    /// The jars of what the tests use and the class path lacks: JUnit, AssertJ.
    pub libraries: Vec<PathBuf>,
    /// What the project needs before it can compile the tests.
    pub warnings: Vec<String>,
}

/// Refuses a module whose build could not compile the tests.
pub fn check_libraries(task: &Task, class_path: &ClassPath) -> Result<(), PipelineError> {
    let (_, _, missing) = forms(task, class_path);
    if !task.module.is_built || missing.is_empty() {
        return Ok(());
    }
    Err(PipelineError::MissingLibraries { module: task.module.name.clone(), libraries: missing })
}

/// The form of tests and of assertions, by the settings and the class path, and which libraries of these the class path lacks.
fn forms(task: &Task, class_path: &ClassPath) -> (JUnitVersion, AssertionLibrary, Vec<TestLibrary>) {
    let found = JunitFound::on(class_path);
    let assert_throws = || class_path.contains(&ClassName::new("org/junit/function/ThrowingRunnable"));
    let version = match task.options.junit {
        Junit::Five => JUnitVersion::Five,
        Junit::Four => JUnitVersion::Four { assert_throws: !found.four || assert_throws() },
        Junit::Auto if found.five || !found.four => JUnitVersion::Five,
        Junit::Auto => JUnitVersion::Four { assert_throws: assert_throws() },
    };
    let (library, has) = match version {
        JUnitVersion::Five => (TestLibrary::JUnit5, found.five),
        JUnitVersion::Four { .. } => (TestLibrary::JUnit4, found.four),
    };
    let assertions = assertions::choose(task, class_path);
    let has_assertions = assertions == AssertionLibrary::JUnit || assertions::has_assertj(class_path);
    let needed = [(library, has), (TestLibrary::AssertJ, has_assertions)].into_iter();
    (version, assertions, needed.filter(|(_, has)| !has).map(|(library, _)| library).collect())
}

/// From the settings and what is on the class path; asked for before the search, as JUnit may be missing, or have to be fetched.
pub fn target(
    task: &Task,
    class_path: &ClassPath,
    classes: &ClassFiles,
    scratch: &Path,
) -> Result<TestTarget, PipelineError> {
    let Task { module, options, jdk, interrupt, .. } = *task;
    let found = JunitFound::on(class_path);
    let (version, assertions, missing) = forms(task, class_path);
    let (mut libraries, mut warnings) = (Vec::new(), Vec::new());
    for library in missing {
        let (name, dependency) = (library.name(), library.dependency());
        warnings.push(format!(
            "the class path of the tests of {} has no {name}, so they compile only after you add the dependency \
             {dependency} with scope test",
            module.name
        ));
        libraries.extend(test_library::locate(library, options.fetch_junit, scratch, interrupt)?);
    }
    let level = subject::source_level(module, classes, jdk);
    let mut style = Style::new(version, level as u8);
    style.names = options.test_names;
    style.comments = options.test_comments;
    style.assertions = assertions;
    set_defaults(&mut style, &options.jvm_args);
    style.utf8 = module.source_encoding.as_deref().is_some_and(|encoding| encoding.eq_ignore_ascii_case("utf-8"));
    let is_there = |annotation: &str| class_path.contains(&ClassName::new(&annotation.replace('.', "/")));
    style.has_directories = match version {
        JUnitVersion::Five => !found.five || is_there("org.junit.jupiter.api.io.TempDir"),
        JUnitVersion::Four { .. } => !found.four || is_there("org.junit.rules.TemporaryFolder"),
    };
    style.parameterized = version == JUnitVersion::Five
        && (!found.five || emitter::PARAMETERIZED.iter().all(|(_, annotation)| is_there(annotation)));
    Ok(TestTarget { style, libraries, warnings })
}

/// Takes the default locale and time zone from the options of the JVM, which workers have, too. What source cannot say shortly is
/// `None`: a locale with a script, or another one for formats.
fn set_defaults(style: &mut Style, jvm_args: &[String]) {
    let last = |property: &str| {
        let value = |option: &'_ String| {
            option.strip_prefix("-D")?.strip_prefix(property)?.strip_prefix('=').map(str::to_string)
        };
        jvm_args.iter().rev().find_map(value)
    };
    let is_name = |value: &str| value.chars().all(|letter| letter.is_ascii_alphanumeric() || "/_+-:".contains(letter));
    let language = last("user.language").unwrap_or_else(|| "en".to_string());
    let country = last("user.country").or(last("user.region")).unwrap_or_else(|| "US".to_string());
    let is_plain = |option: &String| {
        let property = option.split('=').next().unwrap_or_default();
        let special = [".format", ".display", ".extensions"].iter().any(|end| property.ends_with(end));
        !property.starts_with("-Duser.") || !(special || matches!(property, "-Duser.script" | "-Duser.variant"))
    };
    let is_usual = jvm_args.iter().all(is_plain) && !language.is_empty();
    let tag = if country.is_empty() { language } else { format!("{language}-{country}") };
    style.locale = Some(tag).filter(|tag| is_usual && is_name(tag));
    let time_zone = last("user.timezone").filter(|zone| !zone.is_empty()).unwrap_or_else(|| "UTC".to_string());
    style.time_zone = Some(time_zone).filter(|zone| is_name(zone));
}

/// The verified tests of a module.
#[derive(Default)]
pub struct Suites<'a> {
    /// The verified sources.
    pub files: Vec<SourceFile>,
    /// The cases of these files, with what is not to be asserted of them.
    pub cases: CasesByClass,
    /// The tests and dropped tests of each class.
    pub tests: BTreeMap<ClassName, ClassTests>,
    /// The findings with their tests.
    pub findings: Vec<FindingTest<'a>>,
    /// Tests that show findings: they fail as long as the fault is there, so they stay out of the user's tree.
    pub finding_files: Vec<SourceFile>,
    /// Why verification ended early; `files` are those that were verified by then.
    pub ended_early: Option<VerificationError>,
}

impl Suites<'_> {
    /// Hands on what was verified, and notes why that is not all.
    fn take(&mut self, verified: Result<Verified, VerificationError>) -> Verified {
        let (verified, error) = match verified {
            Ok(verified) => {
                let error = verified.cut_short.map(VerificationError::from);
                (verified, error)
            }
            Err(error) => (Verified::default(), Some(error)),
        };
        self.ended_early = self.ended_early.take().or(error);
        verified
    }
}

/// Emits and verifies.
pub fn make<'a>(request: &Request<'a>) -> Suites<'a> {
    let style = &request.target.style;
    let deadline = request.budget.end.map(|end| end + GRACE);
    let verification = VerificationRequest { deadline, ..verification(request, request.task.module, "verification") };
    let mut suites = Suites::default();
    let mut workspace = Workspace::new(&verification);
    let (program, kept) = (&request.subject.program, &request.kept.classes);
    let (tests, findings) = (cases_by_class(request), findings_by_class(request));
    let finding_style = Style { label: emitter::label::FINDING, ..style.clone() };
    let has_tests = !tests.is_empty() || !kept.is_empty();
    if has_tests && !findings.is_empty() {
        let rounds =
            |cases: &CasesByClass, style| Rounds::new(cases.clone(), &program.operations, &program.types, style);
        let mut files = rounds(&tests, style).beside(kept).files(&Rejected::default());
        files.extend(rounds(&findings, &finding_style).files(&Rejected::default()));
        // What is wrong with it shows when the files are verified.
        let _ = workspace.compile_ahead(&verification, &files);
    }
    if has_tests {
        verify_tests(program, style, (&verification, &mut workspace), (tests, kept), &mut suites);
    }
    if !findings.is_empty() {
        // Not among the others: what shows a fault may leave the JVM in a state in which other tests fail.
        let verification = VerificationRequest { scratch: request.scratch.join("findings"), ..verification };
        verify_findings(request, &finding_style, (&verification, &mut workspace), findings, &mut suites);
    }
    suites
}

/// How tests are checked on the classes of a module; `name` is that of a scratch directory.
pub fn verification(request: &Request, module: &Module, name: &str) -> VerificationRequest {
    let Request { ref task, class_path, target, scratch, .. } = *request;
    VerificationRequest {
        encoding: encoding(task.module),
        ..verification_of(&Task { module, ..*task }, class_path, target, scratch.join(name))
    }
}

/// Unless the build says it, javac's default is the platform's, and the tests are ASCII.
fn encoding(module: &Module) -> String {
    module.source_encoding.clone().unwrap_or("US-ASCII".to_string())
}

/// How tests of a module are compiled and run.
pub fn verification_of(
    task: &Task,
    class_path: &ClassPath,
    target: &TestTarget,
    scratch: PathBuf,
) -> VerificationRequest {
    let Task { module, options, jdk, interrupt, .. } = *task;
    let readable = module.class_path().into_iter().filter(|path| !class_path.is_unreadable(path));
    let request = VerificationRequest {
        java_home: jdk.home.clone(),
        java_version: u32::from(jdk.feature_version),
        class_path: readable.chain(target.libraries.iter().cloned()).collect(),
        module: None,
        source_level: u32::from(target.style.source_level),
        encoding: encoding(module),
        jvm_args: options.jvm_args.clone(),
        typed_jvm_args: options.typed_jvm_args().to_vec(),
        scratch,
        randgen: supervisor::this_program(),
        sandbox: options.sandbox,
        runs: RUNS,
        test_timeout: Duration::from_secs(5),
        seed: options.seed,
        deadline: None,
        interrupt: interrupt.clone(),
    };
    let patched = patched::module(module, target.style.source_level, jdk.feature_version);
    VerificationRequest { module: patched.filter(|patched| patched.resolves(&request)), ..request }
}

/// Selected sequences by the class under test they are about, with their index.
fn cases_by_class(request: &Request) -> CasesByClass {
    let program = &request.subject.program;
    let branches = Branches::of(request.subject, request.classes);
    let mut by_class = CasesByClass::new();
    for (index, selected) in request.engine.selection.tests.iter().enumerate() {
        if let Some(class) = program.class_of_sequence(&selected.subject()) {
            let class = &program.targets[class].name;
            let mut case = TestCase::regression(selected.sequence.clone(), selected.execution.clone());
            case.asserted = selected.asserted.clone();
            case.observers = selected.observers;
            case.defaults = selected.defaults;
            case.deciders = selected.deciders.clone();
            case.branches = branches.taken_by(selected, request.subject);
            let returns_receiver = |at: &usize| {
                selected.sequence.call_at(*at).is_some_and(|called| program.effects(called).returns_receiver)
            };
            case.fluent = (0..selected.sequence.len()).filter(returns_receiver).collect();
            if let Outcome::Threw { exception, .. } = &selected.execution.outcome {
                case.implicit = oracle::intent(exception, program) == Intent::Implicit;
                case.message = exception.message.clone().filter(|_| oracle::has_own_message(exception, program));
            }
            by_class.entry(class.clone()).or_default().push((index, case));
        }
    }
    by_class
}

/// What jumps say, by the numbers of the probes behind which they are not taken.
struct Branches(BTreeMap<Edge, Sides>);

impl Branches {
    fn of(subject: &Subject, classes: &ClassFiles) -> Branches {
        let words = |Numbered { first_probe, plan, .. }: &Numbered| {
            let words = classes.get(&plan.class).map(|bytes| instrument::branch_words(bytes, plan)).unwrap_or_default();
            let first = *first_probe;
            words.into_iter().map(move |(number, sides)| (first + number as Edge, sides)).collect::<Vec<_>>()
        };
        Branches(subject.numbered.iter().flatten().flat_map(words).collect())
    }

    /// What is so in the method that the test is about, by the jumps of which one side alone ran.
    fn taken_by(&self, test: &TestCandidate, subject: &Subject) -> Vec<String> {
        let sequence = test.subject();
        let about = sequence.len().checked_sub(1).and_then(|last| sequence.call_at(last));
        // Of two calls it is not known which one took a side.
        let about = about.filter(|about| test.sequence.calls().filter(|call| call == about).count() == 1);
        let probes = about.map(|about| subject.probes.of_operation[about.0 as usize].as_slice()).unwrap_or_default();
        let ran: BTreeSet<Edge> = test.own_edges().collect();
        let side = |not_taken: &Edge| {
            let [falls_through, jumps] = self.0.get(not_taken)?;
            match (ran.contains(not_taken), ran.contains(&(not_taken + 1))) {
                (true, false) => falls_through.clone(),
                (false, true) => jumps.clone(),
                _ => None,
            }
        };
        probes.iter().filter_map(side).collect()
    }
}

/// The findings by their classes, with their index.
fn findings_by_class(request: &Request) -> CasesByClass {
    let mut by_class = CasesByClass::new();
    for (index, finding) in request.engine.findings.iter().enumerate() {
        let case = TestCase::finding(finding.sequence.clone(), finding.execution.clone(), finding.violation.clone());
        by_class.entry(finding.class.clone()).or_default().push((index, case));
    }
    by_class
}

/// Tests of earlier runs by the class that they are about.
pub type KeptByClass = BTreeMap<ClassName, KeptClass>;

/// Adds the tests of the cases that pass to the suites, beside those of earlier runs.
pub fn verify_tests(
    program: &Program,
    style: &Style,
    (verification, workspace): (&VerificationRequest, &mut Workspace),
    (by_class, kept): (CasesByClass, &KeptByClass),
    suites: &mut Suites,
) {
    let numbers = |(class, cases): (&ClassName, &Vec<(usize, TestCase)>)| -> Vec<(usize, ClassName)> {
        cases.iter().map(|(number, _)| (*number, class.clone())).collect()
    };
    let class_of: BTreeMap<usize, ClassName> = by_class.iter().flat_map(numbers).collect();
    suites.cases = by_class.clone();
    let mut rounds = Rounds::new(by_class, &program.operations, &program.types, style).beside(kept);
    let verified =
        suites.take(verification::verify_in(workspace, verification, &mut |rejected| rounds.files(rejected)));
    let complete: BTreeSet<String> = verified.files.into_iter().map(|file| file.path).collect();
    for (class, (indices, emission)) in &rounds.last {
        let tests = suites.tests.entry(class.clone()).or_default();
        for file in emission.files.iter().filter(|file| complete.contains(&file.relative_path())) {
            let path = file.relative_path();
            let new = file.tests.iter().map(|test| Written {
                selected: test.cases.iter().map(|&case| indices[case]).collect(),
                method: test.method.clone(),
                file: path.clone(),
                assertions: file.assertions_of(test),
            });
            match kept.get(class) {
                Some(kept) => tests.written.extend(in_order(file, new.collect(), kept)),
                None => tests.written.extend(new),
            }
            suites.files.push(file.clone());
        }
        tests.dropped.extend(emission.skipped.iter().map(|skipped| DroppedTest {
            name: format!("case {}", skipped.case + 1),
            reason: report::DropReason::NotExpressible,
            detail: skipped.reason.clone(),
        }));
    }
    let written: BTreeSet<usize> =
        suites.tests.values().flat_map(|tests| &tests.written).flat_map(|test| &test.selected).copied().collect();
    for cases in suites.cases.values_mut() {
        cases.retain(|(index, _)| written.contains(index));
        for (index, case) in cases {
            case.unasserted.extend(verified.rejected.unasserted.get(index).into_iter().flatten());
        }
    }
    for (index, reason) in rounds.left_out(verified.rejected.dropped, &written) {
        let Some(class) = class_of.get(&index) else { continue };
        let (reason, detail) = drop_reason(reason);
        let name = rounds.names.get(&index).cloned().unwrap_or_default();
        suites.tests.entry(class.clone()).or_default().dropped.push(DroppedTest { name, reason, detail });
    }
}

/// The tests of a file that pass, new ones and those of earlier runs, in the order of the source.
fn in_order(file: &SourceFile, mut new: Vec<Written>, kept: &KeptClass) -> Vec<Written> {
    let path = file.relative_path();
    let Some(source) = WrittenFile::read(&file.text) else { return new };
    let written = source.tests.into_iter().filter_map(|test| {
        if let Some(at) = new.iter().position(|written| written.method == test.method) {
            return Some(new.remove(at));
        }
        let method = kept.test(&path, &test.method)?.method.clone();
        Some(Written { selected: Vec::new(), method, file: path.clone(), assertions: BTreeMap::new() })
    });
    written.collect()
}

/// The files as they are to be written.
pub fn generated_files(files: &[SourceFile]) -> Vec<GeneratedFile> {
    files.iter().map(|file| GeneratedFile { path: file.relative_path().into(), text: file.text.clone() }).collect()
}

/// The reason as reports name it, and its details.
pub fn drop_reason(reason: DropReason) -> (report::DropReason, String) {
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
    (verification, workspace): (&VerificationRequest, &mut Workspace),
    by_class: CasesByClass,
    suites: &mut Suites<'a>,
) {
    let program = &request.subject.program;
    let findings = &request.engine.findings;
    let mut rounds = Rounds::new(by_class, &program.operations, &program.types, style);
    let verified =
        suites.take(verification::verify_in(workspace, verification, &mut |rejected| rounds.files(rejected)));
    let complete: BTreeSet<String> = verified.files.into_iter().map(|file| file.path).collect();
    let mut sources: BTreeMap<usize, FindingSource> = BTreeMap::new();
    let mut dropped: BTreeMap<usize, (report::DropReason, String)> = BTreeMap::new();
    for (kept, emission) in rounds.last.into_values() {
        let reason = |skipped: emitter::SkippedCase| (report::DropReason::NotExpressible, skipped.reason);
        dropped.extend(emission.skipped.into_iter().map(|skipped| (kept[skipped.case], reason(skipped))));
        for file in emission.files.into_iter().filter(|file| complete.contains(&file.relative_path())) {
            // Each has a test of its own.
            let source = |test: &EmittedTest| {
                let text = file.source_of(test);
                (kept[test.cases[0]], FindingSource { method: test.method.clone(), file: file.relative_path(), text })
            };
            sources.extend(file.tests.iter().map(source));
            suites.finding_files.push(file);
        }
    }
    // A call that returned in time is no call that never returns.
    let has_returned = |(index, reason): &(&usize, &DropReason)| {
        **reason == DropReason::Passes && findings[**index].violation.contract == TERMINATES
    };
    let returned: BTreeSet<usize> =
        verified.rejected.dropped.iter().filter(has_returned).map(|(index, _)| *index).collect();
    dropped.extend(verified.rejected.dropped.into_iter().map(|(index, reason)| (index, drop_reason(reason))));
    for (index, (reason, detail)) in dropped {
        let finding = &findings[index];
        let name = rounds.names.remove(&index).unwrap_or_else(|| finding.violation.contract.to_string());
        suites.tests.entry(finding.class.clone()).or_default().dropped.push(DroppedTest { name, reason, detail });
    }
    let tests = findings.iter().enumerate().filter(|(index, _)| !returned.contains(index));
    suites.findings = tests.map(|(index, finding)| FindingTest { finding, source: sources.remove(&index) }).collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_that_the_project_starts_its_tests_with() {
        let of = |options: &[&str]| {
            let mut style = Style::new(JUnitVersion::Five, 17);
            set_defaults(&mut style, &options.iter().map(|option| option.to_string()).collect::<Vec<_>>());
            (style.locale, style.time_zone)
        };
        let pair = |locale: &str, time_zone: &str| (Some(locale.to_string()), Some(time_zone.to_string()));
        assert_eq!(of(&["-Xmx1g"]), pair("en-US", "UTC"));
        let given = ["-Duser.language=de", "-Duser.country=AT", "-Duser.timezone=Europe/Vienna"];
        assert_eq!(of(&given), pair("de-AT", "Europe/Vienna"));
        let odd = ["-Duser.timezone=UTC", "-Duser.timezone=\"); exit();", "-Duser.country="];
        assert_eq!(of(&odd), (Some("en".to_string()), None));
        assert_eq!(of(&["-Duser.country.format=DE"]), (None, Some("UTC".to_string())));
    }
}
