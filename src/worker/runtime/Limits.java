package randgen.runtime;

/** Numbers that the worker sets before any other class of this package is initialised. */
final class Limits {
    static int probes;
    static int budget;
    static int operations;

    private Limits() {}
}
