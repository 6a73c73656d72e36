package randgen.runtime;

import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** What comparisons in the code under test compared: as far as it is new in the present span of sequences, or all of a sequence. */
final class Operands {
    /** Distinct pairs kept per comparison in a span of sequences. */
    private static final int PAIRS = 8;
    /** Distinct pairs reported per comparison of a sequence of which all are reported. */
    private static final int PAIRS_OF_SEQUENCE = 4;
    /** Elements of a collection that are looked at for a key, and those of them that are reported. */
    private static final int LOOKED_AT = 16;
    private static final int ELEMENTS = 3;
    /** Larger collections without an order are not looked at. */
    private static final int TABLE = 64;
    /** Sequences after which pairs are new again: by then the search stands elsewhere, and other sequences compare. */
    private static final int SPAN = 8192;
    /** Distinct pairs kept where values of the platform are compared: as many callers share the place in a class for money. */
    private static final int VALUE_PAIRS = 32;
    /** Comparisons reported per sequence. */
    private static final int REPORTED = 64;
    /** Longer strings are not worth trying as arguments. */
    private static final int STRING = 100;

    private static final byte[] pairCounts = new byte[Limits.probes];
    /** The smallest distance of operands since their pairs are no longer kept; 0 for none. */
    private static final long[] nearest = new long[Limits.probes];
    private static final long[][] pairs = new long[Limits.probes][];
    private static boolean recording;
    /** Sequences since pairs became new again. */
    private static int ofSpan;
    /** All operands of the sequence are reported, as if the worker had seen none. */
    private static boolean all;
    /** How many pairs of the sequence are kept, by comparison, if all are reported. */
    private static final byte[] counts = new byte[Limits.probes];
    private static int compared;
    private static final int[] sites = new int[REPORTED];
    private static final Object[] lefts = new Object[REPORTED];
    private static final Object[] rights = new Object[REPORTED];
    /** What tells the pairs apart. */
    private static final long[] leftKeys = new long[REPORTED];
    private static final long[] rightKeys = new long[REPORTED];

    /** Iterating over these runs no code of others, and has the same order in each JVM. */
    private static final Set<Class<?>> HOLDERS = Set.of(
            ArrayList.class, LinkedList.class, ArrayDeque.class, HashSet.class, LinkedHashSet.class, TreeSet.class,
            HashMap.class, LinkedHashMap.class, TreeMap.class, ConcurrentHashMap.class,
            List.of(1).getClass(), List.of(1, 2, 3).getClass());

    /** Each JVM iterates over these in another order. */
    private static final Set<Class<?>> UNORDERED = Set.of(
            Set.of(1).getClass(), Set.of(1, 2, 3).getClass(), Map.of(1, 1).getClass(), Map.of(1, 1, 2, 2).getClass());

    /** What they say of themselves runs no code of others, as that of a date of any calendar may. */
    private static final Set<Class<?>> VALUES = Set.of(
            BigDecimal.class, BigInteger.class, Instant.class, LocalDate.class, LocalDateTime.class, LocalTime.class,
            OffsetDateTime.class, OffsetTime.class, Year.class, YearMonth.class, ZonedDateTime.class);

    private Operands() {}

    /** Nothing is reported of the next sequence, or what is new to the worker, or {@code all}. */
    static void begin(boolean isRecording, boolean isAll) {
        clear();
        recording = isRecording;
        all = isAll;
        if (isRecording && !isAll && ++ofSpan == SPAN) {
            ofSpan = 0;
            Arrays.fill(pairCounts, (byte) 0);
            Arrays.fill(nearest, 0);
        }
    }

    static void end() {
        Texts.end();
        recording = false;
    }

    /** Writes what was asked for. */
    static void write(Output out) {
        out.writeInt(compared);
        for (int i = 0; i < compared; i++) {
            out.writeInt(sites[i]);
            out.writeLiteral(lefts[i]);
            out.writeLiteral(rights[i]);
        }
        clear();
    }

    static void clear() {
        Arrays.fill(lefts, 0, compared, null);
        Arrays.fill(rights, 0, compared, null);
        for (int i = 0; i < compared; i++) {
            counts[sites[i]] = 0;
        }
        compared = 0;
    }

    static void ints(int left, int right, int site) {
        if (Texts.probed) {
            Texts.ints(left, right, site);
            return;
        }
        if (left != right
                && (isOpen(site, PAIRS) ? isNew(site, left, right) : isNearer(site, (long) left - right))) {
            record(site, left, right);
        }
    }

