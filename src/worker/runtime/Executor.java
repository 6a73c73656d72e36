package randgen.runtime;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Runs sequences: decodes one, calls its stubs, and records what happened. */
final class Executor {
    /** Longer strings are reported as objects. */
    static final int OBSERVED_STRING = 1000;

    private static final int OBSERVED_ELEMENTS = 64;
    /** Beyond this many bytes of outcome values are reported without their content. */
    private static final int DETAILED = 4 << 20;

    /** Set in the tag of a value that holds null. */
    private static final int HOLDS_NULL = 0x80;

    private static final int MESSAGE = 4000;
    private static final int FRAMES = 32;
    /** Beyond so many threads that wait the worker is replaced. */
    private static final int IDLE_THREADS = 100;

    /** The threads before the first sequence. */
    private static Thread[] ownThreads;

    /** How much is reported, and what is put back. */
    private static final int SEARCH = 0;

    private static final int OBSERVE = 1;
    private static final int SHARED_JVM = 2;
    /** As {@code OBSERVE}, and all that comparisons compare. */
    private static final int COMPARED = 3;
    /** As {@code OBSERVE}, at the first of the other times. */
    private static final int ANOTHER_TIME = 0x40;
    /** As {@code SEARCH}, with what is compared with the end of a text in place of edges and operands. */
    private static final int PROBED = 0x20;
    /** From here on not a sequence but a class or a test of it, for {@link Traces}. */
    private static final int TRACED = 4;

    /** Tags of statements; those of literals are in between. */
    private static final int CALL = 0;

    private static final int REJECTED = 12;

    private static final int COMPLETED = 0;
    private static final int THREW = 1;
    private static final int KILLED = 2;
    private static final int UNLINKABLE = 3;

    private static final int PROBE_BUDGET = 0;
    private static final int TIMEOUT = 1;
    private static final int EXIT = 2;
    private static final int OUT_OF_MEMORY = 3;
    private static final int STACK_OVERFLOW = 4;

    /** An error in this package; its trace is in the worker's log. */
    private static final int INTERNAL = 5;

    private static final int ENVIRONMENT = 1;
    static final int SPENT = 2;
    private static final int UNHARMED = 4;
    private static final int TIMED = 64;

    private static ByteBuffer in;
    private static Output out;
    private static final Stub[] stubs = new Stub[Limits.operations];
    private static final HashMap<String, Class<?>> classes = new HashMap<>();
    private static final StateWalker walker = new StateWalker();

    /** Values of {@link Limits#state}; the third is for the first equal state. */
    private static final int WHOLE = 0;

    private static final int MONITORED = 1;
    private static final int NONE = 3;
    private static Field cause;
    private static int detail;

    private Executor() {}

    /** The stub of an operation, or the descriptor of an array's elements. */
    private static native Object define(int operation);

    /** The class that a call of the operation initialises, if there is one. */
    private static native String initialised(int operation);

    /** The names of the classes whose calls are traced, one after the other; null behind the last. */
    static native String traced(int index);

    /** Likewise, fields that are no state: the class's name, a dot, the field's. */
    static native String cache(int index);

    /** Likewise, methods without parameters that change nothing. */
    static native String observer(int index);

    /** The name of the class that has the probe. */
    static native String owner(int probe);

    /**
     * Whether the probe's method, of the class file {@code reader}, reads what the static initialiser of the other class
     * file writes from this line on; -1 is its beginning.
     */
    static native boolean readsStatics(int probe, byte[] reader, byte[] initialised, int line);

    /** Makes members usable whatever their access and module. */
    static native void open(AccessibleObject[] members);

    static void start(ByteBuffer input, ByteBuffer output) throws NoSuchFieldException {
        in = input.order(ByteOrder.LITTLE_ENDIAN);
        out = new Output(output);
        cause = Throwable.class.getDeclaredField("cause");
        open(new Field[] {cause});
        // Classes that are needed where the stack may be at its end are loaded before.
        Object[] loaded = {new BudgetExceeded(), new ExitAttempt(), new Stopped(), new ArrayStub(int.class)};
        Probes.staticWrite(Executor.class.getName() + ".detail");
        Statics.restore();
        Randomness.start();
        TemporaryFiles.clear();
        Probes.begin();
        Probes.end();
        GlobalState.save();
        for (Object each : loaded) {
            ClassInfo.of(each.getClass()).superclasses();
        }
    }

    /** Where outcomes are written. */
    static Output output() {
        return out;
    }

