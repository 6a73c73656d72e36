package dev.randgen.plugin;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a command takes besides settings, as the binary's arguments.
 *
 * <p>In build files an argument has the name of its flag, in camel case. One that is null is left out, and the binary's own
 * default holds.
 */
public final class Arguments {
    private final List<String> arguments = new ArrayList<>();

    /** A flag with a value. */
    public Arguments value(String name, Object value) {
        if (value != null) {
            // In one piece: a value may begin with a minus sign.
            arguments.add(flag(name) + "=" + value);
        }
        return this;
    }

    /** A flag that can be repeated, once for each value. */
    public Arguments values(String name, Iterable<?> values) {
        if (values != null) {
            values.forEach(value -> value(name, value));
        }
        return this;
    }

    /** A flag without a value, if it is {@code true}. */
    public Arguments toggle(String name, Object value) {
        if (value != null && Boolean.parseBoolean(value.toString())) {
            arguments.add(flag(name));
        }
        return this;
    }

    /** An argument that has no flag. */
    public Arguments word(Object value) {
        if (value != null) {
            arguments.add(value.toString());
        }
        return this;
    }

    /** In the order in which they were given. */
    public List<String> asList() {
        return new ArrayList<>(arguments);
    }

    private static String flag(String name) {
        return "--" + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
