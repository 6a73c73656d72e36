//! Exploration of a class in the head: a stack of different numbers, so that the states can be counted by hand.

use super::*;
use model::execution::{EdgeHit, KillReason, Observed, Thrown, Value};
use model::jvm::{ClassName, Literal, MethodDescriptor, Type};
use model::sequence::{Action, OperationKind};

const NEW: OperationId = OperationId(0);
const PUSH: OperationId = OperationId(1);
const POP: OperationId = OperationId(2);
const IS_EMPTY: OperationId = OperationId(3);
const HANG: OperationId = OperationId(4);

/// Edges: a number is pushed, is there already, is popped.
const EDGES: usize = 3;

/// Runs sequences; keeps how many hung.
#[derive(Default)]
struct StackJvm {
    hung: usize,
    /// Fails when this many were run.
    fails_after: Option<usize>,
    run: usize,
}

impl Executor for StackJvm {
    fn execute(&mut self, sequences: &[Sequence], _: Detail) -> Result<Vec<Execution>, ExecutorError> {
        if self.fails_after.is_some_and(|most| self.run >= most) {
            return Err(ExecutorError::Interrupted);
        }
        self.run += sequences.len();
        Ok(sequences.iter().map(|sequence| self.run(sequence)).collect())
    }

    fn restart(&mut self) -> Result<(), ExecutorError> {
        Ok(())
    }
}

impl StackJvm {
    fn run(&mut self, sequence: &Sequence) -> Execution {
        let mut stack: Vec<i32> = Vec::new();
        let mut execution = Execution::ended(Outcome::Completed);
        let mut hit = |edge| execution.edges.push(EdgeHit { edge, bucket: 0 });
        for (at, statement) in sequence.statements().iter().enumerate() {
            let object = || Value::Object { class: Type::class("p/Stack"), observed: Observed::Nothing };
            let value = match &statement.action {
                Action::Literal(literal) => Value::Literal(literal.clone()),
                Action::Call(NEW) => object(),
                Action::Call(PUSH) => {
                    let number = sequence.inputs_of(at).nth(1).unwrap();
                    let Action::Literal(Literal::Int(number)) = sequence.statements()[number].action else { panic!() };
                    let is_there = stack.contains(&number);
                    hit(u32::from(is_there));
                    stack.extend((!is_there).then_some(number));
                    Value::Void
                }
                Action::Call(POP) => {
                    if stack.pop().is_none() {
                        return Execution::ended(Outcome::Threw { statement: at, exception: thrown() });
                    }
                    hit(2);
                    Value::Void
                }
                Action::Call(IS_EMPTY) => Value::Literal(Literal::Boolean(stack.is_empty())),
                Action::Call(_) => {
                    self.hung += 1;
                    let (statement, reason) = (Some(at), KillReason::Timeout);
                    return Execution::ended(Outcome::Killed { statement, reason });
                }
            };
            execution.values.push(value);
        }
        let state = stack.iter().fold(1, |state, number| state * 100 + *number as u64);
        execution.states = vec![Some(state)];
        execution
    }
}

fn thrown() -> Thrown {
    let class = ClassName::new("java/util/NoSuchElementException");
    Thrown {
        class: class.clone(),
        nameable: class.clone(),
        superclasses: vec![class],
        message: None,
        stack: Vec::new(),
    }
}

fn operations() -> Vec<Operation> {
    let operation = |kind, name: &str, parameters: Vec<Type>, returns: Option<Type>| {
        Operation::new(kind, ClassName::new("p/Stack"), name, MethodDescriptor { parameters, returns })
    };
    vec![
        operation(OperationKind::Constructor, "<init>", Vec::new(), None),
        operation(OperationKind::InstanceMethod, "push", vec![Type::INT], None),
        operation(OperationKind::InstanceMethod, "pop", Vec::new(), None),
        operation(OperationKind::InstanceMethod, "isEmpty", Vec::new(), Some(Type::BOOLEAN)),
        operation(OperationKind::InstanceMethod, "hang", Vec::new(), None),
    ]
}

fn call(operation: OperationId) -> PlannedCall {
    PlannedCall { operation, arguments: Vec::new() }
}

fn pushes(most: i32) -> Vec<PlannedCall> {
    let push = |number| {
        let mut argument = Sequence::new();
        argument.push_literal(Literal::Int(number));
        PlannedCall { operation: PUSH, arguments: vec![argument] }
    };
    (1..=most).map(push).collect()
}

/// The exploration, and with each iteration's number what became of it.
fn explore_with(
    jvm: &mut StackJvm,
    calls: &[PlannedCall],
    representation: StateRepresentation,
    limits: ExplorationLimits,
) -> (Exploration, Option<ExecutorError>) {
    let operations = operations();
    let mut effects = vec![Effects::ALL; operations.len()];
    effects[IS_EMPTY.0 as usize] = Effects::NONE;
    let space = ExplorationSpace {
        operations: &operations,
        effects: &effects,
        starts: &[call(NEW)],
        calls,
        representation,
        is_edge: &[true; EDGES],
    };
    let mut noted = Vec::new();
    let (found, error) = explore(&space, &limits, jvm, &mut |iteration| noted.push(*iteration));
    assert_eq!(noted, found.iterations);
    (found, error)
}

