//! Real sequences through real workers, on every JDK that is here.

mod symbolic;

use crate::subject::Subject;
use bytecode::instrument::{self, Mutation};
use host::supervisor::{ClassReader, WorkerExecutor};
use model::execution::mutant::{Mutant, Operator};
use model::execution::{Detail, Execution, Executor, KillReason, Observed, Outcome, Value};
use model::jvm::{ClassName, Literal, Primitive, Type};
use model::sequence::Sequence;
use protocol::setup::State;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testing::for_each_jdk;

const POINT: &str = r#"
package sample;
public class Point {
    public int x;
    private final java.util.List<Point> others = new java.util.ArrayList<>();
    public Point(int x) { this.x = x; }
    public int twice() { return 2 * x; }
    public Point with(Point other) { others.add(other); return this; }
    public void move(int by) { x += by; }
    public static String describe(String text, long number, char letter, double real, float small, boolean flag,
            byte tiny, short less) {
        return text + number + letter + real + small + flag + tiny + less;
    }
    int hidden() { return 7; }
    public static Integer boxed() { return 5; }
    public static int[] numbers() { return new int[] {1, 2, 3}; }
    public static java.util.Collection<String> names() {
        return java.util.Collections.unmodifiableList(new java.util.ArrayList<>(java.util.Arrays.asList("a", "b")));
    }
    public static java.util.Map<String, String> holes() { return new java.util.HashMap<>(java.util.Collections.singletonMap("a", null)); }
    public static Thread.State state() { return Thread.State.NEW; }
    public static void fail(String why) { throw new IllegalStateException(why); }
    public static int compare(int number, String text, long wide) {
        if (number == 4711) { return 1; }
        if (text.equals("magic")) { return 2; }
        if (wide > 9_000_000_000L) { return 3; }
        switch (number) { case 1: return 4; case 2: return 5; default: return 6; }
    }
    public static long now() { return System.currentTimeMillis(); }
    public static boolean has(String resource) { return Point.class.getResource(resource) != null; }
    public static int loop(int times) { int sum = 0; for (int i = 0; i < times; i++) { sum += i; } return sum; }
}
"#;

const HOSTILE: &str = r#"
package sample;
public class Hostile {
    static java.util.List<Object> kept = new java.util.ArrayList<>();
    static int calls;
    public static int count() { return ++calls; }
    public static void exit() { System.exit(3); }
    public static void halt() { Runtime.getRuntime().halt(4); }
    public static void swallowedExit() { try { System.exit(5); } catch (Throwable t) { } }
    public static void spin() { while (true) { } }
    public static void spinCatching() { while (true) { try { count(); } catch (Throwable t) { } } }
    public static synchronized void spinLocked() { while (true) { synchronized (kept) { count(); } } }
    public static void spinInTheJdk() { java.util.stream.Stream.generate("x"::toString).anyMatch(""::equals); }
    public static void park() { while (true) { java.util.concurrent.locks.LockSupport.park(); } }
    public static void sleep() throws Exception { Thread.sleep(1_000_000); }
    public static int deep(int n) { return deep(n + 1) + 1; }
    public static void bomb() { while (true) { kept.add(new byte[1 << 20]); } }
    public static int[] huge() { return new int[Integer.MAX_VALUE]; }
    public static void crash() throws Exception {
        java.lang.reflect.Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        ((sun.misc.Unsafe) field.get(null)).putAddress(0, 0);
    }
    public static void leaveThread() {
        Thread thread = new Thread(() -> { while (true) { try { Thread.sleep(1000); } catch (InterruptedException e) { } } });
        thread.start();
    }
    public static void leavePool() throws Exception {
        java.util.concurrent.Executors.newScheduledThreadPool(2).submit(() -> calls).get();
    }
    public static int joinedThread() throws Exception {
        Thread thread = new Thread(() -> calls++);
        thread.start();
        thread.join();
        return calls;
    }
    public static int setGlobals() {
        System.setProperty("sample.key", "value");
        java.util.Locale.setDefault(java.util.Locale.GERMANY);
        java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("Asia/Tokyo"));
        System.setOut(null);
        return 1;
    }
    public static String globals() {
        return System.getProperty("sample.key") + java.util.Locale.getDefault() + java.util.TimeZone.getDefault().getID()
            + (System.out == null);
    }
    public static void threadBomb() {
        while (true) {
            new Thread(() -> { try { Thread.sleep(100000); } catch (InterruptedException e) { } }).start();
        }
    }
    public static void nativeBomb() {
        while (true) { kept.add(java.nio.ByteBuffer.allocateDirect(1 << 20)); }
    }
    public static int openFiles(int many) throws Exception {
        for (int i = 0; i < many; i++) { kept.add(new java.io.FileInputStream("/dev/null")); }
        return ++calls;
    }
    public static void deadlock() throws Exception {
        Object lock = new Object();
        Thread thread = new Thread(() -> {
            synchronized (lock) { while (true) { try { Thread.sleep(1000); } catch (InterruptedException e) { } } }
        });
        thread.setDaemon(true);
        thread.start();
        while (!Thread.holdsLock(kept) && thread.getState() != Thread.State.TIMED_WAITING) { Thread.sleep(1); }
        synchronized (lock) { calls++; }
    }
    public enum Color { RED, GREEN, BLUE }
    public static java.util.Map<Color, String> colors(boolean backwards) {
        java.util.Map<Color, String> map = new java.util.HashMap<>();
        Color[] values = Color.values();
        for (int i = 0; i < 3; i++) { map.put(values[backwards ? 2 - i : i], "c"); }
        return map;
    }
    private static int descend(int depth) { deepest = depth; return descend(depth + 1) + 1; }
    private static int deepest;
    public static int depth() {
        try { return descend(0); } catch (StackOverflowError e) { return deepest; }
    }
    public static class Slow {
        static { for (int i = 0; i < 10_000_000; i++) { calls += i; } }
        public static int touch() { return 1; }
    }
    public static class Broken {
        static { if (true) { throw new IllegalStateException("no"); } }
        public static void touch() { }
    }
}
"#;

