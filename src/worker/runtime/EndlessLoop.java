package randgen.runtime;

/** Ends a sequence whose loop has come back to a state that it had before: it would run for ever. */
class EndlessLoop extends Error {
    private static final long serialVersionUID = 1;

    EndlessLoop(String message) {
        super(message);
    }
}
