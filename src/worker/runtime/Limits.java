package randgen.runtime;

/** Numbers that the worker sets before any other class of this package is initialised. */
final class Limits {
    static int probes;
    static int budget;
    static int operations;

    /**
     * What is reported as the state of an object: all of it, what {@code equals} reads, the first equal one, or
     * nothing.
     */
    static int state;

    /** Whether states and values that are new are described. */
    static boolean describes;

    /** Whether loops are watched; a stack that overflows is then an exception as others. */
    static boolean loops;

    private Limits() {}
}