fn point() -> Subject {
    Subject::new(&[("sample/Point", POINT), ("sample/Hostile", HOSTILE)])
}

fn run(executor: &mut WorkerExecutor, sequence: &Sequence, detail: Detail) -> Execution {
    executor.execute(std::slice::from_ref(sequence), detail).unwrap().remove(0)
}

fn reason(execution: &Execution) -> KillReason {
    match &execution.outcome {
        Outcome::Killed { reason, .. } => *reason,
        outcome => panic!("expected a killed run, got {outcome:?}"),
    }
}

/// A sequence of one static call without arguments.
fn one_call(subject: &mut Subject, owner: &str, name: &str, descriptor: &str) -> Sequence {
    let operation = subject.static_method(owner, name, descriptor);
    let mut sequence = Sequence::new();
    sequence.push_call(operation, &[]);
    sequence
}

#[test]
fn values_of_all_types_round_trip_exactly() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let create = subject.constructor("sample/Point", "(I)V");
        let twice = subject.method("sample/Point", "twice", "()I");
        let shift = subject.method("sample/Point", "move", "(I)V");
        let get = subject.field("sample/Point", "x", "I");
        let describe =
            subject.static_method("sample/Point", "describe", "(Ljava/lang/String;JCDFZBS)Ljava/lang/String;");
        let boxed = subject.static_method("sample/Point", "boxed", "()Ljava/lang/Integer;");
        let numbers = subject.static_method("sample/Point", "numbers", "()[I");
        let names = subject.static_method("sample/Point", "names", "()Ljava/util/Collection;");
        let holes = subject.static_method("sample/Point", "holes", "()Ljava/util/Map;");
        let state = subject.static_method("sample/Point", "state", "()Ljava/lang/Thread$State;");
        let strings = subject.array(Type::string());
        let cast = subject.cast(Type::class("java/util/List"));

        let mut sequence = Sequence::new();
        let three = sequence.push_literal(Literal::Int(3));
        let made = sequence.push_call(create, &[three]);
        sequence.push_call(twice, &[made]);
        sequence.push_call(shift, &[made, three]);
        sequence.push_call(get, &[made]);
        let text = sequence.push_literal(Literal::String("é\u{1F600}".into()));
        let arguments = [
            Literal::Long(i64::MIN),
            Literal::Char('ß' as u16),
            Literal::double(-0.0),
            Literal::float(1.5),
            Literal::Boolean(true),
            Literal::Byte(-1),
            Literal::Short(-2),
        ];
        let mut inputs = vec![text];
        inputs.extend(arguments.into_iter().map(|literal| sequence.push_literal(literal)));
        sequence.push_call(describe, &inputs);
        sequence.push_call(boxed, &[]);
        sequence.push_call(numbers, &[]);
        let list = sequence.push_call(names, &[]);
        sequence.push_call(state, &[]);
        let null = sequence.push_literal(Literal::Null(Type::string()));
        sequence.push_call(strings, &[text, null]);
        sequence.push_call(holes, &[]);
        sequence.push_call(cast, &[list]);

        let mut executor = subject.executor(jdk);
        let observed = run(&mut executor, &sequence, Detail::Observe);
        assert_eq!(observed.outcome, Outcome::Completed);
        let text = || Literal::String("é\u{1F600}".into());
        let object = |class: &str, observed| Value::Object { class: Type::class(class), observed };
        assert_eq!(observed.values[1], object("sample/Point", Observed::Nothing));
        assert_eq!(observed.values[2], Value::Literal(Literal::Int(6)));
        assert_eq!(observed.values[3], Value::Void);
        assert_eq!(observed.values[4], Value::Literal(Literal::Int(6)));
        let described = "é\u{1F600}-9223372036854775808ß-0.01.5true-1-2";
        assert_eq!(observed.values[13], Value::Literal(Literal::String(described.into())));
        assert_eq!(observed.values[14], object("java/lang/Integer", Observed::Boxed(Literal::Int(5))));
        let ints = Type::array(Type::Primitive(Primitive::Int));
        let elements = [1, 2, 3].map(|number| Some(Literal::Int(number))).to_vec();
        assert_eq!(observed.values[15], Value::Object { class: ints, observed: Observed::Array(elements) });
        let Value::Object { observed: Observed::Size(2), .. } = &observed.values[16] else {
            panic!("{:?}", observed.values[16])
        };
        assert_eq!(observed.values[17], object("java/lang/Thread$State", Observed::EnumConstant("NEW".into())));
        assert_eq!(observed.values[18], Value::Null);
        let strings = Type::array(Type::string());
        let elements = Observed::Array(vec![Some(text()), None]);
        assert_eq!(observed.values[19], Value::Object { class: strings, observed: elements });
        assert_eq!(observed.values.len(), 22);
        assert_eq!(observed.holding_null, [19, 20]);

        let searched = run(&mut executor, &sequence, Detail::Search);
        assert_eq!(searched.values[13], object("java/lang/String", Observed::Nothing));
        assert_eq!(searched.holding_null, [0; 0]);
        assert_eq!(searched.states.len(), 2);
        assert_eq!(searched.states[0], searched.states[1]);
        assert!(searched.states[0].is_some());
    });
}

