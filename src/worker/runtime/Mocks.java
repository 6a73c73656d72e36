package randgen.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Notes the calls of objects that tests write as mocks. Such an object answers what it is not told to as a mock of Mockito's does
 * ({@code RETURNS_DEFAULTS}).
 */
public final class Mocks {
    /** Mirrored by {@code MOCK_CALLS} of model::execution. */
    private static final int CALLS = 64;

    private static final ArrayList<Call> calls = new ArrayList<>();
    /** The thread of the sequence while it runs: what other threads do depends on the machine. */
    private static Thread listening;

    private Mocks() {}

    private static final class Call {
        final Object mock;
        final int method;
        final Object[] arguments;

        Call(Object mock, int method, Object[] arguments) {
            this.mock = mock;
            this.method = method;
            this.arguments = arguments;
        }
    }

    static void begin() {
        calls.clear();
        listening = Thread.currentThread();
    }

    static void end() {
        listening = null;
    }

    /** An object of the class, of which no constructor is called, as Mockito makes it. */
    public static Object make(Class<?> of) throws InstantiationException {
        return StateWalker.MEMORY.allocateInstance(of);
    }

    /** Notes a call; its text is added to the list, if there is one. */
    public static void called(Object mock, int method, String name, Object[] arguments, ArrayList<Object> told) {
        if (Thread.currentThread() == listening && calls.size() < CALLS) {
            calls.add(new Call(mock, method, arguments));
        }
        if (told != null) {
            StringBuilder text = new StringBuilder(name).append('(');
            for (int i = 0; i < arguments.length; i++) {
                text.append(i == 0 ? "" : ", ").append(textOf(arguments[i]));
            }
            told.add(text.append(')').toString());
        }
    }

    /** What is the same in each run: no code under test runs for it. */
    private static String textOf(Object value) {
        if (value == null || value instanceof String || ClassInfo.of(value.getClass()).kind == ClassInfo.BOXED) {
            return String.valueOf(value);
        }
        if (value instanceof Enum) {
            return ((Enum<?>) value).name();
        }
        String name = value.getClass().getName();
        boolean isValue = name.startsWith("java.time.") || name.startsWith("java.math.") || name.equals("java.util.UUID");
        return isValue ? value.toString() : "a " + ClassInfo.stableName(name);
    }

    /** Writes the calls, with the statements that made the mocks and the arguments; none of mocks that no statement made. */
    static void write(Object[] values, boolean brief) {
        int at = out().reserve();
        int written = 0;
        for (Call call : brief ? new ArrayList<Call>() : calls) {
            int statement = indexOf(values, call.mock);
            if (statement < 0) {
                continue;
            }
            out().writeInt(statement);
            out().writeInt(call.method);
            out().writeInt(call.arguments.length);
            for (Object argument : call.arguments) {
                out().writeInt(isPlain(argument) ? -1 : indexOf(values, argument));
                Executor.writeValue(argument, false);
            }
            written++;
        }
        out().patch(at, written);
        calls.clear();
    }

    private static Output out() {
        return Executor.output();
    }

    /** Whether source writes the value rather than the place where it came from. */
    private static boolean isPlain(Object value) {
        return value == null || value instanceof String || value instanceof Enum
                || ClassInfo.of(value.getClass()).kind == ClassInfo.BOXED;
    }

    private static int indexOf(Object[] values, Object wanted) {
        for (int i = 0; i < values.length; i++) {
            if (values[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    /** What a mock of Mockito's returns where the type is declared; null of most types. */
    public static Object empty(String declared) {
        switch (declared) {
            case "java/util/Optional":
                return Optional.empty();
            case "java/util/OptionalInt":
                return OptionalInt.empty();
            case "java/util/OptionalLong":
                return OptionalLong.empty();
            case "java/util/OptionalDouble":
                return OptionalDouble.empty();
            case "java/util/Collection":
            case "java/util/LinkedList":
                return new LinkedList<>();
            case "java/util/Set":
            case "java/util/HashSet":
                return new HashSet<>();
            case "java/util/SortedSet":
            case "java/util/TreeSet":
                return new TreeSet<>();
            case "java/util/LinkedHashSet":
                return new LinkedHashSet<>();
            case "java/util/List":
            case "java/util/ArrayList":
            case "java/lang/Iterable":
                return new ArrayList<>();
            case "java/util/Map":
            case "java/util/HashMap":
                return new HashMap<>();
            case "java/util/SortedMap":
            case "java/util/TreeMap":
                return new TreeMap<>();
            case "java/util/LinkedHashMap":
                return new LinkedHashMap<>();
            case "java/util/stream/Stream":
                return Stream.empty();
            case "java/util/stream/IntStream":
                return IntStream.empty();
            case "java/util/stream/LongStream":
                return LongStream.empty();
            case "java/util/stream/DoubleStream":
                return DoubleStream.empty();
            case "java/time/Duration":
                return java.time.Duration.ZERO;
            case "java/time/Period":
                return java.time.Period.ZERO;
            case "java/lang/Boolean":
                return false;
            case "java/lang/Character":
                return '\0';
            case "java/lang/Byte":
                return (byte) 0;
            case "java/lang/Short":
                return (short) 0;
            case "java/lang/Integer":
                return 0;
            case "java/lang/Long":
                return 0L;
            case "java/lang/Float":
                return 0f;
            case "java/lang/Double":
                return 0d;
            default:
                return null;
        }
    }
}
