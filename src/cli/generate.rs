//! `randgen generate`: the table of contents of a run.

use super::args::GenerateArgs;
use super::budget::Budget;
use super::engine::{self, Engine, EngineError};
use super::exit::ExitCode;
use super::modules::{self, Task};
use super::reporting;
use super::sources::Sources;
use super::subject::{self, ClassFiles, Subject};
use super::suites::{self, Suites};
use super::{CommandError, changes, last_run, mutants, settings, step_summary};
use crate::classpath::{ClassPath, ClassPathError, Jdk, Module};
use crate::emitter;
use crate::generator::SHARDS;
use crate::jvm::ClassName;
use crate::options::{Component, Options, Origin};
use crate::output::{self, GeneratedFile, Header, OutputError, Tree};
use crate::program::Target;
use crate::progress::{Event, Listener, Stage};
use crate::report::changes::Changes;
use crate::report::{self, ExistingTests, FileChanges, RunReport, Timing};
use crate::supervisor::verification::VerificationError;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Generates tests for every module that the arguments select.
pub fn run(args: &GenerateArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    modules::each(&args.modules, interrupt, &mut |task| {
        let tests = if task.options.dry_run { Tests::Planned } else { Tests::Written };
        let Some(run) = run_module(task, tests)? else { return Ok(None) };
        task.console.finish();
        print!("{}", report::text(&run.report, &run.timing, &run.reports_directory.display().to_string()));
        step_summary::append(&report::markdown(&run.report), task.console);
        Ok(Some(run.exit_code))
    })
}

/// What came of a module.
pub(super) struct ModuleRun {
    pub exit_code: ExitCode,
    pub report: RunReport,
    pub timing: Timing,
    pub reports_directory: PathBuf,
    /// What the tests do on the other version.
    pub changes: Changes,
}

/// What becomes of a run's tests.
#[derive(Clone, Copy)]
pub(super) enum Tests<'a> {
    /// They replace those in the project.
    Written,
    /// It is only said what would be written.
    Planned,
    /// Those in the project have no part in it.
    Left,
    /// They are run on the classes of another version of the module, and nothing is reported of the run itself.
    HeldAgainst(&'a Module),
}