    /** Runs the sequence in the input buffer; returns the length of the outcome. */
    static int run(int length) {
        if (ownThreads == null) {
            ownThreads = threads(root());
        }
        try {
            execute(length);
        } catch (Throwable thrown) {
            // What reached this was thrown outside the code under test: the stop of the watchdog, or no memory left.
            Probes.end();
            int reason = reasonOf(thrown);
            writeBare(SPENT, 0, reason < 0 ? INTERNAL : reason);
            if (reason < 0) {
                thrown.printStackTrace();
            }
        }
        Thread.interrupted();
        TemporaryFiles.clear();
        long residualState = 0;
        if (detail != SHARED_JVM) {
            boolean reports = detail == OBSERVE || detail == COMPARED;
            residualState = GlobalState.restore() + (reports ? Statics.changes(walker) : 0);
            Statics.restore();
        }
        out.writeLong(detail == OBSERVE || detail == COMPARED ? residualState : 0);
        out.writeLong(Probes.decisions());
        return out.position();
    }

    private static void execute(int length) {
        in.clear();
        in.limit(length);
        detail = in.get();
        boolean another = detail >= ANOTHER_TIME;
        SteadyClock.set(another ? detail - ANOTHER_TIME : -1);
        Machine.set(another ? detail - ANOTHER_TIME : -1);
        Randomness.set(another ? detail - ANOTHER_TIME : -1);
        detail = another ? OBSERVE : detail;
        boolean probed = detail == PROBED;
        detail = probed ? SEARCH : detail;
        if (detail >= TRACED) {
            Traces.run(detail - TRACED, out);
            return;
        }
        boolean search = detail == SEARCH;
        int count = in.getInt();
        Object[] values = new Object[count];
        int[] tags = new int[count];
        int end = COMPLETED;
        Throwable thrown = null;
        Throwable rejection = null;
        int rejected = -1;
        Stub stub = null;
        Object[] arguments = null;
        int at = 0;
        begin(end, 0, 0);
        int countAt = out.reserve();
        Probes.begin();
        Operands.begin(search && !probed || detail == COMPARED, detail == COMPARED);
        Texts.begin(probed);
        Mocks.begin();
        for (; at < count; at++) {
            if (at > 0) {
                tags[at - 1] = writeValue(values[at - 1], isBrief(search, values[at - 1], arguments));
            }
            int tag = in.get();
            if (tag != CALL && tag != REJECTED) {
                arguments = null;
                try {
                    values[at] = literal(tag);
                } catch (ClassNotFoundException | LinkageError missing) {
                    end = UNLINKABLE;
                    thrown = missing;
                    break;
                }
                continue;
            }
            int operation = in.getInt();
            arguments = arguments(values);
            try {
                stub = stubs[operation];
                if (stub == null) {
                    end = UNLINKABLE;
                    stub = link(operation);
                    end = COMPLETED;
                    initialise(operation);
                }
                values[at] = stub.call(arguments);
            } catch (Throwable escaped) {
                if (tag == REJECTED && end == COMPLETED && reasonOf(escaped) < 0 && !isUnlinkable(escaped, stub)) {
                    rejection = escaped;
                    rejected = at;
                    continue;
                }
                thrown = escaped;
                break;
            }
        }
        if (at == count && count > 0) {
            tags[at - 1] = writeValue(values[at - 1], isBrief(search, values[at - 1], arguments));
        }
        Mocks.end();
        long cost = Probes.end();
        Probes.notePastDenials(thrown);
        int reason = -1;
        if (thrown != null) {
            reason = reasonOf(thrown);
            if (end == COMPLETED) {
                end = isUnlinkable(thrown, stub) ? UNLINKABLE : THREW;
            }
        }
        if (Probes.exitAttempted()) {
            reason = EXIT;
        } else if (Probes.exhausted()) {
            reason = Probes.overslept() ? TIMEOUT : PROBE_BUDGET;
        }
        if (reason >= 0) {
            writeKilled(values, at, count, reason, thrown);
            return;
        }
        int statement = at;
        if (rejection != null) {
            end = THREW;
            thrown = rejection;
            statement = rejected;
        }
        out.patchByte(0, end);
        out.patchByte(1, read());
        out.patch(2, statement);
        out.patchLong(6, cost);
        out.patch(countAt, at);
        if (!search) {
            markHoldersOfNull(values, tags, at);
        }
        // Before the exception, as reading its message may run code under test.
        if (probed) {
            // What this run reaches is not taken for seen.
            out.writeInt(0);
            Texts.write(out);
        } else {
            Probes.writeEdges(out, search, end == THREW);
            Operands.write(out);
        }
        if (end == THREW) {
            writeThrown(thrown, search);
        } else if (end == UNLINKABLE) {
            out.writeUnits(String.valueOf(thrown), MESSAGE);
        }
        if (probed) {
            out.writeInt(1);
            out.writeByte(1);
            out.writeLong(Texts.state());
        } else if (end == COMPLETED && count > 0) {
            writeStates(arguments, values[count - 1]);
        } else if (end == THREW && !search && rejection == null) {
            // What the rejected call left.
            writeStates(arguments, null);
        } else {
            out.writeInt(0);
        }
        Mocks.write(values, search);
        Probes.clear();
    }

