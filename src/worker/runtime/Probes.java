package randgen.runtime;

import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * What instrumented code calls: edge counters, the budget, comparison operands.
 *
 * <p>Calls no code under test, whatever it is handed.
 */
public final class Probes {
    /** Probes that code may execute which runs for the report and not for the sequence. */
    private static final int AFTERWARDS = 1_000_000;

    /** So many elements of an array are cleared in about the time of a probe. */
    private static final int ELEMENTS_PER_PROBE = 64;

    /** As deep as the supervisor lets stack traces be. */
    private static final int DEPTH = 64;

    /** Refusals that are looked at one by one. */
    private static final int LOOKS = 200;

    /** Bit of the bucket of each count; mirrored by protocol::outcomes::bucket_of. */
    private static final byte[] BUCKETS = new byte[256];

    static {
        for (int count = 1; count < 256; count++) {
            int bucket = count <= 3 ? count - 1 : count <= 7 ? 3 : count <= 15 ? 4 : count <= 31 ? 5 : count <= 127 ? 6 : 7;
            BUCKETS[count] = (byte) (1 << bucket);
        }
    }

    /** The number of the mutant that runs, or 0; set by the worker. */
    public static int mutant;

    private static final byte[] counters = new byte[Limits.probes];
    private static final int[] touched = new int[Limits.probes];
    private static int touchedCount;
    /**
     * Buckets that runs which completed have reported, those that runs which ended in an exception have, and those that runs
     * which completed and read a clock have.
     */
    private static final byte[] reported = new byte[Limits.probes];

    private static final byte[] reportedByThrowing = new byte[Limits.probes];
    private static final byte[] reportedByTimed = new byte[Limits.probes];

    /**
     * A thread was started since the sequence began; set by the worker. What other threads do, they do at no fixed time:
     * they are neither counted nor stopped here.
     */
    static boolean threaded;

    private static Thread sequenceThread;

    static int limit;
    static int budget;
    private static boolean exhausted;
    private static boolean overslept;
    private static int refusals;
    private static int nextPass;
    private static int passGap;

    static boolean environment;
    /** What the sequence was denied, or would be in a sandbox: the first of the kinds below, or 0. */
    private static int denied;

    /** Bits of an outcome's flags. */
    private static final int FILE = 8;
    private static final int NETWORK = 16;
    private static final int PROCESS = 32;

    /** The one directory that code under test may change; where the worker was started. */
    private static final String SCRATCH = System.getProperty("user.dir") + "/";

    /** Error numbers of Linux. */
    private static final int EPERM = 1;
    private static final int EACCES = 13;
    /** What Landlock says of moves and links that leave a directory. */
    private static final int EXDEV = 18;
    /** The process has as many descriptors as it may. */
    private static final int EMFILE = 24;
    /** The file is as long as it may be. */
    private static final int EFBIG = 27;

    private static boolean exit;
    private static boolean initialiser;

    /** A sequence has two seconds, and {@code Launch::probe_budget}. */
    private static final long PROBES_PER_MILLISECOND = 250;

    /** A clock was read, an identifier drawn, or the machine asked for its memory or processors. */
    static boolean timed;
    /** Before {@code nanoTime} was read last. */
    private static boolean wasTimed;

    /** A random number was drawn. */
    private static boolean drew;
    /** What the conditions since then compared, as a hash: where it differs from run to run, so may what the code does. */
    private static long decisions;
    /** The same when the sequence was over. */
    private static long decisionsAtEnd;

    private Probes() {}

    static void begin() {
        begin(Limits.budget);
    }

    /** {@code most} probes may be executed, instead of the worker's limit. */
    static void begin(int most) {
        clear();
        Operands.begin(false, false);
        threaded = false;
        Loops.reset();
        sequenceThread = Thread.currentThread();
        exhausted = false;
        overslept = false;
        refusals = 0;
        nextPass = 2;
        passGap = 2;
        environment = false;
        denied = 0;
        exit = false;
        initialiser = false;
        SteadyClock.begin();
        Machine.begin();
        timed = false;
        drew = false;
        decisions = 0;
        decisionsAtEnd = 0;
        Randomness.reset(SteadyClock.shift());
        limit = most;
        budget = most;
    }