#[test]
fn exception_is_reported_with_class_message_and_stack() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let fail = subject.static_method("sample/Point", "fail", "(Ljava/lang/String;)V");
        let mut sequence = Sequence::new();
        let why = sequence.push_literal(Literal::String("because".into()));
        sequence.push_call(fail, &[why]);
        let execution = run(&mut subject.executor(jdk), &sequence, Detail::Observe);
        let Outcome::Threw { statement: 1, exception } = &execution.outcome else { panic!("{execution:?}") };
        assert_eq!(exception.class, ClassName::new("java/lang/IllegalStateException"));
        assert_eq!(exception.nameable, exception.class);
        assert_eq!(exception.superclasses.last(), Some(&ClassName::new("java/lang/Throwable")));
        assert_eq!(exception.message.as_ref().map(ToString::to_string).as_deref(), Some("because"));
        assert_eq!(exception.stack.len(), 1, "{:?}", exception.stack);
        assert_eq!((&*exception.stack[0].method, exception.stack[0].line), ("fail", 22));
    });
}

#[test]
fn a_package_private_member_is_called_and_a_missing_one_does_not_link() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let create = subject.constructor("sample/Point", "(I)V");
        let hidden = subject.hidden_method("sample/Point", "hidden", "()I");
        let missing = subject.method("sample/Point", "missing", "()I");
        let absent = subject.static_method("sample/Absent", "call", "()I");
        let mut sequence = Sequence::new();
        let three = sequence.push_literal(Literal::Int(3));
        let made = sequence.push_call(create, &[three]);
        let mut other = sequence.clone();
        sequence.push_call(hidden, &[made]);
        other.push_call(missing, &[made]);
        let mut none = Sequence::new();
        none.push_call(absent, &[]);
        let mut literal = Sequence::new();
        literal.push_literal(Literal::Class(Type::class("sample/Absent")));
        let mut executor = subject.executor(jdk);
        assert_eq!(run(&mut executor, &sequence, Detail::Search).values[2], Value::Literal(Literal::Int(7)));
        for (sequence, at) in [(other, 2), (none, 0), (literal, 0)] {
            let execution = run(&mut executor, &sequence, Detail::Search);
            let Outcome::Unlinkable { statement, .. } = execution.outcome else { panic!("{execution:?}") };
            assert_eq!(statement, at);
        }
    });
}

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
            ("huge", "()[I", KillReason::OutOfMemory),
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
fn edges_are_reported_once_in_search_and_always_when_observed() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let loop_ = subject.static_method("sample/Point", "loop", "(I)I");
        let sequence = |times| {
            let mut sequence = Sequence::new();
            let times = sequence.push_literal(Literal::Int(times));
            sequence.push_call(loop_, &[times]);
            sequence
        };
        let mut executor = subject.executor(jdk);
        let first = run(&mut executor, &sequence(5), Detail::Search);
        // Entry, loop left once, loop continued five times.
        assert_eq!(first.edges.iter().map(|hit| hit.bucket).collect::<Vec<_>>().len(), 3, "{:?}", first.edges);
        assert!(first.edges.iter().any(|hit| hit.bucket == 3));
        assert_eq!(first.cost, 7);
        assert_eq!(run(&mut executor, &sequence(5), Detail::Search).edges, []);
        let more = run(&mut executor, &sequence(9), Detail::Search);
        assert_eq!(more.edges.iter().map(|hit| hit.bucket).collect::<Vec<_>>(), [4]);
        assert_eq!(run(&mut executor, &sequence(5), Detail::Observe).edges, first.edges);
    });
}

