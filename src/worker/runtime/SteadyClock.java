package randgen.runtime;

/** What code under test reads as the time: what a sequence does must depend on the sequence alone. */
final class SteadyClock {
    /** What the clock of the search says while it stands: 2020-01-01T00:00:00Z. */
    private static final long EPOCH = 1_577_836_800_000L;
    /** From one of the other times to the next: 3 years, 33 days and 20 hours, and some minutes. */
    private static final long BETWEEN_TIMES = 97_531_246_897L;
    /** How far the clock moves with each reading at other times, in milliseconds, after it stood for a while or at once. */
    private static final int[] PACES = {1, 3, 40, 2_500};
    /**
     * So often the clock shows one time: what a class reads when it is initialised should not depend on what was read
     * before. Then it moves with each reading, so that loops that wait end.
     */
    private static final int STANDING = 100;

    private static long readings;
    /** What the sequence slept, in milliseconds. */
    private static long slept;
    /** What the clock says while it stands, how often it does so, and how far it moves then. */
    private static long start = EPOCH;

    private static int standing = STANDING;
    private static int pace = 1;

    private SteadyClock() {}

    /** Nothing was read yet. */
    static void begin() {
        readings = 0;
        slept = 0;
    }

    /** Code under test waits for so long. */
    static void pass(long millis) {
        slept += millis;
    }

    /** The next sequence runs at that of the other times, or at that of the search if it is negative. */
    static void set(int number) {
        boolean another = number >= 0;
        start = EPOCH + (another ? (number - 8) * BETWEEN_TIMES + BETWEEN_TIMES / 2 : 0);
        pace = another ? PACES[number % PACES.length] : 1;
        standing = pace == 1 ? STANDING : 0;
    }

    /** How far the time at which sequences begin is from that of the search, in milliseconds. */
    static long shift() {
        return start - EPOCH;
    }

    static long millis() {
        return start + slept + pace * Math.max(0, ++readings - standing);
    }

    /** Always advances, because code divides by its differences. */
    static long nanos() {
        long millis = millis() - EPOCH;
        return 1_000_000L * (1000 + millis) + 1000L * readings;
    }
}
