package randgen.runtime;

import java.lang.reflect.Field;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import jdk.internal.misc.Unsafe;

/**
 * Fingerprints of object graphs, equal for isomorphic graphs in every worker.
 *
 * <p>A breadth-first walk numbers objects as it meets them and hashes classes, primitives and the numbers behind
 * references. It reads fields and runs no code under test. Beyond {@link #MOST} objects only classes count.
 */
class StateWalker {
    static final Unsafe MEMORY = Unsafe.getUnsafe();

    private static final int MOST = 512;
    private static final int ELEMENTS = 4096;
    /** Below this many objects a linear search beats a table of identity hashes. */
    private static final int LINEAR = 24;

    private final Object[] met;
    private final ClassInfo[] infos;
    private final short[] table;
    /** Takes the bits of a hash that number a slot. */
    private final int shift;

    private int count;
    private boolean tabled;
    private long hash;
    /** References to what has an identity are not followed. */
    private boolean shallow;

    StateWalker() {
        this(MOST);
    }

    /** Beyond {@code most} objects, a power of two up to 8,192, only classes count. */
    StateWalker(int most) {
        met = new Object[most];
        infos = new ClassInfo[most];
        table = new short[4 * most];
        shift = Integer.numberOfLeadingZeros(4 * most) + 1;
    }

    /** The state behind a reference, or of the boxed primitive that it is. */
    long fingerprint(Object root) {
        hash = 0x9E3779B97F4A7C15L;
        try {
            reference(root);
            for (int i = 0; i < count; i++) {
                object(met[i], infos[i]);
            }
            return hash;
        } finally {
            java.util.Arrays.fill(met, 0, count, null);
            if (tabled) {
                java.util.Arrays.fill(table, (short) 0);
                tabled = false;
            }
            count = 0;
        }
    }

    static long hashOf(String text) {
        long hash = text.length();
        for (int i = 0; i < text.length(); i++) {
            hash = hash * 0x100000001B3L ^ text.charAt(i);
        }
        return hash;
    }

    final void mix(long value) {
        long mixed = (hash ^ value) * 0xBF58476D1CE4E5B9L;
        hash = mixed ^ mixed >>> 29;
    }

    /** An enum's constant, which is hashed by its ordinal alone. */
    void constant(Enum<?> value) {}

    final void reference(Object value) {
        if (value == null) {
            mix(1);
            return;
        }
        ClassInfo info = ClassInfo.of(value.getClass());
        switch (info.kind) {
            case ClassInfo.STRING:
                mix(2);
                text((String) value);
                break;
            case ClassInfo.BOXED:
                mix(info.hash);
                mix(bits(value));
                break;
            case ClassInfo.ENUM:
                mix(info.hash);
                mix(((Enum<?>) value).ordinal());
                constant((Enum<?>) value);
                break;
            case ClassInfo.CLASS:
                mix(3);
                mix(ClassInfo.of((Class<?>) value).hash);
                break;
            case ClassInfo.OPAQUE:
                opaque(value, info);
                break;
            case ClassInfo.PRINTED:
                mix(info.hash);
                text(value.toString());
                mix(value instanceof Pattern ? ((Pattern) value).flags() : 0);
                break;
            default:
                numbered(value, info);
        }
    }

    /** An object into which nobody looks. */
    void opaque(Object value, ClassInfo info) {
        mix(info.hash);
    }

    private void numbered(Object value, ClassInfo info) {
        if (shallow) {
            mix(info.hash);
            return;
        }
        int number = find(value, info);
        if (number >= 0) {
            mix(4);
            mix(number);
        } else if (number == -2) {
            mix(info.hash);
        } else {
            mix(5);
            mix(count - 1);
        }
    }

