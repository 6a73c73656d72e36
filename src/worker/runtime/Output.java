package randgen.runtime;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;

/** Writes an outcome in the form that protocol::outcomes reads. */
final class Output {
    private final ByteBuffer buffer;
    private final HashMap<String, Integer> names = new HashMap<>();
    /** Names whose text is in what was written since the last {@link #clear}. */
    private final ArrayList<String> announced = new ArrayList<>();

    Output(ByteBuffer buffer) {
        this.buffer = buffer.order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Begins the next message; the last one is sent. */
    void clear() {
        announced.clear();
        buffer.clear();
    }

    /** Begins the message again, as if nothing of it had been written. */
    void discard() {
        announced.forEach(names::remove);
        clear();
    }

    int position() {
        return buffer.position();
    }

    void writeByte(int value) {
        buffer.put((byte) value);
    }

    void writeInt(int value) {
        buffer.putInt(value);
    }

    void writeLong(long value) {
        buffer.putLong(value);
    }

    /** Leaves room for a number that is known later. */
    int reserve() {
        int at = buffer.position();
        buffer.putInt(0);
        return at;
    }

    void patch(int at, int value) {
        buffer.putInt(at, value);
    }

    void patchByte(int at, int value) {
        buffer.put(at, (byte) value);
    }

    int byteAt(int at) {
        return buffer.get(at);
    }

    void patchLong(int at, long value) {
        buffer.putLong(at, value);
    }

    void writeUnits(String text, int most) {
        int length = Math.min(text.length(), most);
        buffer.putInt(length);
        for (int i = 0; i < length; i++) {
            buffer.putChar(text.charAt(i));
        }
    }

    /** The number of a name, and at its first use the name itself. */
    void writeName(String name) {
        Integer known = names.get(name);
        if (known != null) {
            buffer.putInt(known);
            return;
        }
        int number = names.size();
        names.put(name, number);
        announced.add(name);
        buffer.putInt(number);
        writeUnits(name, 65535);
    }

    /** A boxed primitive, a string, or null. */
    void writeLiteral(Object value) {
        if (value == null) {
            writeByte(11);
        } else if (value instanceof String) {
            writeByte(9);
            writeUnits((String) value, Executor.OBSERVED_STRING);
        } else {
            writePrimitive(value);
        }
    }

    private void writePrimitive(Object value) {
        Class<?> type = value.getClass();
        if (type == Integer.class) {
            writeByte(5);
            writeLong((Integer) value);
        } else if (type == Boolean.class) {
            writeByte(1);
            writeLong((Boolean) value ? 1 : 0);
        } else if (type == Character.class) {
            writeByte(3);
            writeLong((Character) value);
        } else if (type == Long.class) {
            writeByte(6);
            writeLong((Long) value);
        } else if (type == Double.class) {
            writeByte(8);
            writeLong(Double.doubleToRawLongBits((Double) value));
        } else if (type == Float.class) {
            writeByte(7);
            writeLong(Float.floatToRawIntBits((Float) value) & 0xffffffffL);
        } else if (type == Byte.class) {
            writeByte(2);
            writeLong((Byte) value);
        } else {
            writeByte(4);
            writeLong((Short) value);
        }
    }
}