    /** Ends the accounting; what runs after it is for the report. Returns the probes executed. */
    static long end() {
        int cost = limit - budget;
        Operands.end();
        decisionsAtEnd = decisions;
        budget = AFTERWARDS;
        return cost;
    }

    static boolean exhausted() {
        return exhausted;
    }

    /** Whether the budget went on a wait. */
    static boolean overslept() {
        return overslept;
    }

    static boolean exitAttempted() {
        return exit;
    }

    static boolean environmentRead() {
        return environment;
    }

    static boolean timeRead() {
        return timed;
    }

    /** A hash of what conditions compared after a random number was drawn; 0 if none was. */
    static long decisions() {
        return decisionsAtEnd;
    }

    static int denied() {
        return denied;
    }

    /**
     * Writes the edges hit: all of them, or those new to this worker. What only runs that threw have hit is new to one that
     * completes: it may make the better test.
     */
    static void writeEdges(Output out, boolean search, boolean threw) {
        byte[] own = threw ? reportedByThrowing : timed ? reportedByTimed : reported;
        int at = out.reserve();
        int written = 0;
        int count = touchedCount;
        for (int i = 0; i < count; i++) {
            int probe = touched[i];
            int hits = counters[probe] & 0xff;
            if (search) {
                byte bucket = BUCKETS[hits];
                if (((reported[probe] | own[probe]) & bucket) != 0) {
                    continue;
                }
                // What read the environment makes no test: another sequence that gets here is still wanted, and of what threw
                // any that reads no clock.
                if (!environment && !(threw && timed)) {
                    own[probe] |= bucket;
                }
            }
            out.writeInt(probe);
            out.writeByte(hits);
            written++;
        }
        out.patch(at, written);
    }

    static void clear() {
        int count = touchedCount;
        for (int i = 0; i < count; i++) {
            counters[touched[i]] = 0;
        }
        touchedCount = 0;
        Operands.clear();
    }

    public static void hit(int probe) {
        if (isElsewhere()) {
            return;
        }
        byte[] counters = Probes.counters;
        int count = counters[probe];
        if (count == 0) {
            touch(probe);
        }
        if (count != -1) {
            counters[probe] = (byte) (count + 1);
        }
        if (--budget < 0) {
            refuse();
        }
    }

    /** Whether another thread runs than the sequence's. */
    static boolean isElsewhere() {
        return threaded && Thread.currentThread() != sequenceThread;
    }

    /** A method that randgen wrote was called: no edge, but work. */
    public static void called() {
        spend(1);
    }

    /** An array of so many elements is made, or read or filled by the platform: work, which no other probe sees. */
    public static void elements(int count) {
        if (count >= ELEMENTS_PER_PROBE) {
            spend(count / ELEMENTS_PER_PROBE);
        }
    }

    public static void elementsOf(Object array) {
        elements(array instanceof byte[] bytes ? bytes.length : array instanceof char[] text ? text.length : 0);
    }

    /** The platform has made a text, or moved its characters: work, as the elements of an array are. */
    public static void text(Object text) {
        elements(text == null ? 0 : ((CharSequence) text).length());
    }

    static void spend(int probes) {
        if (!isElsewhere() && (budget -= probes) < 0) {
            refuse();
        }
    }

    private static void touch(int probe) {
        int at = touchedCount;
        // A thread that an earlier sequence left may race here once more; the list never overflows.
        if (at < touched.length) {
            touched[at] = probe;
            touchedCount = at + 1;
        }
    }

    /**
     * Throws, mostly. Each probe after the budget throws again, so that loops around a catch-all end. But the handler of a
     * synchronized block covers itself: threw its probe every time, it would never be left. So now and then, ever more
     * rarely, one passes.
     */
    private static void refuse() {
        exhausted = true;
        budget = 0;
        if (refusals++ == nextPass) {
            nextPass += ++passGap;
            return;
        }
        lookForInitialiser();
        throw new BudgetExceeded();
    }

    /** Whether an error of ours may have left a class unusable, as its static initialiser did not end. */
    static boolean leftInitialiser() {
        return initialiser;
    }

