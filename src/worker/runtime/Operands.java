package randgen.runtime;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.temporal.Temporal;
import java.util.Arrays;

/** What comparisons in the code under test compared, as far as it is new to this worker. */
final class Operands {
    /** Distinct pairs kept per comparison in the life of a worker. */
    private static final int PAIRS = 8;
    /** The same, where values of the platform are compared: as many callers share the place in a class for money. */
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
    private static int compared;
    private static final int[] sites = new int[REPORTED];
    private static final Object[] lefts = new Object[REPORTED];
    private static final Object[] rights = new Object[REPORTED];

    private Operands() {}

    static void begin(boolean isRecording) {
        recording = isRecording;
        compared = 0;
    }

    static void end() {
        recording = false;
    }

    /** Writes the operands that are new to this worker. */
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
        compared = 0;
    }

    static void ints(int left, int right, int site) {
        if (left != right
                && (pairCounts[site] < PAIRS ? isNew(site, left, right) : isNearer(site, (long) left - right))) {
            record(site, left, right);
        }
    }

    static void longs(long left, long right, int site) {
        if (left != right
                && (pairCounts[site] < PAIRS ? isNew(site, left, right) : isNearer(site, left - right))) {
            record(site, left, right);
        }
    }

    static void floats(float left, float right, int site) {
        if (left != right
                && pairCounts[site] < PAIRS
                && isNew(site, Float.floatToRawIntBits(left), Float.floatToRawIntBits(right))) {
            record(site, left, right);
        }
    }

    static void doubles(double left, double right, int site) {
        if (left != right
                && pairCounts[site] < PAIRS
                && isNew(site, Double.doubleToRawLongBits(left), Double.doubleToRawLongBits(right))) {
            record(site, left, right);
        }
    }

    /** A switch has no one right operand: the value stands on both sides. */
    static void switchOn(int value, int site) {
        if (pairCounts[site] < PAIRS && isNew(site, value, value)) {
            record(site, value, value);
        }
    }

    static void strings(Object left, Object right, int site) {
        if (pairCounts[site] < PAIRS && left != right && left instanceof String && right instanceof String) {
            String one = (String) left;
            String other = (String) right;
            if (one.length() <= STRING
                    && other.length() <= STRING
                    && !one.equals(other)
                    && !isOurs(one)
                    && !isOurs(other)
                    && isNew(site, one.hashCode(), other.hashCode())) {
                record(site, one, other);
            }
        }
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
                || pairCounts[site] >= VALUE_PAIRS
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
        return value instanceof Temporal && value.getClass().getName().startsWith("java.time.")
                || value != null && (value.getClass() == BigDecimal.class || value.getClass() == BigInteger.class);
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

    private static boolean isNew(int site, long left, long right, int most) {
        if (!recording || compared == REPORTED || Probes.isElsewhere()) {
            return false;
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

    /** Whether the operands are clearly nearer to each other than any before them. */
    private static boolean isNearer(int site, long difference) {
        // The smallest long has no positive counterpart; it overflowed anyway.
        long distance = Math.abs(difference) & Long.MAX_VALUE;
        long known = nearest[site];
        if (known != 0 && distance >= known - (known >> 3)
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
