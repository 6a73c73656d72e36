//! `randgen generate`: the table of contents of a run.

use super::args::GenerateArgs;
use super::budget::Portion;
use super::exit::ExitCode;
use super::inputs::Inputs;
use super::last_run::{Generated, Kept, LastRun};
use super::modules::{self, Task};
use super::search::{Searched, search};
use super::subject::ClassFiles;
use super::{CommandError, settings, sources, specs, step_summary};
use crate::classpath::{ClassPath, Jdk, Module};
use crate::emitter;
use crate::jvm::ClassName;
use crate::options::{Component, Options};
use crate::output::{self, GeneratedFile, Header, OutputError, Tree};
use crate::program::Program;
use crate::progress::{Event, Listener, Stage};
use crate::report::changes::Changes;
use crate::report::specifications::SpecificationReport;
use crate::report::{self, FileChanges, RunReport, Timing};
use crate::sandbox;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Generates tests for every module that the arguments select.
pub fn run(args: &GenerateArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    modules::each(&args.modules, interrupt, &mut |task| {
        let tests = if task.options.dry_run { Tests::Planned } else { Tests::Written };
        specs::check_files(task)?;
        let Some(run) = run_module(task, tests)? else { return Ok(None) };
        task.console.finish();
        let reports = run.reports_directory.display().to_string();
        print!(
            "{}",
            match &run.timing {
                Some(timing) => report::text(&run.report, Some(timing), &reports),
                None => report::text_of_last_run(&run.report, &reports),
            }
        );
        step_summary::append(&report::markdown(&run.report), task.console);
        // Like findings, broken specifications are told here and judged by `check`.
        specs::check(task, &run.report)?;
        Ok(Some(run.exit_code))
    })
}

