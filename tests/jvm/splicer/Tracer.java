package randgen.runtime;

/** Takes every call that the splicer inserts for traces: whoever leaves a method must have entered it. */
public final class Tracer {
    private static int depth;

    private static void entered() {
        depth++;
    }

    private static void gone() {
        if (--depth < 0) {
            throw new IllegalStateException("left more often than entered");
        }
    }

    public static void pass() { entered(); }
    public static void construct() { entered(); }
    public static void enter(int method) { entered(); }
    public static void enterConstructor(int method) { entered(); }
    public static void begun() {}
    public static void receiver(Object value) { value.getClass(); }
    public static void argument(Object value) {}
    public static void argument(boolean value) {}
    public static void argument(byte value) {}
    public static void argument(char value) {}
    public static void argument(short value) {}
    public static void argument(int value) {}
    public static void argument(long value) {}
    public static void argument(float value) {}
    public static void argument(double value) {}
    public static void left() { gone(); }
    public static void returned(Object value) { gone(); }
    public static void returned(boolean value) { gone(); }
    public static void returned(byte value) { gone(); }
    public static void returned(char value) { gone(); }
    public static void returned(short value) { gone(); }
    public static void returned(int value) { gone(); }
    public static void returned(long value) { gone(); }
    public static void returned(float value) { gone(); }
    public static void returned(double value) { gone(); }
    public static void made(Object value) { value.getClass(); gone(); }
    public static void threw(Throwable thrown) { thrown.getClass(); gone(); }
    public static void read(Object object, String name) { name.length(); }
    public static void element(Object array, int index) {}
    public static void length(Object array) {}
    public static void whole() {}
}
