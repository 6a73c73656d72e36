package randgen.runtime;

/** Ends a sequence in a loop that fills memory, as much in each round as in those before. */
final class GrowingLoop extends EndlessLoop {
    private static final long serialVersionUID = 1;

    GrowingLoop(String message) {
        super(message);
    }
}
