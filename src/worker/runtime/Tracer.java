package randgen.runtime;

import java.util.Arrays;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.TreeSet;

/**
 * What spliced code calls while tests are traced: it knows whether code under test is on the stack, so that a call is
 * recorded if and only if none of it made the call.
 *
 * <p>Calls on other threads than the test's are not seen. Calls no code under test.
 */
public final class Tracer {
    /** The classes whose calls are traced, by name. */
    private static final Set<String> TRACED = new HashSet<>();

    /** The test's; null while nothing is traced. */
    private static Thread thread;

    private static Recorder recorder;

    /** How many methods under test are on the stack. */
    private static int depth;

    /**
     * The depths of constructors that have not called another yet: what leaves them by an exception goes unseen.
     */
    private static int[] unbegun = new int[16];

    private static int unbegunCount;

    /** The stack overflowed, maybe in a method of this class: the depth may be wrong. */
    private static boolean doubtful;

    /** What is read of each object, while that is of interest; fields by name, elements by number. */
    private static IdentityHashMap<Object, Set<Object>> reads;

    /** Stands for the length of an array among its elements. */
    static final Integer LENGTH = -1;

    /** Arrays or fields were handed to code that no hook sees reading them. */
    private static boolean whole;

    static {
        String name = Executor.traced(0);
        for (int i = 1; name != null; i++) {
            TRACED.add(name);
            name = Executor.traced(i);
        }
    }

    private Tracer() {}

    static boolean isTraced(Class<?> type) {
        return TRACED.contains(type.getName());
    }

    /** Whether tests are traced but none runs: what set-up code writes belongs to the state before the test. */
    static boolean isBetweenTests() {
        return thread == null && !TRACED.isEmpty();
    }

    static void begin(Recorder to) {
        recorder = to;
        depth = 0;
        unbegunCount = 0;
        doubtful = false;
        thread = Thread.currentThread();
    }

    static void end() {
        thread = null;
    }

    /** Reads are noted from now on. */
    static void monitor() {
        whole = false;
        reads = new IdentityHashMap<>();
    }

    static IdentityHashMap<Object, Set<Object>> monitored() {
        IdentityHashMap<Object, Set<Object>> all = reads;
        reads = null;
        return all;
    }

    /** Whether something may have been read unseen since {@link #monitor}. */
    static boolean readsUnseen() {
        return whole;
    }

    private static boolean isMine() {
        return Thread.currentThread() == thread;
    }

    /** A method is entered whose calls do not count, such as a private one. */
    public static void pass() {
        if (isMine()) {
            settle();
            depth++;
        }
    }

    public static void construct() {
        if (isMine()) {
            settle();
            pushUnbegun(++depth);
        }
    }

    public static void enter(int method) {
        if (isMine()) {
            settle();
            if (++depth == 1) {
                recorder.enter(method);
            }
        }
    }

    public static void enterConstructor(int method) {
        if (isMine()) {
            settle();
            pushUnbegun(++depth);
            if (depth == 1) {
                recorder.enter(method);
            }
        }
    }

    /** A constructor has called another. */
    public static void begun() {
        if (isMine() && unbegunCount > 0) {
            depth = unbegun[--unbegunCount];
        }
    }

    public static void receiver(Object value) {
        if (depth == 1 && isMine()) {
            recorder.receiver(value);
        }
    }

    public static void argument(Object value) {
        if (depth == 1 && isMine()) {
            recorder.argument(value);
        }
    }

    public static void argument(boolean value) {
        if (depth == 1 && isMine()) {
            recorder.argument('Z', value ? 1 : 0);
        }
    }

    public static void argument(byte value) {
        if (depth == 1 && isMine()) {
            recorder.argument('B', value);
        }
    }

    public static void argument(char value) {
        if (depth == 1 && isMine()) {
            recorder.argument('C', value);
        }
    }

    public static void argument(short value) {
        if (depth == 1 && isMine()) {
            recorder.argument('S', value);
        }
    }

