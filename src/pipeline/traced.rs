//! What assessing, selecting and minimizing tests begin and end with: the suites of a module, run and traced, and a report.

use crate::engine::EngineError;
use crate::subject::{self, KnownMutant, Numbered};
use crate::task::writable_root;
use crate::{PipelineError, writing};
use bytecode::analysis::caches;
use bytecode::classfile::{self, ClassFile};
use bytecode::instrument::{Plan, ProbeInfo};
use host::classpath::{ClassPath, ClassPathError, Jdk, Module};
use host::output;
use host::supervisor::Launch;
use host::supervisor::suite_tracing::{self, TestName};
use model::execution::Edge;
use model::execution::mutant::Mutator;
use model::execution::trace::{End, TestTrace, TracedMethod};
use model::jvm::types::access;
use model::options::{Options, StateRepresentation};
use model::progress::{Event, Listener, Stage};
use report::suites::{LeftOutTest, SuiteFacts};
use report::{Coverage, ReportFile};
use search::redundancy::representation;
use search::redundancy::suites::Executed;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A test and what it did.
pub type Traced = (TestName, TestTrace);

/// The suites of a module, run.
pub struct Suites {
    /// Of each suite that was asked for.
    pub tests: Vec<Vec<Traced>>,
    /// Tests without a trace, such as those that failed, with the reason.
    pub left_out: Vec<LeftOutTest>,
    /// The classes whose calls were traced.
    pub code: Code,
    /// Of the code, if they count.
    pub mutants: Vec<KnownMutant>,
    /// What they ran with.
    pub launch: Launch,
}

/// The classes whose calls are traced.
pub struct Code(Vec<Numbered>);

impl Code {
    fn probe_count(&self) -> u32 {
        self.0.last().map_or(0, |class| class.first_probe + class.plan.probes.len() as u32)
    }

    /// So many of all edges.
    pub fn coverage(&self, covered: &BTreeSet<Edge>) -> Coverage {
        let is_edge = |probe: &&ProbeInfo| probe.kind.is_edge();
        let total = self.0.iter().map(|class| class.plan.probes.iter().filter(is_edge).count() as u64).sum();
        Coverage { covered: covered.len() as u64, total }
    }

    /// The probe with the number, and its class.
    fn probe(&self, number: Edge) -> (&Plan, &ProbeInfo) {
        let after = self.0.partition_point(|class| class.first_probe <= number);
        let Numbered { first_probe, plan, .. } = &self.0[after - 1];
        (plan, &plan.probes[(number - first_probe) as usize])
    }

    /// Where an edge is, for people.
    pub fn describe(&self, edge: Edge) -> String {
        let (plan, probe) = self.probe(edge);
        let line = probe.line.map_or_else(String::new, |line| format!(", line {line}"));
        format!("{}.{}{line}: {:?}", plan.class.binary(), plan.methods[usize::from(probe.method)].0, probe.kind)
    }

    /// The exceptions that left methods which the tests called, each with its method; sorted.
    pub fn exceptions<'a>(&self, tests: impl IntoIterator<Item = &'a TestTrace>) -> BTreeSet<String> {
        let executions = tests.into_iter().flat_map(|test| &test.executions);
        let thrown = executions.filter_map(|execution| match &execution.end {
            End::Threw(class) => Some((execution.method, class)),
            _ => None,
        });
        let thrown: BTreeSet<_> = thrown.collect();
        thrown.into_iter().map(|(method, class)| format!("{}: {}", self.method(method), class.binary())).collect()
    }

    fn method(&self, method: TracedMethod) -> String {
        let after = self.0.partition_point(|class| class.first_method <= method);
        let found = after.checked_sub(1).map(|at| &self.0[at]);
        let name = found.and_then(|class| {
            let (name, descriptor) = class.plan.methods.get((method - class.first_method) as usize)?;
            Some(format!("{}.{name}{descriptor}", class.plan.class.binary()))
        });
        // What a worker says may be forged.
        name.unwrap_or_else(|| "?".to_string())
    }
}

/// How tests are run and traced.
#[derive(Clone, Copy, Debug)]
pub struct Tracing {
    /// Each test may take this long.
    pub test_timeout: Duration,
    /// Mutants are run too, this long at most.
    pub mutants: Option<Duration>,
    /// The tests are those that the module's build has compiled.
    pub of_build: bool,
}

