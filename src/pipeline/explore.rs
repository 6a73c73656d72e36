//! Exploration: the states that objects of one class can be brought to, each with the test that gets there.

mod suite;
mod symbolic;

use crate::PipelineError;
use crate::engine::EngineError;
use crate::subject::{self, ClassFiles, Source, Subject};
use crate::task::{Task, writable_root};
use crate::{suites, task, writing};
use host::classpath::ClassPath;
use host::output::{self, Tree};
use host::supervisor::{Launch, WorkerExecutor};
use model::jvm::ClassName;
use model::options::SettingValue;
use model::progress::{Event, Stage};
use model::sequence::OperationId;
use report::Coverage;
use report::exploration::{EXPLORE_FILES, Ended, ExploreReport, IterationReport, MOST_TESTS};
use search::explorer::{
    self, ExplorationEnd, ExplorationLimits, ExplorationPlan, ExplorationRequest, ExplorationSpace, Iteration,
    Outcomes, PlanError, PlannedCall,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use suite::Request;

/// Why there is nothing to explore.
#[derive(Debug, thiserror::Error)]
pub enum ExploreError {
    /// No module has a class of this name.
    #[error("there is no class {class} in {}", modules.join(", "))]
    UnknownClass {
        /// As the user wrote it.
        class: String,
        /// Names of the modules that were searched.
        modules: Vec<String>,
    },
    /// Several packages have a class of this simple name.
    #[error("{class} may be each of {}", classes.join(", "))]
    AmbiguousClass {
        /// As the user wrote it.
        class: String,
        /// Their binary names.
        classes: Vec<String>,
    },
    /// The class file is malformed, or its class cannot be used.
    #[error("cannot read the class {class}: {reason}")]
    Unreadable {
        /// Its name.
        class: ClassName,
        /// What is wrong with it.
        reason: String,
    },
    /// Each call that makes an object of the class failed.
    #[error("no object of {class} was made: all {calls} calls that make one threw, hung or ended the JVM")]
    NothingMade {
        /// The explored class.
        class: ClassName,
        /// The calls that were tried.
        calls: usize,
    },
    /// The methods or arguments that the user chose do not fit the class.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// What to explore, and how far.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The class, by its binary or simple name.
    pub class: String,
    /// Only these methods; empty for all.
    pub methods: Vec<String>,
    /// Values for methods, constructors or types, such as `new=1`.
    pub arguments: Vec<String>,
    /// Calls on an object, one after the other.
    pub iterations: u32,
    /// The exploration ends before it stores more states than this.
    pub max_states: u32,
    /// Numbers among the arguments stand for all numbers at once.
    pub symbolic: bool,
    /// Which steps become tests.
    pub keep: Keep,
}

/// What an exploration writes tests for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Each new state.
    #[default]
    NewStates,
    /// Each call that takes a new edge.
    NewEdges,
    /// No step: there is a report, and no tests.
    Nothing,
}

impl Keep {
    /// As settings and reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Keep::NewStates => "new-states",
            Keep::NewEdges => "new-edges",
            Keep::Nothing => "nothing",
        }
    }
}