    /** Runs the statements of the sequence in the input buffer; what one of them threw, or null. */
    static Throwable follow(Recorder recorder) {
        int count = in.getInt();
        Object[] values = new Object[count];
        for (int at = 0; at < count; at++) {
            int tag = in.get();
            if (tag != CALL && tag != REJECTED) {
                try {
                    values[at] = literal(tag);
                } catch (ClassNotFoundException | LinkageError missing) {
                    return missing;
                }
                continue;
            }
            int operation = in.getInt();
            Object[] arguments = arguments(values);
            try {
                Stub stub = stubs[operation];
                if (stub == null) {
                    stub = link(operation);
                    initialise(operation);
                }
                recorder.begin(at);
                values[at] = stub.call(arguments);
            } catch (Throwable thrown) {
                return thrown;
            }
        }
        return null;
    }

    private static Object[] arguments(Object[] values) {
        Object[] arguments = new Object[in.getInt()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = values[in.getInt()];
        }
        return arguments;
    }

    private static void initialise(int operation) throws ClassNotFoundException {
        String owner = initialised(operation);
        if (owner != null) {
            Statics.initialise(owner);
        }
    }

    private static void begin(int end, int flags, int statement) {
        out.clear();
        out.writeByte(end);
        out.writeByte(flags);
        out.writeInt(statement);
        out.writeLong(Limits.budget);
    }

    /** Where and how often a run was ended may differ between runs: nothing of it but the reason is reported. */
    private static void writeBare(int flags, int statement, int reason) {
        out.discard();
        begin(KILLED, flags, statement);
        // No values, edges, comparisons.
        out.writeInt(0);
        out.writeInt(0);
        out.writeInt(0);
        out.writeByte(reason);
        // No states, no calls of mocks.
        out.writeInt(0);
        out.writeInt(0);
        Probes.clear();
    }

    /** What the sequence read beside its inputs, as bits of an outcome's flags. */
    private static int read() {
        return (Probes.environmentRead() ? ENVIRONMENT | Probes.denied() : 0) | (Probes.timeRead() ? TIMED : 0);
    }

    private static void writeKilled(Object[] values, int at, int count, int reason, Throwable thrown) {
        boolean spent = false;
        if (reason == OUT_OF_MEMORY) {
            java.util.Arrays.fill(values, null);
            spent = isShortOfMemory(thrown);
        }
        boolean unharmed = (reason == EXIT || Probes.exhausted()) && !Probes.leftInitialiser();
        int flags = read() | (spent ? SPENT : 0) | (unharmed ? UNHARMED : 0);
        writeBare(flags, Math.min(at, count - 1), reason);
    }

    /**
     * One request for too much leaves the heap as it was; a heap that was filled bit by bit may be kept alive. Memory
     * outside the heap is taken to be lost.
     */
    static boolean isShortOfMemory(Throwable thrown) {
        String message = thrown instanceof OutOfMemoryError ? thrown.getMessage() : null;
        if (message != null && (message.contains("etaspace") || message.contains("class space")
                || message.contains("direct buffer") || message.contains("thread"))) {
            return true;
        }
        Runtime runtime = Runtime.getRuntime();
        System.gc();
        return runtime.totalMemory() - runtime.freeMemory() > runtime.maxMemory() / 3;
    }

    private static Stub link(int operation) throws ClassNotFoundException {
        Object defined = define(operation);
        Stub stub = defined instanceof Stub ? (Stub) defined : new ArrayStub(forDescriptor((String) defined));
        stubs[operation] = stub;
        return stub;
    }

