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
        in = System.in;
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

    /** Whether something was not as it was. */
    static boolean restore() {
        boolean changed = false;
        try {
            if (System.in != in) {
                System.setIn(in);
                changed = true;
            }
            if (System.out != out) {
                System.setOut(out);
                changed = true;
            }
            if (System.err != err) {
                System.setErr(err);
                changed = true;
            }
            if (Locale.getDefault() != locale) {
                Locale.setDefault(locale);
                changed = true;
            }
            if (Locale.getDefault(Locale.Category.DISPLAY) != display) {
                Locale.setDefault(Locale.Category.DISPLAY, display);
                changed = true;
            }
            if (Locale.getDefault(Locale.Category.FORMAT) != format) {
                Locale.setDefault(Locale.Category.FORMAT, format);
                changed = true;
            }
            if (!zone.equals(TimeZone.getDefault())) {
                TimeZone.setDefault(zone);
                changed = true;
            }
            if (System.getProperties() != properties) {
                System.setProperties(properties);
                changed = true;
            }
            // Comparing all properties costs more than the rest of a short sequence; code that sets one reads the
            // environment, as far as instrumentation can tell, or adds one.
            if (Probes.environmentRead() || properties.size() != size) {
                if (!properties.equals(content)) {
                    properties.clear();
                    properties.putAll(content);
                    changed = true;
                }
                size = properties.size();
            }
        } catch (RuntimeException refused) {
            // A security manager that the code under test installed has its way until the worker is replaced.
        }
        return changed;
    }
}
