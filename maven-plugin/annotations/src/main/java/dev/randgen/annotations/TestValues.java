package dev.randgen.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The values that generated tests pass to a parameter, and no others: {@code @TestValues({"EUR", "GBP"}) String currency}.
 *
 * <p>The parameter may be a string, a primitive type or its wrapper, an enum, or a type that a constructor or static method of it
 * makes of one string, or an array or a collection of such, whose elements these values are. A value that cannot be read as the parameter's type is ignored.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface TestValues {
    /** The values as Java source has them, without quotes and suffixes; of an enum the names of constants. */
    String[] value();
}
