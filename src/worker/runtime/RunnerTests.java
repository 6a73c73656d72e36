package randgen.runtime;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import randgen.runtime.JunitTests.Found;
import randgen.runtime.JunitTests.Skipped;

/** Tests of JUnit 3 and 4, run by the runner of their class: with rules, parameters and whatever else it sees to. */
final class RunnerTests {
    private static final String IGNORE = "org.junit.Ignore";
    private static final String[] TESTS = {"org.junit.Test", "org.junit.experimental.theories.Theory"};

    /** The class that was looked at last, as one follows the other, and its tests. */
    private static Class<?> known;

    private static Set<Object> descriptions;

    private RunnerTests() {}

    /** Whether the class says that it has such tests. */
    static boolean has(Class<?> type) {
        return !declared(type).isEmpty() || hasRunner(type);
    }

    /** One that runs tests of JUnit 5 is left to them. */
    private static boolean hasRunner(Class<?> type) {
        for (Annotation annotation : type.getAnnotations()) {
            if (annotation.annotationType().getName().equals("org.junit.runner.RunWith")) {
                return !annotation.toString().contains("org.junit.platform.");
            }
        }
        return false;
    }

    private static boolean isCase(Class<?> type) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            if (at.getName().equals("junit.framework.TestCase")) {
                return true;
            }
        }
        return false;
    }

    private static List<Method> declared(Class<?> type) {
        boolean isCase = isCase(type);
        List<Method> tests = new ArrayList<>(JunitTests.methodsOf(type));
        tests.removeIf(method -> !(isCase ? method.getName().startsWith("test") : JunitTests.has(method, TESTS)));
        return tests;
    }

    static List<Found> of(Class<?> type) throws Throwable {
        Set<String> names = new LinkedHashSet<>();
        if (JunitTests.has(type, IGNORE) || !hasRunners()) {
            // A runner would name none.
            declared(type).forEach(method -> names.add(method.getName()));
        } else {
            for (Object description : descriptions(type)) {
                names.add(methodOf(description));
            }
        }
        List<Found> found = new ArrayList<>();
        names.forEach(name -> found.add(new Found(name, null)));
        return found;
    }

    static Throwable run(Class<?> type, String name) throws Throwable {
        if (!hasRunners()) {
            return runCase(type, name);
        }
        boolean isSkipped = true;
        for (Object description : descriptions(type)) {
            if (!methodOf(description).equals(name)) {
                continue;
            }
            Object request = JunitTests.call(request(type), "filterWith", description);
            Object result = JunitTests.call(JunitTests.make("org.junit.runner.JUnitCore"), "run", request);
            for (Object failure : (List<?>) JunitTests.call(result, "getFailures")) {
                return (Throwable) JunitTests.call(failure, "getException");
            }
            isSkipped &= (int) JunitTests.call(result, "getRunCount") == unmet(result);
        }
        return isSkipped ? new Skipped("it is ignored, or an assumption does not hold") : null;
    }

    /** Releases before 4 have none: a test case runs itself. */
    private static boolean hasRunners() {
        return JunitTests.isThere("org.junit.runner.Request");
    }

    private static Throwable runCase(Class<?> type, String name) {
        try {
            Object instance;
            try {
                instance = JunitTests.make(type.getName(), name);
            } catch (NoSuchMethodException without) {
                instance = JunitTests.make(type.getName());
            }
            JunitTests.call(instance, "setName", name);
            JunitTests.call(instance, "runBare");
            return null;
        } catch (Throwable thrown) {
            return thrown;
        }
    }

    /** Tests that ran and whose assumptions did not hold; releases before 4.13 do not tell them from others. */
    private static int unmet(Object result) throws Throwable {
        try {
            return (Integer) JunitTests.call(result, "getAssumptionFailureCount");
        } catch (NoSuchMethodException older) {
            return 0;
        }
    }

    /** The class's own tests, each with each of its parameters. Classes of a suite are looked at on their own. */
    private static Set<Object> descriptions(Class<?> type) throws Throwable {
        if (type != known) {
            Set<Object> own = new LinkedHashSet<>();
            collect(JunitTests.call(JunitTests.call(request(type), "getRunner"), "getDescription"), type, own);
            descriptions = own;
            known = type;
        }
        return descriptions;
    }

    private static void collect(Object description, Class<?> type, Set<Object> own) throws Throwable {
        List<?> children = (List<?>) JunitTests.call(description, "getChildren");
        for (Object child : children) {
            collect(child, type, own);
        }
        if (children.isEmpty()
                && type.getName().equals(JunitTests.call(description, "getClassName"))
                && JunitTests.call(description, "getMethodName") != null) {
            own.add(description);
        }
    }

    /** Runners put what tells parameters apart in brackets behind the method's name. */
    private static String methodOf(Object description) throws Throwable {
        String name = (String) JunitTests.call(description, "getMethodName");
        int bracket = name.indexOf('[');
        return bracket > 0 ? name.substring(0, bracket) : name;
    }

    private static Object request(Class<?> type) throws Throwable {
        return JunitTests.call(JunitTests.load("org.junit.runner.Request"), "classWithoutSuiteMethod", type);
    }
}
