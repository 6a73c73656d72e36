package randgen.runtime;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import jdk.internal.misc.Unsafe;

/**
 * The static fields of the class path's classes, put back after each sequence: a default that one sets would else be
 * what all later ones of this worker are judged by. What they were is remembered when an operation first calls something
 * of the class, or before code under test first writes one of them. Final fields stay, and what they refer to.
 *
 * <p>Any thread may write. Under the lock no class is initialised and no object of the code under test looked at: who holds
 * either may wait for the lock.
 */
final class Statics {
    private static final Unsafe MEMORY = StateWalker.MEMORY;
    private static final ClassLoader LOADER = ClassLoader.getSystemClassLoader();
    private static final Set<Class<?>> known = new HashSet<>();
    private static final List<Slot> slots = new ArrayList<>();
    /** All static fields of the classes whose loops are watched. */
    private static final List<Slot> watched = new ArrayList<>();
    private static final Set<Class<?>> watchedClasses = new HashSet<>();
    private static final Set<String> written = ConcurrentHashMap.newKeySet();

    private Statics() {}

    /** A field and the value it had when it was remembered. */
    static final class Slot {
        final Object base;
        final long offset;
        final char type;
        final Field field;
        final long name;
        final Object reference;
        final long bits;

        Slot(Field field) {
            this(field, MEMORY.staticFieldBase(field), MEMORY.staticFieldOffset(field));
        }

        /** Of an instance field. */
        Slot(Field field, Object object) {
            this(field, object, MEMORY.objectFieldOffset(field));
        }

        private Slot(Field field, Object base, long offset) {
            this.field = field;
            this.base = base;
            this.offset = offset;
            name = StateWalker.hashOf(field.getDeclaringClass().getName() + '.' + field.getName());
            type = Executor.letterOf(field.getType());
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

        private boolean isChanged() {
            return type == 'L' ? MEMORY.getReference(base, offset) != reference : bits() != bits;
        }

        private long state(StateWalker walker) {
            return type == 'L' ? walker.fingerprint(MEMORY.getReference(base, offset)) : bits();
        }

        void restore() {
            if (isChanged()) {
                put(base);
            }
        }

        /** Gives the field of an object, or the field itself, the value that is remembered. */
        void put(Object base) {
            switch (type) {
                case 'J':
                case 'D':
                    MEMORY.putLong(base, offset, bits);
                    break;
                case 'I':
                case 'F':
                    MEMORY.putInt(base, offset, (int) bits);
                    break;
                case 'L':
                    MEMORY.putReference(base, offset, reference);
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

    /**
     * Before a field is written, which is named with its class. What static initialisers leave, nothing would bring back: it is
     * not looked at.
     */
    static void write(String name) {
        if (written.contains(name) || isInitialising()) {
            return;
        }
        int dot = name.lastIndexOf('.');
        try {
            Class<?> type = declaring(Class.forName(name.substring(0, dot), false, LOADER), name.substring(dot + 1));
            if (type != null) {
                // As the write will do.
                MEMORY.ensureClassInitialized(type);
                remember(type);
            }
            if (type == null || !MEMORY.shouldBeInitialized(type)) {
                written.add(name);
            }
        } catch (ClassNotFoundException missing) {
            // The write fails too.
        }
    }

    /** Code of the class runs whose loops are watched: all of its static fields matter to them. */
    static void know(String name) {
        try {
            Class<?> type = Class.forName(name, false, LOADER);
            for (Class<?> each = type; each != null && each.getClassLoader() == LOADER; each = each.getSuperclass()) {
                if (watchedClasses.add(each)) {
                    for (Field field : ClassInfo.declaredFields(each)) {
                        boolean isLogger = field.getType().getSimpleName().matches("Log(ger)?");
                        if (Modifier.isStatic(field.getModifiers()) && !isLogger) {
                            watched.add(new Slot(field));
                        }
                    }
                }
            }
        } catch (ClassNotFoundException missing) {
            // It has no fields then.
        }
    }

    /** What the static fields hold that {@link #know} has collected. */
    static Object[] held() {
        Object[] held = new Object[watched.size()];
        for (int i = 0; i < held.length; i++) {
            Slot slot = watched.get(i);
            held[i] = slot.type == 'L' ? MEMORY.getReference(slot.base, slot.offset) : (Object) slot.bits();
        }
        return held;
    }

    private static boolean isInitialising() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals("<clinit>")));
    }

    /** The class or that superclass which declares the static field; null if none does. */
    private static Class<?> declaring(Class<?> type, String name) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Field field : ClassInfo.declaredFields(each)) {
                if (field.getName().equals(name) && Modifier.isStatic(field.getModifiers())) {
                    return each;
                }
            }
        }
        return null;
    }

    /** Initialises a class and remembers the values of its fields, those of its superclasses too. */
    static void initialise(String name) throws ClassNotFoundException {
        remember(Class.forName(name, true, LOADER));
    }

    /** Not those of a class that is yet being initialised: they have no values to remember. */
    private static void remember(Class<?> type) {
        for (Class<?> each = type; each != null && each.getClassLoader() == LOADER; each = each.getSuperclass()) {
            if (!MEMORY.shouldBeInitialized(each)) {
                rememberOwn(each);
            }
        }
    }

    private static synchronized void rememberOwn(Class<?> type) {
        if (known.contains(type)) {
            return;
        }
        List<Slot> own = new ArrayList<>();
        for (Field field : ClassInfo.declaredFields(type)) {
            if (Modifier.isStatic(field.getModifiers()) && !Modifier.isFinal(field.getModifiers())) {
                own.add(new Slot(field));
            }
        }
        // Only when all are there: this may be near the end of the stack.
        slots.addAll(own);
        known.add(type);
    }

    private static synchronized Slot[] slots() {
        return slots.toArray(new Slot[0]);
    }

    /** A field of a class whose calls are traced that is not as it was, or null. What was made when it was first needed is. */
    static String changed() {
        for (Slot slot : slots()) {
            boolean isMade = slot.type == 'L' && slot.reference == null;
            if (!isMade && slot.isChanged() && Tracer.isTraced(slot.field.getDeclaringClass())) {
                return slot.field.getDeclaringClass().getName() + '.' + slot.field.getName();
            }
        }
        return null;
    }

    /** What is not as it was: 0 if all is, and equal for equal changes in all workers that remember the same classes. */
    static long changes(StateWalker walker) {
        long changes = 0;
        for (Slot slot : slots()) {
            if (slot.isChanged()) {
                // A sum, as workers meet classes in different orders.
                changes += (slot.name ^ slot.state(walker)) * 0x9E3779B97F4A7C15L | 1;
            }
        }
        return changes;
    }

    static synchronized void restore() {
        for (int i = 0; i < slots.size(); i++) {
            slots.get(i).restore();
        }
    }
}