    static void longs(long left, long right, int site) {
        if (left != right
                && (isOpen(site, PAIRS) ? isNew(site, left, right) : isNearer(site, left - right))) {
            record(site, left, right);
        }
    }

    static void floats(float left, float right, int site) {
        if (left != right
                && isOpen(site, PAIRS)
                && isNew(site, Float.floatToRawIntBits(left), Float.floatToRawIntBits(right))) {
            record(site, left, right);
        }
    }

    static void doubles(double left, double right, int site) {
        if (left != right
                && isOpen(site, PAIRS)
                && isNew(site, Double.doubleToRawLongBits(left), Double.doubleToRawLongBits(right))) {
            record(site, left, right);
        }
    }

    /** A switch has no one right operand: the value stands on both sides. */
    static void switchOn(int value, String keys, int site) {
        if (Texts.probed) {
            Texts.switchOn(value, keys, site);
            return;
        }
        if (isOpen(site, PAIRS) && isNew(site, value, value)) {
            record(site, value, value);
        }
    }

    static void strings(Object left, Object right, int site) {
        if (Texts.probed) {
            Texts.strings(left, right, site);
            return;
        }
        if (isOpen(site, PAIRS)
                && left != right
                && isText(left)
                && isText(right)
                && !left.equals(right)
                && isNew(site, left.hashCode(), right.hashCode())) {
            record(site, left, right);
        }
    }

    /** The platform is to read the text: it is compared with examples that the platform reads, a line each. */
    static void read(Object text, String examples, int site) {
        if (!(text instanceof String) || !Texts.probed) {
            return;
        }
        for (int from = 0, to; from <= examples.length(); from = to + 1) {
            int end = examples.indexOf('\n', from);
            to = end < 0 ? examples.length() : end;
            strings(text, examples.substring(from, to), site);
        }
    }

    /**
     * A key is looked up in a collection or map, or among the names of an enum's constants: unless it is there, it is compared with
     * some that are.
     */
    static void lookup(Object holder, Object key, int site) {
        if (Texts.probed) {
            Texts.lookup(holder, key, site);
            return;
        }
        if (!recording
                || compared == REPORTED
                || !isOpen(site, PAIRS)
                || !isHolder(holder)
                || Probes.isElsewhere()) {
            return;
        }
        Object sought = literalOf(key);
        if (sought == null) {
            return;
        }
        List<Object> others = new ArrayList<>(ELEMENTS);
        try {
            int left = LOOKED_AT;
            Collection<?> elements = elementsOf(holder);
            for (Object each : HOLDERS.contains(holder.getClass()) ? elements : inOrder(elements, key)) {
                if (left-- == 0) {
                    break;
                }
                if (key.equals(each)) {
                    return;
                }
                if (each != null && each.getClass() == key.getClass() && others.size() < ELEMENTS) {
                    others.add(each);
                }
            }
        } catch (RuntimeException changing) {
            // Another thread adds or removes.
            return;
        }
        for (Object each : others) {
            Object other = literalOf(each);
            if (other != null && isOpen(site, PAIRS) && isNew(site, sought.hashCode(), other.hashCode())) {
                record(site, sought, other);
            }
        }
    }

    private static boolean isEnum(Object holder) {
        return holder instanceof Class && ((Class<?>) holder).isEnum();
    }

    /** Whether it is a table of the platform, or an enum: looking at what it holds runs no code of others. */
    static boolean isHolder(Object holder) {
        return holder != null
                && (HOLDERS.contains(holder.getClass()) || UNORDERED.contains(holder.getClass()) || isEnum(holder));
    }

    static Collection<?> elementsOf(Object holder) {
        if (holder instanceof Map) {
            return ((Map<?, ?>) holder).keySet();
        }
        if (holder instanceof Collection) {
            return (Collection<?>) holder;
        }
        // Asking for the constants would run code of the enum.
        List<String> names = new ArrayList<>();
        for (Field field : ClassInfo.declaredFields((Class<?>) holder)) {
            if (field.isEnumConstant()) {
                names.add(field.getName());
            }
        }
        return names;
    }

    /**
     * The elements of the key's class, a class of the platform, in the order of their texts: beginning at one that the key decides,
     * so that each has its turn among the first. Just the key if it is there.
     */
    private static List<Object> inOrder(Collection<?> elements, Object key) {
        if (elements.contains(key)) {
            return List.of(key);
        }
        List<Object> sorted = new ArrayList<>();
        for (Object each : elements.size() > TABLE ? List.of() : elements) {
            if (each.getClass() == key.getClass()) {
                sorted.add(each);
            }
        }
        // Equal amounts of another scale have no natural order.
        sorted.sort(Comparator.comparing(String::valueOf));
        Collections.rotate(sorted, sorted.isEmpty() ? 0 : Math.floorMod(key.hashCode(), sorted.size()));
        return sorted;
    }

