//! A run from class files to verified tests and their report; nothing is written yet.

use crate::budget::{Budget, Portion};
use crate::engine::{self, Engine, EngineError};
use crate::inputs::Inputs;
use crate::kept::{Earlier, Kept};
use crate::last_run::Generated;
use crate::sources::Sources;
use crate::spent::{Spent, Stopwatch};
use crate::subject::{self, ClassFiles, Source, Subject};
use crate::suites::{self, Suites, TestTarget};
use crate::task::Task;
use crate::{PipelineError, kept, mutants, reporting, task};
use host::classpath::ClassPath;
use host::supervisor::Launch;
use host::supervisor::verification::VerificationError;
use model::jvm::ClassName;
use model::options::{Component, Options, Origin};
use model::progress::{Event, Stage};
use program::Program;
use report::Outcome;
use report::{ExistingTests, RunReport, Timing};
use search::generator::SHARDS;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The results of a search.
pub struct Searched {
    /// Without the changes of files.
    pub report: RunReport,
    /// How the search ended; writing its results may fail later.
    pub outcome: Outcome,
    /// How long each stage took; it goes to a file of its own, as no two runs agree on it.
    pub timing: Timing,
    /// The sources of tests and findings, not written yet.
    pub generated: Generated,
    /// `None` if there were no classes to search.
    pub program: Option<Program>,
}

/// The classes of a module by what a search does with them.
pub struct ClassesOf<'a> {
    /// It tests them.
    pub classes: &'a ClassFiles,
    /// It only uses their objects.
    pub beside: &'a ClassFiles,
    /// Those of `beside` that the settings exclude.
    pub excluded: &'a [ClassName],
}

/// Searches the classes of the module; excluded classes are only listed in the report. Tests of earlier runs stay as long as
/// they hold.
pub fn search(
    task: &Task,
    earlier: Option<Earlier>,
    class_path: &ClassPath,
    inputs: &Inputs,
    of_module: &ClassesOf,
    portion: Portion,
) -> Result<Searched, PipelineError> {
    let Task { module, options, listener, interrupt, .. } = *task;
    let ClassesOf { classes, excluded, .. } = *of_module;
    let report = report_without_results(task, excluded);
    if classes.is_empty() {
        let (timing, generated) = Default::default();
        return Ok(Searched { report, outcome: Outcome::Complete, timing, generated, program: None });
    }
    listener.announce(Event::ModuleStarted { module: module.name.clone(), classes: classes.len() });
    listener.announce(Event::StageStarted(Stage::Reading));
    let scratch = task::scratch()?;
    let target = suites::target(task, class_path, classes, scratch.path())?;
    // The time limits do not include what Maven downloads for the target.
    let (started, reading) = (Instant::now(), Stopwatch::start());
    let ReadProgram { subject, launch, warnings } = open(task, class_path, of_module, &target, scratch.path())?;

    let threads = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let budget = budget(options, &subject, portion, started);
    let examine = |earlier| {
        let (subject, target, budget, scratch) = (&subject, &target, &budget, scratch.path());
        let is_whole = portion.searched == portion.of;
        kept::examine(&kept::Request { task, subject, class_path, target, budget, is_whole, scratch }, earlier)
    };
    let kept = earlier.map(examine).transpose()?.unwrap_or_default();
    let budget = if kept.classes.is_empty() { budget } else { budget.after_earlier_tests() };
    let engine_settings = settings(options, portion, threads, &kept, &target);
    let worker_peak = launch.peak_bytes.clone();
    tracing::info!(
        classes = classes.len(),
        operations = subject.program.operations.len(),
        probes = launch.probe_count,
        threads,
        "program read"
    );
    let read = reading.spent();
    let engine = engine::run(&subject, launch, &engine_settings, &budget, listener)?;

    listener.announce(Event::StageStarted(Stage::Verifying));
    let verifying = Stopwatch::start();
    let request = suites::Request {
        subject: &subject,
        classes,
        engine: &engine,
        task: *task,
        class_path,
        target: &target,
        kept: &kept,
        budget: &budget,
        scratch: scratch.path(),
    };
    let suites = suites::make(&request);
    tracing::info!(
        tests = suites.files.len(),
        findings = suites.finding_files.len(),
        ended_early = suites.ended_early.is_some(),
        "suite verified"
    );

    let ended_early = engine.ended_early.as_ref().map(EngineError::to_string);
    let ended_early = ended_early.or(suites.ended_early.as_ref().map(VerificationError::to_string));
    let outcome = outcome(&engine, suites.ended_early.as_ref(), interrupt.load(Ordering::Relaxed));
    let of_search = report_on(&request, &suites, classes, RunReport { ended_early, warnings, ..RunReport::default() });
    let called = reporting::called_classes(&subject, &engine, (&suites, &kept), classes.keys(), inputs);
    let (tests, findings) = (suites::generated_files(&suites.files), suites::generated_files(&suites.finding_files));
    let generated = Generated { tests, findings, called };
    let peak = worker_peak.load(Ordering::Relaxed);
    let timing = timing(&engine, started, threads, [read, verifying.spent()], peak);
    let report = report.join(of_search);
    Ok(Searched { report, outcome, timing, generated, program: Some(subject.program) })
}

/// The report of a module before its search.
fn report_without_results(task: &Task, excluded: &[ClassName]) -> RunReport {
    let Task { module, options, .. } = *task;
    RunReport {
        version: env!("CARGO_PKG_VERSION").to_string(),
        module: module.name.clone(),
        seed: options.seed,
        sequence_limit: options.sequence_limit,
        shard: options.shard,
        classes: reporting::excluded(excluded),
        ..RunReport::default()
    }
}

