package randgen.runtime;

import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import randgen.runtime.JunitTests.Found;
import randgen.runtime.JunitTests.Skipped;

/**
 * Tests of JUnit 5 where there is its API alone, with what prepares them and cleans up. What needs the engine (other parameters
 * than rows that randgen writes, extensions, repetitions, conditions) is found and said to be an obstacle.
 */
final class PlainTests {
    private static final String API = "org.junit.jupiter.api.";

    private static final String TEST = API + "Test";
    private static final String BEFORE_ALL = API + "BeforeAll";
    private static final String AFTER_ALL = API + "AfterAll";
    private static final String BEFORE_EACH = API + "BeforeEach";
    private static final String AFTER_EACH = API + "AfterEach";
    private static final String[] PREPARATION = {BEFORE_ALL, AFTER_ALL, BEFORE_EACH, AFTER_EACH};
    private static final String DISABLED = API + "Disabled";

    private static final String PARAMETERIZED = "org.junit.jupiter.params.ParameterizedTest";

    private static final String[] TEMPLATES = {
        PARAMETERIZED, API + "RepeatedTest", API + "TestFactory", API + "TestTemplate",
    };

    private static final String DIRECTORY = API + "io.TempDir";

    private static final String[] EXTENSIONS = {
        API + "extension.ExtendWith", API + "extension.Extensions", API + "extension.RegisterExtension", DIRECTORY,
    };

    private PlainTests() {}

    static List<Found> of(Class<?> type) {
        List<Found> found = new ArrayList<>();
        String obstacle = null;
        for (Class<?> at = type; at != null && obstacle == null; at = at.getEnclosingClass()) {
            obstacle = obstacleOf(at);
        }
        for (Method method : testsOf(type)) {
            String why = obstacle == null ? obstacleOf(method) : obstacle;
            found.add(new Found(method.getName(), why == null ? null : why + ", and there is no engine of JUnit's to see to it"));
        }
        return found;
    }

    /** The methods that are tests of JUnit 5 or make some. */
    static List<Method> testsOf(Class<?> type) {
        List<Method> tests = new ArrayList<>(JunitTests.methodsOf(type));
        tests.removeIf(method -> !JunitTests.has(method, TEST) && !JunitTests.has(method, TEMPLATES));
        return tests;
    }

