//! Generating tests for a module: the table of contents of a run.

use crate::budget::Portion;
use crate::inputs::Inputs;
use crate::kept::{self, Earlier, Standing};
use crate::last_run::{Generated, LastRun, Place, ReusedResults};
use crate::search::{ClassesOf, Searched, search};
use crate::subject::ClassFiles;
use crate::task::{Task, writable_root};
use crate::{PipelineError, sources, specs, subject, suites, writing};
use host::classpath::ClassPath;
use host::output::{self, Tree};
use model::jvm::ClassName;
use model::options::Options;
use model::progress::{Event, Stage};
use report::Outcome;
use report::aging;
use report::specifications::SpecificationReport;
use report::{self, FileChanges, RunReport, Timing};
use std::path::PathBuf;

/// What came of a module.
pub struct ModuleRun {
    /// Of this run, or of the last one where that still holds.
    pub report: RunReport,
    /// `None` where the last run holds.
    pub timing: Option<Timing>,
    /// Where the report was written.
    pub reports_directory: PathBuf,
}

/// What becomes of a run's tests.
#[derive(Clone, Copy)]
pub enum Tests {
    /// They replace those in the project.
    Written,
    /// It is only said what would be written.
    Planned,
    /// They are not written, and those in the project are ignored.
    Left,
}

/// Generates and verifies tests for the classes for which the last run is no longer valid, and writes the reports. `None`
/// if the settings select no class of the module.
pub fn run_module(task: &Task, tests: Tests) -> Result<Option<ModuleRun>, PipelineError> {
    let Task { module, options, jdk, .. } = *task;
    let _module = tracing::info_span!("module", name = %module.name).entered();
    let class_path = ClassPath::open(&module.classes, &module.dependencies, jdk.feature_version)?;
    let own = class_path.read_own()?;
    let inputs = Inputs::read(module, options, jdk, &own);
    let (classes, mut beside) = subject::select(own, options);
    if classes.is_empty() {
        return Ok(None);
    }
    let excluded: Vec<ClassName> = beside.keys().cloned().collect();
    let of = classes.len();
    let is_own = |name: &ClassName| options.shard.is_none_or(|shard| shard.has(&name.binary()));
    let (classes, of_others): (ClassFiles, ClassFiles) = classes.into_iter().partition(|(name, _)| is_own(name));
    beside.extend(of_others);

    // Everything that can be refused is refused before the first sequence runs.
    if !matches!(tests, Tests::Left) {
        suites::check_libraries(task, &class_path)?;
    }
    let sandbox = sandbox::attainable(options.sandbox)?;
    let output_directory = module.output_directory(options);
    if let Some(sources) = module.main_sources_around(&output_directory).filter(|_| !matches!(tests, Tests::Left)) {
        let (module, sources) = (module.name.clone(), sources.to_path_buf());
        return Err(PipelineError::AmongMainSources { module, output: output_directory, sources });
    }
    let reports_directory = module.reports_directory(options);
    let root = writable_root(module, &output_directory);
    if !options.dry_run {
        let root = writable_root(module, &reports_directory);
        output::check_reports(&reports_directory, root, &report::fixed_names(&options.output_formats))?;
    }
    let tree = match tests {
        Tests::Written => Tree::open(&output_directory, root),
        _ => Tree::look(&output_directory, root),
    }?;

    let (reused, standing) = reuse(task, tests, &class_path, &inputs, &classes)?;
    if reused.is_whole {
        tracing::info!("the last run is still valid");
        let outcome = outcome(&reused.report, options, Outcome::Complete);
        let report = RunReport { outcome, ..reused.report };
        return Ok(Some(ModuleRun { report, timing: None, reports_directory }));
    }
    let (still_valid, classes): (ClassFiles, ClassFiles) = classes.into_iter().partition(|(name, _)| reused.has(name));
    beside.extend(still_valid);
    let portion = Portion { searched: classes.len(), of };
    // From scratch means that nothing of earlier runs counts, which only `--incremental=false` asks for.
    let is_continued = matches!(tests, Tests::Written | Tests::Planned)
        && options.incremental
        && !LastRun::is_of_others(&reports_directory, &Place::of(module, options));
    let earlier = is_continued.then_some(Earlier { directory: &output_directory, standing: &standing });
    let Searched { report, outcome: of_search, timing, mut generated, program } = search(
        task,
        earlier,
        &class_path,
        &inputs,
        &ClassesOf { classes: &classes, beside: &beside, excluded: &excluded },
        portion,
    )?;
    let report = RunReport { sandbox: sandbox.described(), ..report }.plain();

    task.listener.announce(Event::StageStarted(Stage::Writing));
    let mut report = report.join(reused.report);
    generated.add(reused.generated);
    report.files = match tests {
        Tests::Left => {
            FileChanges { directory: options.output_directory.display().to_string(), ..FileChanges::default() }
        }
        _ => {
            let is_whole = report.ended_early.is_none();
            let is_stale = writing::stale(program.as_ref(), is_whole, options, emitter::label::GENERATED);
            writing::write_tests(tree, &generated.tests, &is_stale, module, options)?
        }
    };
    report.outcome = outcome(&report, options, of_search);
    if !options.dry_run {
        write_reports(task, &report, &timing, &generated, &inputs)?;
    }
    Ok(Some(ModuleRun { report, timing: Some(timing), reports_directory }))
}

