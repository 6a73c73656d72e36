//! Breadth-first exploration of the symbolic states of a class's objects.
//!
//! In each iteration every method is interpreted on every state that the previous one found, with fresh symbols as
//! arguments, along every feasible path. Paths that leave the receiver in a new state are extended in the next iteration.

use super::heap::{Heap, Reference, SymbolicValue};
use super::interpreter::{AbruptEnd, Interpreter, InterpreterWorld, RunResult, Stop};
use super::path::Path;
use super::solver::{Conjunction, Oracle, Query, SolverAnswer};
use super::state::{self, Seen};
use super::term::{Model, PathCondition, SymbolicVariable, Term, Terms, number, range};
use model::jvm::{ClassName, Literal, Primitive, Type};
use model::sequence::{Operation, OperationId, Sequence};
use std::collections::BTreeMap;

/// Limits of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct SymbolicLimits {
    /// Iterations after the one that creates the object.
    pub iterations: usize,
    /// Instructions of one run.
    pub steps: u64,
    /// Paths of one call on one state.
    pub paths: usize,
    /// States of one iteration, which bounds the memory.
    pub states: usize,
}

/// The calls of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct SymbolicSpace<'a> {
    /// All operations of the program, by their ids.
    pub operations: &'a [Operation],
    /// Calls that create the object.
    pub starts: &'a [SymbolicCall],
    /// Calls that are made on it.
    pub calls: &'a [SymbolicCall],
}

/// An operation and its arguments, without the receiver.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SymbolicCall {
    /// The called operation.
    pub operation: OperationId,
    /// One for each parameter.
    pub arguments: Vec<Argument>,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// The value of the sequence's last statement.
    Made(Sequence),
    /// Any value of the type, which is not a floating-point one.
    Any(Primitive),
}

/// The calls with any number in the place of ints, longs and smaller ones, each once.
pub fn with_symbols<'a>(
    calls: impl Iterator<Item = (OperationId, &'a [Sequence])>,
    operations: &[Operation],
) -> Vec<SymbolicCall> {
    let mut found: Vec<SymbolicCall> = Vec::new();
    for (operation, arguments) in calls {
        let parameters = &operations[operation.0 as usize].descriptor.parameters;
        let arguments = parameters.iter().zip(arguments).map(|(of, argument)| match of {
            Type::Primitive(Primitive::Float | Primitive::Double) => Argument::Made(argument.clone()),
            Type::Primitive(primitive) => Argument::Any(*primitive),
            _ => Argument::Made(argument.clone()),
        });
        let call = SymbolicCall { operation, arguments: arguments.collect() };
        if !found.contains(&call) {
            found.push(call);
        }
    }
    found
}

/// A call that was made, with the symbols for its arguments.
#[derive(Clone, Debug)]
struct CallWithSymbols {
    operation: OperationId,
    arguments: Vec<(Argument, Option<Term>)>,
}

/// How the last call of a path ended.
#[derive(Clone, Debug, PartialEq)]
pub enum PathOutcome {
    /// Normally, with a value unless the method is void.
    Returned(Option<SymbolicValue>),
    /// With an exception of the class.
    Threw(ClassName),
}

/// A path through a sequence of calls.
#[derive(Clone, Debug)]
pub struct ExploredPath {
    /// The first one creates the object.
    calls: Vec<CallWithSymbols>,
    /// The path condition on the arguments.
    pub conditions: Conjunction,
    /// How its last call ended.
    pub outcome: PathOutcome,
    /// The iteration that found it.
    pub iteration: usize,
    /// Whether no earlier path left the object in an equal state.
    pub is_new_state: bool,
}

/// Statistics of one iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymbolicIteration {
    /// Paths through the iteration's calls.
    pub paths: usize,
    /// States that it discovered.
    pub new_states: usize,
}

/// The result of an exploration.
#[derive(Debug, Default)]
pub struct SymbolicExploration {
    /// The first iteration consists of the constructor calls.
    pub iterations: Vec<SymbolicIteration>,
    /// In the order in which they were found.
    pub paths: Vec<ExploredPath>,
    /// Numbers of runs without result, by reason.
    pub stopped: BTreeMap<Stop, usize>,
    /// Numbers of symbols that were replaced by one value, so that other paths were lost, by reason.
    pub narrowed: BTreeMap<&'static str, usize>,
    /// The solver did not answer some query.
    pub is_unsure: bool,
    /// The limit of states was reached.
    pub is_full: bool,
}

/// A state of the frontier.
struct Open {
    heap: Heap,
    receiver: Reference,
    calls: Vec<CallWithSymbols>,
    /// The conditions that constrain the state.
    relevant: Conjunction,
    all: Conjunction,
}

