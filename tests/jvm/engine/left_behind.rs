//! What a sequence leaves in its JVM, such as static fields, threads and open files, and that the next one does not see it.

use super::{one_call, point, reason, run};
use model::execution::{Detail, Executor, KillReason, Outcome, Value};
use model::jvm::{ClassName, Literal};
use model::sequence::Sequence;
use testing::for_each_jdk;

#[test]
fn global_state_is_restored_after_each_sequence() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let set = one_call(&mut subject, "sample/Hostile", "setGlobals", "()I");
        let get = one_call(&mut subject, "sample/Hostile", "globals", "()Ljava/lang/String;");
        let batch = [get.clone(), set, get];
        let executions = subject.executor(jdk).execute(&batch, Detail::Observe).unwrap();
        let expected = Value::Literal(Literal::String("nullen_USUTCfalse".into()));
        assert_eq!((&executions[0].values[0], &executions[2].values[0]), (&expected, &expected));
    });
}

#[test]
fn class_with_interrupted_initialiser_is_usable_afterwards() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let touch = one_call(&mut subject, "sample/Hostile$Slow", "touch", "()I");
        let mut executor = subject.executor(jdk);
        for _ in 0..2 {
            assert_eq!(reason(&run(&mut executor, &touch, Detail::Search)), KillReason::ProbeBudget);
        }
    });
}

#[test]
fn residual_state_is_reported_restored_and_kept_in_a_shared_jvm() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let count = one_call(&mut subject, "sample/Hostile", "count", "()I");
        let globals = one_call(&mut subject, "sample/Hostile", "setGlobals", "()I");
        let names = one_call(&mut subject, "sample/Point", "names", "()Ljava/util/Collection;");
        let mut executor = subject.executor(jdk);
        let mut counted = |detail| {
            let execution = run(&mut executor, &count, detail);
            (execution.values[0].clone(), execution.residual_state)
        };
        let number = |number| Value::Literal(Literal::Int(number));
        let (first, left) = counted(Detail::Observe);
        assert_eq!((first, left.is_some()), (number(1), true));
        assert_eq!(counted(Detail::SharedJvm), (number(1), None));
        assert_eq!(counted(Detail::SharedJvm), (number(2), None));
        let (third, more_left) = counted(Detail::Observe);
        assert_eq!(third, number(3));
        assert_ne!(more_left, left);
        assert_eq!(counted(Detail::Observe), (number(1), left));
        assert_eq!(run(&mut executor, &names, Detail::Observe).residual_state, None);
        assert!(run(&mut executor, &globals, Detail::Observe).residual_state.is_some());
    });
}

#[test]
fn static_field_of_a_class_that_no_operation_calls_is_put_back() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let count = one_call(&mut subject, "sample/Hostile", "countBehind", "()I");
        let mut executor = subject.executor(jdk);
        for _ in 0..2 {
            let execution = run(&mut executor, &count, Detail::Observe);
            assert_eq!(execution.values[0], Value::Literal(Literal::Int(11)));
            assert!(execution.residual_state.is_some());
        }
    });
}

#[test]
fn what_a_static_initialiser_leaves_stays() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let made = one_call(&mut subject, "sample/Hostile", "made", "()I");
        let has_first = one_call(&mut subject, "sample/Hostile", "hasFirst", "()Z");
        let mut executor = subject.executor(jdk);
        for _ in 0..2 {
            // The initialiser of the superclass made the one with the number 0, before the superclass was initialised.
            assert_eq!(run(&mut executor, &made, Detail::Observe).values[0], Value::Literal(Literal::Int(1)));
            let first = &run(&mut executor, &has_first, Detail::Observe).values[0];
            assert_eq!(*first, Value::Literal(Literal::Boolean(true)));
        }
    });
}

#[test]
fn running_thread_left_behind_gives_the_next_sequence_a_fresh_jvm() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let count = one_call(&mut subject, "sample/Hostile", "count", "()I");
        let leave = one_call(&mut subject, "sample/Hostile", "leaveThread", "()V");
        let joined = one_call(&mut subject, "sample/Hostile", "joinedThread", "()I");
        let pool = one_call(&mut subject, "sample/Hostile", "leavePool", "()V");
        let batch = [count.clone(), joined, pool, count.clone(), leave, count];
        let executions = subject.executor(jdk).execute(&batch, Detail::SharedJvm).unwrap();
        assert_eq!(executions[4].outcome, Outcome::Completed);
        let numbers = [0, 1, 3, 5].map(|index| executions[index].values[0].clone());
        assert_eq!(numbers, [1, 2, 3, 1].map(|number| Value::Literal(Literal::Int(number))));
    });
}

#[test]
fn threads_that_no_group_of_the_code_lists_give_the_next_sequence_a_fresh_jvm() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let count = one_call(&mut subject, "sample/Hostile", "count", "()I");
        let hidden = one_call(&mut subject, "sample/Hostile", "leaveHiddenThread", "()V");
        let is_virtual = one_call(&mut subject, "sample/Hostile", "leaveVirtualThread", "()Z");
        let batch = [count.clone(), hidden, count.clone(), is_virtual.clone(), count.clone(), is_virtual, count];
        let executions = subject.executor(jdk).execute(&batch, Detail::SharedJvm).unwrap();
        let value = |index: usize| executions[index].values[0].clone();
        assert_eq!([0, 2].map(value), [1, 1].map(|number| Value::Literal(Literal::Int(number))));
        // Older JVMs have no virtual threads, so the counter goes on.
        let has_any = value(3) == Value::Literal(Literal::Boolean(true));
        let expected = if has_any { [1, 1] } else { [2, 3] };
        assert_eq!([4, 6].map(value), expected.map(|number| Value::Literal(Literal::Int(number))));
    });
}

#[test]
fn failed_initialiser_is_an_exception_of_the_code_under_test() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let touch = one_call(&mut subject, "sample/Hostile$Broken", "touch", "()V");
        let mut executor = subject.executor(jdk);
        for expected in ["java/lang/ExceptionInInitializerError", "java/lang/NoClassDefFoundError"] {
            let execution = run(&mut executor, &touch, Detail::Search);
            let Outcome::Threw { exception, .. } = &execution.outcome else { panic!("{execution:?}") };
            assert_eq!(exception.class, ClassName::new(expected));
        }
    });
}

#[test]
fn open_files_left_behind_give_the_next_sequence_a_fresh_jvm() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let open = subject.static_method("sample/Hostile", "openFiles", "(I)I");
        let batch = [1, 500, 1].map(|many| {
            let mut sequence = Sequence::new();
            let many = sequence.push_literal(Literal::Int(many));
            sequence.push_call(open, &[many]);
            sequence
        });
        let executions = subject.executor(jdk).execute(&batch, Detail::SharedJvm).unwrap();
        let numbers: Vec<Value> = executions.into_iter().map(|execution| execution.values[1].clone()).collect();
        assert_eq!(numbers, [1, 2, 1].map(|number| Value::Literal(Literal::Int(number))));
    });
}
