package randgen.runtime;

/** What the watchdog makes a thread throw whose sequence did not return in time. */
public final class Stopped extends Error {
    private static final long serialVersionUID = 1;

    Stopped() {
        super(null, null, false, false);
    }
}
