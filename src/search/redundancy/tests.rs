//! The five representations on the tests of Rostra's example (docs/bibliography.md), as a worker would report them.

use super::representation;
use super::suites::{assess, minimize};
use model::execution::trace::{End, Input, MethodExecution, State, TestTrace};
use model::options::StateRepresentation;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

const NEW: u32 = 0;
const IS_EMPTY: u32 = 1;
const PUSH: u32 = 2;
const POP: u32 = 3;

fn number(of: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Rostra's stack, whose `equals` compares the elements below its top.
#[derive(Clone)]
struct Stack {
    store: Vec<i32>,
    size: usize,
}

impl Stack {
    fn state(&self) -> State {
        let live = number((self.size, &self.store[..self.size]));
        State { whole: number((self.size, &self.store)), monitored: live, equal: live }
    }
}

/// The trace of a test of one stack: `Some` pushes, `None` pops, and `isEmpty` comes first if it is called.
fn trace(asks: bool, steps: &[Option<i32>]) -> TestTrace {
    let mut stack = Stack { store: vec![0; 4], size: 0 };
    let made = End::Made { object: 0, state: stack.state() };
    let mut executions =
        vec![MethodExecution { method: NEW, statement: 0, has_receiver: false, inputs: Vec::new(), end: made }];
    let mut call = |method, before: State, after: State, argument: Option<i32>| {
        let mut inputs = vec![Input::Object { object: 0, before, after }];
        inputs.extend(argument.map(|value| Input::Primitive { letter: b'I', bits: value as u64 }));
        executions.push(MethodExecution { method, statement: 0, has_receiver: true, inputs, end: End::Returned(None) });
    };
    if asks {
        call(IS_EMPTY, stack.state(), stack.state(), None);
    }
    for step in steps {
        let before = stack.state();
        match step {
            Some(value) => {
                stack.store[stack.size] = *value;
                stack.size += 1;
            }
            None => stack.size -= 1,
        }
        call(if step.is_some() { PUSH } else { POP }, before, stack.state(), *step);
    }
    TestTrace { executions, ..TestTrace::default() }
}

fn keys(representation: StateRepresentation, tests: &[TestTrace]) -> Vec<Vec<u32>> {
    let mut representation = representation::of(representation);
    tests.iter().map(|test| representation.executions(test)).collect()
}

#[test]
fn each_representation_finds_the_redundant_tests_of_rostras_table() {
    let t1 = || trace(true, &[Some(3), Some(2), None, Some(5)]);
    let t2 = || trace(false, &[Some(3), Some(5)]);
    let t3 = || trace(false, &[Some(3), Some(2), None]);
    let redundant = |representation| {
        let is_redundant = |other: TestTrace| assess(&keys(representation, &[t1(), other])).redundant_tests == 1;
        (is_redundant(t2()), is_redundant(t3()))
    };
    assert_eq!(redundant(StateRepresentation::WholeSeq), (false, false));
    assert_eq!(redundant(StateRepresentation::ModifyingSeq), (false, true));
    assert_eq!(redundant(StateRepresentation::WholeState), (false, true));
    assert_eq!(redundant(StateRepresentation::MonitorEquals), (true, true));
    assert_eq!(redundant(StateRepresentation::PairwiseEquals), (true, true));
    assert_eq!(minimize(&keys(StateRepresentation::WholeState, &[t3(), t2(), t1()])), [1, 2]);
}

/// A call of method 9 with these objects, each with whole states before and after.
fn call(objects: &[(u32, u64, u64)], end: End) -> MethodExecution {
    let state = |whole| State { whole, monitored: whole, equal: whole };
    let inputs = objects.iter().map(|&(object, before, after)| Input::Object {
        object,
        before: state(before),
        after: state(after),
    });
    MethodExecution { method: 9, statement: 0, has_receiver: true, inputs: inputs.collect(), end }
}

fn sequence_keys(executions: Vec<MethodExecution>) -> Vec<u32> {
    let trace = TestTrace { executions, ..TestTrace::default() };
    keys(StateRepresentation::ModifyingSeq, &[trace]).remove(0)
}

#[test]
fn same_object_twice_differs_from_two_equal_objects() {
    for representation in StateRepresentation::ALL {
        let executions = vec![
            call(&[(1, 5, 5), (1, 5, 5)], End::Returned(None)),
            call(&[(2, 5, 5), (3, 5, 5)], End::Returned(None)),
        ];
        let found = keys(representation, &[TestTrace { executions, ..TestTrace::default() }]).remove(0);
        assert_ne!(found[0], found[1], "{representation:?}");
    }
}

#[test]
fn modified_argument_counts_as_a_different_object() {
    let found = sequence_keys(vec![
        call(&[(1, 5, 5), (2, 6, 7)], End::Returned(None)),
        call(&[(2, 7, 7)], End::Returned(None)),
        // Of unknown origin in the same state.
        call(&[(3, 7, 7)], End::Returned(None)),
    ]);
    assert_ne!(found[1], found[2]);
}

#[test]
fn object_modified_outside_the_trace_has_unknown_origin() {
    let found = sequence_keys(vec![
        call(&[(1, 5, 6)], End::Returned(None)),
        call(&[(1, 8, 8)], End::Returned(None)),
        call(&[(2, 8, 8)], End::Returned(None)),
    ]);
    assert_eq!(found[1], found[2]);
}

#[test]
fn equal_constructor_calls_with_different_states_make_different_objects() {
    let made = |whole| End::Made { object: 0, state: State { whole, monitored: whole, equal: whole } };
    let test = |whole| TestTrace {
        executions: vec![
            MethodExecution { method: NEW, statement: 0, has_receiver: false, inputs: Vec::new(), end: made(whole) },
            call(&[(0, whole, whole)], End::Returned(None)),
        ],
        ..TestTrace::default()
    };
    for representation in StateRepresentation::ALL {
        let found = keys(representation, &[test(5), test(5), test(6)]);
        assert_eq!(found[0], found[1], "{representation:?}");
        assert_eq!(found[0][0], found[2][0], "{representation:?}");
        assert_ne!(found[0][1], found[2][1], "{representation:?}");
    }
}