/// What an exploration announces while it works.
pub enum Progress<'a> {
    /// The plan is made; nothing ran yet.
    Started(&'a ExploreReport),
    /// An iteration ended, which took so many seconds.
    Iteration(&'a IterationReport, f64),
}

/// What was found, and where it was written.
pub struct Answer {
    /// The whole exploration.
    pub report: ExploreReport,
    /// `None` after a dry run.
    pub file: Option<PathBuf>,
}

/// Explores the class in the task's module; `None` if the module has no such class.
pub fn explore(
    settings: &Settings,
    task: &Task,
    progress: &mut dyn FnMut(Progress),
) -> Result<Option<Answer>, PipelineError> {
    let class_path = ClassPath::open(&task.module.classes, &task.module.dependencies, task.jdk.feature_version)?;
    let classes: ClassFiles = class_path.read_own()?.into_iter().collect();
    let Some(class) = class_called(&settings.class, &classes)? else { return Ok(None) };
    explore_class(settings, task, &class_path, &classes, &class, progress).map(Some)
}

/// The class with the name, or the only one that is so called in some package.
fn class_called(name: &str, classes: &ClassFiles) -> Result<Option<ClassName>, ExploreError> {
    let whole = ClassName::from_binary(name);
    if classes.contains_key(&whole) {
        return Ok(Some(whole));
    }
    let found: Vec<&ClassName> = classes.keys().filter(|class| class.simple() == name).collect();
    match found[..] {
        [] => Ok(None),
        [class] => Ok(Some(class.clone())),
        _ => {
            let classes = found.into_iter().map(ClassName::binary).collect();
            Err(ExploreError::AmbiguousClass { class: name.to_string(), classes })
        }
    }
}

fn explore_class(
    settings: &Settings,
    task: &Task,
    class_path: &ClassPath,
    classes: &ClassFiles,
    class: &ClassName,
    progress: &mut dyn FnMut(Progress),
) -> Result<Answer, PipelineError> {
    let Task { module, options, jdk, listener, interrupt } = *task;
    listener.announce(Event::ModuleStarted { module: module.name.clone(), classes: 1 });
    listener.announce(Event::StageStarted(Stage::Reading));
    // Everything that can be refused is refused before the first sequence runs.
    sandbox::attainable(options.sandbox)?;
    let reports = module.reports_directory(options);
    let tests = module.output_directory(options);
    let root = writable_root(module, &tests);
    if !options.dry_run {
        output::check_reports(&reports, writable_root(module, &reports), &EXPLORE_FILES)?;
    }
    let tree = match settings.keep {
        Keep::Nothing => None,
        _ if options.dry_run => Some(Tree::look(&tests, root)?),
        _ => Some(Tree::open(&tests, root)?),
    };
    let scratch = task::scratch()?;
    let level = subject::source_level(module, classes, jdk);
    let none = ClassFiles::new();
    let source = Source { classes, beside: &none, tests: &none, level, class_path: module.class_path() };
    let (subject, launch) = subject::open(source, options, jdk, scratch.path(), interrupt)?;
    if let Some((_, reason)) = subject.unreadable.iter().find(|(name, _)| name == class) {
        return Err(ExploreError::Unreadable { class: class.clone(), reason: reason.clone() }.into());
    }
    let wanted = ExplorationRequest { methods: &settings.methods, arguments: &settings.arguments };
    let plan = explorer::plan(&subject.program, class, &wanted).map_err(ExploreError::from)?;
    // JUnit may have to be fetched: only once nothing else can be wrong.
    let target = match &tree {
        Some(_) => Some(suites::target(task, class_path, classes, scratch.path())?),
        None => None,
    };
    for warning in class_path.warnings().into_iter().chain(target.iter().flat_map(|target| target.warnings.clone())) {
        listener.announce(Event::Warned(warning));
    }

    listener.announce(Event::StageStarted(Stage::Generating));
    let launch = Arc::new(launch);
    let is_edge = edges_of(&subject, class);
    let exploring =
        Exploring { settings, task, class, subject: &subject, plan: &plan, launch: &launch, is_edge: &is_edge };
    let mut exploration =
        if settings.symbolic { symbolic::explore(&exploring, progress)? } else { explore_calls(&exploring, progress)? };
    if exploration.report.iterations.first().is_none_or(|first| first.states == 0) {
        return Err(ExploreError::NothingMade { class: class.clone(), calls: plan.starts.len() }.into());
    }
    if let (Some(tree), Some(target)) = (tree, &target) {
        let request =
            Request { task, class, subject: &subject, launch: &launch, class_path, target, scratch: scratch.path() };
        exploration.report.tests = Some(suite::write(&request, &exploration.sequences, exploration.kept, tree)?);
    }
    let file = if options.dry_run { None } else { Some(write_report(task, &exploration)?) };
    Ok(Answer { report: exploration.report, file })
}

/// Replaces the reports of the exploration before.
fn write_report(Task { module, options, .. }: &Task, exploration: &Explored) -> Result<PathBuf, PipelineError> {
    let directory = module.reports_directory(options);
    let files = exploration.report.files(&exploration.seconds)?;
    let files = writing::report_files(files);
    let root = writable_root(module, &directory);
    output::write_reports(&directory, root, &format!("{} explore", module.name), &files)?;
    Ok(directory.join(&files[0].path))
}

/// What is explored, and how.
pub struct Exploring<'a> {
    /// How far to explore.
    pub settings: &'a Settings,
    /// The module that has the class.
    pub task: &'a Task<'a>,
    /// The class whose states are explored.
    pub class: &'a ClassName,
    /// All classes under test of the module.
    pub subject: &'a Subject,
    /// The calls that are combined.
    pub plan: &'a ExplorationPlan,
    /// How workers are started.
    pub launch: &'a Arc<Launch>,
    /// By probe, whether it is an edge that counts.
    pub is_edge: &'a [bool],
}

impl Exploring<'_> {
    /// What is to be told before anything is explored.
    pub fn report(&self) -> ExploreReport {
        let Exploring { settings, task, class, subject, plan, .. } = *self;
        let shorts = |ids: &[OperationId]| -> Vec<String> {
            ids.iter().map(|id| explorer::short(&subject.program.operations[id.0 as usize])).collect()
        };
        ExploreReport {
            class: class.binary(),
            methods: shorts(&plan.methods),
            argument_lists: plan.calls.len(),
            starts: plan.starts.len(),
            state: task.options.state_abstraction.show(),
            keep: settings.keep.name().to_string(),
            max_states: settings.max_states as usize,
            shortened: shorts(&plan.shortened),
            edges: Coverage { covered: 0, total: self.is_edge.iter().filter(|is_edge| **is_edge).count() as u64 },
            ..ExploreReport::new(&task.module.name)
        }
    }
}