/// Generates, verifies and reports. `None` if the settings select no class of the module.
pub(super) fn run_module(task: &Task, tests: Tests) -> Result<Option<ModuleRun>, CommandError> {
    let Task { module, options, jdk, console: listener, interrupt } = *task;
    let inputs = last_run::inputs(module, options, jdk);
    let class_path = ClassPath::open(&module.classes, &module.dependencies, jdk.feature_version)?;
    let (classes, excluded) = select(&class_path, options)?;
    if classes.is_empty() {
        return Ok(None);
    }
    listener.announce(Event::ModuleStarted { module: module.name.clone(), classes: classes.len() });

    // Everything that can be refused is refused before the first sequence runs.
    let output_directory = module.output_directory(options);
    let reports_directory = module.reports_directory(options);
    let root = settings::writable_root(module, &output_directory);
    if !options.dry_run {
        let root = settings::writable_root(module, &reports_directory);
        output::check_reports(&reports_directory, root, &report::fixed_names(&options.output_formats))?;
    }
    let tree = match tests {
        Tests::Written => Tree::open(&output_directory, root),
        _ => Tree::look(&output_directory, root),
    }?;

    listener.announce(Event::StageStarted(Stage::Reading));
    let scratch = tempfile::Builder::new().prefix("randgen-").tempdir().map_err(CommandError::Scratch)?;
    // Tests run with a directory of their own on the class path, and code under test can tell: `getResource("")` finds it.
    let test_classes = scratch.path().join("test-classes");
    std::fs::create_dir(&test_classes).map_err(CommandError::Scratch)?;
    let searched = [test_classes].into_iter().chain(module.class_path()).collect();
    let target = suites::target(module, options, jdk, &class_path, &classes, scratch.path(), interrupt)?;
    // Time limits are for what is randgen's work, not for what Maven fetches.
    let started = Instant::now();
    let (own_tests, unread_tests) = read_tests(module, options, jdk);
    let mut warnings = class_path.warnings();
    warnings.extend(unread_tests);
    warnings.extend(target.warning.clone());
    for warning in &warnings {
        listener.announce(Event::Warned(warning.clone()));
    }
    let level = u16::from(target.style.source_level);
    let (subject, launch) =
        subject::open((&classes, &own_tests), options, jdk, level, searched, scratch.path(), interrupt)?;

    let testable = subject.program.targets.iter().filter(|target| !target.operations.is_empty()).count();
    let threads = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let time_limit_is_set = options.origin("time-limit") != Origin::Default;
    let budget = Budget::new(options, testable, started, time_limit_is_set);
    let engine_settings = engine::Settings {
        seed: options.seed,
        sequence_limit: options.sequence_limit,
        without: options.without.clone(),
        state: options.state,
        threads,
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
        class_path: &class_path,
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

    listener.announce(Event::StageStarted(Stage::Writing));
    let ended_early = engine.ended_early.as_ref().map(EngineError::to_string);
    let ended_early = ended_early.or(suites.ended_early.as_ref().map(VerificationError::to_string));
    let ended_early = ended_early.or(comparison_error.as_ref().map(VerificationError::to_string));
    let files = match tests {
        Tests::Left | Tests::HeldAgainst(_) => {
            FileChanges { directory: options.output_directory.display().to_string(), ..FileChanges::default() }
        }
        _ => write_tests(tree, &suites, &subject, ended_early.is_none(), module, options)?,
    };
    let sources = Sources { classes: &classes, module };
    let classes = reporting::classes(&subject, &engine, &suites, &excluded, sources, ended_early.is_some());
    let exit_code = if interrupt.load(Ordering::Relaxed) {
        ExitCode::Interrupted
    } else if engine.ended_early.is_some() || !matches!(suites.ended_early, None | Some(VerificationError::CutShort(_)))
    {
        ExitCode::Internal
    } else if options.fail_when_no_tests && classes.iter().all(|class| class.tests.is_empty()) {
        ExitCode::NothingTestable
    } else {
        ExitCode::Clean
    };
    let existing = &subject.program.existing_tests;
    let report = RunReport {
        version: env!("CARGO_PKG_VERSION").to_string(),
        module: module.name.clone(),
        seed: options.seed,
        sequence_limit: options.sequence_limit,
        ended_early,
        sequences: engine.found.standings.sequences,
        rounds: engine.found.standings.rounds,
        existing_tests: ExistingTests { classes: existing.classes, sequences: existing.sequences.len() },
        classes,
        unstable_sequences: engine.selection.unstable,
        findings_not_repeated: engine.findings_not_repeated,
        mutants: (!options.without.contains(&Component::Mutants)).then(|| mutants::report(&subject, &engine, &suites)),
        worker_deaths: reporting::worker_deaths(&subject, &engine),
        files,
        warnings,
        exit_code: exit_code as u8,
    };
    let worker_peak = worker_peak.load(Ordering::Relaxed);
    let timing = timing(&engine, started, threads, verification_started.elapsed(), worker_peak);
    if !options.dry_run && !matches!(tests, Tests::HeldAgainst(_)) {
        write_reports(&reports_directory, module, &report, &timing, &suites, options, &inputs)?;
    }
    Ok(Some(ModuleRun { exit_code, report, timing, reports_directory, changes }))
}

/// The class files that the options select, and the names of the others.
pub(super) fn select(class_path: &ClassPath, options: &Options) -> Result<Selection, ClassPathError> {
    let (selected, excluded): (Vec<_>, Vec<_>) =
        class_path.read_own()?.into_iter().partition(|(name, _)| options.selects_class(&name.binary()));
    Ok((selected.into_iter().collect(), excluded.into_iter().map(|(name, _)| name).collect()))
}

/// Class files, and names.
type Selection = (ClassFiles, Vec<ClassName>);

/// The class files of the module's own tests where the search learns from them, or a warning. Those that an earlier run
/// wrote are none: what is written would depend on it.
pub(super) fn read_tests(module: &Module, options: &Options, jdk: &Jdk) -> (ClassFiles, Option<String>) {
    if options.without.contains(&Component::ExistingTests) {
        return (ClassFiles::new(), None);
    }
    match module.read_tests(jdk.feature_version) {
        Ok(tests) => (tests.into_iter().filter(|(name, _)| !emitter::is_test(name)).collect(), None),
        Err(error) => (ClassFiles::new(), Some(format!("nothing is learnt from existing tests: {error}"))),
    }
}

/// Replaces the module's tests of the classes that this run was about; after a run that ended early, no others are removed.
fn write_tests(
    tree: Tree,
    suites: &Suites,
    subject: &Subject,
    is_whole: bool,
    module: &Module,
    options: &Options,
) -> Result<FileChanges, OutputError> {
    let files: Vec<GeneratedFile> = (suites.files.iter())
        .map(|file| GeneratedFile { path: file.relative_path().into(), text: file.text.clone() })
        .collect();
    let header = Header { version: env!("CARGO_PKG_VERSION"), module: &module.name, seed: options.seed };
    let types = &subject.program.types;
    let is_stale = |path: &Path| {
        let of_class = |target: &Target| emitter::is_test_of(path, &target.name, types);
        is_whole && (options.target_classes.is_empty() || subject.program.targets.iter().any(of_class))
    };
    let plan = tree.plan(&files, &header, is_stale)?;
    let changes = if options.dry_run { plan.changes().clone() } else { tree.commit(plan)? };
    let names = |paths: &[PathBuf]| paths.iter().map(|path| path.to_string_lossy().replace('\\', "/")).collect();
    Ok(FileChanges {
        directory: options.output_directory.display().to_string(),
        written: names(&changes.written),
        unchanged: names(&changes.unchanged),
        kept: names(&changes.kept),
        removed: names(&changes.removed),
    })
}

/// Replaces the reports of the run before; a finding's test stands beside them, as it fails.
fn write_reports(
    directory: &Path,
    module: &Module,
    report: &RunReport,
    timing: &Timing,
    suites: &Suites,
    options: &Options,
    inputs: &str,
) -> Result<(), CommandError> {
    let mut reports = report::files(report, timing, &options.output_formats)?;
    reports.extend(last_run::record(inputs, report, &reports));
    let mut files: Vec<GeneratedFile> =
        reports.into_iter().map(|file| GeneratedFile { path: file.name.into(), text: file.text }).collect();
    files.extend(
        suites.finding_files.iter().map(|file| GeneratedFile {
            path: Path::new("findings").join(file.relative_path()),
            text: file.text.clone(),
        }),
    );
    let root = settings::writable_root(module, directory);
    Ok(output::write_reports(directory, root, &module.name, &files)?)
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
            ("selection", engine.selection_time),
            ("minimization of findings", engine.minimization_time),
            ("verification", verification_time),
        ]
        .map(|(name, time)| (name.to_string(), time.as_secs_f64()))
        .to_vec(),
        coverage: engine.coverage.clone(),
    }
}