    private static Object literal(int tag) throws ClassNotFoundException {
        switch (tag) {
            case 1:
                return in.getLong() != 0;
            case 2:
                return (byte) in.getLong();
            case 3:
                return (char) in.getLong();
            case 4:
                return (short) in.getLong();
            case 5:
                return (int) in.getLong();
            case 6:
                return in.getLong();
            case 7:
                return Float.intBitsToFloat((int) in.getLong());
            case 8:
                return Double.longBitsToDouble(in.getLong());
            case 9:
                // As in source code, equal literals are one object.
                return readUnits().intern();
            case 10:
                return forDescriptor(readUnits());
            default:
                return null;
        }
    }

    static int readInt() {
        return in.getInt();
    }

    static String readUnits() {
        char[] units = new char[in.getInt()];
        for (int i = 0; i < units.length; i++) {
            units[i] = in.getChar();
        }
        return new String(units);
    }

    private static Class<?> forDescriptor(String descriptor) throws ClassNotFoundException {
        Class<?> known = classes.get(descriptor);
        if (known == null) {
            known = find(descriptor);
            classes.put(descriptor, known);
        }
        return known;
    }

    private static Class<?> find(String descriptor) throws ClassNotFoundException {
        switch (descriptor.charAt(0)) {
            case 'L':
                String name = descriptor.substring(1, descriptor.length() - 1).replace('/', '.');
                return Class.forName(name, false, ClassLoader.getSystemClassLoader());
            case '[':
                return Class.forName(descriptor.replace('/', '.'), false, ClassLoader.getSystemClassLoader());
            case 'Z':
                return boolean.class;
            case 'B':
                return byte.class;
            case 'C':
                return char.class;
            case 'S':
                return short.class;
            case 'I':
                return int.class;
            case 'J':
                return long.class;
            case 'F':
                return float.class;
            default:
                return double.class;
        }
    }

    /** The first letter of the type's descriptor; arrays are references as others are. */
    static char letterOf(Class<?> type) {
        return type.isPrimitive() ? type.descriptorString().charAt(0) : 'L';
    }

    /** Why the run is over, or −1 for an exception of the code's own. */
    static int reasonOf(Throwable thrown) {
        Throwable at = thrown;
        for (int depth = 0; at != null && depth < 8; depth++) {
            if (at instanceof BudgetExceeded) {
                return PROBE_BUDGET;
            } else if (at instanceof Stopped) {
                return TIMEOUT;
            } else if (at instanceof ExitAttempt) {
                return EXIT;
            } else if (at instanceof OutOfMemoryError) {
                return OUT_OF_MEMORY;
            } else if (at instanceof StackOverflowError && !Limits.loops) {
                return STACK_OVERFLOW;
            }
            try {
                // Not getCause, which may be the code's own.
                Throwable next = (Throwable) cause.get(at);
                at = next == at ? null : next;
            } catch (IllegalAccessException closed) {
                at = null;
            }
        }
        return -1;
    }

    /** Whether the stub itself could not be linked, as opposed to something that the code under test needed. */
    private static boolean isUnlinkable(Throwable thrown, Stub stub) {
        if (!(thrown instanceof LinkageError) || thrown instanceof ExceptionInInitializerError) {
            return false;
        }
        String message = thrown.getMessage();
        if (message != null && message.startsWith("Could not initialize class")) {
            return false;
        }
        String name = stub.getClass().getName();
        for (StackTraceElement frame : thrown.getStackTrace()) {
            String at = frame.getClassName();
            if (at.equals(name)) {
                return true;
            }
            boolean loading = at.startsWith("java.lang.ClassLoader") || at.startsWith("jdk.internal.loader.")
                    || at.startsWith("java.security.") || at.startsWith("java.net.");
            if (!loading) {
                return false;
            }
        }
        return false;
    }

    /** Marks the arrays, collections and maps that hold null when the run is over. */
    private static void markHoldersOfNull(Object[] values, int[] tags, int count) {
        for (int i = 0; i < count && out.position() <= DETAILED; i++) {
            Object value = values[i];
            if (value != null && holdsNull(value, ClassInfo.of(value.getClass()), 0)) {
                out.patchByte(tags[i], out.byteAt(tags[i]) | HOLDS_NULL);
            }
        }
    }

    /** Whether no more is said of a value that a call returned than that it is there. */
    private static boolean isBrief(boolean search, Object value, Object[] arguments) {
        return search || out.position() > DETAILED || HashOrder.decides(value, arguments);
    }

