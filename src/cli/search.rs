//! A run from class files to verified tests and what is to be said of them: nothing is written yet.

use super::budget::{Budget, Portion};
use super::engine::{self, Engine, EngineError};
use super::exit::ExitCode;
use super::generate::{self, Tests};
use super::inputs::Inputs;
use super::last_run::Generated;
use super::modules::Task;
use super::sources::Sources;
use super::subject::{self, ClassFiles};
use super::suites;
use super::{CommandError, changes, mutants, reporting};
use crate::classpath::ClassPath;
use crate::generator::SHARDS;
use crate::jvm::ClassName;
use crate::options::{Component, Origin};
use crate::program::Program;
use crate::progress::{Event, Listener, Stage};
use crate::report::changes::Changes;
use crate::report::{ExistingTests, RunReport, Timing};
use crate::supervisor::verification::VerificationError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What a search gave.
pub struct Searched {
    /// Says nothing of files yet.
    pub report: RunReport,
    pub exit_code: ExitCode,
    pub timing: Timing,
    pub generated: Generated,
    /// What the tests do on the version that they are held against.
    pub changes: Changes,
    /// `None` where there was nothing to search.
    pub program: Option<Program>,
}

/// Searches the classes of the module, those that are excluded by the settings being named in the report alone.
pub fn search(
    task: &Task,
    tests: Tests,
    class_path: &ClassPath,
    inputs: &Inputs,
    (classes, excluded): (&ClassFiles, &[ClassName]),
    portion: Portion,
) -> Result<Searched, CommandError> {
    let Task { module, options, jdk, console: listener, interrupt } = *task;
    let report = RunReport {
        version: env!("CARGO_PKG_VERSION").to_string(),
        module: module.name.clone(),
        seed: options.seed,
        sequence_limit: options.sequence_limit,
        shard: options.shard,
        classes: reporting::excluded(excluded),
        ..RunReport::default()
    };
    if classes.is_empty() {
        let (timing, generated, changes) = Default::default();
        return Ok(Searched { report, exit_code: ExitCode::Clean, timing, generated, changes, program: None });
    }
    listener.announce(Event::ModuleStarted { module: module.name.clone(), classes: classes.len() });
    listener.announce(Event::StageStarted(Stage::Reading));
    let scratch = tempfile::Builder::new().prefix("randgen-").tempdir().map_err(CommandError::Scratch)?;
    // Tests run with a directory of their own on the class path, and code under test can tell: `getResource("")` finds it.
    let test_classes = scratch.path().join("test-classes");
    std::fs::create_dir(&test_classes).map_err(CommandError::Scratch)?;
    let searched = [test_classes].into_iter().chain(module.class_path()).collect();
    let target = suites::target(module, options, jdk, class_path, classes, scratch.path(), interrupt)?;
    // Time limits are for what is randgen's work, not for what Maven fetches.
    let started = Instant::now();
    let (own_tests, unread_tests) = generate::read_tests(module, options, jdk);
    let mut warnings = class_path.warnings();
    warnings.extend(unread_tests);
    warnings.extend(target.warning.clone());
    for warning in &warnings {
        listener.announce(Event::Warned(warning.clone()));
    }
    let level = u16::from(target.style.source_level);
    let (subject, launch) =
        subject::open((classes, &own_tests), options, jdk, level, searched, scratch.path(), interrupt)?;

    let testable = subject.program.targets.iter().filter(|target| !target.operations.is_empty()).count();
    let threads = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let time_limit_is_set = options.origin("time-limit") != Origin::Default;
    let budget = Budget::new(options, testable, portion, started, time_limit_is_set);
    let engine_settings = engine::Settings {
        seed: options.seed,
        sequence_limit: options.sequence_limit.map(|limit| portion.of_sequences(limit)),
        without: options.without.clone(),
        state: options.state,
        threads,
        min_confidence: options.min_confidence,
        style: &target.style,
    };
    let worker_peak = launch.peak_bytes.clone();
    let engine = engine::run(&subject, launch, &engine_settings, &budget, listener)?;

    listener.announce(Event::StageStarted(Stage::Verifying));
    let verification_started = Instant::now();
    let request = suites::Request {
        subject: &subject,
        engine: &engine,
        module,
        options,
        jdk,
        class_path,
        target: &target,
        budget: &budget,
        scratch: scratch.path(),
        interrupt,
    };
    let suites = suites::make(&request);
    let (changes, comparison_error) = match tests {
        Tests::HeldAgainst(now) => changes::find(&request, &suites, now),
        _ => Default::default(),
    };

    let ended_early = engine.ended_early.as_ref().map(EngineError::to_string);
    let ended_early = ended_early.or(suites.ended_early.as_ref().map(VerificationError::to_string));
    let ended_early = ended_early.or(comparison_error.as_ref().map(VerificationError::to_string));
    let exit_code = if interrupt.load(Ordering::Relaxed) {
        ExitCode::Interrupted
    } else if engine.ended_early.is_some() || !matches!(suites.ended_early, None | Some(VerificationError::CutShort(_)))
    {
        ExitCode::Internal
    } else {
        ExitCode::Clean
    };
    let existing = &subject.program.existing_tests;
    let sources = Sources { classes, module };
    let of_search = RunReport {
        classes: reporting::classes(&subject, &engine, &suites, sources, ended_early.is_some()),
        ended_early,
        sequences: engine.found.standings.sequences,
        rounds: engine.found.standings.rounds,
        progress: engine.progress.clone(),
        existing_tests: ExistingTests { classes: existing.classes, sequences: existing.sequences.len() },
        unstable_sequences: engine.selection.unstable,
        findings_not_repeated: engine.findings_not_repeated,
        mutants: (!options.without.contains(&Component::Mutants)).then(|| mutants::report(&subject, &engine, &suites)),
        worker_deaths: reporting::worker_deaths(&subject, &engine),
        warnings,
        ..RunReport::default()
    };
    let called = reporting::called_classes(&subject, &engine, &suites, classes.keys(), inputs);
    let (tests, findings) = (suites::generated_files(&suites.files), suites::generated_files(&suites.finding_files));
    let generated = Generated { tests, findings, called };
    let worker_peak = worker_peak.load(Ordering::Relaxed);
    let timing = timing(&engine, started, threads, verification_started.elapsed(), worker_peak);
    let report = report.join(of_search);
    Ok(Searched { report, exit_code, timing, generated, changes, program: Some(subject.program) })
}

fn timing(
    engine: &Engine,
    started: Instant,
    threads: usize,
    verification_time: Duration,
    worker_peak_bytes: u64,
) -> Timing {
    let search_seconds = engine.search_time.as_secs_f64();
    let usage = crate::process::usage();
    Timing {
        seconds: started.elapsed().as_secs_f64(),
        search_seconds,
        sequences_per_second: engine.found.standings.sequences as f64 / search_seconds.max(0.001),
        first_sequence_seconds: engine.first_sequence_after.as_secs_f64(),
        cpu_seconds: usage.cpu.as_secs_f64(),
        supervisor_peak_bytes: usage.own_peak_bytes,
        worker_peak_bytes,
        workers: threads.min(SHARDS),
        stages: [
            ("search", engine.search_time),
            ("minimization of findings", engine.minimization_time),
            ("selection", engine.selection_time),
            ("verification", verification_time),
        ]
        .map(|(name, time)| (name.to_string(), time.as_secs_f64()))
        .to_vec(),
        coverage: engine.coverage.clone(),
    }
}