    /** The number of an object met before, −1 when it has been added now, −2 when there is no room. */
    private int find(Object value, ClassInfo info) {
        if (count <= LINEAR) {
            for (int i = 0; i < count; i++) {
                if (met[i] == value) {
                    return i;
                }
            }
            if (count < LINEAR) {
                infos[count] = info;
                met[count++] = value;
                return -1;
            }
            if (!tabled) {
                tabled = true;
                for (int i = 0; i < count; i++) {
                    table[slot(met[i])] = (short) (i + 1);
                }
            }
        }
        int slot = slot(value);
        if (table[slot] != 0) {
            return table[slot] - 1;
        }
        if (count == met.length) {
            return -2;
        }
        infos[count] = info;
        met[count++] = value;
        table[slot] = (short) count;
        return -1;
    }

    /** Where the object is, or would be. */
    private int slot(Object value) {
        int slot = System.identityHashCode(value) * 0x9E3779B9 >>> shift;
        while (table[slot] != 0 && met[table[slot] - 1] != value) {
            slot = slot + 1 & table.length - 1;
        }
        return slot;
    }

    /** What is behind a reference, one level deep. */
    void object(Object value, ClassInfo info) {
        mix(info.hash);
        switch (info.kind) {
            case ClassInfo.OBJECTS:
                Object[] elements = (Object[]) value;
                mix(elements.length);
                for (int i = 0; i < elements.length && i < ELEMENTS; i++) {
                    reference(elements[i]);
                }
                break;
            case ClassInfo.PRIMITIVES:
                primitives(value);
                break;
            case ClassInfo.TEXT:
                text(value);
                break;
            case ClassInfo.COLLECTION:
                collection((Collection<?>) value);
                break;
            case ClassInfo.MAP:
                if (value instanceof TreeMap) {
                    reference(((TreeMap<?, ?>) value).comparator());
                }
                ordered((Map<?, ?>) value);
                break;
            case ClassInfo.UNORDERED_MAP:
                unordered((Map<?, ?>) value);
                break;
            default:
                fields(value, info.offsets(), info.fieldTypes());
        }
    }

    private void collection(Collection<?> elements) {
        mix(elements.size());
        int rest = ELEMENTS;
        for (Object element : elements) {
            reference(element);
            if (--rest == 0) {
                break;
            }
        }
    }

