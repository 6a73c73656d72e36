package randgen.runtime;

import java.util.Arrays;
import java.util.IdentityHashMap;

/** Writes the method executions of one test, in the form that protocol::traces reads. */
final class Recorder {
    /** Beyond so many bytes no further call is recorded. */
    private static final int MOST = 24 << 20;

    /** How a call ended. */
    private static final int NOTHING = 0;

    private static final int RETURNED = 1;
    private static final int THREW = 2;

    /** What an input is. */
    private static final int NULL = 0;

    private static final int PRIMITIVE = 1;
    private static final int VALUE = 2;
    private static final int OBJECT = 3;

    private final long test;
    private final Output out;
    private final States states = States.all();
    private final IdentityHashMap<Object, Integer> numbers = new IdentityHashMap<>();
    private final int countAt;
    private int count;
    private boolean full;

    /** A call is under way. */
    private boolean open;

    /** The statement of a sequence that runs. */
    private int statement;

    private int inputsAt;
    private int inputs;
    /** Those of the call that have a state of their own. */
    private Object[] objects = new Object[8];

    private int objectCount;
    private Throwable lastThrown;

    /** {@code test} is a number of the test's own; if not {@code records}, there is room for no call. */
    Recorder(long test, Output out, boolean records) {
        this.test = test;
        this.out = out;
        full = !records;
        countAt = out.reserve();
    }

    /** Ends the list. */
    void finish() {
        abandon();
        out.patch(countAt, count);
    }

    /** Whether calls are missing, as they were too many. */
    boolean isFull() {
        return full;
    }

    /** The next statement of a sequence begins. */
    void begin(int next) {
        abandon();
        statement = next;
    }

    void enter(int method) {
        abandon();
        full |= out.position() > MOST;
        if (full) {
            return;
        }
        open = true;
        lastThrown = null;
        count++;
        out.writeInt(method);
        out.writeInt(statement);
        inputsAt = out.position() + 1;
        out.writeByte(0);
        out.writeInt(0);
        inputs = 0;
        objectCount = 0;
    }

    void receiver(Object value) {
        if (open) {
            out.patchByte(inputsAt - 1, 1);
            argument(value);
        }
    }

    void argument(Object value) {
        if (open) {
            inputs++;
            write(value, true);
        }
    }

    void argument(char type, long bits) {
        if (open) {
            inputs++;
            write(type, bits);
        }
    }

    void left() {
        end(NOTHING, null);
    }

    void returned(Object value) {
        end(RETURNED, value);
    }

    void returned(char type, long bits) {
        if (open) {
            endInputs(RETURNED);
            write(type, bits);
            writeStatesAfter();
        }
    }

    void threw(Throwable thrown) {
        end(THREW, thrown);
    }

    /** An exception left a method that the call led to. */
    void passed(Throwable thrown) {
        lastThrown = thrown;
    }

    /** A call whose end was not seen was left by an exception. */
    private void abandon() {
        if (open) {
            end(THREW, lastThrown);
        }
    }

    private void end(int how, Object value) {
        if (!open) {
            return;
        }
        endInputs(how);
        if (how == RETURNED) {
            write(value, false);
        } else if (how == THREW) {
            out.writeName(value == null ? Throwable.class.getName() : ClassInfo.of(value.getClass()).name);
        }
        writeStatesAfter();
    }

    private void endInputs(int how) {
        open = false;
        out.patch(inputsAt, inputs);
        out.writeByte(how);
    }

    private void writeStatesAfter() {
        for (int i = 0; i < objectCount; i++) {
            out.writeInt(states.of(objects[i], this));
        }
        Arrays.fill(objects, 0, objectCount, null);
    }

    private void write(char type, long bits) {
        out.writeByte(PRIMITIVE);
        out.writeByte(type);
        out.writeLong(bits);
    }

    private void write(Object value, boolean isInput) {
        if (value == null) {
            out.writeByte(NULL);
            return;
        }
        switch (ClassInfo.of(value.getClass()).kind) {
            case ClassInfo.STRING:
            case ClassInfo.BOXED:
            case ClassInfo.ENUM:
            case ClassInfo.CLASS:
                out.writeByte(VALUE);
                out.writeLong(states.ofValue(value, this));
                return;
            default:
                out.writeByte(OBJECT);
                out.writeInt(numberOf(value));
                out.writeInt(states.of(value, this));
        }
        if (isInput) {
            if (objectCount == objects.length) {
                objects = Arrays.copyOf(objects, 2 * objectCount);
            }
            objects[objectCount++] = value;
        }
    }

    /** As {@link #numberOf}, and no other test gives it to any object. */
    long uniqueNumberOf(Object value) {
        return test * 0x9E3779B97F4A7C15L + numberOf(value);
    }

    /** The same for one object all through the test. */
    int numberOf(Object value) {
        Integer known = numbers.putIfAbsent(value, numbers.size());
        return known == null ? numbers.size() - 1 : known;
    }
}
