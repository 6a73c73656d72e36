package randgen.runtime;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds and runs test methods of JUnit 3, 4 and 5 with what prepares them and cleans up.
 *
 * <p>It knows JUnit's classes by name only: a project's class path has JUnit's API, but rarely its engine. What needs the
 * engine (parameters, rules, extensions, runners) is found and said to be an obstacle.
 */
final class JunitTests {
    private static final String FOUR = "org.junit.";
    private static final String FIVE = "org.junit.jupiter.api.";

    private static final String[] BEFORE_ALL = {FOUR + "BeforeClass", FIVE + "BeforeAll"};
    private static final String[] AFTER_ALL = {FOUR + "AfterClass", FIVE + "AfterAll"};
    private static final String[] BEFORE_EACH = {FOUR + "Before", FIVE + "BeforeEach"};
    private static final String[] AFTER_EACH = {FOUR + "After", FIVE + "AfterEach"};
    private static final String[] DISABLED = {FOUR + "Ignore", FIVE + "Disabled"};

    private static final String[] TEMPLATES = {
        "org.junit.jupiter.params.ParameterizedTest", FIVE + "RepeatedTest", FIVE + "TestFactory", FIVE + "TestTemplate",
        "org.junit.experimental.theories.Theory",
    };

    private static final String[] ENGINE_FIELDS = {
        FOUR + "Rule", FOUR + "ClassRule", FIVE + "extension.RegisterExtension", FIVE + "io.TempDir",
    };

    private static final Set<String> PLAIN_RUNNERS =
            new HashSet<>(Arrays.asList("org.junit.runners.JUnit4", "org.junit.runners.BlockJUnit4ClassRunner"));

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

    /** The tests of a class that is no base of others. */
    static List<Found> of(Class<?> type) {
        List<Found> found = new ArrayList<>();
        if (Modifier.isAbstract(type.getModifiers())) {
            return found;
        }
        boolean three = isCase(type);
        String obstacle = null;
        for (Class<?> at = type; at != null && obstacle == null; at = at.getEnclosingClass()) {
            obstacle = obstacleOf(at);
        }
        for (Method method : methodsOf(type)) {
            boolean template = has(method, TEMPLATES);
            if (template || (three ? isTestOfCase(method) : TestRunner.isTest(method))) {
                found.add(new Found(method.getName(), obstacle == null ? obstacleOf(method, template) : obstacle));
            }
        }
        return found;
    }

