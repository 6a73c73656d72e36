package randgen.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import randgen.runtime.JunitTests.Found;
import randgen.runtime.JunitTests.Skipped;

/**
 * Tests of JUnit 5, run by the engine on the class path: with extensions, parameters, repetitions and dynamic tests.
 *
 * <p>The engine is asked directly, as the platform's launcher is on no class path but that of the build tool. What the
 * interfaces have that is not here are methods of later releases, which nothing of this depends on.
 */
final class JupiterTests {
    private static final String ENGINE = "org.junit.jupiter.engine.JupiterTestEngine";
    private static final String PLATFORM = "org.junit.platform.engine.";

    /** Would take tests to other threads. */
    private static final String PARALLEL = "junit.jupiter.execution.parallel.enabled";

    /** The class that was looked at last, as one follows the other, and its methods. */
    private static Class<?> known;

    private static List<Object> descriptors;

    private JupiterTests() {}

    static boolean isThere() {
        return JunitTests.isThere(ENGINE);
    }

    static List<Found> of(Class<?> type) throws Throwable {
        Set<String> names = new LinkedHashSet<>();
        for (Object descriptor : descriptors(type)) {
            names.add((String) JunitTests.call(sourceOf(descriptor), "getMethodName"));
        }
        List<Found> found = new ArrayList<>();
        names.forEach(name -> found.add(new Found(name, null)));
        return found;
    }

    static Throwable run(Class<?> type, String name) throws Throwable {
        List<Object> selectors = new ArrayList<>();
        for (Object descriptor : descriptors(type)) {
            if (name.equals(JunitTests.call(sourceOf(descriptor), "getMethodName"))) {
                selectors.add(selector("selectUniqueId", JunitTests.call(descriptor, "getUniqueId")));
            }
        }
        Listener listener = new Listener();
        Object engine = JunitTests.make(ENGINE);
        Object root = discover(engine, selectors);
        JunitTests.call(engine, "execute", execution(root, proxy("EngineExecutionListener", listener)));
        if (listener.failure != null) {
            return listener.failure;
        }
        return listener.passed || listener.skipped == null ? null : new Skipped(listener.skipped);
    }

    /** The methods of the class that are tests or make some. */
    private static List<Object> descriptors(Class<?> type) throws Throwable {
        if (type == known) {
            return descriptors;
        }
        List<Object> own = new ArrayList<>();
        Object root = discover(JunitTests.make(ENGINE), Collections.singletonList(selector("selectClass", type)));
        for (Object descriptor : (Set<?>) JunitTests.call(root, "getDescendants")) {
            Object source = sourceOf(descriptor);
            if (source != null
                    && source.getClass().getSimpleName().equals("MethodSource")
                    && type.getName().equals(JunitTests.call(source, "getClassName"))) {
                own.add(descriptor);
            }
        }
        descriptors = own;
        known = type;
        return own;
    }

    private static Object sourceOf(Object descriptor) throws Throwable {
        return ((Optional<?>) JunitTests.call(descriptor, "getSource")).orElse(null);
    }

    private static Object selector(String method, Object of) throws Throwable {
        return JunitTests.call(JunitTests.load(PLATFORM + "discovery.DiscoverySelectors"), method, of);
    }