    /** A literal of a key, whose class is one of the platform; null if there is none. */
    private static Object literalOf(Object key) {
        if (isText(key) || key instanceof Integer || key instanceof Character) {
            return key;
        }
        if (key instanceof Long) {
            // Two longs would be taken for those of a comparison with the jump after it.
            return key.toString();
        }
        String text = isValue(key) ? textOf(key) : "";
        return text.isEmpty() ? null : text;
    }

    private static boolean isText(Object value) {
        return value instanceof String && ((String) value).length() <= STRING && !isOurs((String) value);
    }

    /** Whether it is one of our classes, as code that reads its own stack trace sees them and no test does. */
    private static boolean isOurs(String name) {
        return name.startsWith("randgen.runtime.") || name.contains("RandgenStub");
    }

    /** Whether both are values of the platform, and the same in their order. */
    static boolean areSameValues(Object left, Object right) {
        return isValue(left) && isValue(right) && left.getClass() == right.getClass() && areSame(left, right);
    }

    private static boolean areSame(Object left, Object right) {
        return left instanceof BigDecimal ? ((BigDecimal) left).compareTo((BigDecimal) right) == 0 : left.equals(right);
    }

    static void values(Object left, Object right, int site) {
        if (!recording
                || !isOpen(site, VALUE_PAIRS)
                || !isValue(left)
                || !isValue(right)
                || left.getClass() != right.getClass()
                || areSame(left, right)) {
            return;
        }
        String one = textOf(left);
        String other = textOf(right);
        if (!one.isEmpty() && !other.isEmpty() && isNew(site, one.hashCode(), other.hashCode(), VALUE_PAIRS)) {
            record(site, one, other);
        }
    }

    /** Whether it is of a class of the platform, and not of one that extends it. */
    private static boolean isValue(Object value) {
        return value != null && VALUES.contains(value.getClass());
    }

    private static String textOf(Object value) {
        if (value.getClass() != BigDecimal.class) {
            // Nobody writes longer ones, and they would take long to tell.
            return value instanceof BigInteger && ((BigInteger) value).bitLength() > 200 ? "" : value.toString();
        }
        BigDecimal number = (BigDecimal) value;
        return Math.abs((long) number.scale()) > 20 || number.unscaledValue().bitLength() > 200
                ? ""
                : number.toPlainString();
    }

    private static boolean isNew(int site, long left, long right) {
        return isNew(site, left, right, PAIRS);
    }

    /** Whether pairs of the comparison are still kept. */
    private static boolean isOpen(int site, int most) {
        return all ? counts[site] < PAIRS_OF_SEQUENCE : pairCounts[site] < most;
    }

    private static boolean isNew(int site, long left, long right, int most) {
        if (!recording || compared == REPORTED || Probes.isElsewhere()) {
            return false;
        }
        if (all) {
            return isNewToSequence(site, left, right);
        }
        long[] known = pairs[site];
        if (known == null) {
            known = pairs[site] = new long[2 * most];
        }
        int count = pairCounts[site];
        for (int i = 0; i < count; i++) {
            if (known[2 * i] == left && known[2 * i + 1] == right) {
                return false;
            }
        }
        known[2 * count] = left;
        known[2 * count + 1] = right;
        pairCounts[site] = (byte) (count + 1);
        return true;
    }

    private static boolean isNewToSequence(int site, long left, long right) {
        for (int i = 0; i < compared; i++) {
            if (sites[i] == site && leftKeys[i] == left && rightKeys[i] == right) {
                return false;
            }
        }
        leftKeys[compared] = left;
        rightKeys[compared] = right;
        counts[site]++;
        return true;
    }

    /** Whether the operands are clearly nearer to each other than any before them. */
    private static boolean isNearer(int site, long difference) {
        // The smallest long has no positive counterpart; it overflowed anyway.
        long distance = Math.abs(difference) & Long.MAX_VALUE;
        long known = nearest[site];
        if (all
                || known != 0 && distance >= known - (known >> 3)
                || !recording
                || compared == REPORTED
                || Probes.isElsewhere()) {
            return false;
        }
        nearest[site] = distance;
        return true;
    }

    private static void record(int site, Object left, Object right) {
        int at = compared;
        if (at < REPORTED) {
            sites[at] = site;
            lefts[at] = left;
            rights[at] = right;
            compared = at + 1;
        }
    }
}
