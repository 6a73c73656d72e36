//! Bounded breadth-first exploration of the reachable states of an object (Symstra, docs/bibliography.md, "Test Generation
//! Algorithm").
//!
//! In each iteration every call is made in each state of the frontier; unknown states that result form the next frontier.
//! Of a state only the step that led to it first is stored, which takes a few bytes: to continue from the state, all steps
//! that led to it are executed again. Results of calls and changes of their arguments are not part of the state, and a call
//! that does not return leads to no state.

mod given;
mod plan;
mod values;

#[cfg(test)]
mod tests;

pub use plan::{ExplorationPlan, ExplorationRequest, PlanError, observers, plan, short};

use crate::redundancy::Made;
use crate::redundancy::representation::{self, Representation};
use bytecode::analysis::purity::Effects;
use model::execution::{Detail, Edge, Execution, Executor, ExecutorError, Fingerprint, Outcome};
use model::options::StateRepresentation;
use model::sequence::{Operation, OperationId, Sequence};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Sequences sent to the executor at once.
const BATCH: usize = 256;

/// Number of states in which a call may be killed before it is given up: a call that hangs costs seconds each time.
const MOST_KILLS: u32 = 3;

/// An operation and its arguments, without the receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedCall {
    /// The called operation.
    pub operation: OperationId,
    /// Each sequence ends with the statement that creates the argument.
    pub arguments: Vec<Sequence>,
}

impl PlannedCall {
    /// Appends the arguments and the call to the sequence; returns the call's index.
    fn append_to(&self, sequence: &mut Sequence, receiver: Option<usize>) -> usize {
        let mut inputs: Vec<usize> = receiver.into_iter().collect();
        for argument in &self.arguments {
            let offset = sequence.append(argument);
            inputs.push(offset + argument.len() - 1);
        }
        sequence.push_call(self.operation, &inputs)
    }
}

/// The calls and settings of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct ExplorationSpace<'a> {
    /// All operations of the program, by their ids.
    pub operations: &'a [Operation],
    /// Effects of each operation.
    pub effects: &'a [Effects],
    /// Calls that create the object.
    pub starts: &'a [PlannedCall],
    /// Calls that are made on it.
    pub calls: &'a [PlannedCall],
    /// The state abstraction.
    pub representation: StateRepresentation,
    /// By probe, whether it is an edge that counts.
    pub is_edge: &'a [bool],
}

/// Limits of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct ExplorationLimits {
    /// Iterations after the one that creates the object.
    pub iterations: usize,
    /// States of all iterations together.
    pub states: usize,
}

/// Index of a known state, in the order of discovery.
pub type StateId = u32;

/// A call that was made: one of `calls` in a state, or one of `starts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplorationStep {
    from: Option<StateId>,
    call: u32,
}

/// Numbers of calls by their outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Returned normally.
    pub returned: u64,
    /// Threw an exception.
    pub threw: u64,
    /// Hung, ended the worker, or went over a limit.
    pub killed: u64,
    /// Did not link: a class or member is missing.
    pub unlinkable: u64,
}

/// Statistics of one iteration; iteration 0 creates the object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Iteration {
    /// From 0.
    pub number: usize,
    /// Calls made, each in a sequence of its own.
    pub tests: u64,
    /// States that it discovered.
    pub new_states: usize,
    /// All known states.
    pub states: usize,
    /// Edges covered by this and earlier iterations.
    pub edges: usize,
    /// Outcomes of its calls.
    pub outcomes: Outcomes,
}

/// Why an exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplorationEnd {
    /// The limit of iterations is reached.
    Iterations,
    /// The last iteration found no new state.
    NothingNew,
    /// The limit of states was reached during the last iteration.
    StateLimit,
}

