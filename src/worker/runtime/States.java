package randgen.runtime;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The states that objects were seen in, as WholeState, MonitorEquals and PairwiseEquals tell them apart.
 *
 * <p>A state that is new is copied at once; its {@code equals} runs on copies when the test is over. Where it is not
 * overridden, does not say that two copies are equal, or reads nothing of its object that is seen, all of the state counts.
 */
final class States {
    /** Beyond so many objects only classes count. */
    private static final int OBJECTS = 8192;

    /** A new state is compared with so many of its class. */
    private static final int COMPARED = 512;

    /** Those of the worker, made when the first is needed. */
    private static final States ALL = new States();

    private final Map<Long, Integer> numbers = new HashMap<>();
    private final List<Long> fingerprints = new ArrayList<>();
    /** By number, null where there is none or it is no longer needed. */
    private final List<Object> copies = new ArrayList<>();
    /** States that {@code equals} tells apart. */
    private final Map<Class<?>, List<Integer>> distinct = new HashMap<>();

    private final Walker walker = new Walker();
    /** What describes them, if they are described. */
    private final Descriptions descriptions = Limits.describes ? new Descriptions() : null;

    private int announced;
    /** Of states that stand for themselves, by number. */
    private final List<Long> compared = new ArrayList<>();

    private static final ClassValue<Boolean> COMPARABLE =
            new ClassValue<Boolean>() {
                @Override
                protected Boolean computeValue(Class<?> type) {
                    boolean traced = false;
                    for (Class<?> at = type; at != null; at = at.getSuperclass()) {
                        traced |= Tracer.isTraced(at);
                    }
                    try {
                        return traced && type.getMethod("equals", Object.class).getDeclaringClass() != Object.class;
                    } catch (NoSuchMethodException | LinkageError unreadable) {
                        return false;
                    }
                }
            };

    private States() {}

    static States all() {
        return ALL;
    }

    long fingerprint(Object value, Recorder recorder) {
        walker.recorder = recorder;
        walker.reads = null;
        return walker.fingerprint(value);
    }

    /** The fingerprint of what has no identity. */
    long ofValue(Object value, Recorder recorder) {
        long fingerprint = fingerprint(value, recorder);
        if (descriptions != null) {
            descriptions.value(fingerprint, value);
        }
        return fingerprint;
    }

    /** The number of the state that the object is in. */
    int of(Object value, Recorder recorder) {
        long fingerprint = fingerprint(value, recorder);
        Integer known = numbers.putIfAbsent(fingerprint, fingerprints.size());
        if (known != null) {
            return known;
        }
        fingerprints.add(fingerprint);
        if (descriptions != null) {
            descriptions.state(value);
        }
        copies.add(COMPARABLE.get(value.getClass()) ? Copier.copy(value, new IdentityHashMap<>()) : null);
        return fingerprints.size() - 1;
    }

    /** Writes the states that were not written before: three numbers for each. */
    void announce(Output out, Recorder recorder) {
        int countAt = out.reserve();
        int first = announced;
        for (; announced < fingerprints.size(); announced++) {
            out.writeLong(fingerprints.get(announced));
            out.writeLong(monitored(announced, recorder));
            out.writeLong(firstEqual(announced));
        }
        out.patch(countAt, announced - first);
        if (descriptions != null) {
            descriptions.announce(out);
        }
    }

    /** What stands for the state of an object that lives: what {@code equals} reads of it, or the first state equal to it. */
    long compared(Object value, boolean isMonitored) {
        int number = of(value, null);
        if (number == compared.size()) {
            long monitored = monitored(number, null);
            compared.add(isMonitored ? monitored : firstEqual(number));
            if (isMonitored) {
                copies.set(number, null);
            }
        }
        return compared.get(number);
    }

    /** The part of the state of the number that {@code equals} reads; the copy is kept only if it says that it is equal. */
    private long monitored(int number, Recorder recorder) {
        long whole = fingerprints.get(number);
        Object copy = copies.get(number);
        IdentityHashMap<Object, Object> twins = new IdentityHashMap<>();
        Object twin = copy == null ? null : Copier.copy(copy, twins);
        if (twin == null) {
            copies.set(number, null);
            return whole;
        }
        Tracer.monitor();
        boolean reflexive = isEqual(copy, twin);
        IdentityHashMap<Object, Set<Object>> reads = Tracer.monitored();
        if (!reflexive) {
            copies.set(number, null);
            return whole;
        }
        return monitored(copy, twins, reads, whole, recorder);
    }

