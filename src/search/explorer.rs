//! Bounded breadth-first exploration of the states that an object can be brought to (Symstra, docs/bibliography.md,
//! "Test Generation Algorithm").
//!
//! In each iteration every call is made in each state of the frontier; where that leaves the object in a state that is not
//! known, the state is of the next frontier. Nothing of a state is kept but the step that led to it first, which takes a few
//! bytes: to go on from it, all steps that led there are run again. What a call returns or does to its arguments is no
//! state, and a call that does not return leads to none.

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

/// A call that was ended from outside in so many states is not made any more: one that hangs costs seconds each time.
const MOST_KILLS: u32 = 3;

/// An operation and what it is given, beside the receiver if it takes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedCall {
    /// What is called.
    pub operation: OperationId,
    /// Each ends with the statement that makes the value.
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

/// What there is to explore.
#[derive(Clone, Copy, Debug)]
pub struct ExplorationSpace<'a> {
    /// All operations of the program, by their ids.
    pub operations: &'a [Operation],
    /// What a call may change, by operation.
    pub effects: &'a [Effects],
    /// Calls that make the object.
    pub starts: &'a [PlannedCall],
    /// Calls that are made on it.
    pub calls: &'a [PlannedCall],
    /// What tells states apart.
    pub representation: StateRepresentation,
    /// By probe, whether it is an edge that counts.
    pub is_edge: &'a [bool],
}

/// When an exploration ends.
#[derive(Clone, Copy, Debug)]
pub struct ExplorationLimits {
    /// Iterations after the one that makes the object.
    pub iterations: usize,
    /// States that are kept, all iterations together.
    pub states: usize,
}

/// A known state, in the order in which they were found.
pub type StateId = u32;

/// A call that was made: of the space's calls in a state, or of its starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplorationStep {
    from: Option<StateId>,
    call: u32,
}

/// How calls ended.
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

/// What one iteration did; the one with number 0 made the object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Iteration {
    /// From 0.
    pub number: usize,
    /// Calls made, each in a sequence of its own.
    pub tests: u64,
    /// States that it found first.
    pub new_states: usize,
    /// All that are known.
    pub states: usize,
    /// Edges that are covered, by this iteration or those before.
    pub edges: usize,
    /// Of its calls.
    pub outcomes: Outcomes,
}

/// Why an exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplorationEnd {
    /// The limit of iterations is reached.
    Iterations,
    /// The last iteration found no new state.
    NothingNew,
    /// The last iteration was left in its midst.
    StateLimit,
}

/// What an exploration found.
#[derive(Debug)]
pub struct Exploration {
    /// The step that led to each state first.
    pub states: Vec<ExplorationStep>,
    /// The steps that took an edge first.
    pub edges: Vec<ExplorationStep>,
    /// In their order.
    pub iterations: Vec<Iteration>,
    /// Calls that were made no more, as they were ended from outside too often; indices of the space's.
    pub given_up: Vec<u32>,
    /// Why it ended.
    pub end: ExplorationEnd,
}

impl Exploration {
    /// All calls up to and with the step's, and which statement makes the object.
    pub fn path(&self, step: ExplorationStep, space: &ExplorationSpace) -> (Sequence, usize) {
        path(&self.states, step, space)
    }
}

/// Explores until a limit; `note` is told of each iteration. An executor that fails ends it early: what was found until
/// then stands, and the error is handed back.
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

    /// Takes the steps; whether all of them.
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

    /// Learns from what a step did; whether there is room for the state that it led to.
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
            // A run that no test can repeat covers nothing.
            _ if execution.environment_dependent => {}
            _ => self.note_edges(step, execution),
        }
        true
    }

    /// The state in which the step left the object; `None` if it made none.
    fn state_of(
        &self,
        step: ExplorationStep,
        sequence: &Sequence,
        object: usize,
        execution: &Execution,
    ) -> Option<Fingerprint> {
        // The receiver is the first input, and what a call makes comes behind its inputs.
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

    /// Whether the edge counts and was not seen before; it is now.
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