/// The result of an exploration.
#[derive(Debug)]
pub struct Exploration {
    /// The step that led to each state first.
    pub states: Vec<ExplorationStep>,
    /// The steps that covered an edge first.
    pub edges: Vec<ExplorationStep>,
    /// In their order.
    pub iterations: Vec<Iteration>,
    /// Calls that were given up because they were killed too often; indices of `calls`.
    pub given_up: Vec<u32>,
    /// Why it ended.
    pub end: ExplorationEnd,
}

impl Exploration {
    /// The sequence of all calls up to and including the step, and the statement that creates the object.
    pub fn path(&self, step: ExplorationStep, space: &ExplorationSpace) -> (Sequence, usize) {
        path(&self.states, step, space)
    }
}

/// Explores until a limit; calls `note` after each iteration. A failing executor ends the exploration early: the result up
/// to then is returned with the error.
pub fn explore(
    space: &ExplorationSpace,
    limits: &ExplorationLimits,
    executor: &mut dyn Executor,
    note: &mut dyn FnMut(&Iteration),
) -> (Exploration, Option<ExecutorError>) {
    let found = Exploration {
        states: Vec::new(),
        edges: Vec::new(),
        iterations: Vec::new(),
        given_up: Vec::new(),
        end: ExplorationEnd::Iterations,
    };
    let mut explorer = Explorer {
        space,
        limits,
        representation: representation::of(space.representation),
        known: FxHashSet::default(),
        seen: vec![false; space.is_edge.len()],
        covered: 0,
        kills: BTreeMap::new(),
        found,
    };
    let error = explorer.run(executor, note).err();
    (explorer.found, error)
}

/// An exploration under way.
struct Explorer<'a> {
    space: &'a ExplorationSpace<'a>,
    limits: &'a ExplorationLimits,
    representation: Box<dyn Representation>,
    known: FxHashSet<Fingerprint>,
    /// By probe.
    seen: Vec<bool>,
    covered: usize,
    /// By call.
    kills: BTreeMap<u32, u32>,
    found: Exploration,
}

