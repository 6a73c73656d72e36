package randgen.runtime;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What specifications may speak of: of each new state its fields and what the observers return, of each new value its text,
 * number or name. Fields are read when the state is met; observers are called on a copy when the run is over.
 */
final class Descriptions {
    /** Longer texts, and what is behind so many elements, are not told. */
    private static final int TEXT = 100;

    private static final int ELEMENTS = 32;

    /** What is told of a variable. */
    private static final int LITERAL = 0;

    private static final int CONSTANT = 1;
    private static final int OBJECT = 2;
    private static final int COLLECTION = 3;

    /** Names of methods by their classes' names. */
    private static final Map<String, List<String>> OBSERVERS = new HashMap<>();

    static {
        String observer = Executor.observer(0);
        for (int i = 1; observer != null; i++) {
            int dot = observer.lastIndexOf('.');
            OBSERVERS.computeIfAbsent(observer.substring(0, dot), unknown -> new ArrayList<>())
                    .add(observer.substring(dot + 1));
            observer = Executor.observer(i);
        }
    }

    private static final ClassValue<Method[]> METHODS =
            new ClassValue<Method[]>() {
                @Override
                protected Method[] computeValue(Class<?> type) {
                    Map<String, Method> found = new java.util.TreeMap<>();
                    for (Class<?> at = type; at != null; at = at.getSuperclass()) {
                        for (String name : OBSERVERS.getOrDefault(at.getName(), List.of())) {
                            try {
                                found.putIfAbsent(name, at.getDeclaredMethod(name));
                            } catch (NoSuchMethodException | LinkageError missing) {
                                // What is not there cannot be called.
                            }
                        }
                    }
                    Method[] methods = found.values().toArray(new Method[0]);
                    Executor.open(methods);
                    return methods;
                }
            };

    private final List<State> states = new ArrayList<>();
    private final Set<Long> known = new HashSet<>();
    private final List<Object> values = new ArrayList<>();

    /** A state that was not announced yet. */
    private static final class State {
        final ClassInfo info;
        final Object[] fields;
        /** What observers are called on; null where there are none. */
        final Object copy;

        State(ClassInfo info, Object[] fields, Object copy) {
            this.info = info;
            this.fields = fields;
            this.copy = copy;
        }
    }

    /** Stands for an object that is a variable's value. */
    private static final class Reference {
        final String type;

        Reference(String type) {
            this.type = type;
        }
    }

    /** An array or a collection of the JDK, with its first elements if they are known. */
    private static final class Elements {
        final int size;
        final Object[] first;

        Elements(int size, Object[] first) {
            this.size = size;
            this.first = first;
        }
    }

    /** An object is in a state that was not met before. */
    void state(Object value) {
        ClassInfo info = ClassInfo.of(value.getClass());
        boolean observed = METHODS.get(value.getClass()).length > 0;
        Object copy = observed ? Copier.copy(value, new IdentityHashMap<>()) : null;
        Object[] told = hasFields(info) ? fields(value, info) : new Object[] {told(value, true)};
        states.add(new State(info, told, copy));
    }

    /** A value that has no identity. */
    void value(long fingerprint, Object value) {
        if (known.add(fingerprint)) {
            values.add(fingerprint);
            values.add(value);
        }
    }

    void announce(Output out) {
        for (State state : states) {
            out.writeName(state.info.name);
            int countAt = out.reserve();
            int count = state.fields.length;
            Field[] named = hasFields(state.info) ? state.info.fields() : null;
            for (int i = 0; i < state.fields.length; i++) {
                out.writeName(named == null ? "" : named[i].getName());
                write(state.fields[i], out);
            }
            if (state.copy != null) {
                count += observe(state.copy, out);
            }
            out.patch(countAt, count);
        }
        states.clear();
        out.writeInt(values.size() / 2);
        for (int i = 0; i < values.size(); i += 2) {
            out.writeLong((Long) values.get(i));
            write(told(values.get(i + 1), false), out);
        }
        values.clear();
    }

    /** Whether its fields are of interest; of other objects the variable without a name is all there is. */
    private static boolean hasFields(ClassInfo info) {
        return info.kind == ClassInfo.FIELDS && !info.sized;
    }

    private static Object[] fields(Object value, ClassInfo info) {
        long[] offsets = info.offsets();
        byte[] types = info.fieldTypes();
        Object[] read = new Object[offsets.length];
        for (int i = 0; i < offsets.length; i++) {
            read[i] = field(value, offsets[i], types[i]);
        }
        return read;
    }