/// The program under test, and how its workers start.
struct ReadProgram {
    subject: Subject,
    launch: Launch,
    /// Announced already.
    warnings: Vec<String>,
}

/// Reads the program and its existing tests.
fn open(
    task: &Task,
    class_path: &ClassPath,
    ClassesOf { classes, beside, .. }: &ClassesOf,
    target: &TestTarget,
    scratch: &Path,
) -> Result<ReadProgram, PipelineError> {
    let Task { module, options, jdk, listener, interrupt } = *task;
    // Like the directory of the test classes in the user's build: code under test finds it with `getResource("")`.
    let test_classes = scratch.join("test-classes");
    std::fs::create_dir(&test_classes).map_err(PipelineError::Scratch)?;
    let worker_class_path = [test_classes].into_iter().chain(module.class_path()).collect();
    let (own_tests, unread_tests) = subject::read_tests(module, options, jdk);
    let mut warnings = class_path.warnings();
    warnings.extend(unread_tests);
    warnings.extend(target.warnings.clone());
    for warning in &warnings {
        listener.announce(Event::Warned(warning.clone()));
    }
    let level = u16::from(target.style.source_level);
    let source = Source { classes, beside, tests: &own_tests, level, class_path: worker_class_path };
    let (mut subject, launch) = subject::open(source, options, jdk, scratch, interrupt)?;
    if !options.disable.contains(&Component::ExistingTests) {
        subject.program.learn_documents(&module.read_documents());
    }
    Ok(ReadProgram { subject, launch, warnings })
}

/// The time limits of a search that started then.
fn budget(options: &Options, subject: &Subject, portion: Portion, started: Instant) -> Budget {
    let testable = subject.program.targets.iter().filter(|target| !target.operations.is_empty()).count();
    Budget::new(options, testable, portion, started, options.origin("time-limit") != Origin::Default)
}

/// What the options say to the search.
fn settings<'a>(
    options: &Options,
    portion: Portion,
    threads: usize,
    kept: &'a Kept,
    target: &'a TestTarget,
) -> engine::Settings<'a> {
    engine::Settings {
        seed: options.seed,
        sequence_limit: options.sequence_limit.map(|limit| portion.of_sequences(limit)),
        disabled: options.disable.clone(),
        state: options.state_abstraction,
        threads,
        min_confidence: options.min_confidence,
        access: options.access,
        implicit_exceptions: options.implicit_exceptions,
        held: &kept.held,
        style: &target.style,
    }
}

/// How the search ended. Verification that is cut short by the time limit is no failure.
fn outcome(engine: &Engine, of_suites: Option<&VerificationError>, is_interrupted: bool) -> Outcome {
    if is_interrupted {
        Outcome::Interrupted
    } else if engine.ended_early.is_some() || !matches!(of_suites, None | Some(VerificationError::CutShort(_))) {
        Outcome::Failed
    } else {
        Outcome::Complete
    }
}

/// Adds the results of the search and its tests to the report.
fn report_on(request: &suites::Request, suites: &Suites, classes: &ClassFiles, report: RunReport) -> RunReport {
    let suites::Request { subject, engine, task, kept, .. } = *request;
    let Task { module, options, .. } = task;
    let existing = &subject.program.existing_tests;
    let found = &engine.result.statistics;
    let sources = Sources { classes, module };
    RunReport {
        classes: reporting::classes(subject, engine, (suites, kept), sources, report.ended_early.is_some()),
        sequences: found.sequences,
        rounds: found.rounds,
        progress: engine.progress.clone(),
        existing_tests: ExistingTests { classes: existing.classes, sequences: existing.sequences.len() },
        unstable_sequences: engine.selection.unstable,
        unrefined_tests: engine.selection.tests.iter().filter(|test| test.is_unrefined).count(),
        findings_not_repeated: engine.findings_not_repeated,
        rule_hits: engine.rule_hits.iter().map(|(id, count)| (id.to_string(), count)).collect(),
        mutants: (!options.disable.contains(&Component::Mutants))
            .then(|| mutants::report(subject, engine, suites, kept)),
        worker_deaths: reporting::worker_deaths(subject, engine),
        ..report
    }
}

fn timing(
    engine: &Engine,
    started: Instant,
    threads: usize,
    [read, verified]: [Spent; 2],
    worker_peak_bytes: u64,
) -> Timing {
    let search_seconds = engine.search_time.time.as_secs_f64();
    let usage = host::process::usage();
    let stages = [
        ("reading", read),
        ("search", engine.search_time),
        ("minimization of findings", engine.minimization_time),
        ("selection", engine.selection_time),
        ("verification", verified),
    ];
    let seconds = |part: fn(&Spent) -> Duration| {
        stages.iter().map(|(name, spent)| (name.to_string(), part(spent).as_secs_f64())).collect()
    };
    Timing {
        seconds: started.elapsed().as_secs_f64(),
        search_seconds,
        sequences_per_second: engine.result.statistics.sequences as f64 / search_seconds.max(0.001),
        first_sequence_seconds: engine.first_sequence_after.as_secs_f64(),
        cpu_seconds: usage.cpu.as_secs_f64(),
        supervisor_peak_bytes: usage.own_peak_bytes,
        worker_peak_bytes,
        workers: threads.min(SHARDS),
        cpu_of_stages: seconds(|spent| spent.cpu),
        stages: seconds(|spent| spent.time),
        coverage: engine.coverage.clone(),
    }
}