impl Explorer<'_> {
    fn run(&mut self, executor: &mut dyn Executor, note: &mut dyn FnMut(&Iteration)) -> Result<(), ExecutorError> {
        let starts = (0..self.space.starts.len() as u32).map(|call| ExplorationStep { from: None, call });
        let mut is_complete = self.iterate(starts, executor, note)?;
        let mut frontier = 0;
        for _ in 0..self.limits.iterations {
            let end = self.found.states.len();
            if !is_complete || frontier == end {
                break;
            }
            let calls = self.space.calls.len() as u32;
            let calls_in = |state| (0..calls).map(move |call| ExplorationStep { from: Some(state as StateId), call });
            is_complete = self.iterate((frontier..end).flat_map(calls_in), executor, note)?;
            frontier = end;
        }
        self.found.end = match is_complete {
            false => ExplorationEnd::StateLimit,
            true if frontier == self.found.states.len() => ExplorationEnd::NothingNew,
            true => ExplorationEnd::Iterations,
        };
        Ok(())
    }

    /// Executes the steps; returns whether all of them were executed.
    fn iterate(
        &mut self,
        mut steps: impl Iterator<Item = ExplorationStep>,
        executor: &mut dyn Executor,
        note: &mut dyn FnMut(&Iteration),
    ) -> Result<bool, ExecutorError> {
        let mut iteration = Iteration { number: self.found.iterations.len(), ..Iteration::default() };
        let before = self.found.states.len();
        let mut is_complete = true;
        let taken = loop {
            let given_up = &self.found.given_up;
            let is_made = |step: &ExplorationStep| step.from.is_none() || !given_up.contains(&step.call);
            let batch: Vec<ExplorationStep> = steps.by_ref().filter(is_made).take(BATCH).collect();
            if batch.is_empty() {
                break Ok(());
            }
            let (sequences, objects): (Vec<Sequence>, Vec<usize>) =
                batch.iter().map(|&step| path(&self.found.states, step, self.space)).unzip();
            let executions = match executor.execute(&sequences, Detail::Search) {
                Ok(executions) => executions,
                Err(error) => break Err(error),
            };
            let runs = batch.into_iter().zip(sequences.iter().zip(objects)).zip(&executions);
            for ((step, (sequence, object)), execution) in runs {
                is_complete = self.record_execution(step, sequence, object, execution, &mut iteration);
                if !is_complete {
                    break;
                }
            }
            if !is_complete {
                break Ok(());
            }
        };
        iteration.states = self.found.states.len();
        iteration.new_states = iteration.states - before;
        iteration.edges = self.covered;
        note(&iteration);
        self.found.iterations.push(iteration);
        taken.map(|()| is_complete)
    }

    /// Records the execution of a step; returns false if its new state exceeds the limit.
    fn record_execution(
        &mut self,
        step: ExplorationStep,
        sequence: &Sequence,
        object: usize,
        execution: &Execution,
        iteration: &mut Iteration,
    ) -> bool {
        let outcomes = &mut iteration.outcomes;
        let count = match execution.outcome {
            Outcome::Completed => &mut outcomes.returned,
            Outcome::Threw { .. } => &mut outcomes.threw,
            Outcome::Killed { .. } => &mut outcomes.killed,
            Outcome::Unlinkable { .. } => &mut outcomes.unlinkable,
        };
        if execution.outcome == Outcome::Completed
            && let Some(state) = self.state_of(step, sequence, object, execution)
            && !self.known.contains(&state)
        {
            if self.found.states.len() == self.limits.states {
                return false;
            }
            self.known.insert(state);
            self.found.states.push(step);
        }
        *count += 1;
        iteration.tests += 1;
        match execution.outcome {
            Outcome::Killed { .. } if step.from.is_some() => self.note_kill(step.call),
            Outcome::Killed { .. } => {}
            // Edges of a run that depends on the environment or the time do not count: no test can rely on them.
            _ if execution.may_vary() => {}
            _ => self.note_edges(step, execution),
        }
        true
    }

    /// The state of the object after the step; `None` if it was not created.
    fn state_of(
        &self,
        step: ExplorationStep,
        sequence: &Sequence,
        object: usize,
        execution: &Execution,
    ) -> Option<Fingerprint> {
        // States are reported of the inputs, receiver first, then of the output.
        let reported = if step.from.is_some() { execution.states.first() } else { execution.states.last() };
        let ExplorationSpace { operations, effects, .. } = *self.space;
        let made = Made { sequence, at: object, reported: (*reported?)?, operations, effects };
        Some(self.representation.state_of(&made))
    }

    fn note_edges(&mut self, step: ExplorationStep, execution: &Execution) {
        let before = self.covered;
        for hit in &execution.edges {
            self.covered += usize::from(self.is_new(hit.edge));
        }
        if self.covered > before {
            self.found.edges.push(step);
        }
    }

    /// Marks the edge as seen; returns whether it counts and was not seen before.
    fn is_new(&mut self, edge: Edge) -> bool {
        self.space.is_edge[edge as usize] && !std::mem::replace(&mut self.seen[edge as usize], true)
    }

    fn note_kill(&mut self, call: u32) {
        let kills = self.kills.entry(call).or_default();
        *kills += 1;
        if *kills == MOST_KILLS {
            self.found.given_up.push(call);
        }
    }
}

fn path(states: &[ExplorationStep], step: ExplorationStep, space: &ExplorationSpace) -> (Sequence, usize) {
    let mut steps = vec![step];
    while let Some(from) = steps[steps.len() - 1].from {
        steps.push(states[from as usize]);
    }
    let mut sequence = Sequence::new();
    let mut calls = steps.into_iter().rev();
    let start = calls.next().expect("there is a step");
    let object = space.starts[start.call as usize].append_to(&mut sequence, None);
    for step in calls {
        space.calls[step.call as usize].append_to(&mut sequence, Some(object));
    }
    (sequence, object)
}
