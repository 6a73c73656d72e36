//! Old tests first: before a changed class is searched, its tests of earlier runs are compiled and run against it.
//!
//! Those that pass stay as they are, and what they reach needs no new test. Those that fail show behaviour that changed: they
//! stay too, failing, until the user accepts the change, and until then nothing is added that might expect the new behaviour.
//! Those that do not compile any more are removed, with the reason.
//!
//! The tests are those in the output directory, as randgen wrote them: a fresh clone has no record of a run, and its tests say
//! what the code is to do nevertheless. A file that the user edited is none of them, nor is one in a form that the emitter does
//! not write, or for another version of JUnit.

mod code;
mod mutants;
mod standing;
mod traces;

pub use standing::{Standing, standing};

use crate::PipelineError;
use crate::budget::Budget;
use crate::subject::Subject;
use crate::suites::{self, TestTarget};
use crate::task::Task;
use code::TestCode;
use emitter::{Style, WrittenFile, WrittenTest};
use host::classpath::ClassPath;
use host::output;
use host::supervisor::verification::{
    self, DropReason, Failure, Judged, Rejected, TestFile, TestSpan, VerificationRequest,
};
use model::execution::Edge;
use model::jvm::ClassName;
use model::progress::{Event, Stage};
use model::sequence::OperationId;
use program::Program;
use report::{ChangedTest, RemovalReason, RemovedTest};
use rustc_hash::FxHashSet;
use search::generator::suite::Held;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// What the tests of earlier runs came to.
#[derive(Default)]
pub struct Kept {
    /// Of each class that has some.
    pub classes: BTreeMap<ClassName, KeptClass>,
    /// What needs no new test.
    pub held: Held,
    /// The edges that those which pass run.
    pub edges: FxHashSet<Edge>,
    /// The operations that they call.
    pub called: FxHashSet<OperationId>,
    /// The operations that returned to them.
    pub returned: FxHashSet<OperationId>,
    /// The mutants that they kill, by number, each with the full name of a test.
    pub killers: BTreeMap<u32, String>,
    /// The mutants that were run with them.
    pub tried: BTreeSet<u32>,
    /// The mutants that they reach, and for which there was no time.
    pub not_run: BTreeSet<u32>,
}

/// The tests of a class.
#[derive(Default)]
pub struct KeptClass {
    /// The files with the tests that stay, passing or not.
    pub files: Vec<WrittenFile>,
    /// Those that pass.
    pub tests: Vec<KeptTest>,
    /// Those that fail and stay.
    pub changed: Vec<ChangedTest>,
    /// Those that do not stay.
    pub removed: Vec<RemovedTest>,
    /// The classes that they mention.
    pub mentioned: BTreeSet<ClassName>,
}

impl KeptClass {
    /// The test of this name in the file, if it passes.
    pub fn test(&self, file: &str, method: &str) -> Option<&KeptTest> {
        self.tests.iter().find(|test| test.method == method && test.file == file)
    }
}

/// A test that passes.
pub struct KeptTest {
    /// Name of the method.
    pub method: String,
    /// Below the output directory, with `/`.
    pub file: String,
    /// The edges that it runs.
    pub edges: Vec<Edge>,
    /// It uses what is not open to every caller.
    pub back_door: bool,
}

/// What is needed to run tests of earlier runs.
pub struct Request<'a> {
    /// The module and its settings.
    pub task: &'a Task<'a>,
    /// The classes under test.
    pub subject: &'a Subject,
    /// The class path of the module.
    pub class_path: &'a ClassPath,
    /// What tests are compiled for.
    pub target: &'a TestTarget,
    /// The time limits.
    pub budget: &'a Budget,
    /// All classes of the module are searched, so that all is known of what the tests do.
    pub is_whole: bool,
    /// A directory for temporary files.
    pub scratch: &'a Path,
}

/// What earlier runs left.
#[derive(Clone, Copy)]
pub struct Earlier<'a> {
    /// Where their tests are.
    pub directory: &'a Path,
    /// Classes that are not searched, and use some that are.
    pub standing: &'a Standing,
}