    private void ordered(Map<?, ?> map) {
        mix(map.size());
        int rest = ELEMENTS;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            reference(entry.getKey());
            reference(entry.getValue());
            if (--rest == 0) {
                break;
            }
        }
    }

    /**
     * The order of entries depends on the past, and for keys hashed by identity on that of the whole worker. Here it does only
     * among entries that look alike from nearby.
     */
    private void unordered(Map<?, ?> map) {
        int size = map.size();
        mix(size);
        if (size > ELEMENTS) {
            return;
        }
        Map.Entry<?, ?>[] entries = new Map.Entry<?, ?>[size];
        long[] order = new long[size];
        int count = 0;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (count == size) {
                // Another thread adds to it.
                break;
            }
            long key = keyOf(entry);
            int at = count++;
            for (; at > 0 && order[at - 1] > key; at--) {
                order[at] = order[at - 1];
                entries[at] = entries[at - 1];
            }
            order[at] = key;
            entries[at] = entry;
        }
        for (int i = 0; i < count; i++) {
            reference(entries[i].getKey());
            reference(entries[i].getValue());
        }
    }

    /** What can be said of an entry without walking on from it. */
    private long keyOf(Map.Entry<?, ?> entry) {
        Object key = entry.getKey();
        if (key == null) {
            return 0;
        }
        ClassInfo info = ClassInfo.of(key.getClass());
        switch (info.kind) {
            case ClassInfo.STRING:
                return (long) key.hashCode() << 32 ^ ((String) key).length();
            case ClassInfo.BOXED:
                return info.hash ^ bits(key);
            case ClassInfo.ENUM:
                return info.hash + ((Enum<?>) key).ordinal();
            case ClassInfo.CLASS:
                return ClassInfo.of((Class<?>) key).hash;
            default:
                return shallow ? info.hash : lookOf(key, info, entry.getValue());
        }
    }

    /** The hash of what is right in a key and its value. */
    private long lookOf(Object key, ClassInfo info, Object value) {
        long outer = hash;
        hash = 0;
        shallow = true;
        try {
            object(key, info);
            reference(value);
            return hash;
        } finally {
            hash = outer;
            shallow = false;
        }
    }

    /** The fields at the offsets, with these letters of descriptors. */
    final void fields(Object value, long[] offsets, byte[] types) {
        for (int i = 0; i < offsets.length; i++) {
            long offset = offsets[i];
            switch (types[i]) {
                case 'L':
                    reference(MEMORY.getReference(value, offset));
                    break;
                case 'I':
                    mix(MEMORY.getInt(value, offset));
                    break;
                case 'Z':
                    mix(MEMORY.getBoolean(value, offset) ? 1 : 0);
                    break;
                case 'J':
                    mix(MEMORY.getLong(value, offset));
                    break;
                case 'D':
                    mix(Double.doubleToLongBits(MEMORY.getDouble(value, offset)));
                    break;
                case 'F':
                    mix(Float.floatToIntBits(MEMORY.getFloat(value, offset)));
                    break;
                case 'C':
                    mix(MEMORY.getChar(value, offset));
                    break;
                case 'S':
                    mix(MEMORY.getShort(value, offset));
                    break;
                default:
                    mix(MEMORY.getByte(value, offset));
            }
        }
    }

    /** The value of a field, boxed if it is a primitive. */
    static Object read(Object value, Field field) {
        long offset = MEMORY.objectFieldOffset(field);
        switch (Executor.letterOf(field.getType())) {
            case 'L':
                return MEMORY.getReference(value, offset);
            case 'I':
                return MEMORY.getInt(value, offset);
            case 'Z':
                return MEMORY.getBoolean(value, offset);
            case 'J':
                return MEMORY.getLong(value, offset);
            case 'D':
                return MEMORY.getDouble(value, offset);
            case 'F':
                return MEMORY.getFloat(value, offset);
            case 'C':
                return MEMORY.getChar(value, offset);
            case 'S':
                return MEMORY.getShort(value, offset);
            default:
                return MEMORY.getByte(value, offset);
        }
    }

    private void text(CharSequence text) {
        int length = text.length();
        mix(length);
        for (int i = 0; i < length && i < ELEMENTS; i++) {
            mix(text.charAt(i));
        }
    }

    private void text(Object builder) {
        text((CharSequence) builder);
    }

    private void primitives(Object array) {
        int length = java.lang.reflect.Array.getLength(array);
        mix(length);
        int most = Math.min(length, ELEMENTS);
        if (array instanceof byte[]) {
            for (int i = 0; i < most; i++) {
                mix(((byte[]) array)[i]);
            }
        } else if (array instanceof char[]) {
            for (int i = 0; i < most; i++) {
                mix(((char[]) array)[i]);
            }
        } else if (array instanceof int[]) {
            for (int i = 0; i < most; i++) {
                mix(((int[]) array)[i]);
            }
        } else if (array instanceof long[]) {
            for (int i = 0; i < most; i++) {
                mix(((long[]) array)[i]);
            }
        } else if (array instanceof double[]) {
            for (int i = 0; i < most; i++) {
                mix(Double.doubleToLongBits(((double[]) array)[i]));
            }
        } else if (array instanceof float[]) {
            for (int i = 0; i < most; i++) {
                mix(Float.floatToIntBits(((float[]) array)[i]));
            }
        } else if (array instanceof boolean[]) {
            for (int i = 0; i < most; i++) {
                mix(((boolean[]) array)[i] ? 1 : 0);
            }
        } else {
            for (int i = 0; i < most; i++) {
                mix(((short[]) array)[i]);
            }
        }
    }

    private static long bits(Object boxed) {
        if (boxed instanceof Boolean) {
            return (Boolean) boxed ? 1 : 0;
        }
        if (boxed instanceof Character) {
            return (Character) boxed;
        }
        if (boxed instanceof Double) {
            return Double.doubleToLongBits((Double) boxed);
        }
        if (boxed instanceof Float) {
            return Float.floatToIntBits((Float) boxed);
        }
        return ((Number) boxed).longValue();
    }
}
