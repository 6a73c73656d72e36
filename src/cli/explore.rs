//! `randgen explore`: the states that objects of one class can be brought to, each with the test that gets there.

use super::CommandError;
use super::args::{ExploreArgs, Keep};
use super::engine::EngineError;
use super::exit::ExitCode;
use super::explored::{self, Request};
use super::explored_symbolically;
use super::modules::{self, Task};
use super::subject::{self, ClassFiles, Subject};
use super::{settings, suites};
use crate::classpath::ClassPath;
use crate::explorer::{self, Call, End, Iteration, Limits, Outcomes, Plan, PlanError, Space, Wanted};
use crate::jvm::ClassName;
use crate::options::Value;
use crate::output::{self, GeneratedFile, Tree};
use crate::progress::{Event, Listener, Stage};
use crate::report::Coverage;
use crate::report::exploration::{self, EXPLORE_FILES, Ended, ExploreReport, IterationReport, MOST_TESTS};
use crate::sandbox;
use crate::sequence::OperationId;
use crate::supervisor::{Launch, WorkerExecutor};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Why there is nothing to explore.
#[derive(Debug, thiserror::Error)]
pub enum ExploreError {
    #[error("there is no class {class} in {}", modules.join(", "))]
    UnknownClass { class: String, modules: Vec<String> },
    #[error("{class} may be each of {}", classes.join(", "))]
    AmbiguousClass { class: String, classes: Vec<String> },
    #[error("cannot read the class {class}: {reason}")]
    Unreadable { class: ClassName, reason: String },
    #[error(
        "no object of {class} was made: all {calls} calls that make one threw, hung or ended the JVM; --arguments can give \
         other values, such as 'new=1'"
    )]
    NothingMade { class: ClassName, calls: usize },
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// Explores the class in the module that has it.
pub fn run(args: &ExploreArgs, interrupt: &Arc<AtomicBool>) -> Result<ExitCode, CommandError> {
    let mut is_found = false;
    let mut without = Vec::new();
    let exit_code = modules::each(&args.modules, interrupt, &mut |task| {
        let class_path = ClassPath::open(&task.module.classes, &task.module.dependencies, task.jdk.feature_version)?;
        let classes: ClassFiles = class_path.read_own()?.into_iter().collect();
        match class_called(&args.class, &classes)? {
            None => without.push(task.module.name.clone()),
            Some(class) => {
                is_found = true;
                explore(args, task, &class_path, &classes, &class)?;
            }
        }
        Ok(Some(ExitCode::Clean))
    })?;
    if is_found || exit_code != ExitCode::Clean {
        return Ok(exit_code);
    }
    Err(ExploreError::UnknownClass { class: args.class.clone(), modules: without }.into())
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

fn explore(
    args: &ExploreArgs,
    task: &Task,
    class_path: &ClassPath,
    classes: &ClassFiles,
    class: &ClassName,
) -> Result<(), CommandError> {
    let Task { module, options, jdk, console, interrupt } = *task;
    console.announce(Event::ModuleStarted { module: module.name.clone(), classes: 1 });
    console.announce(Event::StageStarted(Stage::Reading));
    // Everything that can be refused is refused before the first sequence runs.
    sandbox::attainable(options.sandbox)?;
    let reports = module.reports_directory(options);
    let tests = module.output_directory(options);
    let root = settings::writable_root(module, &tests);
    if !options.dry_run {
        output::check_reports(&reports, settings::writable_root(module, &reports), &EXPLORE_FILES)?;
    }
    let tree = match args.keep {
        Keep::Nothing => None,
        _ if options.dry_run => Some(Tree::look(&tests, root)?),
        _ => Some(Tree::open(&tests, root)?),
    };
    let scratch = tempfile::Builder::new().prefix("randgen-").tempdir().map_err(CommandError::Scratch)?;
    let level = subject::source_level(module, classes, jdk);
    let of_tests = ClassFiles::new();
    let (subject, launch) =
        subject::open((classes, &of_tests), options, jdk, level, module.class_path(), scratch.path(), interrupt)?;
    if let Some((_, reason)) = subject.unreadable.iter().find(|(name, _)| name == class) {
        return Err(ExploreError::Unreadable { class: class.clone(), reason: reason.clone() }.into());
    }
    let wanted = Wanted { methods: args.methods.as_deref().unwrap_or_default(), arguments: &args.arguments };
    let plan = explorer::plan(&subject.program, class, &wanted).map_err(ExploreError::from)?;
    // JUnit may have to be fetched: only once nothing else can be wrong.
    let target = match &tree {
        Some(_) => Some(suites::target(module, options, jdk, class_path, classes, scratch.path(), interrupt)?),
        None => None,
    };
    for warning in class_path.warnings().into_iter().chain(target.iter().filter_map(|target| target.warning.clone())) {
        console.announce(Event::Warned(warning));
    }

    console.announce(Event::StageStarted(Stage::Generating));
    console.finish();
    let launch = Arc::new(launch);
    let is_edge = edges_of(&subject, class);
    let exploring = Exploring { args, task, class, subject: &subject, plan: &plan, launch: &launch, is_edge: &is_edge };
    let mut exploration =
        if args.symbolic { explored_symbolically::explore(&exploring)? } else { explore_calls(&exploring)? };
    if exploration.report.iterations.first().is_none_or(|first| first.states == 0) {
        return Err(ExploreError::NothingMade { class: class.clone(), calls: plan.starts.len() }.into());
    }
    if let (Some(tree), Some(target)) = (tree, &target) {
        let request =
            Request { task, class, subject: &subject, launch: &launch, class_path, target, scratch: scratch.path() };
        exploration.report.tests = Some(explored::write(&request, &exploration.walks, exploration.kept, tree)?);
    }
    console.finish();
    print!("\n{}", exploration.report.text());
    if options.dry_run { Ok(()) } else { write_report(task, &exploration) }
}

/// Replaces the reports of the exploration before.
fn write_report(Task { module, options, .. }: &Task, exploration: &Explored) -> Result<(), CommandError> {
    let directory = module.reports_directory(options);
    let files = exploration.report.files(&exploration.seconds)?;
    let files: Vec<GeneratedFile> =
        files.into_iter().map(|file| GeneratedFile { path: file.name.into(), text: file.text }).collect();
    let root = settings::writable_root(module, &directory);
    output::write_reports(&directory, root, &format!("{} explore", module.name), &files)?;
    println!("Report: {}", directory.join(&files[0].path).display());
    Ok(())
}

/// What is explored, and how.
pub struct Exploring<'a> {
    pub args: &'a ExploreArgs,
    pub task: &'a Task<'a>,
    pub class: &'a ClassName,
    pub subject: &'a Subject,
    pub plan: &'a Plan,
    pub launch: &'a Arc<Launch>,
    /// By probe, whether it is an edge that counts.
    pub is_edge: &'a [bool],
}