impl Tracing {
    /// How long a test may take unless the user says otherwise.
    pub const TEST_TIMEOUT: Duration = Duration::from_secs(20);

    /// Of the tests that the build has compiled.
    pub fn of_build() -> Tracing {
        Tracing { test_timeout: Tracing::TEST_TIMEOUT, mutants: None, of_build: true }
    }
}

/// What stays the same for all modules of a command.
pub struct Context<'a> {
    /// Which tests run, and for how long.
    pub tracing: Tracing,
    /// The JDK that runs the tests.
    pub jdk: Jdk,
    /// Is told of progress and warnings.
    pub listener: &'a dyn Listener,
    /// Becomes true when the user wants the command to end.
    pub interrupt: &'a Arc<AtomicBool>,
}

/// What a command has to say of a module's tests.
pub struct Answer {
    /// For the console.
    pub text: String,
    /// The written reports, the whole one first, then lists of tests.
    pub files: Vec<PathBuf>,
}

impl Context<'_> {
    /// Runs the module's own tests, and those in `candidates` as a suite of their own; `reports` are to be written in the
    /// end.
    pub fn trace(
        &self,
        module: &Module,
        options: &Options,
        candidates: Option<&Path>,
        reports: &[&str],
        scratch: &Path,
    ) -> Result<Suites, PipelineError> {
        sandbox::attainable(options.sandbox)?;
        let directory = module.reports_directory(options);
        output::check_reports(&directory, writable_root(module, &directory), reports)?;
        let own = module.test_classes.clone().unwrap_or_else(|| module.build_directory.join("test-classes"));
        let paths: Vec<PathBuf> = [own].into_iter().chain(candidates.map(Path::to_path_buf)).collect();
        let mut suites = Vec::new();
        let mut of_tests = BTreeSet::new();
        for path in &paths {
            let (tests, all) = self.read_tests(path)?;
            if let Some(class) = all.iter().find(|class| of_tests.contains(*class)) {
                return Err(PipelineError::InBothSuites(class.clone()));
            }
            of_tests.extend(all);
            suites.push(tests);
        }
        let class_path = ClassPath::open(&module.classes, &module.dependencies, self.jdk.feature_version)?;
        let (mut classes, _) = subject::select(class_path.read_own()?, options);
        classes.retain(|name, _| !of_tests.contains(&name.binary()));
        for warning in class_path.warnings() {
            self.listener.announce(Event::Warned(warning));
        }
        if classes.is_empty() {
            return Err(PipelineError::NothingSelected(format!("no class of {} is to be traced", module.name)));
        }
        self.listener.announce(Event::ModuleStarted { module: module.name.clone(), classes: classes.len() });
        let code = Code(subject::number(classes.values().map(|bytes| &bytes[..])).into_iter().flatten().collect());
        let test_paths = paths.iter().cloned();
        let searched = module.classes.iter().cloned().chain(test_paths).chain(module.dependencies.iter().cloned());
        let mut launch = Launch::new(self.jdk.home.clone(), searched.collect(), scratch.to_path_buf());
        launch.class_probes = code.0.iter().map(Numbered::class_probe).collect();
        launch.class_methods = code.0.iter().map(|class| class.first_method).collect();
        let mutants = if self.tracing.mutants.is_some() {
            subject::mutants(&code.0, &classes, Mutator::DEFAULTS, &|_| false)
        } else {
            Vec::new()
        };
        let files: Vec<ClassFile> = classes.values().filter_map(|bytes| classfile::parse(bytes).ok()).collect();
        let fields = caches::caches(&files).into_iter();
        launch.caches = fields.map(|(class, field)| format!("{}.{field}", class.binary())).collect();
        launch.probe_count = code.probe_count();
        // Tests may do as much as they like while there is time.
        launch.probe_budget = i32::MAX as u64;
        launch.call_timeout = self.tracing.test_timeout;
        launch.jvm_args = ["-Xmx1g".to_string()].into_iter().chain(options.jvm_args.iter().cloned()).collect();
        launch.read_paths_of(options.typed_jvm_args());
        launch.sandbox = options.sandbox;
        launch.interrupt = self.interrupt.clone();
        self.listener.announce(Event::StageStarted(Stage::Tracing));
        let all: Vec<String> = suites.iter().flatten().cloned().collect();
        let progress = &mut |done, total| self.listener.announce(Event::TestRun { done, total });
        let traced = suite_tracing::trace(&launch, &all, progress).map_err(EngineError::from)?;
        let left_out = traced.left_out.into_iter().map(|(test, reason)| LeftOutTest {
            test,
            reason: reason.code().to_string(),
            detail: reason.to_string(),
        });
        let left_out: Vec<LeftOutTest> = left_out.collect();
        if traced.tests.is_empty() {
            let why = left_out.first().map(|test| format!(": {} is left out, {}", test.test, test.detail));
            let why = why.unwrap_or_default();
            return Err(PipelineError::NothingSelected(format!("no test of {} could be traced{why}", module.name)));
        }
        let mut tests: Vec<Vec<Traced>> = suites.iter().map(|_| Vec::new()).collect();
        for mut test in traced.tests {
            test.1.edges.retain(|hit| code.probe(hit.edge).1.kind.is_edge());
            let suite = suites.iter().position(|classes| classes.binary_search(&test.0.class).is_ok());
            tests[suite.unwrap_or_default()].push(test);
        }
        Ok(Suites { tests, left_out, code, mutants, launch })
    }

    /// The classes that may be classes of tests, sorted; and all classes beside them.
    fn read_tests(&self, path: &Path) -> Result<(Vec<String>, BTreeSet<String>), PipelineError> {
        let none = || PipelineError::NoTests { path: path.to_path_buf(), of_build: self.tracing.of_build };
        let found = match ClassPath::open(&[path.to_path_buf()], &[], self.jdk.feature_version) {
            Err(ClassPathError::NoClasses { .. }) => return Err(none()),
            Err(ClassPathError::Unreadable { .. }) if !path.exists() && self.tracing.of_build => {
                return Err(none());
            }
            found => found?.read_own()?,
        };
        let is_concrete = |bytes: &[u8]| {
            classfile::parse(bytes)
                .is_ok_and(|file| file.access & (access::ABSTRACT | access::INTERFACE) == 0 && !file.enclosing_method)
        };
        let tests = found.iter().filter(|(_, bytes)| is_concrete(bytes)).map(|(name, _)| name.binary());
        let mut tests: Vec<String> = tests.collect();
        tests.sort();
        Ok((tests, found.iter().map(|(name, _)| name.binary()).collect()))
    }

    /// Replaces the reports that this command wrote before.
    pub fn answer(
        &self,
        command: &str,
        module: &Module,
        options: &Options,
        text: String,
        files: Vec<ReportFile>,
    ) -> Result<Answer, PipelineError> {
        let directory = module.reports_directory(options);
        let files = writing::report_files(files);
        let root = writable_root(module, &directory);
        output::write_reports(&directory, root, &format!("{} {command}", module.name), &files)?;
        Ok(Answer { text, files: files.iter().map(|file| directory.join(&file.path)).collect() })
    }
}

/// The edges that some of the tests cover.
pub fn edges<'a>(tests: impl IntoIterator<Item = &'a TestTrace>) -> BTreeSet<Edge> {
    tests.into_iter().flat_map(|test| &test.edges).map(|hit| hit.edge).collect()
}

/// What is known of a suite.
pub fn facts(module: &Module, tests: &[Traced], suites: &Suites) -> SuiteFacts {
    let traces = || tests.iter().map(|(_, trace)| trace);
    SuiteFacts {
        tests: tests.len(),
        method_executions: traces().map(|trace| trace.executions.len()).sum(),
        edges: suites.code.coverage(&edges(traces())),
        uncaught_exceptions: suites.code.exceptions(traces()).into_iter().collect(),
        left_out: suites.left_out.clone(),
        ..SuiteFacts::new(&module.name)
    }
}

/// The method executions of suites in one representation.
pub fn executed(state: StateRepresentation, suites: &[Vec<Traced>]) -> Vec<Vec<Executed>> {
    let mut representation = representation::of(state);
    let mut of_suite = |suite: &Vec<Traced>| suite.iter().map(|(_, test)| representation.executions(test)).collect();
    suites.iter().map(&mut of_suite).collect()
}
