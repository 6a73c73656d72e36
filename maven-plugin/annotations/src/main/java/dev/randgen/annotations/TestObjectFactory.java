package dev.randgen.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a static method or a constructor that generated tests use to make objects of the class it returns. They call no other
 * constructor of that class, and write no subclass of it. A class may have several such factories, in any class of the module.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.CONSTRUCTOR, ElementType.METHOD})
public @interface TestObjectFactory {}