    /** Writes a value as it is now; where its tag is. */
    static int writeValue(Object value, boolean brief) {
        int at = out.position();
        if (value == Stub.VOID) {
            out.writeByte(0);
            return at;
        }
        if (value == null) {
            out.writeByte(1);
            return at;
        }
        ClassInfo info = ClassInfo.of(value.getClass());
        switch (info.kind) {
            case ClassInfo.BOXED:
                out.writeByte(2);
                out.writeLiteral(value);
                return at;
            case ClassInfo.ENUM:
                out.writeByte(4);
                out.writeName(((Enum<?>) value).getDeclaringClass().getName());
                Description.of(value).write(out);
                return at;
            case ClassInfo.STRING:
                if (brief) {
                    break;
                }
                int length = ((String) value).length();
                if (length <= OBSERVED_STRING) {
                    out.writeByte(7);
                    out.writeLiteral(value);
                    return at;
                }
                // A hash of an identity or a temporary directory may have another length in the next run.
                if (((String) value).indexOf('@') < 0 && !((String) value).contains("/tmp/")) {
                    out.writeByte(6);
                    out.writeName(info.name);
                    out.writeInt(length);
                    return at;
                }
                break;
            default:
                Description description = brief ? null : Description.of(value);
                int size = brief || description != null ? -1 : sizeOf(value, info, 0);
                if (description != null || size >= 0) {
                    out.writeByte(description != null ? 4 : 6);
                    out.writeName(info.name);
                    if (description != null) {
                        description.write(out);
                    } else {
                        out.writeInt(size);
                    }
                    return at;
                }
        }
        out.writeByte(3);
        out.writeName(info.name);
        return at;
    }

    /** Of an array, or a collection or map of the JDK as {@link #sizeOf} means it: whether null is among its first elements or values. */
    private static boolean holdsNull(Object value, ClassInfo info, int depth) {
        try {
            if (info.wrapped != null) {
                Object inner = info.wrapped.get(value);
                return inner != null && depth < 3 && holdsNull(inner, ClassInfo.of(inner.getClass()), depth + 1);
            }
            Iterable<?> elements = null;
            if (value instanceof Object[]) {
                elements = Arrays.asList((Object[]) value);
            } else if (info.sized) {
                elements = value instanceof Map ? ((Map<?, ?>) value).values() : (Collection<?>) value;
            }
            if (elements == null) {
                return false;
            }
            int left = OBSERVED_ELEMENTS;
            for (Object element : elements) {
                if (element == null) {
                    return true;
                }
                if (--left == 0) {
                    return false;
                }
            }
        } catch (IllegalAccessException | RuntimeException unknown) {
            return false;
        }
        return false;
    }

    /**
     * The length of an array, or the size of an optional, or of a collection or map of the JDK that holds its elements itself
     * or wraps one that does; else −1.
     */
    private static int sizeOf(Object value, ClassInfo info, int depth) {
        try {
            if (info.wrapped != null) {
                Object inner = info.wrapped.get(value);
                return inner == null || depth == 3 ? -1 : sizeOf(inner, ClassInfo.of(inner.getClass()), depth + 1);
            }
            if (value.getClass().isArray()) {
                return Array.getLength(value);
            }
            if (value instanceof Optional) {
                return ((Optional<?>) value).isPresent() ? 1 : 0;
            }
            if (!info.sized) {
                return -1;
            }
            return value instanceof Map ? ((Map<?, ?>) value).size() : ((Collection<?>) value).size();
        } catch (IllegalAccessException | RuntimeException unknown) {
            return -1;
        }
    }

    private static void writeThrown(Throwable thrown, boolean search) {
        ClassInfo info = ClassInfo.of(thrown.getClass());
        out.writeName(info.nameable());
        String[] superclasses = info.superclasses();
        out.writeInt(superclasses.length);
        for (String superclass : superclasses) {
            out.writeName(superclass);
        }
        String denied = Denials.explained(thrown);
        String message = denied != null ? denied : search ? null : messageOf(thrown);
        out.writeByte(message == null ? 0 : 1);
        if (message != null) {
            out.writeUnits(message, MESSAGE);
        }
        writeStack(thrown);
    }

    static String messageOf(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (Stopped stop) {
            throw stop;
        } catch (Throwable failed) {
            return null;
        }
    }