struct SymbolicExplorer<'e, 'w, 's> {
    world: &'e mut InterpreterWorld<'w>,
    oracle: &'e mut Oracle<'s>,
    operations: &'e [Operation],
    limits: SymbolicLimits,
    seen: Seen,
    found: SymbolicExploration,
}

/// Explores the symbolic states that the calls lead to; calls `note` after each iteration.
pub fn explore(
    world: &mut InterpreterWorld,
    oracle: &mut Oracle,
    space: &SymbolicSpace,
    limits: SymbolicLimits,
    note: &mut dyn FnMut(&SymbolicIteration),
) -> SymbolicExploration {
    let mut explorer = SymbolicExplorer {
        world,
        oracle,
        operations: space.operations,
        limits,
        seen: Seen::default(),
        found: SymbolicExploration::default(),
    };
    let mut frontier = Vec::new();
    for iteration in 0..=limits.iterations {
        let states = std::mem::take(&mut frontier);
        if explorer.found.is_full || iteration > 0 && states.is_empty() {
            break;
        }
        explorer.found.iterations.push(SymbolicIteration::default());
        if iteration == 0 {
            for call in space.starts {
                explorer.run(None, call, &mut frontier);
            }
        }
        for state in &states {
            for call in space.calls {
                explorer.run(Some(state), call, &mut frontier);
            }
        }
        note(&explorer.found.iterations[iteration]);
    }
    explorer.found
}

impl SymbolicExplorer<'_, '_, '_> {
    /// Interprets the call on the state along all feasible paths.
    fn run(&mut self, from: Option<&Open>, call: &SymbolicCall, frontier: &mut Vec<Open>) {
        let terms = &mut self.world.terms;
        let arguments = call.arguments.iter().map(|argument| match argument {
            Argument::Made(_) => (argument.clone(), None),
            Argument::Any(primitive) => (argument.clone(), Some(terms.fresh(*primitive == Primitive::Long))),
        });
        let call = CallWithSymbols { operation: call.operation, arguments: arguments.collect() };
        let ranges = ranges(&mut self.world.terms, &call);
        let begin: Conjunction =
            from.map_or(&[][..], |state| &state.relevant).iter().copied().chain(ranges.iter().copied()).collect();
        let known: Conjunction = from.map_or(&[][..], |state| &state.all).iter().copied().chain(ranges).collect();
        let calls: Vec<CallWithSymbols> =
            from.map_or(&[][..], |state| &state.calls).iter().cloned().chain([call.clone()]).collect();
        let mut next = Some(Path::new(begin.clone()));
        let mut count = 0;
        while let Some(path) = next {
            count += 1;
            if count > self.limits.paths {
                *self.found.stopped.entry(Stop::Paths).or_default() += 1;
                return;
            }
            let heap = from.map_or_else(Heap::default, |state| state.heap.clone());
            let mut machine = Interpreter::new(self.world, self.oracle, heap, path, self.limits.steps);
            let result = machine.make(self.operations, from.map(|state| state.receiver), &call);
            let Interpreter { heap, path, .. } = machine;
            next = path.next(&begin);
            self.found.is_unsure |= path.unsure;
            for why in &path.narrowed {
                *self.found.narrowed.entry(why).or_default() += 1;
            }
            let (receiver, outcome) = match result {
                Ok(value) => match (from, value) {
                    (Some(state), value) => (Some(state.receiver), PathOutcome::Returned(value)),
                    (None, Some(SymbolicValue::Reference(made))) => (Some(made), PathOutcome::Returned(value)),
                    (None, value) => (None, PathOutcome::Returned(value)),
                },
                Err(AbruptEnd::Threw(exception)) => match self.class_of(&heap, exception) {
                    // A method that threw may have changed its receiver.
                    Some(class) => (from.map(|state| state.receiver), PathOutcome::Threw(class)),
                    None => continue,
                },
                Err(AbruptEnd::Stopped(stop)) => {
                    *self.found.stopped.entry(stop).or_default() += 1;
                    continue;
                }
            };
            let mut all = known.clone();
            all.extend(path.conditions.iter().filter(|condition| !known.contains(condition)));
            self.take(Taken { calls: calls.clone(), all, outcome, receiver, heap, path }, frontier);
            if self.found.is_full {
                return;
            }
        }
    }

    fn class_of(&self, heap: &Heap, exception: Reference) -> Option<ClassName> {
        match heap.object(exception) {
            super::heap::HeapObject::Instance { class, .. } => Some(self.world.classes.name(*class).clone()),
            _ => None,
        }
    }

    fn take(&mut self, taken: Taken, frontier: &mut Vec<Open>) {
        let Taken { calls, all, outcome, receiver, heap, path } = taken;
        let iteration = self.found.iterations.len() - 1;
        let mut is_new_state = false;
        // A path that throws is not extended.
        if let (Some(receiver), PathOutcome::Returned(_)) = (receiver, &outcome) {
            let symbols = state::symbols(&heap, receiver);
            let relevant = state::relevant(&mut self.world.terms, self.oracle, &path.conditions, &symbols);
            is_new_state = self.seen.insert(&mut self.world.terms, self.oracle, &heap, receiver, &relevant);
            frontier.extend(is_new_state.then(|| Open {
                heap,
                receiver,
                calls: calls.clone(),
                relevant,
                all: all.clone(),
            }));
        }
        let count = &mut self.found.iterations[iteration];
        count.paths += 1;
        count.new_states += usize::from(is_new_state);
        self.found.is_full = frontier.len() >= self.limits.states;
        self.found.paths.push(ExploredPath { calls, conditions: all, outcome, iteration, is_new_state });
    }
}