/// What an exploration found, for the report and the tests.
pub struct Explored {
    /// All iterations, and why the exploration ended.
    pub report: ExploreReport,
    /// Of each iteration.
    pub seconds: Vec<f64>,
    /// Number of steps for which a test is wanted.
    pub kept: usize,
    /// For each of these steps, the calls from the start that lead to it; at most [`MOST_TESTS`].
    pub sequences: Vec<suite::ExploredSequence>,
}

/// Explores with one worker.
fn explore_calls(exploring: &Exploring, progress: &mut dyn FnMut(Progress)) -> Result<Explored, PipelineError> {
    let Exploring { settings, task, subject, plan, launch, is_edge, .. } = *exploring;
    let space = ExplorationSpace {
        operations: &subject.program.operations,
        effects: &subject.program.effects,
        starts: &plan.starts,
        calls: &plan.calls,
        representation: task.options.state_abstraction,
        is_edge,
    };
    let mut report = exploring.report();
    progress(Progress::Started(&report));
    let mut executor = WorkerExecutor::start(launch.clone(), "explorer").map_err(EngineError::from)?;
    let limits = ExplorationLimits { iterations: settings.iterations as usize, states: settings.max_states as usize };
    let (mut seconds, mut started) = (Vec::new(), Instant::now());
    let (found, error) = explorer::explore(&space, &limits, &mut executor, &mut |iteration| {
        let elapsed = started.elapsed().as_secs_f64();
        progress(Progress::Iteration(&reported(iteration), elapsed));
        seconds.push(elapsed);
        started = Instant::now();
    });
    if let Some(error) = error {
        return Err(EngineError::from(error).into());
    }
    report.iterations = found.iterations.iter().map(reported).collect();
    report.ended = match found.end {
        ExplorationEnd::Iterations => Ended::Iterations,
        ExplorationEnd::NothingNew => Ended::NothingNew,
        ExplorationEnd::StateLimit => Ended::StateLimit,
    };
    report.edges.covered = found.iterations.last().map_or(0, |iteration| iteration.edges as u64);
    report.given_up = found.given_up.iter().map(|&call| shown(&plan.calls[call as usize], subject)).collect();
    let steps = match settings.keep {
        Keep::NewStates => &found.states[..],
        Keep::NewEdges => &found.edges,
        Keep::Nothing => &[],
    };
    let sequence = |&step| {
        let (sequence, object) = found.path(step, &space);
        suite::ExploredSequence { sequence, object }
    };
    let sequences = steps.iter().take(MOST_TESTS).map(sequence).collect();
    Ok(Explored { report, seconds, kept: steps.len(), sequences })
}

fn reported(iteration: &Iteration) -> IterationReport {
    let Outcomes { returned, threw, killed, unlinkable } = iteration.outcomes;
    IterationReport {
        iteration: iteration.number,
        tests: iteration.tests,
        new_states: iteration.new_states,
        states: iteration.states,
        edges: iteration.edges,
        returned,
        threw,
        killed,
        unlinkable,
    }
}

/// The operation of a call, and what it is given.
fn shown(call: &PlannedCall, subject: &Subject) -> String {
    let operations = &subject.program.operations;
    let arguments: Vec<String> =
        call.arguments.iter().map(|argument| argument.describe(operations).trim_end().replace('\n', "; ")).collect();
    let method = explorer::short(&operations[call.operation.0 as usize]);
    if arguments.is_empty() { method } else { format!("{method} with {}", arguments.join(", ")) }
}

/// By probe, whether it is an edge of the class, of one nested in it, or of one under test that it extends.
fn edges_of(subject: &Subject, class: &ClassName) -> Vec<bool> {
    let ancestry = subject.program.types.ancestry(class);
    let nested = format!("{}$", class.internal());
    let mut is_edge = vec![false; subject.probes.is_edge.len()];
    let targets = subject.program.targets.iter().zip(&subject.numbered);
    for (target, numbered) in targets.filter_map(|(target, numbered)| Some((target, numbered.as_ref()?))) {
        let is_ancestor = ancestry.iter().any(|ancestor| ancestor.name == target.name);
        if is_ancestor || target.name.internal().starts_with(&nested) {
            let first = numbered.first_probe as usize;
            let probes = first..first + numbered.plan.probes.len();
            is_edge[probes.clone()].copy_from_slice(&subject.probes.is_edge[probes]);
        }
    }
    is_edge
}