    private static void lookForInitialiser() {
        StackTraceElement[] frames = initialiser ? new StackTraceElement[0] : new Throwable().getStackTrace();
        // Of deep stacks the JVM keeps the top only.
        initialiser |= frames.length >= DEPTH || refusals > LOOKS;
        for (StackTraceElement frame : frames) {
            initialiser |= frame.getMethodName().equals("<clinit>");
        }
    }

    public static void environment() {
        environment = true;
    }

    /** The machine is asked for its name, which a static initialiser may do without harm for what does not use it. */
    public static void localHost() {
        environment |= !Denials.isOfInitialiser(NETWORK, "java.net.InetAddress.getLocalHost");
    }

    /** Before a static field is written, which is named with its class. */
    public static void staticWrite(String field) {
        if (!Tracer.isBetweenTests()) {
            Statics.write(field);
        }
    }

    /** Code under test has made a generator of random numbers without a seed. */
    public static void unseeded(Object generator) {
        Randomness.unseeded(generator);
        if (generator.getClass() == Random.class) {
            // Its constructor has drawn a seed from the time.
            timed = wasTimed;
        }
    }

    /** Before numbers are drawn from the generator. */
    public static void drawn(Object generator) {
        if (Randomness.drawn(generator)) {
            draw();
        }
    }

    /** Before numbers are drawn from a generator that all code shares, or from a new one. */
    public static void random() {
        Randomness.ofThread();
        draw();
    }

    private static void draw() {
        // The thread of a pool may be an old one, so that none was started.
        environment |= Thread.currentThread() != sequenceThread;
        timed = true;
        drew = true;
    }

    /** A condition compares what is random if a number was drawn. */
    private static void decide(int value, int probe) {
        if (drew && !isElsewhere()) {
            decisions = 31 * (31 * decisions + probe) + value + 1;
        }
    }

    /** Before it is asked of the generator what differs between platforms. */
    public static void asked(Object generator) {
        environment |= Randomness.isUnseeded(generator);
    }

    /** Before the generator is given a seed. */
    public static void seeded(Object generator) {
        Randomness.seeded(generator);
    }

    private static void deny(int what) {
        if (!Denials.isOfInitialiser(what, null)) {
            noteDenial(what);
        }
    }

    private static void noteDenial(int what) {
        environment = true;
        denied = denied == 0 ? what : denied;
    }

    /** A sequence that uses what a static initialiser left that was denied something is taken to have been denied it. */
    static void notePastDenials(Throwable thrown) {
        int what = Denials.isAny() ? Denials.used(touched, touchedCount, thrown) : 0;
        if (what != 0) {
            noteDenial(what);
        }
    }

    /** What the sandbox denies, and what its limits do not allow. */
    private static boolean isRefusal(Object message) {
        if (!(message instanceof String)) {
            return false;
        }
        String text = (String) message;
        return text.contains("Permission denied") || text.contains("Operation not permitted")
                || text.contains("Too many open files") || text.contains("File too large");
    }

    /** An exception with this message is made. */
    public static void refused(Object message) {
        if (isRefusal(message)) {
            deny(FILE);
        }
    }

    public static void refused(int error) {
        if (error == EPERM || error == EACCES || error == EXDEV || error == EMFILE || error == EFBIG) {
            deny(FILE);
        }
    }

    public static void socketRefused(Object message) {
        if (isRefusal(message)) {
            deny(NETWORK);
        }
    }

    public static void hostUnknown(Object message) {
        deny(NETWORK);
    }

    public static void processUsed() {
        deny(PROCESS);
    }

    /** The file is changed, or the directory listed. */
    public static void touched(Object file) {
        // Not a subclass, whose methods are its own; and what is relative would be in the project where the tests run.
        String path = file != null && file.getClass() == File.class ? ((File) file).getPath() + "/" : "";
        if ((!path.startsWith(SCRATCH) || path.contains("/../")) && !TemporaryFiles.contains(path)) {
            deny(FILE);
        }
    }

    /** The file is opened for writing: in the directory of its own that a test does not have where it runs, or elsewhere. */
    public static void written(Object path) {
        if (path instanceof String && !((String) path).startsWith("/") && !TemporaryFiles.contains((String) path)) {
            deny(FILE);
        }
    }

