package randgen.runtime;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What mutants take in place of a value, or do in place of a call. Their code calls these methods. */
public final class Substitutes {
    private Substitutes() {}

    /** An empty set that, like the one given, may be one of constants of an enum. */
    public static Set<?> emptySet(Set<?> set) {
        if (set instanceof EnumSet) {
            EnumSet<?> empty = ((EnumSet<?>) set).clone();
            empty.clear();
            return empty;
        }
        return Collections.emptySet();
    }

    /**
     * An empty tree or queue with the same comparator for what is sorted, otherwise an empty collection or map of
     * the same class of java.util; what cannot be made without an argument stays.
     */
    @SuppressWarnings("unchecked")
    public static Object emptied(Object container) {
        if (container instanceof SortedSet) {
            return new TreeSet<Object>(((SortedSet<Object>) container).comparator());
        }
        if (container instanceof SortedMap) {
            return new TreeMap<Object, Object>(((SortedMap<Object, Object>) container).comparator());
        }
        if (container instanceof PriorityQueue) {
            return new PriorityQueue<Object>(11, ((PriorityQueue<Object>) container).comparator());
        }
        if (container == null || !container.getClass().getName().startsWith("java.util.")) {
            return container;
        }
        try {
            return container.getClass().getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            return container;
        }
    }

    /** Puts the entries whose keys the map does not have. */
    public static <K, V> void putAllIfAbsent(Map<K, V> map, Map<? extends K, ? extends V> entries) {
        for (Map.Entry<? extends K, ? extends V> entry : entries.entrySet()) {
            map.putIfAbsent(entry.getKey(), entry.getValue());
        }
    }

    /**
     * The first constant of the enum that the value is of; what is of none stays, and so do constants while their
     * class is initialised. The enum's own {@code values} runs, once.
     */
    public static Object firstConstant(Object value) {
        Object[] constants = value instanceof Enum ? ((Enum<?>) value).getDeclaringClass().getEnumConstants() : null;
        return constants == null || constants.length == 0 ? value : constants[0];
    }
}
