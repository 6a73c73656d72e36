package randgen.runtime;

import java.util.List;

/**
 * Lists the tests of a class, or runs one of them: records its calls of code under test, or judges whether it passes.
 */
final class Traces {
    /** What is asked for; otherwise, whether a test passes. */
    private static final int LIST = 0;

    private static final int TRACE = 1;

    /** Not a test but a sequence. */
    private static final int FOLLOW = 3;

    /** What a test came to. */
    private static final int PASSED = 0;
    private static final int FAILED = 1;
    /** It ended itself, as it found that it cannot run here. */
    private static final int SKIPPED = 5;

    /** It passed, and left something changed that other tests see. */
    private static final int LEFT_CHANGES = 4;

    /** More calls than there is room for. */
    private static final int TRUNCATED = 8;

    private static final int MESSAGE = 4000;

    private Traces() {}

    /** Reads a sequence and its number; or the name of a class and, unless its tests are asked for, that of a test and how many probes it may execute. */
    static void run(int what, Output out) {
        if (what == FOLLOW) {
            follow(Executor.readInt(), out);
            return;
        }
        String type = Executor.readUnits();
        if (what == LIST) {
            list(type, out);
        } else {
            run(type, Executor.readUnits(), Executor.readInt(), what == TRACE, out);
        }
    }

    private static void list(String name, Output out) {
        List<JunitTests.Found> tests;
        try {
            tests = JunitTests.of(Class.forName(name, false, ClassLoader.getSystemClassLoader()));
        } catch (Stopped stop) {
            throw stop;
        } catch (Throwable failed) {
            begin(FAILED, out);
            out.writeUnits(String.valueOf(failed), MESSAGE);
            return;
        }
        begin(PASSED, out);
        out.writeInt(tests.size());
        for (JunitTests.Found test : tests) {
            out.writeUnits(test.name, MESSAGE);
            out.writeByte(test.obstacle == null ? 0 : 1);
            if (test.obstacle != null) {
                out.writeUnits(test.obstacle, MESSAGE);
            }
        }
    }

    private static void run(String name, String test, int budget, boolean records, Output out) {
        begin(PASSED, out);
        Recorder recorder = new Recorder(StateWalker.hashOf(name + '#' + test), out, records);
        Probes.begin(budget);
        Throwable thrown;
        long cost;
        try {
            // What this calls is not the test's own: it happens to the first test of the class.
            Statics.initialise(name);
            Class<?> type = Class.forName(name, true, ClassLoader.getSystemClassLoader());
            Tracer.begin(recorder);
            thrown = JunitTests.run(type, test);
        } catch (Stopped stop) {
            throw stop;
        } catch (Throwable failed) {
            thrown = failed;
        } finally {
            Tracer.end();
            cost = Probes.end();
        }
        recorder.finish();
        Probes.writeEdges(out, false, false);
        out.writeLong(cost);
        boolean exits = Probes.exitAttempted();
        String changed = changed();
        if (exits) {
            out.patchByte(0, FAILED);
            out.writeUnits("it calls System.exit or Runtime.halt", MESSAGE);
        } else if (Probes.exhausted()) {
            out.patchByte(0, FAILED);
            out.writeUnits("it does too much", MESSAGE);
        } else if (thrown instanceof JunitTests.Skipped) {
            out.patchByte(0, SKIPPED);
            out.writeUnits(String.valueOf(thrown.getMessage()), MESSAGE);
        } else if (thrown != null) {
            out.patchByte(0, FAILED);
            String denied = Probes.denied() == 0 ? "" : " (it was denied what --sandbox=off allows)";
            out.writeUnits(describe(thrown) + denied, MESSAGE);
        } else if (changed != null) {
            out.patchByte(0, LEFT_CHANGES);
            out.writeUnits(changed, MESSAGE);
        }
        boolean spent = Probes.leftInitialiser() || thrown instanceof OutOfMemoryError && Executor.isShortOfMemory(thrown);
        out.patchByte(1, (spent ? Executor.SPENT : 0) | (records && recorder.isFull() ? TRUNCATED : 0));
        States.all().announce(out, recorder);
        Probes.clear();
    }

    /** An exception that ends the sequence is in the trace. What it leaves changed is put back, so it is of no account. */
    private static void follow(int number, Output out) {
        begin(PASSED, out);
        Recorder recorder = new Recorder(number, out, true);
        Probes.begin();
        Throwable thrown;
        long cost;
        try {
            Tracer.begin(recorder);
            thrown = Executor.follow(recorder);
        } finally {
            Tracer.end();
            cost = Probes.end();
        }
        if (thrown instanceof Stopped) {
            throw (Stopped) thrown;
        }
        recorder.finish();
        Probes.writeEdges(out, false, false);
        out.writeLong(cost);
        boolean killed = Probes.exitAttempted() || Probes.exhausted() || thrown != null && Executor.reasonOf(thrown) >= 0;
        if (killed) {
            out.patchByte(0, FAILED);
            out.writeUnits("it was ended", MESSAGE);
        }
        boolean spent = Probes.leftInitialiser() || thrown instanceof OutOfMemoryError && Executor.isShortOfMemory(thrown);
        out.patchByte(1, (spent ? Executor.SPENT : 0) | (recorder.isFull() ? TRUNCATED : 0));
        States.all().announce(out, recorder);
        Probes.clear();
    }

    /** What the test left changed, or null; what the JVM itself has is put back by it. */
    private static String changed() {
        String field = Statics.changed();
        // A test is not seen to set properties: all are compared.
        Probes.environment();
        return field == null && GlobalState.restore() != 0 ? "the JVM's defaults" : field;
    }

    private static void begin(int end, Output out) {
        out.clear();
        out.writeByte(end);
        out.writeByte(0);
    }

    private static String describe(Throwable thrown) {
        String message = Executor.messageOf(thrown);
        String type = ClassInfo.of(thrown.getClass()).name;
        return message == null ? type : type + ": " + message;
    }
}