/// The results of the last run that are still valid, of some classes because their tests still pass.
fn reuse(
    task: &Task,
    tests: Tests,
    class_path: &ClassPath,
    inputs: &Inputs,
    classes: &ClassFiles,
) -> Result<(ReusedResults, Standing), PipelineError> {
    let Task { module, options, .. } = *task;
    let reports = module.reports_directory(options);
    let output_directory = module.output_directory(options);
    let directory = match tests {
        Tests::Left => None,
        Tests::Written | Tests::Planned => Some(&*output_directory),
    };
    let place = Place::of(module, options);
    let is_usable = |last_run: &LastRun| {
        options.incremental && last_run.report.shard == options.shard && last_run.is_continued_at(&place)
    };
    let Some(last_run) = LastRun::read(&reports).filter(is_usable) else { return Ok(Default::default()) };
    let last_run = last_run.without_accepted(&options.accept);
    let names: Vec<&ClassName> = classes.keys().collect();
    let dependents = directory.map(|directory| last_run.dependents(inputs, &names, directory, &reports));
    let standing = kept::standing(task, class_path, classes, &dependents.unwrap_or_default())?;
    Ok((last_run.reuse(inputs, (&names, &standing.classes), directory, &reports), standing))
}

/// How the run over this module ended.
fn outcome(report: &RunReport, options: &Options, of_search: Outcome) -> Outcome {
    let is_without_tests = report.classes.iter().all(|class| class.tests.is_empty() && class.changed.is_empty());
    match of_search {
        // A part of the module may well have none.
        Outcome::Complete if aging::has_changes(report) => Outcome::Changed,
        Outcome::Complete if options.fail_when_no_tests && options.shard.is_none() && is_without_tests => {
            Outcome::WithoutTests
        }
        other => other,
    }
}

/// Replaces the reports of the run before.
fn write_reports(
    task: &Task,
    report: &RunReport,
    timing: &Timing,
    generated: &Generated,
    inputs: &Inputs,
) -> Result<(), PipelineError> {
    let Task { module, options, .. } = *task;
    let texts = sources::texts(report, &module.project_root);
    let specification = specs::page::last(task).map(SpecificationReport::inferred);
    let reports = report::files(report, Some(timing), &texts, specification.as_ref(), &options.output_formats)?;
    let files =
        LastRun::new(inputs, Place::of(module, options), report.clone(), generated).files(reports, &generated.findings);
    let directory = module.reports_directory(options);
    let root = writable_root(module, &directory);
    Ok(output::write_reports(&directory, root, &module.name, &files)?)
}
