package randgen.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * What static initialisers were denied. They run once, in whichever sequence comes first: an initialiser that goes on as
 * on a machine without a network leaves a class that can be tested, but for what it keeps of the denial in static fields.
 *
 * <p>A sequence has used that if it ran a method that reads such a field: one that the initialiser has written in the line
 * of the denial or behind it.
 */
final class Denials {
    private static final byte UNKNOWN = 0;
    private static final byte NOT_USED = -1;

    private static final List<Denial> found = new ArrayList<>();

    /** By probe: what its method uses of the denials found so far. */
    private static byte[] used;

    private static final class Denial {
        final String type;
        final int what;
        final int line;
        final String call;

        Denial(String type, int what, int line, String call) {
            this.type = type;
            this.what = what;
            this.line = line;
            this.call = call;
        }
    }

    private Denials() {}

    static synchronized boolean isAny() {
        return !found.isEmpty();
    }

    /**
     * Whether the caller is called by a static initialiser, other than the JDK's; it is remembered, with what of the JDK it
     * called: {@code call} or, if that is null, what is on the stack.
     */
    static synchronized boolean isOfInitialiser(int what, String call) {
        StackTraceElement[] frames = new Throwable().getStackTrace();
        boolean isInitialiser = false;
        String called = call;
        boolean isBelowCode = false;
        for (StackTraceElement frame : frames) {
            if (isOfJdk(frame.getClassName())) {
                // What the code itself has called, which is not the constructor of an exception.
                called = call != null || isBelowCode ? called : frame.getClassName() + "." + frame.getMethodName();
                continue;
            }
            isBelowCode = true;
            if (frame.getMethodName().equals("<clinit>")) {
                add(new Denial(frame.getClassName(), what, frame.getLineNumber(), called));
                isInitialiser = true;
            }
        }
        return isInitialiser;
    }

    private static boolean isOfJdk(String type) {
        return type.startsWith("java.") || type.startsWith("javax.") || type.startsWith("jdk.") || type.startsWith("sun.")
                || type.startsWith("com.sun.") || type.startsWith("randgen.runtime.");
    }

    private static void add(Denial denial) {
        for (Denial known : found) {
            if (known.type.equals(denial.type) && known.line <= denial.line) {
                return;
            }
        }
        found.add(denial);
        used = new byte[Limits.probes];
    }

    /** What a sequence used that ran these probes and threw this, or null: the kind of the denial, or 0. */
    static synchronized int used(int[] probes, int count, Throwable thrown) {
        Denial ended = endedBy(thrown);
        if (ended != null) {
            return ended.what;
        }
        for (int i = 0; i < count; i++) {
            int probe = probes[i];
            if (used[probe] == UNKNOWN) {
                used[probe] = usedBy(probe);
            }
            if (used[probe] != NOT_USED) {
                return used[probe];
            }
        }
        return 0;
    }

    private static byte usedBy(int probe) {
        byte[] reader = classFile(Executor.owner(probe));
        for (Denial denial : found) {
            byte[] initialised = classFile(denial.type);
            if (reader == null || initialised == null || Executor.readsStatics(probe, reader, initialised, denial.line)) {
                return (byte) denial.what;
            }
        }
        return NOT_USED;
    }

    private static byte[] classFile(String type) {
        String name = type == null ? "" : type.replace('.', '/') + ".class";
        try (InputStream stream = ClassLoader.getSystemResourceAsStream(name)) {
            return stream == null ? null : stream.readAllBytes();
        } catch (IOException unreadable) {
            return null;
        }
    }

    /** The denial in an initialiser that did not end, if that is why this was thrown. */
    private static Denial endedBy(Throwable thrown) {
        if (thrown instanceof ExceptionInInitializerError) {
            for (StackTraceElement frame : thrown.getStackTrace()) {
                for (Denial denial : found) {
                    if (frame.getClassName().equals(denial.type)) {
                        return denial;
                    }
                }
            }
            return found.get(found.size() - 1);
        }
        String message = thrown instanceof NoClassDefFoundError ? thrown.getMessage() : null;
        for (Denial denial : found) {
            if (message != null && message.endsWith("class " + denial.type)) {
                return denial;
            }
        }
        return null;
    }

    /** Which call of which initialiser was denied, if that is why this was thrown; else null. */
    static synchronized String explained(Throwable thrown) {
        Denial denial = found.isEmpty() ? null : endedBy(thrown);
        if (denial == null) {
            return null;
        }
        String line = denial.line < 0 ? "" : " in line " + denial.line;
        return "the static initialiser of " + denial.type + " is denied " + denial.call + line
                + ", which --sandbox=off allows";
    }
}