    private static void writeStack(Throwable thrown) {
        int at = out.reserve();
        int written = 0;
        StackTraceElement[] frames;
        try {
            frames = thrown.getStackTrace();
        } catch (Stopped stop) {
            throw stop;
        } catch (Throwable failed) {
            return;
        }
        for (int i = 0; frames != null && i < frames.length && written < FRAMES; i++) {
            StackTraceElement frame = frames[i];
            if (frame == null || isOwn(frame.getClassName())) {
                continue;
            }
            out.writeName(ClassInfo.stableName(frame.getClassName()));
            out.writeName(frame.getMethodName());
            out.writeInt(frame.getLineNumber() >= 0 ? frame.getLineNumber() : -1);
            written++;
        }
        out.patch(at, written);
    }

    private static boolean isOwn(String name) {
        return name.startsWith("randgen.runtime.") || isStub(name);
    }

    /** Whether the class was generated for an operation: its stub, or what it makes an object of. */
    static boolean isStub(String name) {
        return name.indexOf("RandgenStub") >= 0;
    }

    private static void writeStates(Object[] arguments, Object made) {
        if (Limits.state == NONE) {
            out.writeInt(0);
            return;
        }
        int inputs = arguments == null ? 0 : arguments.length;
        out.writeInt(inputs + 1);
        for (int i = 0; i < inputs; i++) {
            writeState(arguments[i]);
        }
        writeState(made);
    }

    private static void writeState(Object value) {
        if (value != null && value != Stub.VOID && ClassInfo.of(value.getClass()).kind != ClassInfo.BOXED) {
            out.writeByte(1);
            boolean isWhole = Limits.state == WHOLE;
            out.writeLong(isWhole ? walker.fingerprint(value) : States.all().compared(value, Limits.state == MONITORED));
            return;
        }
        out.writeByte(0);
    }

    /** See {@link EnumData}; the worker calls the methods of this class alone. */
    static void exchangeData(Class<?> of, int number) {
        EnumData.exchange(of, number);
    }

    static void restoreData() {
        EnumData.restore();
    }

    /**
     * Whether threads that a sequence left still run. At the first look they are interrupted; each waits a millisecond for
     * one of them. Those that wait for work in a pool of the JDK's do no harm: to start over for each of them would take
     * most of the time of a library that has them.
     */
    static boolean leftThreads(boolean isFirst) {
        ThreadGroup root = root();
        Thread[] threads = threads(root);
        int idle = 0;
        boolean left = false;
        for (Thread thread : threads) {
            ThreadGroup group = thread.getThreadGroup();
            if (thread == Thread.currentThread() || group == null) {
                continue;
            }
            // Groups of the JDK's own threads, some of which start late. Code under test may put others there.
            boolean isOfJdk = group == root || group.getName().equals("InnocuousThreadGroup");
            if (isOfJdk && (isOwn(thread) || isIdle(thread))) {
                continue;
            }
            if (isFirst) {
                thread.interrupt();
            }
            boolean waits = isIdle(thread);
            if (thread.isAlive() && !waits && !left) {
                try {
                    thread.join(1);
                } catch (InterruptedException again) {
                    // Whoever interrupts us gets no say: the wait is short.
                }
                waits = isIdle(thread);
            }
            left |= thread.isAlive() && !waits;
            idle += waits ? 1 : 0;
        }
        return left || idle > IDLE_THREADS;
    }

    private static ThreadGroup root() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return group;
    }

    private static Thread[] threads(ThreadGroup root) {
        Thread[] threads = new Thread[root.activeCount() + 64];
        return Arrays.copyOf(threads, root.enumerate(threads));
    }

    /** Whether the thread was there before any code under test. */
    private static boolean isOwn(Thread thread) {
        for (Thread own : ownThreads) {
            if (own == thread) {
                return true;
            }
        }
        return false;
    }

    /** Whether the thread waits, with no code but the JDK's on its stack. */
    private static boolean isIdle(Thread thread) {
        Thread.State state = thread.getState();
        if (state != Thread.State.WAITING && state != Thread.State.TIMED_WAITING) {
            return false;
        }
        for (StackTraceElement frame : thread.getStackTrace()) {
            String at = frame.getClassName();
            if (!at.startsWith("java.") && !at.startsWith("jdk.")) {
                return false;
            }
        }
        return true;
    }

    /** A resource of the JDK or the class path, or null. */
    static byte[] resource(String name) throws IOException {
        try (InputStream stream = ClassLoader.getSystemResourceAsStream(name)) {
            if (stream == null) {
                return null;
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            byte[] piece = new byte[8192];
            for (int count = stream.read(piece); count > 0; count = stream.read(piece)) {
                bytes.write(piece, 0, count);
            }
            return bytes.toByteArray();
        }
    }
}
