//! Tests of explored sequences, whoever chose their arguments: observed in several orders, verified, written.

use crate::engine::{self, EngineError};
use crate::subject::Subject;
use crate::suites::{self, KeptByClass, Suites, TestTarget};
use crate::task::Task;
use crate::{PipelineError, writing};
use emitter::{self, Style, TestCase};
use host::classpath::ClassPath;
use host::output::Tree;
use host::supervisor::Launch;
use host::supervisor::verification::Workspace;
use model::execution::{Detail, Execution, Executor, ExecutorError, Outcome};
use model::jvm::ClassName;
use model::options::{Access, ImplicitExceptions};
use model::progress::{Event, Stage};
use model::sequence::{Action, OperationId, Sequence};
use oracle::Verdict;
use report::exploration::ExploredTests;
use search::explorer;
use search::generator::suite::{self, TestCandidate};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// What the tests are of, and where they run.
pub struct Request<'a> {
    /// The module and its settings.
    pub task: &'a Task<'a>,
    /// The class under exploration.
    pub class: &'a ClassName,
    /// The program.
    pub subject: &'a Subject,
    /// How workers start.
    pub launch: &'a Arc<Launch>,
    /// The class path of the module.
    pub class_path: &'a ClassPath,
    /// What tests are compiled for.
    pub target: &'a TestTarget,
    /// A directory for temporary files.
    pub scratch: &'a Path,
}

/// An explored sequence: it creates the object, brings it into a state, and ends with the call for which a test is wanted.
#[derive(Clone, Debug)]
pub struct ExploredSequence {
    /// The calls with their arguments.
    pub sequence: Sequence,
    /// The statement that creates the object.
    pub object: usize,
}

/// Calls at the end of a test that show the object's state.
const MOST_OBSERVERS: usize = 4;
/// Sequences whose observers are tried at once.
const BATCH: usize = 128;

/// Makes a test of each explored sequence and writes those that pass into the tree, in place of earlier ones of the class.
/// `explored` has the first [`MOST_TESTS`](report::exploration::MOST_TESTS) sequences of `of`.
pub fn write(
    request: &Request,
    explored: &[ExploredSequence],
    of: usize,
    tree: Tree,
) -> Result<ExploredTests, PipelineError> {
    let Request { task: Task { module, options, listener, .. }, class, subject, .. } = *request;
    listener.announce(Event::StageStarted(Stage::Observing));
    let (observed, unstable) = observe(request, explored).map_err(PipelineError::Engine)?;
    let program = &subject.program;
    let mut broken = BTreeSet::new();
    let mut cases = Vec::new();
    for TestCandidate { sequence, execution, defaults, .. } in observed {
        match subject.judge().judge_run(&sequence, &execution).verdict {
            Verdict::ErrorRevealing(violation) => {
                let call = sequence.statements().last().map(|statement| statement.action.clone());
                let Some(Action::Call(last)) = call else { continue };
                let call = explorer::short(&program.operations[last.0 as usize]);
                broken.insert(format!("{call}: {}", violation.contract));
            }
            // What a run was denied is not the code's doing.
            _ if execution.denied.is_some() => {}
            // "One test per state": none shares a method.
            _ => cases.push(TestCase { alone: true, defaults, ..TestCase::regression(sequence, execution) }),
        }
    }

    listener.announce(Event::StageStarted(Stage::Verifying));
    let mut suites = Suites::default();
    if !cases.is_empty() {
        let by_class = [(class.clone(), cases.into_iter().enumerate().collect())].into();
        let style = Style { label: emitter::label::EXPLORED, ..request.target.style.clone() };
        let verification = suites::verification_of(
            request.task,
            request.class_path,
            request.target,
            request.scratch.join("verification"),
        );
        let compiler = (&verification, &mut Workspace::new(&verification));
        suites::verify_tests(program, &style, compiler, (by_class, &KeptByClass::new()), &mut suites);
    }
    if let Some(error) = suites.ended_early {
        return Err(error.into());
    }

    listener.announce(Event::StageStarted(Stage::Writing));
    let is_stale = |path: &Path| emitter::is_test_of(path, class, &program.types, emitter::label::EXPLORED);
    let files = writing::write_tests(tree, &suites::generated_files(&suites.files), &is_stale, module, options)?;
    let tests = suites.tests.into_values().next().unwrap_or_default();
    Ok(ExploredTests {
        kept: of,
        written: tests.written.iter().map(|test| test.full_name()).collect(),
        dropped: tests.dropped,
        unstable,
        broken_contracts: broken.into_iter().collect(),
        files,
    })
}

/// Executes the explored sequences, with observers at their ends, in several orders and in perturbed environments. Returns
/// the stable ones and the number of unstable ones.
fn observe(request: &Request, explored: &[ExploredSequence]) -> Result<(Vec<TestCandidate>, usize), EngineError> {
    let Request { task, subject, launch, .. } = *request;
    let threads = task.options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let mut executors = engine::start_workers(launch, threads)?;
    let observers = explorer::observers(&subject.program, request.class);
    let sequences = with_observers(explored, &observers, executors[0].as_mut())?;
    engine::perturb_environments(&mut executors, launch, threads)?;
    let task = suite::SelectionTask {
        program: &subject.program,
        probes: &subject.probes,
        threads,
        implicit_exceptions: ImplicitExceptions::Keep,
        access: Access::Package,
        held: &suite::Held::default(),
        observed_for_goal: 2,
        should_continue: &|| true,
    };
    let (mut observed, unstable) = suite::observe(&sequences, task, &mut executors)?;
    engine::find_defaults(&mut observed, launch, threads, &|| true)?;
    Ok((observed, unstable))
}

/// The sequences, each with up to [`MOST_OBSERVERS`] calls at its end that return and show the object's state.
fn with_observers(
    explored: &[ExploredSequence],
    observers: &[OperationId],
    executor: &mut dyn Executor,
) -> Result<Vec<Sequence>, ExecutorError> {
    let mut extended = Vec::with_capacity(explored.len());
    for batch in explored.chunks(BATCH) {
        let with_observer = |one: &ExploredSequence, observer: OperationId| {
            let mut sequence = one.sequence.clone();
            sequence.push_call(observer, &[one.object]);
            sequence
        };
        let trials = batch.iter().flat_map(|one| observers.iter().map(|&observer| with_observer(one, observer)));
        let runs = executor.execute(&trials.collect::<Vec<_>>(), Detail::Observe)?;
        let is_reproducible = |run: &Execution| run.outcome == Outcome::Completed && !run.may_vary();
        extended.extend(batch.iter().enumerate().map(|(at, one)| {
            let runs = &runs[at * observers.len()..][..observers.len()];
            let usable = observers.iter().zip(runs).filter(|(_, run)| is_reproducible(run)).take(MOST_OBSERVERS);
            let mut sequence = one.sequence.clone();
            for (&observer, _) in usable {
                sequence.push_call(observer, &[one.object]);
            }
            sequence
        }));
    }
    Ok(extended)
}
