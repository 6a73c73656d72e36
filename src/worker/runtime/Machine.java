package randgen.runtime;

/**
 * What code under test is told of the machine: of each sequence what it does must depend on the sequence alone. As the
 * clock it tells one thing in the search, and others at {@linkplain SteadyClock#set other times}.
 */
public final class Machine {
    private static final long MEGABYTE = 1L << 20;
    /** Processors and megabytes of the heap in the search. */
    private static final int PROCESSORS = 4;

    private static final long HEAP = 1_024;

    private static int processors = PROCESSORS;
    private static long heap = HEAP * MEGABYTE;
    /** How much less of it is free with each look at it. */
    private static long taken;

    /** What a variable of the environment has that has something at another time. */
    private static final String[] TEXTS = {null, "1", "true", "/opt/app"};

    private static String text;

    private static long readings;

    private Machine() {}

    /** Nothing was asked yet. */
    static void begin() {
        readings = 0;
    }

    /** The next sequence runs on one of the other machines, or on that of the search if the number is negative. */
    static void set(int number) {
        boolean another = number >= 0;
        processors = another ? 1 << number % 5 : PROCESSORS;
        heap = (another ? 128L << number % 7 : HEAP) * MEGABYTE;
        taken = another ? heap / 256 * (number % 4) : 0;
        text = another ? TEXTS[number % TEXTS.length] : null;
    }

    /** Takes the place of what {@code System.getenv} returned of a variable: in the search none has anything. */
    public static String getenv(String actual) {
        Probes.timed = true;
        return text;
    }

    /** Takes the place of what {@code Runtime.availableProcessors} returned. */
    public static int availableProcessors(int actual) {
        Probes.timed = true;
        return processors;
    }

    /** Takes the place of what {@code Runtime.maxMemory} returned. */
    public static long maxMemory(long actual) {
        Probes.timed = true;
        return heap;
    }

    /** Takes the place of what {@code Runtime.totalMemory} returned: half of what there may be. */
    public static long totalMemory(long actual) {
        Probes.timed = true;
        return heap / 2;
    }

    /**
     * Takes the place of what {@code Runtime.freeMemory} returned: half of what there is, and less with each look, until
     * the collector has run.
     */
    public static long freeMemory(long actual) {
        Probes.timed = true;
        return heap / 4 - readings++ % 16 * taken;
    }
}