    private static Object field(Object value, long offset, byte type) {
        switch (type) {
            case 'L':
                return told(StateWalker.MEMORY.getReference(value, offset), true);
            case 'I':
                return StateWalker.MEMORY.getInt(value, offset);
            case 'Z':
                return StateWalker.MEMORY.getBoolean(value, offset);
            case 'J':
                return StateWalker.MEMORY.getLong(value, offset);
            case 'D':
                return StateWalker.MEMORY.getDouble(value, offset);
            case 'F':
                return StateWalker.MEMORY.getFloat(value, offset);
            case 'C':
                return StateWalker.MEMORY.getChar(value, offset);
            case 'S':
                return StateWalker.MEMORY.getShort(value, offset);
            default:
                return StateWalker.MEMORY.getByte(value, offset);
        }
    }

    /** What is told of a value: itself if it cannot change, else what stands for it. */
    private static Object told(Object value, boolean withElements) {
        if (value == null) {
            return null;
        }
        ClassInfo info = ClassInfo.of(value.getClass());
        switch (info.kind) {
            case ClassInfo.STRING:
                return ((String) value).length() <= TEXT ? value : new Reference(info.name);
            case ClassInfo.BOXED:
            case ClassInfo.ENUM:
            case ClassInfo.CLASS:
                return value;
            case ClassInfo.OBJECTS:
            case ClassInfo.PRIMITIVES:
                return withElements ? array(value) : new Reference(info.name);
            case ClassInfo.COLLECTION:
                return withElements ? collection((Collection<?>) value) : new Reference(info.name);
            case ClassInfo.MAP:
            case ClassInfo.UNORDERED_MAP:
                return new Elements(((Map<?, ?>) value).size(), null);
            default:
                if (info.sized) {
                    return new Elements(size(value), null);
                }
                return new Reference(info.name);
        }
    }

    private static int size(Object value) {
        return value instanceof Map ? ((Map<?, ?>) value).size() : ((Collection<?>) value).size();
    }

    private static Elements array(Object value) {
        int size = Array.getLength(value);
        Object[] first = null;
        if (size <= ELEMENTS) {
            first = new Object[size];
            for (int i = 0; i < size; i++) {
                first[i] = told(Array.get(value, i), false);
            }
        }
        return new Elements(size, first);
    }

    private static Elements collection(Collection<?> value) {
        int size = value.size();
        Object[] first = null;
        if (size <= ELEMENTS) {
            first = new Object[size];
            int at = 0;
            for (Object element : value) {
                first[at++] = told(element, false);
            }
        }
        return new Elements(size, first);
    }

    /** Calls the observers of the object; how many returned. */
    private static int observe(Object copy, Output out) {
        int count = 0;
        for (Method method : METHODS.get(copy.getClass())) {
            // Each may take as much as what runs for the report.
            Probes.end();
            try {
                Object returned = method.invoke(Modifier.isStatic(method.getModifiers()) ? null : copy);
                out.writeName(method.getName() + "()");
                write(told(returned, true), out);
                count++;
            } catch (Stopped stop) {
                throw stop;
            } catch (InvocationTargetException thrown) {
                if (thrown.getCause() instanceof Stopped) {
                    throw (Stopped) thrown.getCause();
                }
            } catch (Throwable failed) {
                // It says nothing of this state.
            }
        }
        return count;
    }

    private static void write(Object told, Output out) {
        if (told instanceof Reference) {
            out.writeByte(OBJECT);
            out.writeName(((Reference) told).type);
        } else if (told instanceof Enum) {
            out.writeByte(CONSTANT);
            out.writeName(ClassInfo.of(((Enum<?>) told).getDeclaringClass()).name);
            out.writeName(((Enum<?>) told).name());
        } else if (told instanceof Class) {
            out.writeByte(CONSTANT);
            out.writeName(ClassInfo.of((Class<?>) told).name);
            out.writeName("class");
        } else if (told instanceof Elements) {
            Elements elements = (Elements) told;
            out.writeByte(COLLECTION);
            out.writeInt(elements.size);
            out.writeByte(elements.first == null ? 0 : 1);
            if (elements.first != null) {
                out.writeInt(elements.first.length);
                for (Object element : elements.first) {
                    write(element, out);
                }
            }
        } else {
            out.writeByte(LITERAL);
            out.writeLiteral(told);
        }
    }
}