#[test]
fn comparison_operands_and_environment_reads_are_seen() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let compare = subject.static_method("sample/Point", "compare", "(ILjava/lang/String;J)I");
        let now = one_call(&mut subject, "sample/Point", "now", "()J");
        let has = subject.static_method("sample/Point", "has", "(Ljava/lang/String;)Z");
        let mut sequence = Sequence::new();
        let inputs = [Literal::Int(17), Literal::String("abc".into()), Literal::Long(5)]
            .map(|literal| sequence.push_literal(literal));
        sequence.push_call(compare, &inputs);
        let mut executor = subject.executor(jdk);
        let execution = run(&mut executor, &sequence, Detail::Search);
        let pairs: Vec<(Literal, Literal)> =
            execution.comparisons.into_iter().map(|comparison| (comparison.left, comparison.right)).collect();
        assert!(pairs.contains(&(Literal::Int(17), Literal::Int(4711))), "{pairs:?}");
        assert!(pairs.contains(&(Literal::Long(5), Literal::Long(9_000_000_000))), "{pairs:?}");
        let strings = (Literal::String("abc".into()), Literal::String("magic".into()));
        assert!(pairs.contains(&strings), "{pairs:?}");
        assert!(!execution.environment_dependent);
        assert_eq!(run(&mut executor, &sequence, Detail::Search).comparisons, []);
        // Eight pairs are new to a worker whatever they are; after them only those that are clearly nearer.
        let reported: Vec<bool> = [1, 2, 3, 4, 5, 6, 7, 8, 9, 100, 4000, 4001, 4700]
            .into_iter()
            .map(|value| {
                let mut sequence = Sequence::new();
                let inputs = [Literal::Int(value), Literal::String("abc".into()), Literal::Long(5)]
                    .map(|literal| sequence.push_literal(literal));
                sequence.push_call(compare, &inputs);
                !run(&mut executor, &sequence, Detail::Search).comparisons.is_empty()
            })
            .collect();
        let expected = [true, true, true, true, true, true, true, true, false, false, true, false, true];
        assert_eq!(reported, expected);
        assert!(run(&mut executor, &now, Detail::Search).environment_dependent);
        // Only what may come to lie at the class path's root elsewhere is up to the environment.
        for (name, is_environment) in
            [("/nothing", true), ("/", true), ("nothing", false), ("/sample/Point.class", false)]
        {
            let mut sequence = Sequence::new();
            let name = sequence.push_literal(Literal::String(name.into()));
            sequence.push_call(has, &[name]);
            assert_eq!(run(&mut executor, &sequence, Detail::Search).environment_dependent, is_environment);
        }
    });
}

