//! Clock, randomness, reflection and the depth of the stack are the same in every run.

use super::{one_call, point, reason, run};
use crate::subject::Subject;
use host::supervisor::WorkerExecutor;
use model::execution::{Detail, Execution, Executor, KillReason, Outcome, TIMES, Value};
use model::jvm::Literal;
use model::sequence::Sequence;
use testing::for_each_jdk;

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
fn what_reads_a_clock_runs_at_other_times_too() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Clocks", CLOCKS)]);
        let mut call = |owner: &str, name: &str, descriptor: &str| one_call(&mut subject, owner, name, descriptor);
        let read = [
            call("java/lang/System", "currentTimeMillis", "()J"),
            call("java/lang/System", "nanoTime", "()J"),
            call("java/time/LocalDate", "now", "()Ljava/time/LocalDate;"),
            call("java/util/UUID", "randomUUID", "()Ljava/util/UUID;"),
            call("sample/Clocks", "ticked", "()J"),
        ];
        let instants = [
            call("java/time/Instant", "now", "()Ljava/time/Instant;"),
            call("java/time/ZonedDateTime", "now", "()Ljava/time/ZonedDateTime;"),
            call("java/util/Calendar", "getInstance", "()Ljava/util/Calendar;"),
        ];
        let random = call("sample/Clocks", "local", "()I");
        let fixed = call("sample/Clocks", "methods", "()Ljava/lang/String;");
        let mut executor = subject.executor(jdk);
        for sequence in &read {
            let execution = run(&mut executor, sequence, Detail::Observe);
            assert!(execution.timed && !execution.environment_dependent);
            let mut seen = vec![execution.values];
            for time in 0..TIMES {
                let values = run(&mut executor, sequence, Detail::AnotherTime(time)).values;
                assert!(!seen.contains(&values), "{values:?} at {time}");
                seen.push(values);
            }
            // Back at the time of the search.
            assert_eq!(run(&mut executor, sequence, Detail::Observe).values, seen[0]);
        }
        assert!(instants.iter().all(|sequence| run(&mut executor, sequence, Detail::Search).timed));
        let drawn = run(&mut executor, &random, Detail::Observe);
        assert!(drawn.timed && !drawn.environment_dependent);
        assert!(!run(&mut executor, &fixed, Detail::Observe).timed);
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

const DRAWN: &str = r#"
package sample;
import java.security.SecureRandom;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
public class Drawn {
    private static final SecureRandom SHARED = new SecureRandom();
    private static final Random STATIC = new Random();
    public static int number() { return new Random().nextInt(1000); }
    public static int kept() { return STATIC.nextInt(1000); }
    public static int secure() { return SHARED.nextInt(1000); }
    public static int ofThread() { return ThreadLocalRandom.current().nextInt(1000); }
    public static double anyone() { return Math.random(); }
    public static int rare() { return STATIC.nextInt(1_000_000) == 77 ? 1 : 2; }
    public static int high() { return ThreadLocalRandom.current().nextDouble() > 0.999_99 ? 1 : 2; }
    public static String name() { return String.valueOf(System.getenv("RANDGEN_NO_SUCH_VARIABLE")); }
}
"#;

#[test]
fn numbers_that_are_drawn_depend_on_the_sequence_and_the_time_alone() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Drawn", DRAWN)]);
        let calls = ["number", "kept", "secure", "ofThread"]
            .map(|name| (one_call(&mut subject, "sample/Drawn", name, "()I"), name));
        let anyone = (one_call(&mut subject, "sample/Drawn", "anyone", "()D"), "anyone");
        let name = (one_call(&mut subject, "sample/Drawn", "name", "()Ljava/lang/String;"), "name");
        let rare = one_call(&mut subject, "sample/Drawn", "rare", "()I");
        let high = one_call(&mut subject, "sample/Drawn", "high", "()I");
        let mut executor = subject.executor(jdk);
        for (sequence, name) in calls.into_iter().chain([anyone, name]) {
            let values = |executor: &mut WorkerExecutor, detail| run(executor, &sequence, detail).values;
            let first = values(&mut executor, Detail::Observe);
            assert_eq!(values(&mut executor, Detail::Observe), first, "{name}");
            let at_other_times: Vec<_> = (0..4).map(|time| values(&mut executor, Detail::AnotherTime(time))).collect();
            assert!(at_other_times.iter().any(|other| *other != first), "{name}: {first:?}");
            assert_eq!(values(&mut executor, Detail::AnotherTime(3)), at_other_times[3], "{name}");
        }
        // No time makes it true, but what is compared with a number differs.
        let runs = [0, 3].map(|time| run(&mut executor, &rare, Detail::AnotherTime(time)));
        assert_eq!(runs[0].values, runs[1].values);
        assert_ne!(runs[0].decisions, runs[1].decisions);
        let values: Vec<_> = (0..4).map(|time| run(&mut executor, &high, Detail::AnotherTime(time)).values).collect();
        assert!(values.iter().any(|other| *other != values[0]), "the greatest number is drawn");
    });
}

const WAITS: &str = r#"
package sample;
public class Waits {
    public static int briefly() throws Exception {
        long start = System.currentTimeMillis();
        Thread.sleep(150);
        java.util.concurrent.TimeUnit.MILLISECONDS.sleep(50);
        return (int) (System.currentTimeMillis() - start);
    }
    public static int forEver() throws Exception { Thread.sleep(3_600_000); return 1; }
}
"#;

#[test]
fn waiting_alone_takes_no_time_but_is_work() {
    for_each_jdk(|jdk| {
        let mut subject = Subject::new(&[("sample/Waits", WAITS)]);
        let [briefly, for_ever] =
            ["briefly", "forEver"].map(|name| one_call(&mut subject, "sample/Waits", name, "()I"));
        let mut executor = subject.executor(jdk);
        let execution = run(&mut executor, &briefly, Detail::Observe);
        assert_eq!(execution.values, [Value::Literal(Literal::Int(200))]);
        assert!((50_000..51_000).contains(&execution.cost), "{}", execution.cost);
        assert_eq!(reason(&run(&mut executor, &for_ever, Detail::Observe)), KillReason::Timeout);
    });
}
