package randgen.runtime;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import jdk.internal.misc.Unsafe;

/**
 * The static fields of the class path's classes, put back after each sequence of the search: a default that one sets
 * would else be what all later ones of this worker are judged by. Final fields stay, and what they refer to; so do
 * fields of classes that no operation has called yet.
 */
final class Statics {
    private static final Unsafe MEMORY = StateWalker.MEMORY;
    private static final Set<Class<?>> known = new HashSet<>();
    private static final List<Slot> slots = new ArrayList<>();

    private Statics() {}

    /** A field and the value it had before the search first called something of its class. */
    private static final class Slot {
        final Object base;
        final long offset;
        final char type;
        final Object reference;
        final long bits;

        Slot(Field field) {
            base = MEMORY.staticFieldBase(field);
            offset = MEMORY.staticFieldOffset(field);
            type = field.getType().isPrimitive() ? Executor.letterOf(field.getType()) : 'L';
            reference = type == 'L' ? MEMORY.getReference(base, offset) : null;
            bits = type == 'L' ? 0 : bits();
        }

        private long bits() {
            switch (type) {
                case 'J':
                case 'D':
                    return MEMORY.getLong(base, offset);
                case 'I':
                case 'F':
                    return MEMORY.getInt(base, offset);
                case 'S':
                case 'C':
                    return MEMORY.getShort(base, offset);
                default:
                    return MEMORY.getByte(base, offset);
            }
        }

        void restore() {
            if (type == 'L') {
                if (MEMORY.getReference(base, offset) != reference) {
                    MEMORY.putReference(base, offset, reference);
                }
                return;
            }
            if (bits() == bits) {
                return;
            }
            switch (type) {
                case 'J':
                case 'D':
                    MEMORY.putLong(base, offset, bits);
                    break;
                case 'I':
                case 'F':
                    MEMORY.putInt(base, offset, (int) bits);
                    break;
                case 'S':
                case 'C':
                    MEMORY.putShort(base, offset, (short) bits);
                    break;
                default:
                    MEMORY.putByte(base, offset, (byte) bits);
            }
        }
    }

    /** Initialises a class and remembers the values of its fields, those of its superclasses too. */
    static void initialise(String name) throws ClassNotFoundException {
        ClassLoader loader = ClassLoader.getSystemClassLoader();
        for (Class<?> type = Class.forName(name, true, loader);
                type != null && type.getClassLoader() == loader && known.add(type);
                type = type.getSuperclass()) {
            for (Field field : ClassInfo.declaredFields(type)) {
                if (Modifier.isStatic(field.getModifiers()) && !Modifier.isFinal(field.getModifiers())) {
                    slots.add(new Slot(field));
                }
            }
        }
    }

    static void restore() {
        for (int i = 0; i < slots.size(); i++) {
            slots.get(i).restore();
        }
    }
}