fn explored(calls: &[PlannedCall], representation: StateRepresentation, iterations: usize) -> Exploration {
    let limits = ExplorationLimits { iterations, states: usize::MAX };
    let (found, error) = explore_with(&mut StackJvm::default(), calls, representation, limits);
    assert!(error.is_none());
    found
}

fn states(found: &Exploration) -> Vec<usize> {
    found.iterations.iter().map(|iteration| iteration.states).collect()
}

#[test]
fn bounded_stack_has_the_published_number_of_states() {
    let found = explored(&pushes(6), StateRepresentation::WholeState, 6);
    assert_eq!(states(&found), [1, 7, 37, 157, 517, 1237, 1957]);
    assert_eq!(found.end, ExplorationEnd::Iterations);
    let of_last = found.iterations[6];
    assert_eq!((of_last.tests, of_last.new_states, of_last.edges), (720 * 6, 720, 2));
}

#[test]
fn exploration_ends_without_new_states() {
    let calls: Vec<PlannedCall> = pushes(2).into_iter().chain([call(POP), call(IS_EMPTY)]).collect();
    let found = explored(&calls, StateRepresentation::WholeState, 100);
    assert_eq!(states(&found), [1, 3, 5, 5]);
    assert_eq!(found.end, ExplorationEnd::NothingNew);
    let outcomes: Vec<u64> = found.iterations.iter().map(|iteration| iteration.outcomes.threw).collect();
    assert_eq!(outcomes, [0, 1, 0, 0], "only the empty stack has nothing to pop");
}

#[test]
fn call_based_abstractions_count_sequences() {
    let calls: Vec<PlannedCall> = pushes(2).into_iter().chain([call(IS_EMPTY)]).collect();
    let count = |representation| states(&explored(&calls, representation, 2));
    assert_eq!(count(StateRepresentation::WholeSeq), [1, 4, 13]);
    assert_eq!(count(StateRepresentation::ModifyingSeq), [1, 3, 7]);
    assert_eq!(count(StateRepresentation::WholeState), [1, 3, 5]);
}

#[test]
fn kept_sequences_reproduce_their_states_and_edges() {
    let calls: Vec<PlannedCall> = pushes(2).into_iter().chain([call(POP)]).collect();
    let found = explored(&calls, StateRepresentation::WholeState, 2);
    let (operations, starts, effects) = (operations(), [call(NEW)], [Effects::ALL; 5]);
    let space = ExplorationSpace {
        operations: &operations,
        effects: &effects,
        starts: &starts,
        calls: &calls,
        representation: StateRepresentation::WholeState,
        is_edge: &[true; EDGES],
    };
    let called = |step: &ExplorationStep| found.path(*step, &space).0.calls().collect::<Vec<_>>();
    let states: Vec<Vec<OperationId>> = found.states.iter().map(called).collect();
    assert_eq!(states, [&[NEW][..], &[NEW, PUSH], &[NEW, PUSH], &[NEW, PUSH, PUSH], &[NEW, PUSH, PUSH]]);
    let edges: Vec<Vec<OperationId>> = found.edges.iter().map(called).collect();
    assert_eq!(edges, [&[NEW, PUSH][..], &[NEW, PUSH, PUSH], &[NEW, PUSH, POP]]);
}

#[test]
fn exploration_keeps_states_up_to_the_limit() {
    let limits = ExplorationLimits { iterations: 6, states: 100 };
    let (found, _) = explore_with(&mut StackJvm::default(), &pushes(6), StateRepresentation::WholeState, limits);
    assert_eq!(states(&found), [1, 7, 37, 100]);
    assert_eq!(found.end, ExplorationEnd::StateLimit);
    let exact = ExplorationLimits { iterations: 2, states: 37 };
    let (found, _) = explore_with(&mut StackJvm::default(), &pushes(6), StateRepresentation::WholeState, exact);
    assert_eq!(found.end, ExplorationEnd::Iterations, "there was room for all");
}

#[test]
fn call_that_always_hangs_is_given_up() {
    let calls: Vec<PlannedCall> = pushes(6).into_iter().chain([call(HANG)]).collect();
    let mut jvm = StackJvm::default();
    let limits = ExplorationLimits { iterations: 4, states: usize::MAX };
    let (found, _) = explore_with(&mut jvm, &calls, StateRepresentation::WholeState, limits);
    assert_eq!(states(&found), [1, 7, 37, 157, 517]);
    assert_eq!(found.given_up, [6]);
    assert!(jvm.hung <= 7, "{}", jvm.hung);
    let killed: u64 = found.iterations.iter().map(|iteration| iteration.outcomes.killed).sum();
    assert_eq!(killed as usize, jvm.hung);
}

#[test]
fn states_found_before_an_executor_failure_are_kept() {
    let mut jvm = StackJvm { fails_after: Some(40), ..StackJvm::default() };
    let limits = ExplorationLimits { iterations: 6, states: usize::MAX };
    let (found, error) = explore_with(&mut jvm, &pushes(6), StateRepresentation::WholeState, limits);
    assert!(matches!(error, Some(ExecutorError::Interrupted)));
    assert_eq!(states(&found), [1, 7, 37, 37]);
}
