//! Fingerprints of object states, and which states they tell apart.

use super::point;
use crate::subject::Subject;
use host::supervisor::WorkerExecutor;
use model::execution::{Detail, Executor};
use model::jvm::Literal;
use model::sequence::Sequence;
use protocol::setup::State;
use std::sync::Arc;
use testing::for_each_jdk;

#[test]
fn fingerprints_distinguish_states_equally_in_every_worker() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let create = subject.constructor("sample/Point", "(I)V");
        let with = subject.method("sample/Point", "with", "(Lsample/Point;)Lsample/Point;");
        let map = subject.constructor("java/util/HashMap", "()V");
        let put =
            subject.method("java/util/HashMap", "put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;");
        let pair = |x: i32, y: i32, shared: bool| {
            let mut sequence = Sequence::new();
            let x = sequence.push_literal(Literal::Int(x));
            let y = sequence.push_literal(Literal::Int(y));
            let one = sequence.push_call(create, &[x]);
            let other = if shared { one } else { sequence.push_call(create, &[y]) };
            sequence.push_call(with, &[one, other]);
            sequence
        };
        let keyed = {
            let mut sequence = Sequence::new();
            let map = sequence.push_call(map, &[]);
            for number in 0..30 {
                let number = sequence.push_literal(Literal::Int(number));
                let key = sequence.push_call(create, &[number]);
                sequence.push_call(put, &[map, key, number]);
            }
            sequence
        };
        let sequences = [pair(1, 1, false), pair(1, 2, false), pair(1, 1, true), keyed];
        let states = |executor: &mut WorkerExecutor| {
            let executions = executor.execute(&sequences, Detail::Search).unwrap();
            executions.into_iter().map(|execution| execution.states[0].unwrap()).collect::<Vec<_>>()
        };
        let mut executor = subject.executor(jdk);
        let first = states(&mut executor);
        let again = states(&mut executor);
        assert_eq!(first[..3], again[..3]);
        let mut distinct = first.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 4);
        executor.restart().unwrap();
        assert_eq!(states(&mut executor), first);
        assert_eq!(states(&mut subject.executor(jdk)), first);
    });
}

#[test]
fn map_fingerprint_is_independent_of_key_hashes() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let colors = subject.static_method("sample/Hostile", "colors", "(Z)Ljava/util/Map;");
        let sequence = |backwards| {
            let mut sequence = Sequence::new();
            let backwards = sequence.push_literal(Literal::Boolean(backwards));
            sequence.push_call(colors, &[backwards]);
            sequence
        };
        let states: Vec<_> = [[false, true], [true, false]]
            .into_iter()
            .flat_map(|order| {
                let batch = order.map(sequence);
                subject.executor(jdk).execute(&batch, Detail::Search).unwrap()
            })
            .map(|execution| execution.states[1])
            .collect();
        assert!(states[0].is_some());
        assert!(states.iter().all(|state| *state == states[0]), "{states:?}");
    });
}

const STACK: &str = r#"
package sample;
public class Stack {
    private final int[] store = new int[4];
    private int size;
    public void push(int value) { store[size++] = value; }
    public void pop() { size--; }
    @Override public boolean equals(Object other) {
        if (!(other instanceof Stack) || size != ((Stack) other).size) { return false; }
        for (int i = 0; i < size; i++) { if (store[i] != ((Stack) other).store[i]) { return false; } }
        return true;
    }
    @Override public int hashCode() { return size; }
}
"#;

#[test]
fn state_abstraction_of_the_launch_decides_which_states_differ() {
    let mut subject = Subject::new(&[("sample/Stack", STACK)]);
    let new = subject.constructor("sample/Stack", "()V");
    let push = subject.method("sample/Stack", "push", "(I)V");
    let pop = subject.method("sample/Stack", "pop", "()V");
    let pushed = |value: i32, popped: bool| {
        let mut sequence = Sequence::new();
        let stack = sequence.push_call(new, &[]);
        let value = sequence.push_literal(Literal::Int(value));
        sequence.push_call(push, &[stack, value]);
        if popped {
            sequence.push_call(pop, &[stack]);
        }
        sequence
    };
    let sequences = [pushed(1, true), pushed(2, true), pushed(1, false), pushed(2, false)];
    for_each_jdk(|jdk| {
        for state in [State::Whole, State::Monitored, State::Equal] {
            let mut launch = subject.launch_for(jdk);
            launch.state = state;
            launch.class_methods = vec![0];
            let mut executor = WorkerExecutor::start(Arc::new(launch), &format!("{state:?}")).unwrap();
            let executions = executor.execute(&sequences, Detail::Search).unwrap();
            let states: Vec<_> = executions.iter().map(|execution| execution.states[0].unwrap()).collect();
            assert_eq!(states[0] == states[1], state != State::Whole, "{state:?}: what was popped, {}", jdk.display());
            assert!(states[0] != states[2] && states[2] != states[3], "{state:?}: {}", jdk.display());
        }
    });
}
