package randgen.runtime;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Finds and runs test methods with the JUnit that is on the class path: JUnit 3 and 4 by their runners, JUnit 5 by its engine
 * or, where there is only its API, as far as that goes.
 *
 * <p>It knows JUnit's classes by name only. A method with all its parameters, repetitions or dynamic tests is one test: a
 * build can leave out no part of it.
 */
final class JunitTests {
    private JunitTests() {}

    /** A test method, and why it cannot be run here, or null. */
    static final class Found {
        final String name;
        final String obstacle;

        Found(String name, String obstacle) {
            this.name = name;
            this.obstacle = obstacle;
        }
    }

    /** A test did not take place, by its own will. */
    static final class Skipped extends Exception {
        private static final long serialVersionUID = 1;

        Skipped(String why) {
            super(why);
        }
    }

    /** The tests of a class that is no base of others. */
    static List<Found> of(Class<?> type) throws Throwable {
        List<Found> found = new ArrayList<>();
        if (Modifier.isAbstract(type.getModifiers())) {
            return found;
        }
        if (RunnerTests.has(type)) {
            found.addAll(RunnerTests.of(type));
        }
        if (!PlainTests.testsOf(type).isEmpty()) {
            found.addAll(JupiterTests.isThere() ? JupiterTests.of(type) : PlainTests.of(type));
        }
        return found;
    }

    /** Runs a test in a new instance; what it failed with, {@link Skipped}, or null. */
    static Throwable run(Class<?> type, String name) throws Throwable {
        if (PlainTests.testsOf(type).stream().noneMatch(method -> method.getName().equals(name))) {
            return RunnerTests.run(type, name);
        }
        return JupiterTests.isThere() ? JupiterTests.run(type, name) : PlainTests.run(type, name);
    }

    static Class<?> load(String name) throws ClassNotFoundException {
        return Class.forName(name, true, ClassLoader.getSystemClassLoader());
    }

    static boolean isThere(String name) {
        try {
            load(name);
            return true;
        } catch (ClassNotFoundException | LinkageError absent) {
            return false;
        }
    }

    static Object make(String name, Object... arguments) throws Throwable {
        for (Constructor<?> constructor : load(name).getDeclaredConstructors()) {
            if (takes(constructor.getParameterTypes(), arguments)) {
                constructor.setAccessible(true);
                try {
                    return constructor.newInstance(arguments);
                } catch (InvocationTargetException thrown) {
                    throw thrown.getCause();
                }
            }
        }
        throw new NoSuchMethodException(name + ".<init>");
    }

    /** Calls a public method of an object, or a static one of a class; the first that takes the arguments. */
    static Object call(Object target, String name, Object... arguments) throws Throwable {
        boolean isStatic = target instanceof Class;
        for (Method method : (isStatic ? (Class<?>) target : target.getClass()).getMethods()) {
            if (method.getName().equals(name)
                    && Modifier.isStatic(method.getModifiers()) == isStatic
                    && takes(method.getParameterTypes(), arguments)) {
                method.setAccessible(true);
                try {
                    return method.invoke(isStatic ? null : target, arguments);
                } catch (InvocationTargetException thrown) {
                    throw thrown.getCause();
                }
            }
        }
        throw new NoSuchMethodException(name);
    }

    private static boolean takes(Class<?>[] parameters, Object[] arguments) {
        boolean fits = parameters.length == arguments.length;
        for (int i = 0; fits && i < arguments.length; i++) {
            fits = arguments[i] == null || parameters[i].isInstance(arguments[i]);
        }
        return fits;
    }

    /**
     * Default methods of interfaces, then from the uppermost class down, without those that are overridden. What the JDK
     * has is no test's.
     */
    static List<Method> methodsOf(Class<?> type) {
        List<Class<?>> types = new ArrayList<>();
        for (Class<?> at = type; at != null && at.getClassLoader() != null; at = at.getSuperclass()) {
            types.add(at);
        }
        for (int i = 0; i < types.size(); i++) {
            for (Class<?> each : types.get(i).getInterfaces()) {
                if (!types.contains(each) && each.getClassLoader() != null) {
                    types.add(each);
                }
            }
        }
        Collections.reverse(types);
        List<Method> methods = new ArrayList<>();
        for (Class<?> at : types) {
            for (Method method : at.getDeclaredMethods()) {
                if (!method.isSynthetic() && !(at.isInterface() && Modifier.isAbstract(method.getModifiers()))) {
                    methods.removeIf(other -> isOverridden(other, method));
                    method.setAccessible(true);
                    methods.add(method);
                }
            }
        }
        return methods;
    }

    private static boolean isOverridden(Method method, Method by) {
        return method.getName().equals(by.getName())
                && Arrays.equals(method.getParameterTypes(), by.getParameterTypes())
                && !Modifier.isPrivate(method.getModifiers());
    }

    /** Whether the element has one of the annotations, or one that has it. */
    static boolean has(AnnotatedElement element, String... annotations) {
        for (Annotation annotation : element.getAnnotations()) {
            Class<?> type = annotation.annotationType();
            if (Arrays.asList(annotations).contains(type.getName())) {
                return true;
            }
            if (type.getClassLoader() != null && element != type && has(type, annotations)) {
                return true;
            }
        }
        return false;
    }
}
