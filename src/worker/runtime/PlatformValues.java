package randgen.runtime;

import java.io.File;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Currency;
import java.util.Date;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/** Values of the JDK that can be made again from a text. */
final class PlatformValues {
    /** Numbers of more bits are not told. */
    private static final int BITS = 400;

    /** Final classes whose {@code parse} method, or one of the kind, reads what {@code toString} returns. */
    private static final Set<Class<?>> PRINTED =
            new HashSet<>(
                    Arrays.asList(
                            java.time.LocalDate.class, java.time.LocalTime.class, java.time.LocalDateTime.class,
                            java.time.Instant.class, java.time.Duration.class, java.time.Period.class,
                            java.time.Year.class, java.time.YearMonth.class, java.time.MonthDay.class,
                            java.time.OffsetDateTime.class, java.time.OffsetTime.class, ZoneOffset.class, UUID.class));

    private PlatformValues() {}

    /** Null where there is none. */
    static String textOf(Object value) {
        Class<?> type = value.getClass();
        if (PRINTED.contains(type)) {
            return value.toString();
        }
        if (type == BigDecimal.class) {
            return ((BigDecimal) value).unscaledValue().bitLength() <= BITS ? value.toString() : null;
        }
        if (type == BigInteger.class) {
            return ((BigInteger) value).bitLength() <= BITS ? value.toString() : null;
        }
        if (type == ZonedDateTime.class) {
            String text = value.toString();
            return ZonedDateTime.parse(text).equals(value) ? text : null;
        }
        if (value instanceof ZoneId) {
            return ((ZoneId) value).getId();
        }
        if (type == URI.class) {
            String text = value.toString();
            return URI.create(text).equals(value) ? text : null;
        }
        if (type == Locale.class) {
            String tag = ((Locale) value).toLanguageTag();
            return Locale.forLanguageTag(tag).equals(value) ? tag : null;
        }
        if (type == Currency.class) {
            return ((Currency) value).getCurrencyCode();
        }
        if (type == Date.class) {
            return Long.toString(((Date) value).getTime());
        }
        if (type == File.class) {
            return ((File) value).isAbsolute() ? null : ((File) value).getPath();
        }
        if (value instanceof Charset) {
            return ((Charset) value).name();
        }
        if (value instanceof Path && type.getName().startsWith("sun.nio.fs.")) {
            return ((Path) value).isAbsolute() ? null : value.toString();
        }
        return null;
    }

    /** The class that tests name: that of the value, or the public one above it. */
    static Class<?> typeOf(Object value) {
        if (value instanceof Path) {
            return Path.class;
        }
        if (value instanceof Charset) {
            return Charset.class;
        }
        return value instanceof ZoneId && !(value instanceof ZoneOffset) ? ZoneId.class : value.getClass();
    }
}
