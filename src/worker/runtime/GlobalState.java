package randgen.runtime;

import java.io.InputStream;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Properties;
import java.util.TimeZone;

/** What sequences share through the JVM itself, put back after each. */
final class GlobalState {
    private static InputStream in;
    private static PrintStream out;
    private static PrintStream err;
    private static Locale locale;
    private static Locale display;
    private static Locale format;
    private static TimeZone zone;
    private static Properties properties;
    private static Properties content;
    private static int size;

    private GlobalState() {}

    static void save() {
        // At its end, as that of a worker is; where the tests run it may not be.
        in = new InputStream() {
            @Override
            public int read() {
                Probes.environment();
                return -1;
            }

            @Override
            public int available() {
                Probes.environment();
                return 0;
            }

            @Override
            public boolean markSupported() {
                Probes.environment();
                return false;
            }
        };
        System.setIn(in);
        out = System.out;
        err = System.err;
        locale = Locale.getDefault();
        display = Locale.getDefault(Locale.Category.DISPLAY);
        format = Locale.getDefault(Locale.Category.FORMAT);
        zone = TimeZone.getDefault();
        properties = System.getProperties();
        content = (Properties) properties.clone();
        size = content.size();
    }

    /** What was not as it was: 0 if all was, and equal for equal changes. */
    static long restore() {
        long changes = 0;
        try {
            if (System.in != in) {
                changes += 1;
                System.setIn(in);
            }
            if (System.out != out) {
                changes += 2;
                System.setOut(out);
            }
            if (System.err != err) {
                changes += 4;
                System.setErr(err);
            }
            if (Locale.getDefault() != locale) {
                changes += StateWalker.hashOf("locale " + Locale.getDefault());
                Locale.setDefault(locale);
            }
            if (Locale.getDefault(Locale.Category.DISPLAY) != display) {
                changes += 16;
                Locale.setDefault(Locale.Category.DISPLAY, display);
            }
            if (Locale.getDefault(Locale.Category.FORMAT) != format) {
                changes += 32;
                Locale.setDefault(Locale.Category.FORMAT, format);
            }
            if (!zone.equals(TimeZone.getDefault())) {
                changes += StateWalker.hashOf("zone " + TimeZone.getDefault().getID());
                TimeZone.setDefault(zone);
            }
            if (System.getProperties() != properties) {
                changes += 8;
                System.setProperties(properties);
            }
            // Comparing all properties costs more than the rest of a short sequence; code that sets one reads the
            // environment, as far as instrumentation can tell, or adds one.
            if (Probes.environmentRead() || properties.size() != size) {
                if (!properties.equals(content)) {
                    properties.clear();
                    properties.putAll(content);
                    changes += 64;
                }
                size = properties.size();
            }
        } catch (RuntimeException refused) {
            // A security manager that the code under test installed has its way until the worker is replaced.
        }
        return changes;
    }
}
