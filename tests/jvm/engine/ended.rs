//! Sequences that end, and workers that do not survive them.

use super::{one_call, point, reason, run};
use host::supervisor::WorkerExecutor;
use model::execution::{Detail, Executor, KillReason, Outcome, Value};
use model::jvm::Literal;
use model::sequence::Sequence;
use std::time::{Duration, Instant};
use testing::for_each_jdk;

#[test]
fn exit_hang_and_memory_exhaustion_are_outcomes() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let expected = [
            ("exit", "()V", KillReason::Exit),
            ("halt", "()V", KillReason::Exit),
            ("swallowedExit", "()V", KillReason::Exit),
            ("spinCatching", "()V", KillReason::ProbeBudget),
            ("spinLocked", "()V", KillReason::ProbeBudget),
            ("bomb", "()V", KillReason::OutOfMemory),
            ("huge", "()[I", KillReason::ProbeBudget),
            ("threadBomb", "()V", KillReason::OutOfMemory),
            ("nativeBomb", "()V", KillReason::OutOfMemory),
            ("spin", "()V", KillReason::ProbeBudget),
            ("spinInTheJdk", "()V", KillReason::Timeout),
            ("sleep", "()V", KillReason::Timeout),
            ("park", "()V", KillReason::Timeout),
            ("deadlock", "()V", KillReason::Timeout),
        ];
        let calls: Vec<Sequence> = expected
            .iter()
            .map(|(name, descriptor, _)| one_call(&mut subject, "sample/Hostile", name, descriptor))
            .collect();
        let deep = subject.static_method("sample/Hostile", "deep", "(I)I");
        let mut recursion = Sequence::new();
        let zero = recursion.push_literal(Literal::Int(0));
        recursion.push_call(deep, &[zero]);
        let count = one_call(&mut subject, "sample/Hostile", "count", "()I");
        subject.call_timeout = Some(Duration::from_millis(1000));
        let mut executor = subject.executor(jdk);
        for (sequence, (name, _, expected)) in calls.iter().zip(&expected) {
            let started = Instant::now();
            let execution = run(&mut executor, sequence, Detail::Search);
            assert_eq!(reason(&execution), *expected, "{name}");
            println!("{name}: {:?}", started.elapsed());
            assert_eq!(run(&mut executor, &count, Detail::Search).outcome, Outcome::Completed, "after {name}");
        }
        let started = Instant::now();
        assert_eq!(reason(&run(&mut executor, &recursion, Detail::Search)), KillReason::StackOverflow);
        println!("deep: {:?}", started.elapsed());
    });
}

#[test]
fn crash_is_attributed_to_the_sequence_that_repeats_it() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let count = one_call(&mut subject, "sample/Hostile", "count", "()I");
        let crash = one_call(&mut subject, "sample/Hostile", "crash", "()V");
        let batch = [count.clone(), count.clone(), crash, count.clone(), count];
        let executions = subject.executor(jdk).execute(&batch, Detail::SharedJvm).unwrap();
        let numbers: Vec<Option<&Value>> = executions.iter().map(|execution| execution.values.first()).collect();
        let number = |value| Some(Value::Literal(Literal::Int(value)));
        assert_eq!(numbers[0].cloned(), number(1));
        assert_eq!(numbers[1].cloned(), number(2));
        assert_eq!(reason(&executions[2]), KillReason::Signal(6));
        // The worker after it starts with nothing behind it.
        assert_eq!(numbers[3].cloned(), number(1));
        assert_eq!(numbers[4].cloned(), number(2));
    });
}

#[test]
fn worker_killed_from_outside_does_not_change_results() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let count = one_call(&mut subject, "sample/Hostile", "count", "()I");
        let loop_ = subject.static_method("sample/Point", "loop", "(I)I");
        let mut batch = Vec::new();
        for index in 0..400 {
            batch.push(count.clone());
            let mut sequence = Sequence::new();
            let times = sequence.push_literal(Literal::Int(index % 40 * 100));
            sequence.push_call(loop_, &[times]);
            batch.push(sequence);
        }
        let expected = subject.executor(jdk).execute(&batch, Detail::SharedJvm).unwrap();
        let mut executor = subject.executor(jdk);
        let mut seen = Vec::new();
        for (index, part) in batch.chunks(100).enumerate() {
            if let Some(id) = executor.worker_id() {
                let killer = std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(index as u64 % 4));
                    std::process::Command::new("kill").args(["-9", &id.to_string()]).status().unwrap()
                });
                seen.extend(executor.execute(part, Detail::SharedJvm).unwrap());
                killer.join().unwrap();
            }
        }
        assert_eq!(seen, expected);
    });
}

#[test]
fn worker_is_kept_until_its_past_may_matter() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let count = one_call(&mut subject, "sample/Hostile", "count", "()I");
        let mut executor = subject.executor(jdk);
        let kept_after = |executor: &mut WorkerExecutor, batch: &[Sequence], detail| {
            let before = executor.worker_id().unwrap();
            executor.execute(batch, detail).unwrap();
            executor.freshen().unwrap();
            executor.worker_id().unwrap() == before
        };
        let one = std::slice::from_ref(&count);
        assert!(kept_after(&mut executor, one, Detail::Observe));
        assert!(!kept_after(&mut executor, one, Detail::SharedJvm));
        assert!(kept_after(&mut executor, one, Detail::Search));
        assert!(!kept_after(&mut executor, &vec![count; 5_000], Detail::Search));
    });
}

#[test]
fn a_jdk_that_does_not_start_is_an_error() {
    let subject = point();
    let mut launch = subject.launch_for(std::path::Path::new("/nonexistent"));
    launch.scratch = subject.scratch();
    let error = WorkerExecutor::start(std::sync::Arc::new(launch), "broken").err().unwrap();
    assert!(error.to_string().contains("/nonexistent"), "{error}");
}
