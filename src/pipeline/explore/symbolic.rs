//! `randgen explore --symbolic`: numbers among the arguments stand for all numbers at once.
//!
//! The interpreter's results are checked: a sequence along each path runs in a worker, and its execution is compared with
//! the interpretation of the same sequence. Only paths on which both agree are kept.

use super::{Explored, Exploring, Keep, Progress, suite};
use crate::PipelineError;
use crate::engine::EngineError;
use crate::interpreted::Interpreted;
use host::supervisor::WorkerExecutor;
use model::execution::{Detail, Execution, Executor, ExecutorError, Fingerprint};
use model::progress::{Event, Listener};
use model::sequence::{Action, Operation, Sequence};
use report::exploration::{Ended, ExploreReport, IterationReport, MOST_TESTS, SymbolicReport};
use rustc_hash::FxHashMap;
use search::explorer;
use smt::Z3;
use std::collections::BTreeSet;
use std::time::Instant;
use symbolic::explore::{
    self as symbolic_states, PathOutcome, SymbolicExploration, SymbolicIteration, SymbolicLimits, SymbolicSpace,
};
use symbolic::interpreter::InterpreterWorld;
use symbolic::replay::{self, ReplayEnd, Replayed};
use symbolic::solver::{NoSolver, Oracle, Solver};
use symbolic::state::StateGraph;

/// Instructions that one call may execute.
const STEPS: u64 = 1_000_000;

/// Paths of one call that are explored.
const PATHS: usize = 1_000;

/// Sequences sent to a worker at once.
const BATCH: usize = 256;

/// Explores the calls of the plan, announcing each iteration.
pub fn explore(exploring: &Exploring, progress: &mut dyn FnMut(Progress)) -> Result<Explored, PipelineError> {
    let Exploring { settings, task, subject, plan, launch, is_edge, .. } = *exploring;
    let operations = &subject.program.operations;
    let mut solver = start_solver(task.listener);
    let of = |calls: &[explorer::PlannedCall]| {
        let calls = calls.iter().map(|call| (call.operation, &call.arguments[..]));
        symbolic_states::with_symbols(calls, operations)
    };
    let (starts, calls) = (of(&plan.starts), of(&plan.calls));
    let mut report = ExploreReport {
        argument_lists: calls.len(),
        starts: starts.len(),
        state: "symbolic graph".to_string(),
        // Numbers need no list of values.
        shortened: Vec::new(),
        ..exploring.report()
    };
    progress(Progress::Started(&report));

    let mut interpreted = Interpreted::open(launch).map_err(EngineError::from)?;
    let world = &mut interpreted.world;
    let mut oracle = Oracle::new(&mut *solver);
    let space = SymbolicSpace { operations, starts: &starts, calls: &calls };
    let limits = SymbolicLimits {
        iterations: settings.iterations as usize,
        steps: STEPS,
        paths: PATHS,
        states: settings.max_states as usize,
    };
    let (mut seconds, mut begun) = (Vec::new(), Instant::now());
    let found = symbolic_states::explore(world, &mut oracle, &space, limits, &mut |_| {
        seconds.push(begun.elapsed().as_secs_f64());
        begun = Instant::now();
    });
    let mut executor = WorkerExecutor::start(launch.clone(), "explorer").map_err(EngineError::from)?;
    let checked = check(world, &mut oracle, operations, &found, &mut executor).map_err(EngineError::from)?;
    interpreted.is_whole().map_err(EngineError::from)?;

    let mut covered = BTreeSet::new();
    let mut sequences = Vec::new();
    report.iterations = vec![IterationReport::default(); found.iterations.len()];
    for (path, checked) in found.paths.iter().zip(&checked.paths) {
        let row = &mut report.iterations[path.iteration];
        match path.outcome {
            PathOutcome::Returned(_) => row.returned += 1,
            PathOutcome::Threw(_) => row.threw += 1,
        }
        let Some((sequence, object, execution)) = checked else { continue };
        let edges = execution.edges.iter().map(|hit| hit.edge);
        let count = covered.len();
        covered.extend(edges.filter(|&edge| is_edge.get(edge as usize) == Some(&true)));
        row.edges = covered.len();
        let is_wanted = match settings.keep {
            Keep::NewStates => path.is_new_state,
            Keep::NewEdges => covered.len() > count,
            Keep::Nothing => false,
        };
        sequences.extend(is_wanted.then(|| suite::ExploredSequence { sequence: sequence.clone(), object: *object }));
    }
    add_sums(&mut report.iterations, &found.iterations);
    for (row, seconds) in report.iterations.iter().zip(&seconds) {
        progress(Progress::Iteration(row, *seconds));
    }
    report.ended = match found.iterations.last() {
        _ if found.is_full => Ended::StateLimit,
        Some(last) if last.new_states == 0 => Ended::NothingNew,
        _ => Ended::Iterations,
    };
    report.edges.covered = covered.len() as u64;
    report.symbolic = Some(symbolic_report(&found, &checked, &oracle));
    let count = sequences.len();
    sequences.truncate(MOST_TESTS);
    Ok(Explored { report, seconds, kept: count, sequences })
}

