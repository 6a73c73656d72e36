package randgen.runtime;

import java.util.HashMap;
import java.util.Map;

/**
 * Finds loops without an end: what watched code calls.
 *
 * <p>Where a loop begins anew in the same call of its method, with the same variables, the same objects behind them and the
 * same static fields, and has done so three times at the same distance, it does so for ever: nothing else goes into a round
 * of it. The clock, random numbers and other threads would, so that runs with these are not judged.
 */
public final class Loops {
    /** Rounds after which a loop is first looked at; from then on whenever there are twice as many. */
    private static final int FIRST = 64;

    /** So many rounds are compared with the one that is remembered. */
    private static final int WINDOW = 192;

    /** So often a state has to come again, each time after as many rounds. */
    private static final int TIMES = 3;

    /** Rounds of a loop that fills memory. */
    private static final int GROWING = 4096;

    private static final int VARIABLES = 256;

    private static final Map<String, Place> places = new HashMap<>();
    /** How often each method was entered. */
    private static final Map<String, int[]> entries = new HashMap<>();

    private static final LoopState state = new LoopState();
    private static final Object[] variables = new Object[VARIABLES];
    private static Place current;
    private static int count;
    private static EndlessLoop found;

    private Loops() {}

    /** The beginning of a loop. */
    private static final class Place {
        final String method;
        /** The call of its method that is looked at, by its number, and how deep on the stack it is. */
        int entry = -1;

        long depth;
        int rounds;
        /** The round that is remembered, its state, and the probes that had been executed. */
        int remembered;

        long hash;
        int probes;
        boolean isWhole;
        /** Rounds and probes from the remembered round to the first that was the same, and how many of its multiples were, too. */
        int gap;

        int cost;
        int times;
        /** Of the last three rounds that were remembered. */
        long[] sizes = new long[3];

        Place(String method) {
            this.method = method;
        }
    }

    static void reset() {
        if (!Limits.loops) {
            return;
        }
        places.clear();
        entries.clear();
        current = null;
        found = null;
    }

    /** A method is entered. */
    public static void entered(String method) {
        if (Probes.isElsewhere()) {
            return;
        }
        int[] times = entries.get(method);
        if (times == null) {
            times = new int[1];
            entries.put(method, times);
            Statics.know(method.substring(0, method.lastIndexOf('.', method.indexOf('('))));
        }
        times[0]++;
    }

    /** A round of a loop begins. */
    public static void begin(String name) {
        current = null;
        if (Probes.isElsewhere()) {
            return;
        }
        if (found != null) {
            // Code that catches everything goes on; the budget ends it.
            Probes.spend(1000);
            throw found;
        }
        Place place = places.get(name);
        if (place == null) {
            place = new Place(name.substring(0, name.lastIndexOf(':')));
            places.put(name, place);
        }
        int[] entry = entries.get(place.method);
        if (entry == null || entry[0] != place.entry) {
            place.entry = entry == null ? 0 : entry[0];
            place.rounds = 0;
            place.remembered = 0;
        }
        place.rounds++;
        boolean isDue = place.rounds == Math.max(FIRST, 2 * place.remembered);
        if (isDue || place.remembered > 0 && place.rounds <= place.remembered + WINDOW) {
            current = place;
            count = 0;
        }
    }

    public static void variable(int value) {
        variable((Object) value);
    }

    public static void variable(long value) {
        variable((Object) value);
    }

    public static void variable(float value) {
        variable((Object) value);
    }

    public static void variable(double value) {
        variable((Object) value);
    }

    public static void variable(Object value) {
        if (current != null && count < VARIABLES) {
            variables[count++] = value;
        }
    }

    /** All variables were told. */
    public static void end() {
        Place place = current;
        if (place == null) {
            return;
        }
        current = null;
        state.read(variables, count);
        java.util.Arrays.fill(variables, 0, count, null);
        boolean isWhole = state.isWhole && count < VARIABLES && isUndisturbed();
        if (place.rounds == Math.max(FIRST, 2 * place.remembered)) {
            remember(place, isWhole);
        } else if (isWhole && place.isWhole && state.hash == place.hash) {
            compare(place);
        }
    }

    private static void remember(Place place, boolean isWhole) {
        long[] sizes = place.sizes;
        boolean grows = state.size - sizes[2] >= place.rounds / 2
                && sizes[2] - sizes[1] >= place.rounds / 4
                && sizes[1] - sizes[0] >= place.rounds / 8;
        sizes[0] = sizes[1];
        sizes[1] = sizes[2];
        sizes[2] = state.size;
        place.remembered = place.rounds;
        place.hash = state.hash;
        place.isWhole = isWhole;
        place.probes = spent();
        place.depth = depth();
        place.gap = 0;
        place.times = 0;
        if (grows && place.rounds >= GROWING && isUndisturbed()) {
            found = new GrowingLoop("a loop fills memory: " + place.rounds + " rounds without an end");
            throw found;
        }
    }

    private static void compare(Place place) {
        int since = place.rounds - place.remembered;
        int spent = spent() - place.probes;
        if (place.gap == 0) {
            place.gap = since;
            place.cost = spent;
        }
        boolean isMultiple = since % place.gap == 0 && spent == since / place.gap * place.cost;
        // The call may have returned to another one of the same method, which is less deep.
        if (isMultiple && ++place.times == TIMES && depth() == place.depth) {
            found = new EndlessLoop("a loop is in the same state every " + since / TIMES + " rounds");
            throw found;
        }
    }

    /** Whether nothing but the sequence's own thread and objects has a part in what it does. */
    private static boolean isUndisturbed() {
        return !Probes.threaded && !Probes.environment && !Probes.timed;
    }

    /** Probes executed so far. */
    private static int spent() {
        return Probes.limit - Probes.budget;
    }

    private static long depth() {
        return StackWalker.getInstance().walk(frames -> frames.count());
    }
}
