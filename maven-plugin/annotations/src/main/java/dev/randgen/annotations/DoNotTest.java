package dev.randgen.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Leaves a class, constructor, method or field out of generated tests.
 *
 * <p>No tests are generated for the class and the classes nested in it; tests of other classes may still use its objects. No test
 * calls the constructor or method, or uses the field.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.CONSTRUCTOR, ElementType.METHOD, ElementType.FIELD})
public @interface DoNotTest {}
