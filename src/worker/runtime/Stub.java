package randgen.runtime;

/** One operation, callable; implemented by straight-line classes that the worker generates. */
public interface Stub {
    /** What a void member returns. */
    Object VOID = new Object();

    Object call(Object[] arguments) throws Throwable;
}