    private static Object discover(Object engine, List<Object> selectors) throws Throwable {
        Object request = proxy("EngineDiscoveryRequest", (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "getSelectorsByType":
                    List<Object> ofType = new ArrayList<>(selectors);
                    ofType.removeIf(selector -> !((Class<?>) arguments[0]).isInstance(selector));
                    return ofType;
                case "getFiltersByType":
                    return Collections.emptyList();
                case "getConfigurationParameters":
                    return parameters();
                default:
                    // Where tests would leave files: they have no such place.
                    return method.getName().startsWith("getOutput")
                            ? idle(method.getReturnType())
                            : byDefault(proxy, method, arguments);
            }
        });
        Object id = JunitTests.call(JunitTests.load(PLATFORM + "UniqueId"), "forEngine", "junit-jupiter");
        return JunitTests.call(engine, "discover", request, id);
    }

    /** A request to run the tests, as the release at hand wants it. */
    private static Object execution(Object root, Object listener) throws Throwable {
        Class<?> type = JunitTests.load(PLATFORM + "ExecutionRequest");
        Method create = null;
        for (Method method : type.getMethods()) {
            boolean isLonger = create == null || method.getParameterCount() > create.getParameterCount();
            create = method.getName().equals("create") && isLonger ? method : create;
        }
        if (create == null) {
            return JunitTests.make(type.getName(), root, listener, parameters());
        }
        Object[] arguments = new Object[create.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            switch (create.getParameterTypes()[i].getSimpleName()) {
                case "TestDescriptor":
                    arguments[i] = root;
                    break;
                case "EngineExecutionListener":
                    arguments[i] = listener;
                    break;
                case "ConfigurationParameters":
                    arguments[i] = parameters();
                    break;
                case "NamespacedHierarchicalStore":
                    // Of the request, below that of a session.
                    String store = create.getParameterTypes()[i].getName();
                    arguments[i] = JunitTests.make(store, JunitTests.make(store, (Object) null));
                    break;
                case "CancellationToken":
                    arguments[i] = JunitTests.call(create.getParameterTypes()[i], "disabled");
                    break;
                default:
                    arguments[i] = idle(create.getParameterTypes()[i]);
            }
        }
        return create.invoke(null, arguments);
    }

    /** What the tests' {@code junit-platform.properties} say. */
    private static Object parameters() throws Throwable {
        Properties all = new Properties();
        try (InputStream stream = ClassLoader.getSystemResourceAsStream("junit-platform.properties")) {
            if (stream != null) {
                all.load(stream);
            }
        } catch (IOException unreadable) {
            // As JUnit has it, there is none then.
        }
        all.remove(PARALLEL);
        return proxy("ConfigurationParameters", (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "getBoolean":
                    return Optional.ofNullable(all.getProperty((String) arguments[0])).map(Boolean::parseBoolean);
                case "get":
                    Optional<String> value = Optional.ofNullable(all.getProperty((String) arguments[0]));
                    return arguments.length == 1 ? value : byDefault(proxy, method, arguments);
                case "size":
                    return all.size();
                case "keySet":
                    return all.stringPropertyNames();
                default:
                    return byDefault(proxy, method, arguments);
            }
        });
    }

    /** Of what happens, what decides about the test. */
    private static final class Listener implements InvocationHandler {
        Throwable failure;
        String skipped;
        boolean passed;

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (method.getName().equals("executionSkipped")) {
                skipped = (String) arguments[1];
            } else if (method.getName().equals("executionFinished")) {
                String status = String.valueOf(JunitTests.call(arguments[1], "getStatus"));
                Throwable thrown = (Throwable) ((Optional<?>) JunitTests.call(arguments[1], "getThrowable")).orElse(null);
                if (status.equals("FAILED") && failure == null) {
                    failure = thrown == null ? new AssertionError(status) : thrown;
                } else if (status.equals("ABORTED")) {
                    skipped = thrown == null ? status : String.valueOf(Executor.messageOf(thrown));
                } else {
                    passed |= status.equals("SUCCESSFUL") && (Boolean) JunitTests.call(arguments[0], "isTest");
                }
            }
            return method.getDeclaringClass() == Object.class ? ofObject(proxy, method, arguments) : null;
        }
    }

    private static Object proxy(String type, InvocationHandler handler) throws ClassNotFoundException {
        return proxy(JunitTests.load(PLATFORM + type), handler);
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static Object idle(Class<?> type) {
        return proxy(type, (proxy, method, arguments) -> {
            if (Modifier.isAbstract(method.getModifiers()) && method.getDeclaringClass() != Object.class) {
                throw new UnsupportedOperationException(method.getName());
            }
            return byDefault(proxy, method, arguments);
        });
    }

    private static Object byDefault(Object proxy, Method method, Object[] arguments) throws Throwable {
        return method.isDefault()
                ? InvocationHandler.invokeDefault(proxy, method, arguments)
                : ofObject(proxy, method, arguments);
    }

    /** A proxy is as any object. */
    private static Object ofObject(Object proxy, Method method, Object[] arguments) {
        switch (method.getName()) {
            case "equals":
                return proxy == arguments[0];
            case "hashCode":
                return System.identityHashCode(proxy);
            case "toString":
                return "randgen";
            default:
                throw new UnsupportedOperationException(method.getName());
        }
    }
}
