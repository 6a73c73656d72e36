package randgen.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/**
 * What code that reads a text compares the last character of the text with, and which words it knows.
 *
 * <p>The last character of a probed text is one that hardly any language has: an operand that equals it was read there.
 */
final class Texts {
    /** The last character of a probed text; mirrored by model::execution::MARKER. */
    static final char MARKER = '\u007f';

    /** What is reported at most of either kind. */
    private static final int KEPT = 128;
    /** Longer strings are no words. */
    private static final int WORD = 100;
    /** Larger tables are not told. */
    private static final int TABLE = 256;
    /** Of the frames on the stack, those that are looked at, and the different places among them that are. */
    private static final int FRAMES = 400;

    private static final int PLACES = 10;
    /** Of these, how many tell states apart that are much the same. */
    private static final int NEAREST = 4;

    private static final StackWalker WALKER = StackWalker.getInstance();
    private static final String OWN = "randgen.runtime.";

    /** Whether the sequence that runs has a probed text. */
    static boolean probed;

    private static final List<Comparison> OF_MARKER = new ArrayList<>();
    /** The last ones. */
    private static final List<Comparison> OF_WORDS = new ArrayList<>();
    /** Where the marker was read first, or 0: in the lower half by the code and its nearest callers, in the upper by more of them. */
    private static long state;

    private record Comparison(int site, Object left, Object right) {
        @Override
        public boolean equals(Object other) {
            Comparison that = (Comparison) other;
            return site == that.site && left.equals(that.left) && right.equals(that.right);
        }

        @Override
        public int hashCode() {
            return 31 * (31 * site + left.hashCode()) + right.hashCode();
        }
    }

    private Texts() {}

    static void begin(boolean isProbed) {
        OF_MARKER.clear();
        OF_WORDS.clear();
        state = 0;
        probed = isProbed;
    }

    static void end() {
        probed = false;
    }

    /** Writes the comparisons: those with the marker first, then the others in their order. */
    static void write(Output out) {
        out.writeInt(OF_MARKER.size() + OF_WORDS.size());
        for (List<Comparison> kind : List.of(OF_MARKER, OF_WORDS)) {
            for (Comparison each : kind) {
                out.writeInt(each.site);
                out.writeLiteral(each.left);
                out.writeLiteral(each.right);
            }
        }
        OF_MARKER.clear();
        OF_WORDS.clear();
    }

    /** Which code read the marker, by its callers; 0 if none did. */
    static long state() {
        return state;
    }

    static void ints(int left, int right, int site) {
        if (left == MARKER) {
            character(right, site);
        } else if (right == MARKER) {
            character(left, site);
        } else if (left == MARKER - '0') {
            // The value of a digit.
            character(right + '0', site);
        }
    }

    /** The marker is compared with each of the characters. */
    static void characters(int value, String others, int site) {
        if (value == MARKER) {
            for (int i = 0; i < others.length() && i < KEPT; i++) {
                character(others.charAt(i), site);
            }
        }
    }

    private static void character(int other, int site) {
        if (Probes.isElsewhere()) {
            return;
        }
        note(site);
        if (other >= 0 && other <= Character.MAX_VALUE && other != MARKER) {
            add(OF_MARKER, new Comparison(site, MARKER, (char) other));
        }
    }

    /** The keys are as bytecode's {@code compared::keys} writes them. */
    static void switchOn(int value, String keys, int site) {
        if (keys.charAt(0) == 0) {
            if (value == MARKER) {
                note(site);
                characters(value, keys.substring(1), site);
            }
            return;
        }
        for (int at = 1; at < keys.length(); at += 1 + keys.charAt(at)) {
            word(site, value, keys.substring(at + 1, at + 1 + keys.charAt(at)));
        }
    }

    static void strings(Object left, Object right, int site) {
        if (left instanceof String && right instanceof String) {
            word(site, left, right);
        }
    }

    /** A character is sought in the text. */
    static void indexOf(Object text, int value, int site) {
        if (!(text instanceof String)) {
            return;
        }
        characters(value, (String) text, site);
        if (value != MARKER && ((String) text).indexOf(MARKER) >= 0 && ((String) text).length() <= WORD) {
            word(site, text, String.valueOf((char) value));
        }
    }

    /** A text is to have the other one at the index. */
    static void part(Object other, int index, int site) {
        if (other instanceof String) {
            word(site, (long) index, other);
        }
    }

    static void lookup(Object holder, Object key, int site) {
        if (!(key instanceof String) && !Character.valueOf(MARKER).equals(key) || !Operands.isHolder(holder)) {
            return;
        }
        List<String> known = new ArrayList<>();
        try {
            Collection<?> elements = Operands.elementsOf(holder);
            for (Object each : elements.size() > TABLE ? List.of() : elements) {
                if (each != null && each.getClass() == key.getClass()) {
                    known.add(each.toString());
                }
            }
        } catch (RuntimeException changing) {
            // Another thread adds or removes.
            return;
        }
        Collections.sort(known);
        for (String each : known) {
            if (key instanceof String) {
                word(site, key, each);
            } else {
                character(each.charAt(0), site);
            }
        }
    }

    private static void word(int site, Object left, Object right) {
        if (Probes.isElsewhere() || left.equals(right) || isLong(left) || isLong(right)) {
            return;
        }
        if (left instanceof String && ((String) left).indexOf(MARKER) >= 0) {
            note(site);
        }
        Comparison added = new Comparison(site, left, right);
        // The last ones are of the last word.
        OF_WORDS.remove(added);
        add(OF_WORDS, added);
        if (OF_WORDS.size() > KEPT - 1) {
            OF_WORDS.remove(0);
        }
    }

    private static boolean isLong(Object value) {
        return value instanceof String && (((String) value).length() > WORD || ((String) value).startsWith(OWN));
    }

    private static void add(List<Comparison> to, Comparison added) {
        if (to.size() < KEPT && !to.contains(added)) {
            to.add(added);
        }
    }

    private static void note(int site) {
        if (state == 0) {
            long[] places = new long[PLACES];
            int count = WALKER.walk(frames -> distinct(frames.limit(FRAMES).iterator(), places));
            long nearest = 31L * site + Arrays.hashCode(Arrays.copyOf(places, Math.min(count, NEAREST)));
            state = (long) Arrays.hashCode(Arrays.copyOf(places, count)) << 32 | nearest & 0xffff_ffffL | 1;
        }
    }

    /** How many different places there are, the first of which are stored. Recursion leads to the same ones again. */
    private static int distinct(Iterator<StackWalker.StackFrame> frames, long[] places) {
        int count = 0;
        while (frames.hasNext() && count < places.length) {
            StackWalker.StackFrame frame = frames.next();
            String name = frame.getClassName();
            // Names of hidden classes differ between JVMs.
            if (name.startsWith(OWN) || name.indexOf('/') >= 0) {
                continue;
            }
            long place = 31L * (31L * name.hashCode() + frame.getMethodName().hashCode()) + frame.getByteCodeIndex();
            boolean known = false;
            for (int i = 0; i < count; i++) {
                known |= places[i] == place;
            }
            if (!known) {
                places[count++] = place;
            }
        }
        return count;
    }
}
