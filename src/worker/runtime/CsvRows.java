package randgen.runtime;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of a parameterized test in the form that randgen writes: numbers, truth values, texts in single quotes, which are
 * doubled inside, constants of enums, numbers and times of the platform, and nothing for null.
 *
 * <p>Rows in another form are left to JUnit's engine, which converts far more.
 */
final class CsvRows {
    private static final String SOURCE = "org.junit.jupiter.params.provider.CsvSource";

    private CsvRows() {}

    /** Whether the test has rows, and all of them have the form. It initialises no class. */
    static boolean has(Method test) {
        List<Object[]> rows = of(test, false);
        return rows != null && !rows.isEmpty();
    }

    /** The arguments of each row; null for a test with other sources of arguments, or other rows. */
    static List<Object[]> of(Method test) {
        return of(test, true);
    }

    /** The same, with texts in place of what is not to be converted. */
    private static List<Object[]> of(Method test, boolean isConverted) {
        for (Annotation annotation : test.getAnnotations()) {
            if (annotation.annotationType().getName().equals(SOURCE)) {
                try {
                    List<Object[]> rows = new ArrayList<>();
                    for (String line : (String[]) annotation.annotationType().getMethod("value").invoke(annotation)) {
                        rows.add(row(line, test.getParameterTypes(), isConverted));
                    }
                    return rows;
                } catch (ReflectiveOperationException | RuntimeException otherForm) {
                    return null;
                }
            }
        }
        return null;
    }

    private static Object[] row(String line, Class<?>[] types, boolean isConverted)
            throws ReflectiveOperationException {
        Object[] row = new Object[types.length];
        int at = 0;
        for (int column = 0; column < types.length; column++) {
            if (column > 0) {
                if (!line.startsWith(", ", at)) {
                    throw new IllegalArgumentException(line);
                }
                at += 2;
            }
            if (line.startsWith("'", at)) {
                StringBuilder text = new StringBuilder();
                for (at++; !line.startsWith("'", at) || line.startsWith("''", at); at++) {
                    at += line.charAt(at) == '\'' ? 1 : 0;
                    text.append(line.charAt(at));
                }
                at++;
                row[column] = value(text.toString(), types[column], true, isConverted);
            } else {
                int comma = line.indexOf(',', at);
                int end = comma < 0 ? line.length() : comma;
                row[column] = end == at ? null : value(line.substring(at, end), types[column], false, isConverted);
                at = end;
            }
        }
        if (at != line.length()) {
            throw new IllegalArgumentException(line);
        }
        return row;
    }

    private static Object value(String text, Class<?> type, boolean isQuoted, boolean isConverted)
            throws ReflectiveOperationException {
        if (type == char.class && text.length() == 1) {
            return text.charAt(0);
        } else if (type == boolean.class && (text.equals("true") || text.equals("false"))) {
            return Boolean.valueOf(text);
        } else if (type == int.class) {
            return Integer.valueOf(text);
        } else if (type == long.class) {
            return Long.valueOf(text);
        } else if (type == float.class) {
            return Float.valueOf(text);
        } else if (type == double.class) {
            return Double.valueOf(text);
        } else if (type == String.class && isQuoted) {
            return text;
        } else if (type.isEnum()) {
            return isConverted ? constant(text, type) : text;
        } else if (type == BigDecimal.class) {
            return new BigDecimal(text);
        } else if (type == BigInteger.class) {
            return new BigInteger(text);
        } else if (type.getName().startsWith("java.time.")) {
            return type.getMethod("parse", CharSequence.class).invoke(null, text);
        }
        throw new IllegalArgumentException(text);
    }

    private static Object constant(String name, Class<?> type) {
        for (Object constant : type.getEnumConstants()) {
            if (((Enum<?>) constant).name().equals(name)) {
                return constant;
            }
        }
        throw new IllegalArgumentException(name);
    }
}