    public static void argument(int value) {
        if (depth == 1 && isMine()) {
            recorder.argument('I', value);
        }
    }

    public static void argument(long value) {
        if (depth == 1 && isMine()) {
            recorder.argument('J', value);
        }
    }

    public static void argument(float value) {
        if (depth == 1 && isMine()) {
            recorder.argument('F', Float.floatToIntBits(value));
        }
    }

    public static void argument(double value) {
        if (depth == 1 && isMine()) {
            recorder.argument('D', Double.doubleToLongBits(value));
        }
    }

    public static void left() {
        if (isMine() && leave()) {
            recorder.left();
        }
    }

    public static void returned(Object value) {
        if (isMine() && leave()) {
            recorder.returned(value);
        }
    }

    public static void returned(boolean value) {
        if (isMine() && leave()) {
            recorder.returned('Z', value ? 1 : 0);
        }
    }

    public static void returned(byte value) {
        if (isMine() && leave()) {
            recorder.returned('B', value);
        }
    }

    public static void returned(char value) {
        if (isMine() && leave()) {
            recorder.returned('C', value);
        }
    }

    public static void returned(short value) {
        if (isMine() && leave()) {
            recorder.returned('S', value);
        }
    }

    public static void returned(int value) {
        if (isMine() && leave()) {
            recorder.returned('I', value);
        }
    }

    public static void returned(long value) {
        if (isMine() && leave()) {
            recorder.returned('J', value);
        }
    }

    public static void returned(float value) {
        if (isMine() && leave()) {
            recorder.returned('F', Float.floatToIntBits(value));
        }
    }

    public static void returned(double value) {
        if (isMine() && leave()) {
            recorder.returned('D', Double.doubleToLongBits(value));
        }
    }

    /** A constructor ends. */
    public static void made(Object value) {
        if (isMine() && leave()) {
            recorder.returned(value);
        }
    }

    public static void threw(Throwable thrown) {
        if (isMine()) {
            doubtful |= thrown instanceof VirtualMachineError;
            if (leave()) {
                recorder.threw(thrown);
            } else {
                recorder.passed(thrown);
            }
        }
    }

    /** Before the field {@code name} of {@code object} is read. */
    public static void read(Object object, String name) {
        if (reads != null && object != null) {
            note(object, name);
        }
    }

    public static void element(Object array, int index) {
        if (reads != null && array != null) {
            note(array, index);
        }
    }

    public static void length(Object array) {
        if (reads != null && array != null) {
            note(array, LENGTH);
        }
    }

    public static void whole() {
        whole = true;
    }

    private static void note(Object object, Object part) {
        Set<Object> parts = reads.get(object);
        if (parts == null) {
            parts = object.getClass().isArray() ? new TreeSet<>() : new HashSet<>();
            reads.put(object, parts);
        }
        parts.add(part);
    }

    /** A method is left; whether the test had called it. */
    private static boolean leave() {
        // Whoever leaves has begun: constructors above that have not are gone.
        while (unbegunCount > 0 && unbegun[unbegunCount - 1] >= depth) {
            depth = unbegun[--unbegunCount] - 1;
        }
        return --depth == 0;
    }

    private static void pushUnbegun(int level) {
        if (unbegunCount == unbegun.length) {
            unbegun = Arrays.copyOf(unbegun, 2 * unbegunCount);
        }
        unbegun[unbegunCount++] = level;
    }

    /** Before a method is entered: where the depth may be wrong, the stack says whether it is. */
    private static void settle() {
        if ((unbegunCount > 0 || doubtful) && !isInside()) {
            depth = 0;
            unbegunCount = 0;
            doubtful = false;
        }
    }

    /** Whether code under test is on the stack below the method that is being entered. */
    private static boolean isInside() {
        return StackWalker.getInstance()
                .walk(frames -> frames.dropWhile(frame -> frame.getClassName().equals("randgen.runtime.Tracer"))
                        .skip(1)
                        .anyMatch(frame -> TRACED.contains(frame.getClassName())));
    }
}