    private static String obstacleOf(Class<?> type) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            boolean isExtended = JunitTests.has(at, EXTENSIONS);
            for (Field field : ClassInfo.declaredFields(at)) {
                isExtended |= JunitTests.has(field, EXTENSIONS) && !isDirectory(field);
            }
            if (isExtended) {
                return "its class has extensions or conditions";
            }
        }
        for (Method method : JunitTests.methodsOf(type)) {
            if (method.getParameterCount() > 0 && JunitTests.has(method, PREPARATION)) {
                return "what prepares it takes arguments";
            }
        }
        return null;
    }

    /** Whether a test gets a directory of its own by the field, as those have that randgen writes. */
    private static boolean isDirectory(Field field) {
        return field.getType() == Path.class && !Modifier.isStatic(field.getModifiers()) && JunitTests.has(field, DIRECTORY);
    }

    private static String obstacleOf(Method test) {
        boolean hasRows = CsvRows.has(test);
        if (!hasRows && (JunitTests.has(test, TEMPLATES) || test.getParameterCount() > 0)) {
            return "it takes arguments or is repeated";
        }
        for (Annotation annotation : test.getAnnotations()) {
            Class<?> type = annotation.annotationType();
            // What passes the rows is an extension of JUnit's own.
            boolean passesRows = hasRows && type.getName().equals(PARAMETERIZED);
            if (!passesRows && (Arrays.asList(EXTENSIONS).contains(type.getName()) || JunitTests.has(type, EXTENSIONS))) {
                return "it has extensions or conditions";
            }
        }
        return null;
    }

    static Throwable run(Class<?> type, String name) throws NoSuchMethodException {
        Method test = find(type, name);
        if (test.getParameterCount() == 0) {
            return run(type, test, new Object[0]);
        }
        List<Object[]> rows;
        try {
            rows = CsvRows.of(test);
        } catch (Throwable thrown) {
            return causeOf(thrown);
        }
        if (rows == null) {
            return new IllegalArgumentException("a row does not fit the parameters");
        }
        for (Object[] row : rows) {
            Throwable thrown = run(type, test, row);
            if (thrown != null) {
                return thrown;
            }
        }
        return null;
    }

    /** Runs a test with these arguments, in a new instance. */
    private static Throwable run(Class<?> type, Method test, Object[] row) {
        List<Class<?>> nesting = new ArrayList<>();
        nesting.add(type);
        for (Class<?> at = type; !Modifier.isStatic(at.getModifiers()) && at.getEnclosingClass() != null; ) {
            at = at.getEnclosingClass();
            nesting.add(0, at);
        }
        for (Class<?> at : nesting) {
            if (JunitTests.has(at, DISABLED) || JunitTests.has(test, DISABLED)) {
                return new Skipped("it is disabled");
            }
        }
        // As JUnit 5 can be told to, all are made first: what prepares the class may be an instance method.
        Object[] instances = new Object[nesting.size()];
        List<Path> directories = new ArrayList<>();
        Throwable failure;
        try {
            for (int i = 0; i < instances.length; i++) {
                instances[i] = i == 0 ? make(nesting.get(0)) : make(nesting.get(i), instances[i - 1]);
                makeDirectories(nesting.get(i), instances[i], directories);
            }
            failure = between(nesting, instances, BEFORE_ALL, AFTER_ALL,
                    () -> between(nesting, instances, BEFORE_EACH, AFTER_EACH, () -> call(test, instances[instances.length - 1], row)));
        } catch (Throwable thrown) {
            return causeOf(thrown);
        } finally {
            directories.forEach(TemporaryFiles::remove);
        }
        for (Class<?> at = failure == null ? null : failure.getClass(); at != null; at = at.getSuperclass()) {
            if (at.getName().equals("org.opentest4j.TestAbortedException")) {
                return new Skipped(String.valueOf(Executor.messageOf(failure)));
            }
        }
        return failure;
    }

    private static void makeDirectories(Class<?> type, Object instance, List<Path> made)
            throws IOException, IllegalAccessException {
        for (Field field : ClassInfo.declaredFields(type)) {
            if (isDirectory(field)) {
                made.add(Files.createTempDirectory("junit"));
                field.setAccessible(true);
                field.set(instance, made.get(made.size() - 1));
            }
        }
    }

    /** What fails, or null. */
    private interface Step {
        Throwable run();
    }

    /** Prepares from the outermost class to the innermost, takes the step, and cleans up in the opposite order. */
    private static Throwable between(List<Class<?>> nesting, Object[] instances, String before, String after, Step step) {
        Throwable failure = null;
        int ready = 0;
        for (; failure == null && ready < instances.length; ready++) {
            failure = callAll(nesting.get(ready), instances[ready], before, false);
        }
        failure = failure == null ? step.run() : failure;
        for (int i = ready - 1; i >= 0; i--) {
            Throwable later = callAll(nesting.get(i), instances[i], after, true);
            failure = failure == null ? later : failure;
        }
        return failure;
    }

    /** Calls the methods with the annotation, those of superclasses first or last; what the first of them fails with. */
    private static Throwable callAll(Class<?> type, Object instance, String annotation, boolean superclassesLast) {
        List<Method> methods = JunitTests.methodsOf(type);
        if (superclassesLast) {
            Collections.reverse(methods);
        }
        Throwable failure = null;
        for (Method method : methods) {
            if (JunitTests.has(method, annotation) && (superclassesLast || failure == null)) {
                Throwable thrown = call(method, instance);
                failure = failure == null ? thrown : failure;
            }
        }
        return failure;
    }

    private static Throwable call(Method method, Object instance, Object... arguments) {
        try {
            method.invoke(Modifier.isStatic(method.getModifiers()) ? null : instance, arguments);
            return null;
        } catch (Throwable thrown) {
            return causeOf(thrown);
        }
    }

    private static Object make(Class<?> type, Object... outer) throws ReflectiveOperationException {
        Class<?>[] parameters = outer.length == 0 ? new Class<?>[0] : new Class<?>[] {outer[0].getClass()};
        Constructor<?> constructor = type.getDeclaredConstructor(parameters);
        constructor.setAccessible(true);
        return constructor.newInstance(outer);
    }

    private static Method find(Class<?> type, String name) throws NoSuchMethodException {
        for (Method method : JunitTests.methodsOf(type)) {
            if (method.getName().equals(name) && (method.getParameterCount() == 0 || CsvRows.has(method))) {
                return method;
            }
        }
        throw new NoSuchMethodException(name);
    }

    private static Throwable causeOf(Throwable thrown) {
        return thrown instanceof InvocationTargetException ? thrown.getCause() : thrown;
    }
}