/// What came of a module.
pub(super) struct ModuleRun {
    pub exit_code: ExitCode,
    pub report: RunReport,
    /// `None` where the last run holds.
    pub timing: Option<Timing>,
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

/// Generates, verifies and reports what the last run does not say already. `None` if the settings select no class of the
/// module.
pub(super) fn run_module(task: &Task, tests: Tests) -> Result<Option<ModuleRun>, CommandError> {
    let Task { module, options, jdk, .. } = *task;
    let class_path = ClassPath::open(&module.classes, &module.dependencies, jdk.feature_version)?;
    let own = class_path.read_own()?;
    let inputs = Inputs::read(module, options, jdk, &own);
    let (mut classes, excluded) = select(own, options);
    if classes.is_empty() {
        return Ok(None);
    }
    let of = classes.len();
    classes.retain(|name, _| options.shard.is_none_or(|shard| shard.has(&name.binary())));

    // Everything that can be refused is refused before the first sequence runs.
    let sandbox = sandbox::attainable(options.sandbox)?;
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

    let kept = keep(task, tests, &inputs, &classes);
    if kept.is_whole {
        let exit_code = exit_code(&kept.report, options, ExitCode::Clean);
        let (report, changes) = (kept.report, Changes::default());
        return Ok(Some(ModuleRun { exit_code, report, timing: None, reports_directory, changes }));
    }
    classes.retain(|name, _| !kept.has(name));
    let portion = Portion { searched: classes.len(), of };
    let Searched { report, exit_code: of_search, timing, mut generated, changes, program } =
        search(task, tests, &class_path, &inputs, (&classes, &excluded), portion)?;
    let report = RunReport { sandbox: sandbox.to_string(), ..report };

    task.console.announce(Event::StageStarted(Stage::Writing));
    let mut report = report.join(kept.report);
    generated.add(kept.generated);
    report.files = match tests {
        Tests::Left | Tests::HeldAgainst(_) => {
            FileChanges { directory: options.output_directory.display().to_string(), ..FileChanges::default() }
        }
        _ => {
            let is_whole = report.ended_early.is_none();
            let is_stale = stale(program.as_ref(), is_whole, options, emitter::label::GENERATED);
            write_tests(tree, &generated.tests, &is_stale, module, options)?
        }
    };
    let exit_code = exit_code(&report, options, of_search);
    report.exit_code = exit_code as u8;
    if !options.dry_run && !matches!(tests, Tests::HeldAgainst(_)) {
        write_reports(task, &report, &timing, &generated, &inputs)?;
    }
    Ok(Some(ModuleRun { exit_code, report, timing: Some(timing), reports_directory, changes }))
}

/// What of the last run need not be done again.
fn keep(task: &Task, tests: Tests, inputs: &Inputs, classes: &ClassFiles) -> Kept {
    let Task { module, options, .. } = *task;
    let reports = module.reports_directory(options);
    let output_directory = module.output_directory(options);
    let directory = match tests {
        Tests::HeldAgainst(_) => return Kept::default(),
        Tests::Left => None,
        Tests::Written | Tests::Planned => Some(&*output_directory),
    };
    let is_usable = |last_run: &LastRun| options.incremental && last_run.report.shard == options.shard;
    let last_run = LastRun::read(&reports).filter(is_usable);
    let names: Vec<&ClassName> = classes.keys().collect();
    last_run.map(|last_run| last_run.keep(inputs, &names, directory, &reports)).unwrap_or_default()
}

/// Of the process, as far as this module decides it.
fn exit_code(report: &RunReport, options: &Options, of_search: ExitCode) -> ExitCode {
    let is_without_tests = report.classes.iter().all(|class| class.tests.is_empty());
    match of_search {
        // A part of the module may well have none.
        ExitCode::Clean if options.fail_when_no_tests && options.shard.is_none() && is_without_tests => {
            ExitCode::NothingTestable
        }
        other => other,
    }
}

/// Those of a module's class files that the options select, and the names of the others.
pub(super) fn select(own: Vec<(ClassName, Vec<u8>)>, options: &Options) -> (ClassFiles, Vec<ClassName>) {
    let (selected, excluded): (Vec<_>, Vec<_>) =
        own.into_iter().partition(|(name, _)| options.selects_class(&name.binary()));
    (selected.into_iter().collect(), excluded.into_iter().map(|(name, _)| name).collect())
}

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

/// Which tests of earlier runs with the label are of the classes that this run was about; after a run that ended early, none
/// is removed.
pub(super) fn stale(
    program: Option<&Program>,
    is_whole: bool,
    options: &Options,
    label: &'static str,
) -> impl Fn(&Path) -> bool {
    let is_about_all = options.target_classes.is_empty() && options.shard.is_none();
    move |path| {
        let is_of = |program: &Program| {
            program.targets.iter().any(|target| emitter::is_test_of(path, &target.name, &program.types, label))
        };
        is_whole && (is_about_all && emitter::is_test_file(path, label) || program.is_some_and(is_of))
    }
}

/// Replaces tests in the module, and removes those that are stale.
pub(super) fn write_tests(
    tree: Tree,
    files: &[GeneratedFile],
    is_stale: &dyn Fn(&Path) -> bool,
    module: &Module,
    options: &Options,
) -> Result<FileChanges, OutputError> {
    let header = Header { version: env!("CARGO_PKG_VERSION"), module: &module.name, seed: options.seed };
    let plan = tree.plan(files, &header, is_stale)?;
    let changes = if options.dry_run { plan.changes().clone() } else { tree.commit(plan)? };
    Ok(file_changes(options.output_directory.display().to_string(), &changes))
}

/// For the report.
pub(super) fn file_changes(directory: String, changes: &output::Changes) -> FileChanges {
    let names = |paths: &[PathBuf]| paths.iter().map(|path| path.to_string_lossy().replace('\\', "/")).collect();
    FileChanges {
        directory,
        written: names(&changes.written),
        unchanged: names(&changes.unchanged),
        kept: names(&changes.kept),
        removed: names(&changes.removed),
    }
}

/// Replaces the reports of the run before.
fn write_reports(
    task: &Task,
    report: &RunReport,
    timing: &Timing,
    generated: &Generated,
    inputs: &Inputs,
) -> Result<(), CommandError> {
    let Task { module, options, .. } = *task;
    let texts = sources::texts(report, &module.project_root);
    let specification = specs::page::last(task).map(SpecificationReport::inferred);
    let reports = report::files(report, Some(timing), &texts, specification.as_ref(), &options.output_formats)?;
    let files = LastRun::new(inputs, report.clone(), generated).files(reports, &generated.findings);
    let directory = module.reports_directory(options);
    let root = settings::writable_root(module, &directory);
    Ok(output::write_reports(&directory, root, &module.name, &files)?)
}
