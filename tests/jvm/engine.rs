//! Real sequences through real workers, on every JDK that is here.

mod determinism;
mod ended;
mod left_behind;
mod mutants;
mod reported;
mod states;
mod symbolic;
mod texts;

use crate::subject::Subject;
use host::supervisor::{ClassReader, WorkerExecutor};
use model::execution::{Detail, Execution, Executor, KillReason, Outcome};
use model::jvm::ClassName;
use model::sequence::Sequence;
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
    public static int countBehind() { return ++Behind.calls; }
    static class Behind { static int calls = 10; }
    public static int made() { return new Made().number; }
    static class Numbered { static int next; static Numbered first = Made.of(); final int number = next++; }
    static class Made extends Numbered { static Made of() { return new Made(); } }
    public static boolean hasFirst() { return made() > 0 && Numbered.first != null; }
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
    public static void bomb() { while (true) { kept.add(java.nio.ByteBuffer.allocate(1 << 20).array()); } }
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
    public static void leaveHiddenThread() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread thread = new Thread(root, () -> { while (true) { try { Thread.sleep(1000); } catch (InterruptedException e) { } } });
        thread.setDaemon(true);
        thread.start();
    }
    public static boolean leaveVirtualThread() throws Exception {
        Runnable sleeps = () -> { while (true) { try { Thread.sleep(1000); } catch (InterruptedException e) { } } };
        try {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, sleeps);
            return true;
        } catch (NoSuchMethodException older) {
            return false;
        }
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