    /** The same by {@code RandomAccessFile}, whose second bit of a mode is to write. */
    public static void accessed(Object path, int mode) {
        if ((mode & 2) != 0) {
            written(path);
        }
    }

    /** A file is opened by {@code java.nio} with the system's flags, of which the last two bits are to write. */
    public static void opened(Object path, int flags) {
        if ((flags & 3) != 0) {
            changed(path);
        }
    }

    /** {@code java.nio} makes or removes what has the path. */
    public static void changed(Object path) {
        if (path instanceof Path && !((Path) path).isAbsolute() && !TemporaryFiles.contains(path.toString())) {
            deny(FILE);
        }
    }

    /** A file's times or permissions are changed. */
    public static void marked() {
        deny(FILE);
    }

    /**
     * Before a look-up of the resource {@code name} by a class or a class loader. Whether the root of the class path has
     * one of a name is up to what else is on it where the tests run, and so is what a directory reads as, a list of all
     * in it; what lies in a directory came with the code.
     */
    public static void resource(Object from, Object name, int site) {
        if (name instanceof String) {
            String path = (String) name;
            boolean absolute = !(from instanceof Class) || path.startsWith("/");
            path = from instanceof Class && absolute ? path.substring(1) : path;
            if (absolute) {
                URL found = ClassLoader.getSystemResource(path);
                boolean inRoot = path.indexOf('/') < 0;
                environment |= found == null ? inRoot : found.getPath().endsWith("/");
            }
        }
    }

    /** Stands in for the JDK's filter of methods, which leaves them in the order of addresses. */
    public static Method[] inOrder(Method[] methods) {
        return ClassInfo.inOrder(methods);
    }

    /** Stands in for {@code System.currentTimeMillis}. */
    public static long currentTimeMillis() {
        timed = true;
        return SteadyClock.millis();
    }

    /** Stands in for {@code System.nanoTime}. */
    public static long nanoTime() {
        wasTimed = timed;
        timed = true;
        return SteadyClock.nanos();
    }

    /**
     * Stands in for {@code Thread.sleep}. Where no other thread runs that might be waited for, only the clock goes on, and what
     * the wait would take is work.
     */
    public static void sleep(long millis) throws InterruptedException {
        Thread current = Thread.currentThread();
        if (threaded || current != sequenceThread || millis < 0 || current.isInterrupted()) {
            Thread.sleep(millis);
            return;
        }
        SteadyClock.pass(millis);
        int work = (int) (Math.min(millis, 1_000_000) * PROBES_PER_MILLISECOND);
        overslept |= work > budget;
        spend(work);
    }

    public static void sleep(long millis, int nanos) throws InterruptedException {
        if (nanos < 0 || nanos > 999_999) {
            Thread.sleep(millis, nanos);
        }
        sleep(millis);
    }

    public static void sleep(Duration duration) throws InterruptedException {
        sleep(TimeUnit.MILLISECONDS.convert(duration));
    }

    /** Stands in for {@code jdk.internal.misc.VM.getNanoTimeAdjustment}: nanoseconds since the second {@code offset}. */
    public static long getNanoTimeAdjustment(long offset) {
        return 1_000_000L * (currentTimeMillis() - 1000L * offset);
    }

    /** Stands in for {@code UUID.randomUUID}: of version 4 and variant 2, as that one's are. */
    public static UUID randomUUID() {
        timed = true;
        long high = Randomness.next() & ~0xF000L | 0x4000L;
        return new UUID(high, Randomness.next() & ~(3L << 62) | 1L << 63);
    }

    /** Stands in for {@code Runtime.exit} and {@code Runtime.halt}. */
    public static void exit(int status) {
        exit = true;
        lookForInitialiser();
        throw new ExitAttempt();
    }

    public static void ifeq(int value, int probe) {
        decide(value, probe);
        hit(value == 0 ? probe + 1 : probe);
    }

    public static void ifne(int value, int probe) {
        decide(value, probe);
        hit(value != 0 ? probe + 1 : probe);
    }

    public static void iflt(int value, int probe) {
        decide(value < 0 ? 1 : 0, probe);
        boundary(value, 0, probe);
        hit(value < 0 ? probe + 1 : probe);
    }