const CLOCKS: &str = r#"
package sample;
public class Clocks {
    public static java.util.function.LongSupplier ticker() { return System::nanoTime; }
    public static long ticked() { return ticker().getAsLong(); }
    public static long waited() {
        long end = System.currentTimeMillis() + 1000;
        while (System.currentTimeMillis() < end) { }
        return System.currentTimeMillis();
    }
    public static int shuffled() {
        java.util.List<Integer> list = new java.util.ArrayList<>();
        for (int i = 0; i < 100; i++) { list.add(i); }
        java.util.Collections.shuffle(list);
        return list.hashCode();
    }
    public static int local() { return java.util.concurrent.ThreadLocalRandom.current().nextInt(); }
    public static String split() { return "" + new java.util.SplittableRandom().nextLong(); }
    public static String methods() {
        StringBuilder names = new StringBuilder();
        for (java.lang.reflect.Method method : Clocks.class.getDeclaredMethods()) { names.append(method.getName()).append(' '); }
        return names.toString();
    }
}
"#;

#[test]
fn methods_are_listed_in_one_order() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Clocks", CLOCKS)]);
        let listed = one_call(&mut subject, "sample/Clocks", "methods", "()Ljava/lang/String;");
        let values = run(&mut subject.executor(jdk), &listed, Detail::Observe).values;
        let expected = "local methods shuffled split ticked ticker waited ";
        assert_eq!(values, [Value::Literal(Literal::String(expected.into()))]);
    });
}