impl Exploring<'_> {
    /// What is to be told before anything is explored.
    pub fn report(&self) -> ExploreReport {
        let Exploring { args, task, class, subject, plan, .. } = *self;
        let shorts = |ids: &[OperationId]| -> Vec<String> {
            ids.iter().map(|id| explorer::short(&subject.program.operations[id.0 as usize])).collect()
        };
        ExploreReport {
            class: class.binary(),
            methods: shorts(&plan.methods),
            argument_lists: plan.calls.len(),
            starts: plan.starts.len(),
            state: task.options.state.show(),
            keep: args.keep.name(),
            max_states: args.max_states as usize,
            shortened: shorts(&plan.shortened),
            edges: Coverage { covered: 0, total: self.is_edge.iter().filter(|is_edge| **is_edge).count() as u64 },
            ..ExploreReport::new(&task.module.name)
        }
    }
}

/// What an exploration found, for the report and the tests.
pub struct Explored {
    pub report: ExploreReport,
    /// Of each iteration.
    pub seconds: Vec<f64>,
    /// Steps that a test is wanted of, and the walks to the first of them.
    pub kept: usize,
    pub walks: Vec<explored::Walk>,
}

/// Explores with one worker, printing a line for each iteration.
fn explore_calls(exploring: &Exploring) -> Result<Explored, CommandError> {
    let Exploring { args, task, subject, plan, launch, is_edge, .. } = *exploring;
    let space = Space {
        operations: &subject.program.operations,
        effects: &subject.program.effects,
        starts: &plan.starts,
        calls: &plan.calls,
        representation: task.options.state,
        is_edge,
    };
    let mut report = exploring.report();
    println!("{}\n\n{}", report.headline(), exploration::header());
    let mut executor = WorkerExecutor::start(launch.clone(), "explorer").map_err(EngineError::from)?;
    let limits = Limits { iterations: args.iterations as usize, states: args.max_states as usize };
    let (mut seconds, mut started) = (Vec::new(), Instant::now());
    let (found, error) = explorer::explore(&space, &limits, &mut executor, &mut |iteration| {
        let elapsed = started.elapsed().as_secs_f64();
        println!("{}", exploration::row(&reported(iteration), elapsed));
        seconds.push(elapsed);
        started = Instant::now();
    });
    if let Some(error) = error {
        return Err(EngineError::from(error).into());
    }
    report.iterations = found.iterations.iter().map(reported).collect();
    report.ended = match found.end {
        End::Iterations => Ended::Iterations,
        End::NothingNew => Ended::NothingNew,
        End::StateLimit => Ended::StateLimit,
    };
    report.edges.covered = found.iterations.last().map_or(0, |iteration| iteration.edges as u64);
    report.given_up = found.given_up.iter().map(|&call| shown(&plan.calls[call as usize], subject)).collect();
    let steps = match args.keep {
        Keep::NewStates => &found.states[..],
        Keep::NewEdges => &found.edges,
        Keep::Nothing => &[],
    };
    let walk = |&step| {
        let (sequence, object) = found.path(step, &space);
        explored::Walk { sequence, object }
    };
    Ok(Explored { report, seconds, kept: steps.len(), walks: steps.iter().take(MOST_TESTS).map(walk).collect() })
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
fn shown(call: &Call, subject: &Subject) -> String {
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