/// A test of an earlier run, and what became of it.
struct OldTest<'a> {
    class: usize,
    file: &'a WrittenFile,
    test: &'a WrittenTest,
    fate: Fate,
}

/// What becomes of a test.
enum Fate {
    Passes,
    Fails(report::DropReason, String),
    Removed(RemovalReason, String),
    /// There was no time to run it.
    Unknown,
}

impl OldTest<'_> {
    fn stays(&self) -> bool {
        !matches!(self.fate, Fate::Removed(..))
    }

    fn is_of(&self, file: &WrittenFile, test: &WrittenTest) -> bool {
        self.test.method == test.method && self.file.class_name == file.class_name && self.file.package == file.package
    }
}

/// Compiles and runs the tests that are of classes under test; what those of others reach counts as well.
pub fn examine(request: &Request, earlier: Earlier) -> Result<Kept, PipelineError> {
    let Request { task, subject, target, scratch, budget, .. } = *request;
    let files = read(earlier.directory, &task.module.name, &subject.program, &target.style);
    let others = earlier.standing.suite.as_ref();
    if files.is_empty() && others.is_none() {
        return Ok(Kept::default());
    }
    task.listener.announce(Event::StageStarted(Stage::Tracing));
    let deadline = budget.end.map(|end| end + suites::GRACE);
    let verification = VerificationRequest {
        deadline,
        ..suites::verification_of(task, request.class_path, target, scratch.join("earlier"))
    };
    let judged = if files.is_empty() { Judged::default() } else { judge(&verification, &files, &|_| None)? };
    let mut tests = fates(&files, &judged, request);
    let code = code::read(&judged.classes, &files);
    let mut kept = Kept::default();
    // Where no changed class has tests, nothing was compiled.
    let compiled = (!files.is_empty()).then_some(&*judged.classes);
    traces::take(request, (&verification, others), compiled, &code, &mut tests, &mut kept)?;
    hold_back(&tests, &code, subject, &mut kept.held);
    for (class, files) in files.iter() {
        let own: Vec<&OldTest> = tests.iter().filter(|test| test.class == *class).collect();
        let of_class = kept.classes.entry(subject.program.targets[*class].name.clone()).or_default();
        of_class.mentioned = code.mentioned(files);
        let stays = |file: &WrittenFile, test: &WrittenTest| own.iter().any(|one| one.is_of(file, test) && one.stays());
        of_class.files = files.iter().filter_map(|file| file.with_tests(&|test| stays(file, test))).collect();
        for OldTest { file, test, fate, .. } in own {
            let (name, path) = (test.method.clone(), file.relative_path());
            match fate {
                Fate::Fails(reason, detail) => {
                    of_class.changed.push(ChangedTest::new(name, path, *reason, detail.clone(), test.source()));
                }
                Fate::Removed(reason, detail) => {
                    let (reason, detail) = (*reason, detail.clone());
                    of_class.removed.push(RemovedTest { name, file: path, reason, detail });
                }
                Fate::Passes | Fate::Unknown => {}
            }
        }
    }
    Ok(kept)
}

/// The files of each class under test, by its number among the targets.
pub(crate) type FilesByClass = BTreeMap<usize, Vec<WrittenFile>>;

/// Reads the files that randgen wrote for the module, and nobody edited.
fn read(directory: &Path, module: &str, program: &Program, style: &Style) -> FilesByClass {
    let mut files = FilesByClass::new();
    let mut of_package: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (number, target) in program.targets.iter().enumerate() {
        let package = target.name.package().replace('.', "/");
        let names = of_package.entry(package.clone()).or_insert_with(|| names_in(&directory.join(&package)));
        for name in names {
            let path = Path::new(&package).join(name);
            if !emitter::is_test_of(&path, &target.name, &program.types, style.label) {
                continue;
            }
            let text = output::generated_source(directory, &path, module);
            let file = text.and_then(|text| WrittenFile::read(&text)).filter(|file| file.fits(style));
            files.entry(number).or_default().extend(file);
        }
    }
    files.retain(|_, files| !files.is_empty());
    files
}

