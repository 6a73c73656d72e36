package dev.randgen.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Exceptions that leave the method or constructor are what it is written for: a test may expect them, and they are no finding. */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.CONSTRUCTOR, ElementType.METHOD})
public @interface ThrowsOnPurpose {
    /** The exceptions that are meant, with their subclasses; all if there are none. */
    Class<? extends Throwable>[] value() default {};
}
