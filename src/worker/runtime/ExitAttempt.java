package randgen.runtime;

/** Thrown in place of ending the JVM. */
public final class ExitAttempt extends Error {
    private static final long serialVersionUID = 1;

    ExitAttempt() {
        super(null, null, false, false);
    }
}
