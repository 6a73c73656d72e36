package randgen.runtime;

/**
 * What code under test is told of the machine: of each sequence what it does must depend on the sequence alone. As the
 * clock it tells one thing in the search, and others at {@linkplain SteadyClock#set other times}.
 */
final class Machine {
    private static final long MEGABYTE = 1L << 20;
    /** Processors and megabytes of the heap in the search. */
    private static final int PROCESSORS = 4;

    private static final long HEAP = 1_024;

    private static int processors = PROCESSORS;
    private static long heap = HEAP * MEGABYTE;
    /** How much less of it is free with each look at it. */
    private static long taken;

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
    }

    static int processors() {
        return processors;
    }

    static long most() {
        return heap;
    }

    /** Half of what it may have. */
    static long total() {
        return heap / 2;
    }

    /** Half of what it has, and less with each look, until the collector has run. */
    static long free() {
        return total() / 2 - readings++ % 16 * taken;
    }
}