/// Starts Z3, or continues without a solver after a warning.
fn start_solver(listener: &dyn Listener) -> Box<dyn Solver> {
    match Z3::start() {
        Ok(solver) => Box::new(solver),
        Err(error) => {
            let warning = format!("{error}; without it only paths whose conditions are plain are told apart");
            listener.announce(Event::Warned(warning));
            Box::new(NoSolver)
        }
    }
}

/// Adds numbers, tests and states to the rows, and makes their edges cumulative.
fn add_sums(rows: &mut [IterationReport], iterations: &[SymbolicIteration]) {
    let (mut states, mut edges) = (0, 0);
    for (number, (row, iteration)) in rows.iter_mut().zip(iterations).enumerate() {
        states += iteration.new_states;
        edges = edges.max(row.edges);
        *row = IterationReport {
            iteration: number,
            tests: iteration.paths as u64,
            new_states: iteration.new_states,
            states,
            edges,
            ..*row
        };
    }
}

fn symbolic_report(found: &SymbolicExploration, checked: &Checked, oracle: &Oracle) -> SymbolicReport {
    SymbolicReport {
        not_interpreted: found.stopped.iter().map(|(stop, &times)| (stop.to_string(), times)).collect(),
        made_known: found.narrowed.iter().map(|(why, &times)| (why.to_string(), times)).collect(),
        unsolved: checked.unsolved,
        differing: checked.differing,
        is_unsure: found.is_unsure,
        answered_at_once: oracle.statistics.at_once + oracle.statistics.remembered,
        asked: oracle.statistics.solved + oracle.statistics.unknown,
    }
}

/// The paths after their execution in a JVM.
struct Checked {
    /// For each path a sequence along it, the statement that creates the object, and its execution; `None` if there is no
    /// sequence, or the execution differs from the interpretation.
    paths: Vec<Option<(Sequence, usize, Execution)>>,
    /// Paths for which the solver gave no arguments.
    unsolved: usize,
    differing: usize,
}

fn check(
    world: &mut InterpreterWorld,
    oracle: &mut Oracle,
    operations: &[Operation],
    found: &SymbolicExploration,
    executor: &mut WorkerExecutor,
) -> Result<Checked, ExecutorError> {
    let sequences: Vec<Option<(Sequence, usize)>> =
        found.paths.iter().map(|path| symbolic_states::concrete(world, oracle, operations, path)).collect();
    let solved: Vec<Sequence> = sequences.iter().flatten().map(|(sequence, _)| sequence.clone()).collect();
    let mut executions = Vec::with_capacity(solved.len());
    for batch in solved.chunks(BATCH) {
        executions.extend(executor.execute(batch, Detail::Observe)?);
    }
    let mut executions = executions.into_iter();
    let mut fingerprints: FxHashMap<StateGraph, Option<Fingerprint>> = FxHashMap::default();
    let mut checked = Checked { paths: Vec::new(), unsolved: 0, differing: 0 };
    for (path, sequence) in found.paths.iter().zip(sequences) {
        let Some((sequence, object)) = sequence else {
            checked.unsolved += 1;
            checked.paths.push(None);
            continue;
        };
        let execution = executions.next().expect("there is a run for each sequence");
        // What was denied, or depends on the clock, says nothing of the interpreter.
        if execution.may_vary() {
            checked.paths.push(None);
            continue;
        }
        let replayed = replay::replay(world, oracle, operations, &sequence, Some(object), STEPS);
        // States that are one here are one there.
        let state = state_of_object(operations, &sequence, &execution);
        let is_known = replayed.state.clone().map(|graph| *fingerprints.entry(graph).or_insert(state));
        let is_same = is_as_explored(&replayed, &path.outcome)
            && replay::difference(&replayed, &execution).is_none()
            && is_known.is_none_or(|known| known == state);
        checked.differing += usize::from(!is_same);
        checked.paths.push(is_same.then_some((sequence, object, execution)));
    }
    Ok(checked)
}

/// The fingerprint of the object that the last call was made on, or made.
fn state_of_object(operations: &[Operation], sequence: &Sequence, execution: &Execution) -> Option<Fingerprint> {
    let Some(Action::Call(last)) = sequence.statements().last().map(|statement| &statement.action) else { return None };
    let has_receiver = operations[last.0 as usize].has_receiver();
    *if has_receiver { execution.states.first()? } else { execution.states.last()? }
}

/// Whether the arguments led along the path: to its end at least.
fn is_as_explored(replayed: &Replayed, outcome: &PathOutcome) -> bool {
    match (&replayed.end, outcome) {
        (ReplayEnd::Completed, PathOutcome::Returned(_)) => true,
        (ReplayEnd::Threw(class), PathOutcome::Threw(expected)) => class == expected,
        _ => false,
    }
}