/// A completed path.
struct Taken {
    calls: Vec<CallWithSymbols>,
    all: Conjunction,
    outcome: PathOutcome,
    receiver: Option<Reference>,
    heap: Heap,
    path: Path,
}

impl Interpreter<'_, '_, '_> {
    /// Interprets the call, on the receiver if it has one.
    fn make(
        &mut self,
        operations: &[Operation],
        receiver: Option<Reference>,
        call: &CallWithSymbols,
    ) -> RunResult<Option<SymbolicValue>> {
        let operation = &operations[call.operation.0 as usize];
        let mut inputs: Vec<(SymbolicValue, Option<Type>)> = Vec::new();
        if operation.has_receiver() {
            inputs.extend(receiver.map(|receiver| (SymbolicValue::Reference(receiver), None)));
        }
        for (argument, symbol) in &call.arguments {
            inputs.push(match (argument, symbol) {
                (Argument::Any(primitive), Some(term)) => {
                    (SymbolicValue::Symbol(*term), Some(Type::Primitive(*primitive)))
                }
                (Argument::Made(sequence), _) => self.last_of(operations, sequence)?,
                (Argument::Any(_), None) => unreachable!("every unknown argument has a symbol"),
            });
        }
        self.perform(operation, inputs)
    }
}

/// The range conditions of the arguments' types.
fn ranges(terms: &mut Terms, call: &CallWithSymbols) -> Conjunction {
    let mut conditions = Vec::new();
    for (argument, symbol) in &call.arguments {
        let (Argument::Any(primitive), Some(term)) = (argument, *symbol) else { continue };
        conditions.extend(range(*primitive).into_iter().flat_map(|range| terms.within(term, range)));
    }
    conditions
}

/// A concrete sequence along the path, and the statement that creates the object; `None` if the solver found no arguments.
pub fn concrete(
    world: &InterpreterWorld,
    oracle: &mut Oracle,
    operations: &[Operation],
    path: &ExploredPath,
) -> Option<(Sequence, usize)> {
    let query = Query { all: path.conditions.clone(), none_of: Vec::new() };
    let SolverAnswer::Satisfiable(model) = oracle.answer(&world.terms, query) else { return None };
    let model = small(&world.terms, &path.conditions, model);
    let mut sequence = Sequence::new();
    let mut object = None;
    for call in &path.calls {
        let has_receiver = operations[call.operation.0 as usize].has_receiver();
        let mut inputs: Vec<usize> = object.filter(|_| has_receiver).into_iter().collect();
        for (argument, symbol) in &call.arguments {
            inputs.push(match argument {
                Argument::Made(made) => sequence.append(made) + made.len() - 1,
                Argument::Any(primitive) => {
                    sequence.push_literal(literal(&world.terms, (*symbol)?, *primitive, &model)?)
                }
            });
        }
        let made = sequence.push_call(call.operation, &inputs);
        object.get_or_insert(made);
    }
    Some((sequence, object?))
}

/// The model with values near zero, as far as one at a time can be changed: people read them.
fn small(terms: &Terms, conditions: &[PathCondition], mut model: Model) -> Model {
    let mut variables: Vec<SymbolicVariable> = model.keys().copied().collect();
    variables.sort_unstable();
    let most = variables.len() as i64;
    for &variable in &variables {
        let before = model[&variable];
        let mut nearer = (0..=most)
            .flat_map(|value| [value, -value])
            .take_while(|value| value.unsigned_abs() < before.unsigned_abs());
        let fits = |value: &i64, model: &mut Model| {
            model.insert(variable, *value);
            conditions.iter().all(|condition| terms.holds(condition, model))
        };
        let fitting = nearer.find(|value| fits(value, &mut model));
        model.insert(variable, fitting.unwrap_or(before));
    }
    model
}

fn literal(terms: &Terms, term: Term, primitive: Primitive, model: &Model) -> Option<Literal> {
    Some(Literal::of_number(number(&terms.evaluate(term, model)?)?, primitive))
}
