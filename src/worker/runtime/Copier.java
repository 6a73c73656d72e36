package randgen.runtime;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import jdk.internal.misc.Unsafe;

/**
 * Copies object graphs field by field; no constructor and no other code under test runs.
 *
 * <p>What has no state of its own or is known by its identity is shared: texts, boxed values, constants of enums, classes,
 * lambdas, locks, threads.
 */
final class Copier {
    private static final Unsafe MEMORY = StateWalker.MEMORY;

    /** Larger graphs are not copied. */
    private static final int MOST = 8192;

    private static final ClassValue<Slot[]> SLOTS =
            new ClassValue<Slot[]>() {
                @Override
                protected Slot[] computeValue(Class<?> type) {
                    List<Slot> slots = new ArrayList<>();
                    for (Class<?> at = type; at != null; at = at.getSuperclass()) {
                        for (Field field : ClassInfo.declaredFields(at)) {
                            if (!Modifier.isStatic(field.getModifiers())) {
                                slots.add(new Slot(field));
                            }
                        }
                    }
                    return slots.toArray(new Slot[0]);
                }
            };

    private final IdentityHashMap<Object, Object> copies;
    private final ArrayDeque<Object> unfilled = new ArrayDeque<>();

    private Copier(IdentityHashMap<Object, Object> copies) {
        this.copies = copies;
    }

    /** Where a field is in an instance. */
    private static final class Slot {
        final long offset;
        final char type;

        Slot(Field field) {
            offset = MEMORY.objectFieldOffset(field);
            type = Executor.letterOf(field.getType());
        }
    }

    /** The copy, with each original's in {@code copies}; null if there is none. */
    static Object copy(Object root, IdentityHashMap<Object, Object> copies) {
        Copier copier = new Copier(copies);
        try {
            Object copy = copier.reference(root);
            while (!copier.unfilled.isEmpty()) {
                copier.fill(copier.unfilled.remove());
                if (copies.size() > MOST) {
                    return null;
                }
            }
            return copy;
        } catch (InstantiationException impossible) {
            return null;
        }
    }

    private Object reference(Object value) throws InstantiationException {
        if (value == null) {
            return null;
        }
        switch (ClassInfo.of(value.getClass()).kind) {
            case ClassInfo.STRING:
            case ClassInfo.BOXED:
            case ClassInfo.ENUM:
            case ClassInfo.CLASS:
            case ClassInfo.OPAQUE:
            case ClassInfo.PRINTED:
                return value;
            default:
        }
        Object known = copies.get(value);
        if (known != null) {
            return known;
        }
        Class<?> type = value.getClass();
        Object copy = type.isArray()
                ? Array.newInstance(type.getComponentType(), Array.getLength(value))
                : MEMORY.allocateInstance(type);
        copies.put(value, copy);
        unfilled.add(value);
        return copy;
    }

    private void fill(Object value) throws InstantiationException {
        Object copy = copies.get(value);
        if (value instanceof Object[]) {
            Object[] elements = (Object[]) value;
            for (int i = 0; i < elements.length; i++) {
                ((Object[]) copy)[i] = reference(elements[i]);
            }
        } else if (value.getClass().isArray()) {
            System.arraycopy(value, 0, copy, 0, Array.getLength(value));
        } else {
            for (Slot slot : SLOTS.get(value.getClass())) {
                fill(value, copy, slot);
            }
        }
    }

    private void fill(Object value, Object copy, Slot slot) throws InstantiationException {
        switch (slot.type) {
            case 'L':
                MEMORY.putReference(copy, slot.offset, reference(MEMORY.getReference(value, slot.offset)));
                break;
            case 'J':
            case 'D':
                MEMORY.putLong(copy, slot.offset, MEMORY.getLong(value, slot.offset));
                break;
            case 'I':
            case 'F':
                MEMORY.putInt(copy, slot.offset, MEMORY.getInt(value, slot.offset));
                break;
            case 'S':
            case 'C':
                MEMORY.putShort(copy, slot.offset, MEMORY.getShort(value, slot.offset));
                break;
            default:
                MEMORY.putByte(copy, slot.offset, MEMORY.getByte(value, slot.offset));
        }
    }
}