/// Sorted.
fn names_in(directory: &Path) -> Vec<String> {
    let found = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = found.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// All tests in order; the number of each is its position.
pub(crate) fn tests_of(files: &FilesByClass) -> impl Iterator<Item = (usize, &WrittenFile, &WrittenTest)> {
    files.iter().flat_map(|(class, files)| {
        files.iter().flat_map(move |file| file.tests.iter().map(move |test| (*class, file, test)))
    })
}

/// Compiles and runs the tests; `fails` says of the number of each how it is to fail, if it is.
pub(crate) fn judge(
    verification: &VerificationRequest,
    files: &FilesByClass,
    fails: &dyn Fn(usize) -> Option<Failure>,
) -> Result<Judged, PipelineError> {
    let numbers: BTreeMap<(String, &str), usize> = tests_of(files)
        .enumerate()
        .map(|(number, (_, file, test))| ((file.binary_name(), &*test.method), number))
        .collect();
    let mut emit = |rejected: &Rejected| {
        let mut emitted = Vec::new();
        for file in files.values().flatten() {
            let class_name = file.binary_name();
            let number = |test: &WrittenTest| numbers[&(class_name.clone(), &*test.method)];
            let left = file.with_tests(&|test| !rejected.dropped.contains_key(&number(test)));
            let Some(left) = left else { continue };
            let (text, places) = left.text_with_lines();
            let spans = left.tests.iter().zip(places).map(|(test, (first_line, last_line))| TestSpan {
                id: number(test),
                method: test.method.clone(),
                first_line,
                last_line,
                fails: fails(number(test)),
                checks: Vec::new(),
            });
            let tests = spans.collect();
            emitted.push(TestFile { path: file.relative_path(), class_name, text, tests });
        }
        emitted
    };
    Ok(verification::judge(verification, &mut emit)?)
}

/// What became of each test, by what the user accepts.
fn fates<'a>(files: &'a FilesByClass, judged: &Judged, request: &Request) -> Vec<OldTest<'a>> {
    let targets = &request.subject.program.targets;
    let fate = |number: usize, class: usize| match judged.rejected.get(&number) {
        None if judged.complete.contains(&number) => Fate::Passes,
        None => Fate::Unknown,
        Some(DropReason::DoesNotCompile(message)) => Fate::Removed(RemovalReason::DoesNotCompile, message.clone()),
        Some(DropReason::Flaky(message)) => Fate::Removed(RemovalReason::Flaky, message.clone()),
        Some(reason) => {
            let (reason, detail) = suites::drop_reason(reason.clone());
            match request.task.options.accept.has(&targets[class].name.binary()) {
                true => Fate::Removed(RemovalReason::Accepted, detail),
                false => Fate::Fails(reason, detail),
            }
        }
    };
    let tests = tests_of(files).enumerate();
    tests.map(|(number, (class, file, test))| OldTest { class, file, test, fate: fate(number, class) }).collect()
}

/// Holds back what might expect behaviour that nobody has accepted yet.
fn hold_back(tests: &[OldTest], code: &TestCode, subject: &Subject, held: &mut Held) {
    for test in tests.iter().filter(|test| matches!(test.fate, Fate::Fails(..) | Fate::Unknown)) {
        held.frozen.insert(test.class);
        if matches!(test.fate, Fate::Fails(..)) {
            held.in_doubt.extend(called_edges(test, code, subject));
        }
    }
}

/// The edges of the methods that a test calls, or of constructors if it calls nothing else.
fn called_edges<'a>(test: &OldTest, code: &TestCode, subject: &'a Subject) -> impl Iterator<Item = Edge> + use<'a> {
    let calls = code.calls(&test.file.binary_name(), &test.test.method);
    let (made, called): (Vec<_>, Vec<_>) = calls.iter().partition(|call| &*call.name == "<init>");
    let calls = if called.is_empty() { made } else { called };
    let operations: Vec<OperationId> =
        calls.into_iter().flat_map(|call| traces::operations_of(call, &subject.program)).collect();
    operations.into_iter().flat_map(|id| subject.probes.of_operation[id.0 as usize].iter().copied())
}

/// How long one test may take while it is traced.
const TEST_TIMEOUT: Duration = Duration::from_secs(20);
