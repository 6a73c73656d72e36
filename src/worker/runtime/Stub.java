package randgen.runtime;

/**
 * One operation, callable; extended by straight-line classes that the worker generates.
 *
 * <p>No interface: every call in the search finds another class, and a table of methods is quicker to look up than
 * the interfaces of a class.
 */
public abstract class Stub {
    /** What a void member returns. */
    public static final Object VOID = new Object();

    public abstract Object call(Object[] arguments) throws Throwable;
}
