package randgen.runtime;

/**
 * Takes every call that the splicer inserts. {@code -Dprobes=N} makes numbers out of range fail, {@code -Dlimit=N} the
 * calls after the N-th.
 */
public final class Probes {
    private static final int COUNT = Integer.getInteger("probes", Integer.MAX_VALUE);
    private static final int LIMIT = Integer.getInteger("limit", Integer.MAX_VALUE);
    private static int calls;

    static void number(int probe) {
        if (++calls > LIMIT) {
            throw new Error("limit");
        }
        if (probe < 0 || probe >= COUNT) {
            throw new IllegalArgumentException("probe " + probe);
        }
    }

    public static void hit(int probe) { number(probe); }
    public static void ifeq(int a, int probe) { number(probe); }
    public static void ifne(int a, int probe) { number(probe); }
    public static void iflt(int a, int probe) { number(probe); }
    public static void ifge(int a, int probe) { number(probe); }
    public static void ifgt(int a, int probe) { number(probe); }
    public static void ifle(int a, int probe) { number(probe); }
    public static void icmpeq(int a, int b, int probe) { number(probe); }
    public static void icmpne(int a, int b, int probe) { number(probe); }
    public static void icmplt(int a, int b, int probe) { number(probe); }
    public static void icmpge(int a, int b, int probe) { number(probe); }
    public static void icmpgt(int a, int b, int probe) { number(probe); }
    public static void icmple(int a, int b, int probe) { number(probe); }
    public static void acmpeq(Object a, Object b, int probe) { number(probe); }
    public static void acmpne(Object a, Object b, int probe) { number(probe); }
    public static void ifnull(Object a, int probe) { number(probe); }
    public static void ifnonnull(Object a, int probe) { number(probe); }
    public static void longs(long a, long b, int probe) { number(probe); }
    public static void floats(float a, float b, int probe) { number(probe); }
    public static void doubles(double a, double b, int probe) { number(probe); }
    public static void switchOn(int a, String keys, int probe) { number(probe); }
    public static void strings(Object a, Object b, int probe) { number(probe); }
    public static void lookup(Object a, Object b, int probe) { number(probe); }
    public static void enumName(Object a, Class<?> b, int probe) { number(probe); }
    public static void resource(Object from, Object name, int probe) { number(probe); }
    public static void values(Object a, Object b, int probe) { number(probe); }
    public static void orderOfValues(Object a, Object b, int probe) { number(probe); }
    public static void elements(int count) { number(0); }
    public static void elementsOf(Object array) { number(0); }
    public static void text(Object text) { number(0); }
    public static void unseeded(Object generator) { number(0); }
    public static void environment() { number(0); }
    public static void random() { number(0); }
    public static void clock(Object clock) { number(0); }
    public static void staticWrite(String owner) { number(0); }

    public static long currentTimeMillis() { return System.currentTimeMillis(); }
    public static long nanoTime() { return System.nanoTime(); }
    public static void sleep(long millis) throws InterruptedException { Thread.sleep(millis); }
    public static void sleep(long millis, int nanos) throws InterruptedException { Thread.sleep(millis, nanos); }
    public static void sleep(java.time.Duration duration) throws InterruptedException { Thread.sleep(duration.toMillis()); }
}