    /** The part of the state that was read, of the copy or of its twin. */
    private long monitored(
            Object copy,
            IdentityHashMap<Object, Object> twins,
            IdentityHashMap<Object, Set<Object>> reads,
            long whole,
            Recorder recorder) {
        for (Map.Entry<Object, Object> pair : twins.entrySet()) {
            Set<Object> ofTwin = reads.get(pair.getValue());
            if (ofTwin != null) {
                reads.merge(pair.getKey(), ofTwin, (own, others) -> {
                    own.addAll(others);
                    return own;
                });
            }
        }
        if (!reads.containsKey(copy)) {
            return whole;
        }
        walker.recorder = recorder;
        walker.reads = reads;
        walker.wholeArrays = Tracer.readsUnseen();
        return walker.fingerprint(copy);
    }

    /** The fingerprint of the first state that {@code equals} does not tell from this one. */
    private long firstEqual(int number) {
        long whole = fingerprints.get(number);
        Object copy = copies.get(number);
        if (copy == null) {
            return whole;
        }
        List<Integer> others = distinct.computeIfAbsent(copy.getClass(), unknown -> new ArrayList<>());
        for (int other : others) {
            if (isEqual(copies.get(other), copy)) {
                copies.set(number, null);
                return fingerprints.get(other);
            }
        }
        if (others.size() < COMPARED) {
            others.add(number);
        } else {
            copies.set(number, null);
        }
        return whole;
    }

    private static boolean isEqual(Object left, Object right) {
        // Each comparison may take as much as what runs for the report.
        Probes.end();
        try {
            return left.equals(right);
        } catch (Stopped stop) {
            throw stop;
        } catch (Throwable failed) {
            return false;
        }
    }

    /** Walks all of a state, or the part that was read of it. */
    private static final class Walker extends StateWalker {
        /** Says which lambda is which: their classes have no names that last. */
        Recorder recorder;

        /** What counts of objects under test and of arrays; null if all does. */
        IdentityHashMap<Object, Set<Object>> reads;

        boolean wholeArrays;

        Walker() {
            super(OBJECTS);
        }

        @Override
        void opaque(Object value, ClassInfo info) {
            super.opaque(value, info);
            if (recorder != null && value.getClass().isHidden()) {
                mix(recorder.uniqueNumberOf(value));
            }
        }

        @Override
        void object(Object value, ClassInfo info) {
            if (reads == null) {
                super.object(value, info);
            } else if (info.kind == ClassInfo.OBJECTS || info.kind == ClassInfo.PRIMITIVES) {
                Set<Object> read = reads.get(value);
                if (read == null || wholeArrays) {
                    // Nothing of it may have been of interest, or all of it was read where nobody sees it.
                    super.object(value, info);
                } else {
                    mix(info.hash);
                    elements(value, read);
                }
            } else if (info.kind == ClassInfo.FIELDS) {
                mix(info.hash);
                fieldsRead(value, info);
            } else {
                super.object(value, info);
            }
        }

        private void elements(Object array, Set<Object> read) {
            int length = Array.getLength(array);
            for (Object part : read) {
                int index = (Integer) part;
                mix(index);
                if (part.equals(Tracer.LENGTH)) {
                    mix(length);
                } else if (index >= 0 && index < length) {
                    reference(Array.get(array, index));
                }
            }
        }

        /** Those of a class that no hook is in count as if they were read. */
        private void fieldsRead(Object value, ClassInfo info) {
            Set<Object> read = reads.get(value);
            Field[] fields = info.fields();
            long[] offsets = new long[fields.length];
            byte[] types = new byte[fields.length];
            int count = 0;
            for (int i = 0; i < fields.length; i++) {
                boolean isRead = read != null && read.contains(fields[i].getName());
                if (isRead || !Tracer.isTraced(fields[i].getDeclaringClass())) {
                    mix(i);
                    offsets[count] = info.offsets()[i];
                    types[count++] = info.fieldTypes()[i];
                }
            }
            fields(value, Arrays.copyOf(offsets, count), Arrays.copyOf(types, count));
        }
    }
}