    public static void ifge(int value, int probe) {
        decide(value >= 0 ? 1 : 0, probe);
        boundary(value, 0, probe);
        hit(value >= 0 ? probe + 1 : probe);
    }

    public static void ifgt(int value, int probe) {
        decide(value > 0 ? 1 : 0, probe);
        boundary(value, 0, probe);
        hit(value > 0 ? probe + 1 : probe);
    }

    public static void ifle(int value, int probe) {
        decide(value <= 0 ? 1 : 0, probe);
        boundary(value, 0, probe);
        hit(value <= 0 ? probe + 1 : probe);
    }

    public static void icmpeq(int left, int right, int probe) {
        decide(31 * left + right, probe);
        Operands.ints(left, right, probe);
        hit(left == right ? probe + 1 : probe);
    }

    public static void icmpne(int left, int right, int probe) {
        decide(31 * left + right, probe);
        Operands.ints(left, right, probe);
        hit(left != right ? probe + 1 : probe);
    }

    public static void icmplt(int left, int right, int probe) {
        decide(left < right ? 1 : 0, probe);
        Operands.ints(left, right, probe);
        boundary(left, right, probe);
        hit(left < right ? probe + 1 : probe);
    }

    public static void icmpge(int left, int right, int probe) {
        decide(left >= right ? 1 : 0, probe);
        Operands.ints(left, right, probe);
        boundary(left, right, probe);
        hit(left >= right ? probe + 1 : probe);
    }

    public static void icmpgt(int left, int right, int probe) {
        decide(left > right ? 1 : 0, probe);
        Operands.ints(left, right, probe);
        boundary(left, right, probe);
        hit(left > right ? probe + 1 : probe);
    }

    public static void icmple(int left, int right, int probe) {
        decide(left <= right ? 1 : 0, probe);
        Operands.ints(left, right, probe);
        boundary(left, right, probe);
        hit(left <= right ? probe + 1 : probe);
    }

    public static void acmpeq(Object left, Object right, int probe) {
        decide(left == right ? 1 : 0, probe);
        hit(left == right ? probe + 1 : probe);
    }

    public static void acmpne(Object left, Object right, int probe) {
        decide(left == right ? 1 : 0, probe);
        hit(left != right ? probe + 1 : probe);
    }

    public static void ifnull(Object value, int probe) {
        decide(value == null ? 1 : 0, probe);
        hit(value == null ? probe + 1 : probe);
    }

    public static void ifnonnull(Object value, int probe) {
        decide(value == null ? 1 : 0, probe);
        hit(value != null ? probe + 1 : probe);
    }

    /** The probe after the two of the jump is for equal operands: whether it is hit matters, not how often, and it costs nothing. */
    private static void boundary(int left, int right, int probe) {
        if (left == right && counters[probe + 2] == 0 && !isElsewhere()) {
            touch(probe + 2);
            counters[probe + 2] = 1;
        }
    }

    public static void longs(long left, long right, int site) {
        Operands.longs(left, right, site);
    }

    public static void floats(float left, float right, int site) {
        Operands.floats(left, right, site);
    }

    public static void doubles(double left, double right, int site) {
        Operands.doubles(left, right, site);
    }

    /** A switch has no one right operand: the value stands on both sides. */
    public static void switchOn(int value, String keys, int site) {
        decide(value, site);
        Operands.switchOn(value, keys, site);
    }

    public static void strings(Object left, Object right, int site) {
        Operands.strings(left, right, site);
    }

    public static void lookup(Object holder, Object key, int site) {
        Operands.lookup(holder, key, site);
    }

    public static void enumName(Object name, Class<?> type, int site) {
        Operands.lookup(type, name, site);
    }

    public static void values(Object left, Object right, int site) {
        Operands.values(left, right, site);
    }

    /** Compares values by order: where they are equal, the boundary is hit, which has the number after the place. */
    public static void orderOfValues(Object left, Object right, int site) {
        values(left, right, site);
        int probe = site + 1;
        if (counters[probe] == 0 && Operands.areSameValues(left, right) && !isElsewhere()) {
            touch(probe);
            counters[probe] = 1;
        }
    }
}