#[test]
fn clock_and_randomness_are_deterministic_per_sequence() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Clocks", CLOCKS)]);
        let calls = [
            ("java/lang/System", "currentTimeMillis", "()J"),
            ("java/lang/System", "nanoTime", "()J"),
            ("java/time/Instant", "now", "()Ljava/time/Instant;"),
            ("java/time/LocalDate", "now", "()Ljava/time/LocalDate;"),
            ("java/util/Calendar", "getInstance", "()Ljava/util/Calendar;"),
            ("java/util/UUID", "randomUUID", "()Ljava/util/UUID;"),
            ("java/lang/Math", "random", "()D"),
            ("sample/Clocks", "ticked", "()J"),
            ("sample/Clocks", "waited", "()J"),
            ("sample/Clocks", "shuffled", "()I"),
            ("sample/Clocks", "local", "()I"),
            ("sample/Clocks", "split", "()Ljava/lang/String;"),
        ];
        let mut sequences: Vec<Sequence> =
            calls.iter().map(|(owner, name, descriptor)| one_call(&mut subject, owner, name, descriptor)).collect();
        for owner in ["java/util/Date", "java/util/GregorianCalendar", "java/util/Random"] {
            let create = subject.constructor(owner, "()V");
            let mut sequence = Sequence::new();
            let made = sequence.push_call(create, &[]);
            if owner == "java/util/Random" {
                let next = subject.method(owner, "nextInt", "()I");
                sequence.push_call(next, &[made]);
            }
            sequences.push(sequence);
        }
        let results = |sequences: &[Sequence]| {
            let executions = subject.executor(jdk).execute(sequences, Detail::Observe).unwrap();
            let seen = |execution: Execution| (execution.outcome, execution.values, execution.states);
            executions.into_iter().map(seen).collect::<Vec<_>>()
        };
        let first = results(&sequences);
        for (outcome, values, _) in &first {
            assert!(matches!(outcome, Outcome::Completed), "{outcome:?} {values:?}");
        }
        let start = 1_577_836_800_000;
        assert_eq!(first[0].1, [Value::Literal(Literal::Long(start))]);
        assert_eq!(first[8].1, [Value::Literal(Literal::Long(start + 1001))]);
        // In another worker, at another time.
        assert_eq!(results(&sequences), first);
    });
}

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
fn stack_overflow_depth_is_deterministic() {
    for_each_jdk(|jdk| {
        let mut subject = point();
        let depth = one_call(&mut subject, "sample/Hostile", "depth", "()I");
        let count = one_call(&mut subject, "sample/Hostile", "count", "()I");
        let batch: Vec<Sequence> = (0..60).flat_map(|_| [depth.clone(), count.clone(), count.clone()]).collect();
        let depths = || -> Vec<Value> {
            let executions = subject.executor(jdk).execute(&batch, Detail::Search).unwrap();
            executions.iter().step_by(3).map(|execution| execution.values[0].clone()).collect()
        };
        let first = depths();
        assert_eq!(depths(), first);
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

#[test]
fn class_files_of_the_jdk_and_the_class_path_are_read() {
    for_each_jdk(|jdk| {
        let subject = point();
        let names = ["java/util/List", "sample/Point", "no/Such"].map(ClassName::new);
        let classes = ClassReader::open(&subject.launch_for(jdk)).unwrap().read(&names).unwrap();
        let magic = |index: usize| classes[index].as_ref().map(|bytes: &Vec<u8>| bytes[..4].to_vec());
        assert_eq!(magic(0), Some(vec![0xCA, 0xFE, 0xBA, 0xBE]));
        assert_eq!(magic(1), Some(vec![0xCA, 0xFE, 0xBA, 0xBE]));
        assert_eq!(magic(2), None);
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

const MUTABLE: &str = r#"
package sample;
public class Mutable {
    private int count;
    private static java.util.List<String> names = new java.util.ArrayList<>();
    static final int TABLE = fill();
    private static int fill() { return 3 + 4; }
    static void add(long wide, String name, double real) { names.add(name); }
    void count() { count++; }
    public static Integer boxed(int a) { return a; }
    static String text(int a) { return "a" + a; }
    static java.util.Map<String, String> map() { return new java.util.HashMap<>(); }
    static boolean[] flags(boolean flag) { return new boolean[] {flag}; }
    static Boolean same(boolean a) { return a; }
    static float negated(float a) { return -a; }
    static double remainder(double a) { return a % 3; }
    public static String all() {
        Mutable made = new Mutable();
        made.count();
        names.clear();
        add(4L, "x", 2.0);
        int sum = made.count;
        for (int i = 0; i < 3; i++) { sum += i * 2; }
        for (String name : names) { sum += name.length(); }
        int back = 0;
        while (back > -4 && sum >= 0) { back -= 2; }
        long shifted = (5L << 2 | 1L) ^ sum;
        try { sum--; } finally { add(shifted, "y", 1.0); }
        return text(sum) + boxed(back) + map().size() + flags(sum < 9)[0] + same(true) + same(false) + negated(1f) + remainder(7)
            + shifted + names + TABLE;
    }
}
"#;

#[test]
fn every_mutant_runs_and_the_class_is_restored() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Mutable", MUTABLE)]);
        let all = one_call(&mut subject, "sample/Mutable", "all", "()Ljava/lang/String;");
        let mutations = instrument::mutants(&subject.class_file("sample/Mutable")).unwrap();
        let mut executor = subject.executor(jdk);
        let whole = run(&mut executor, &all, Detail::Observe);
        assert_eq!(whole.outcome, Outcome::Completed);
        let mut killed = BTreeSet::new();
        for Mutation { method, pc, operator, reached_by, .. } in &mutations {
            let mutant = Mutant { class: 0, method: *method, pc: *pc, operator: *operator };
            let mutated = run(&mut executor, &all, Detail::Mutated(mutant));
            assert!(!matches!(mutated.outcome, Outcome::Unlinkable { .. }), "{mutant:?}: {:?}", mutated.outcome);
            assert!(whole.edges.iter().any(|hit| reached_by.contains(&hit.edge)), "{mutant:?} is reached");
            if (&mutated.outcome, &mutated.values) != (&whole.outcome, &whole.values) {
                killed.insert(*operator);
            }
        }
        assert_eq!(killed, Operator::ALL.into_iter().collect());
        let again = run(&mut executor, &all, Detail::Observe);
        assert_eq!((again.outcome, again.values), (whole.outcome, whole.values));
    });
}

#[test]
fn mutant_does_not_leak_into_the_next_run() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Mutable", MUTABLE)]);
        let boxed = subject.static_method("sample/Mutable", "boxed", "(I)Ljava/lang/Integer;");
        let mutations = instrument::mutants(&subject.class_file("sample/Mutable")).unwrap();
        let first = mutations.iter().find(|one| one.operator == Operator::EmptyReturns).unwrap();
        let mutant = Mutant { class: 0, method: first.method, pc: first.pc, operator: first.operator };
        let mut sequence = Sequence::new();
        let five = sequence.push_literal(Literal::Int(5));
        sequence.push_call(boxed, &[five]);
        let value = |run: Execution| run.values[1].clone();
        let boxed = |number: i32| Value::Object {
            class: Type::class("java/lang/Integer"),
            observed: Observed::Boxed(Literal::Int(number)),
        };
        let mut executor = subject.executor(jdk);
        assert_eq!(value(run(&mut executor, &sequence, Detail::Mutated(mutant))), boxed(0));
        assert_eq!(value(run(&mut executor, &sequence, Detail::Observe)), boxed(5));
        let unknown = Mutant { class: 9, ..mutant };
        assert_eq!(value(run(&mut executor, &sequence, Detail::Mutated(unknown))), boxed(5));
    });
}