    private static String obstacleOf(Class<?> type) {
        if (has(type, DISABLED)) {
            return "it is disabled";
        }
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Annotation annotation : at.getDeclaredAnnotations()) {
                String name = annotation.annotationType().getName();
                if (name.equals(FIVE + "extension.ExtendWith") || name.equals(FIVE + "extension.Extensions")) {
                    return "its class has extensions";
                }
                if (name.equals(FOUR + "runner.RunWith") && !PLAIN_RUNNERS.contains(valueOf(annotation, "value"))) {
                    return "its class has a runner of its own";
                }
            }
            for (Field field : ClassInfo.declaredFields(at)) {
                if (has(field, ENGINE_FIELDS)) {
                    return "its class has rules or extensions";
                }
            }
        }
        for (Method method : methodsOf(type)) {
            if (has(method, ENGINE_FIELDS)) {
                return "its class has rules";
            }
        }
        return null;
    }

    private static String obstacleOf(Method method, boolean template) {
        if (has(method, DISABLED)) {
            return "it is disabled";
        }
        return template || method.getParameterCount() > 0 ? "it takes arguments or is repeated" : null;
    }

    /** Runs a test in a new instance; what it failed with, or null. */
    static Throwable run(Class<?> type, String name) {
        if (isCase(type)) {
            return runCase(type, name);
        }
        List<Class<?>> nesting = new ArrayList<>();
        nesting.add(type);
        for (Class<?> at = type; !Modifier.isStatic(at.getModifiers()) && at.getEnclosingClass() != null; ) {
            at = at.getEnclosingClass();
            nesting.add(0, at);
        }
        Object[] instances = new Object[nesting.size()];
        Throwable failure = null;
        int ready = 0;
        try {
            // As JUnit 5 can be told to, all are made first: what prepares the class may be an instance method.
            for (int i = 0; i < instances.length; i++) {
                instances[i] = i == 0 ? make(nesting.get(0)) : make(nesting.get(i), instances[i - 1]);
            }
            for (; ready < instances.length; ready++) {
                callAll(nesting.get(ready), instances[ready], BEFORE_ALL, false);
            }
            failure = runPrepared(nesting, instances, name);
        } catch (Throwable thrown) {
            failure = causeOf(thrown);
        }
        for (int i = Math.min(ready, instances.length - 1); i >= 0; i--) {
            try {
                callAll(nesting.get(i), instances[i], AFTER_ALL, true);
            } catch (Throwable thrown) {
                failure = failure == null ? causeOf(thrown) : failure;
            }
        }
        return failure;
    }

    private static Throwable runPrepared(List<Class<?>> nesting, Object[] instances, String name) {
        Throwable failure = null;
        int at = 0;
        try {
            for (; at < instances.length; at++) {
                callAll(nesting.get(at), instances[at], BEFORE_EACH, false);
            }
            Object instance = instances[instances.length - 1];
            failure = call(find(nesting.get(instances.length - 1), name), instance);
        } catch (Throwable thrown) {
            failure = causeOf(thrown);
        }
        for (int i = Math.min(at, instances.length - 1); i >= 0; i--) {
            try {
                callAll(nesting.get(i), instances[i], AFTER_EACH, true);
            } catch (Throwable thrown) {
                failure = failure == null ? causeOf(thrown) : failure;
            }
        }
        return failure;
    }

    /** Whether the test says by it that it makes no sense here. */
    static boolean isAssumption(Throwable thrown) {
        for (Class<?> at = thrown.getClass(); at != null; at = at.getSuperclass()) {
            String name = at.getName();
            if (name.equals("org.junit.internal.AssumptionViolatedException")
                    || name.equals("org.opentest4j.TestAbortedException")) {
                return true;
            }
        }
        return false;
    }

    /** Calls a test method; an exception that it is to throw is no failure. */
    private static Throwable call(Method method, Object instance) throws ReflectiveOperationException {
        String expected = null;
        for (Annotation annotation : method.getAnnotations()) {
            if (annotation.annotationType().getName().equals(FOUR + "Test")) {
                expected = valueOf(annotation, "expected");
            }
        }
        if (expected != null && expected.equals(FOUR + "Test$None")) {
            expected = null;
        }
        Throwable thrown = null;
        try {
            method.invoke(instance);
        } catch (InvocationTargetException wrapped) {
            thrown = wrapped.getCause();
        }
        if (expected == null) {
            return thrown;
        }
        for (Class<?> at = thrown == null ? null : thrown.getClass(); at != null; at = at.getSuperclass()) {
            if (at.getName().equals(expected)) {
                return null;
            }
        }
        return thrown == null ? new AssertionError("expected " + expected) : thrown;
    }

    private static boolean isCase(Class<?> type) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            if (at.getName().equals("junit.framework.TestCase")) {
                return true;
            }
        }
        return false;
    }

    private static boolean isTestOfCase(Method method) {
        return method.getName().startsWith("test")
                && Modifier.isPublic(method.getModifiers())
                && method.getParameterCount() == 0
                && method.getReturnType() == void.class;
    }

    private static Throwable runCase(Class<?> type, String name) {
        try {
            Object instance;
            try {
                instance = accessible(type.getDeclaredConstructor(String.class)).newInstance(name);
            } catch (NoSuchMethodException without) {
                instance = make(type);
            }
            type.getMethod("setName", String.class).invoke(instance, name);
            type.getMethod("runBare").invoke(instance);
            return null;
        } catch (Throwable thrown) {
            return causeOf(thrown);
        }
    }

    private static Object make(Class<?> type) throws ReflectiveOperationException {
        return accessible(type.getDeclaredConstructor()).newInstance();
    }

    private static Object make(Class<?> type, Object outer) throws ReflectiveOperationException {
        return accessible(type.getDeclaredConstructor(outer.getClass())).newInstance(outer);
    }

    private static Constructor<?> accessible(Constructor<?> constructor) {
        constructor.setAccessible(true);
        return constructor;
    }

    /** Calls the methods with one of the annotations: those of superclasses first, or last. */
    private static void callAll(Class<?> type, Object instance, String[] annotations, boolean superclassesLast)
            throws ReflectiveOperationException {
        List<Method> methods = methodsOf(type);
        if (superclassesLast) {
            Collections.reverse(methods);
        }
        for (Method method : methods) {
            if (has(method, annotations)) {
                method.invoke(Modifier.isStatic(method.getModifiers()) ? null : instance);
            }
        }
    }

    private static Method find(Class<?> type, String name) throws NoSuchMethodException {
        for (Method method : methodsOf(type)) {
            if (method.getName().equals(name) && method.getParameterCount() == 0) {
                return method;
            }
        }
        throw new NoSuchMethodException(name);
    }

    /**
     * Default methods of interfaces, then from the uppermost class down, without those that are overridden. What the JDK
     * has is no test's.
     */
    private static List<Method> methodsOf(Class<?> type) {
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

    private static boolean has(AnnotatedElement element, String[] annotations) {
        for (Annotation annotation : element.getAnnotations()) {
            String name = annotation.annotationType().getName();
            for (String wanted : annotations) {
                if (name.equals(wanted)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The name of the class that an element of an annotation is. */
    private static String valueOf(Annotation annotation, String element) {
        try {
            return ((Class<?>) annotation.annotationType().getMethod(element).invoke(annotation)).getName();
        } catch (ReflectiveOperationException | RuntimeException unreadable) {
            return null;
        }
    }

    private static Throwable causeOf(Throwable thrown) {
        return thrown instanceof InvocationTargetException ? thrown.getCause() : thrown;
    }
}
