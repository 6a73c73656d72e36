package randgen.runtime;

import java.io.StringWriter;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What an object that equals a value is made of, in the form that protocol::described reads. No code under test runs: methods
 * are called only of classes of the JDK whose methods call none; records, and objects of classes that say what equals them, are
 * read by their fields.
 */
final class Description {
    private static final int NULL = 0;
    private static final int LITERAL = 1;
    private static final int CLASS = 2;
    private static final int CONSTANT = 3;
    private static final int TEXT = 4;
    private static final int OPTIONAL = 5;
    private static final int LIST = 6;
    private static final int SET = 7;
    private static final int COLLECTION = 8;
    private static final int MAP = 9;
    private static final int ENTRY = 10;
    private static final int RECORD = 11;
    private static final int ARRAY = 12;
    private static final int CONTENT = 13;
    private static final int OBJECT = 14;

    /** Larger collections and arrays are not described, nor values that are nested more deeply or have more parts. */
    private static final int ELEMENTS = 8;

    /** Larger arrays are not described; 32 bytes are a SHA-256 hash. */
    private static final int ARRAY_ELEMENTS = 32;
    private static final int DEPTH = 3;
    private static final int PARTS = 40;

    /** Longer strings inside of a value are not described. */
    private static final int STRING = 200;

    /** Views of the JDK's maps and lists, whose iteration runs no code under test. */
    private static final Set<String> VIEWS =
            new HashSet<>(
                    Arrays.asList(
                            "java.util.ArrayList$SubList", "java.util.Collections$CopiesList",
                            "java.util.HashMap$KeySet", "java.util.HashMap$EntrySet", "java.util.HashMap$Values",
                            "java.util.LinkedHashMap$LinkedKeySet", "java.util.LinkedHashMap$LinkedEntrySet",
                            "java.util.LinkedHashMap$LinkedValues", "java.util.TreeMap$KeySet", "java.util.TreeMap$EntrySet",
                            "java.util.TreeMap$Values", "java.util.concurrent.ConcurrentHashMap$KeySetView",
                            "java.util.concurrent.ConcurrentHashMap$EntrySetView",
                            "java.util.concurrent.ConcurrentHashMap$ValuesView"));

    /** Collections and maps that equal others by identity, or whose order says nothing. */
    private static final Set<String> UNEQUAL =
            new HashSet<>(
                    Arrays.asList(
                            "java.util.IdentityHashMap", "java.util.WeakHashMap", "java.util.PriorityQueue",
                            "java.util.concurrent.PriorityBlockingQueue", "java.util.concurrent.DelayQueue"));

    /** Collections whose order depends on hash codes. */
    private static final Set<String> HASHED =
            new HashSet<>(
                    Arrays.asList("java.util.HashMap$Values", "java.util.concurrent.ConcurrentHashMap$ValuesView"));

    private static final Set<String> ENTRIES =
            new HashSet<>(
                    Arrays.asList(
                            "java.util.AbstractMap$SimpleEntry", "java.util.AbstractMap$SimpleImmutableEntry",
                            "java.util.KeyValueHolder", "java.util.HashMap$Node", "java.util.HashMap$TreeNode",
                            "java.util.LinkedHashMap$Entry", "java.util.TreeMap$Entry",
                            "java.util.concurrent.ConcurrentHashMap$MapEntry"));

    private final int kind;
    private String type;
    private Object literal;
    private List<Description> parts;

    private Description(int kind) {
        this.kind = kind;
    }

    /** The description of a value that is not null, or null where there is none. */
    static Description of(Object value) {
        try {
            return new Builder().describe(value, 0);
        } catch (RuntimeException | LinkageError failed) {
            // Collections that another thread changes, classes that are missing.
            return null;
        }
    }

    void write(Output out) {
        out.writeByte(kind);
        switch (kind) {
            case NULL:
                return;
            case LITERAL:
                out.writeLiteral(literal);
                return;
            case CLASS:
                out.writeName(type);
                return;
            case CONSTANT:
                out.writeName(type);
                out.writeName((String) literal);
                return;
            case TEXT:
                out.writeName(type);
                out.writeUnits((String) literal, Executor.OBSERVED_STRING);
                return;
            case OPTIONAL:
                out.writeName(type);
                out.writeByte(parts.size());
                break;
            case RECORD:
            case OBJECT:
            case ARRAY:
                out.writeName(type);
                out.writeInt(parts.size());
                break;
            case CONTENT:
                out.writeName(type);
                break;
            case ENTRY:
                break;
            default:
                out.writeInt(parts.size());
        }
        for (Description part : parts) {
            part.write(out);
        }
    }

    /** Describes one value; of a part without a description the whole has none. */
    private static final class Builder {
        private int left = PARTS;

        private Description describe(Object value, int depth) {
            if (--left < 0 || depth > DEPTH) {
                return null;
            }
            if (value == null) {
                return new Description(NULL);
            }
            ClassInfo info = ClassInfo.of(value.getClass());
            switch (info.kind) {
                case ClassInfo.STRING:
                    return ((String) value).length() <= STRING ? literal(value) : null;
                case ClassInfo.BOXED:
                    return literal(value);
                case ClassInfo.ENUM:
                    Description constant = named(CONSTANT, ((Enum<?>) value).getDeclaringClass().getName());
                    constant.literal = ((Enum<?>) value).name();
                    return constant;
                case ClassInfo.CLASS:
                    Class<?> named = (Class<?>) value;
                    return named.isPrimitive() || named.isHidden() ? null : named(CLASS, named.getName());
                case ClassInfo.OBJECTS:
                case ClassInfo.PRIMITIVES:
                    return array(value, info, depth);
                default:
                    if (value.getClass().getClassLoader() == null) {
                        return platformValue(value, info, depth);
                    }
                    return value.getClass().isRecord() ? record(value, info, depth) : object(value, info, depth);
            }
        }

        /** Arrays are compared element by element, but inside of other objects by identity. */
        private Description array(Object value, ClassInfo info, int depth) {
            int length = Array.getLength(value);
            if (depth >= DEPTH || length > ARRAY_ELEMENTS) {
                return null;
            }
            if (info.kind == ClassInfo.PRIMITIVES) {
                left += length;
            }
            Description array = named(ARRAY, info.name);
            array.parts = new ArrayList<>(length);
            for (int i = 0; i < length; i++) {
                Object element = Array.get(value, i);
                boolean isNested = element != null && element.getClass().isArray();
                if (!array.add(isNested ? describe(element, depth + 1) : equal(element, depth))) {
                    return null;
                }
            }
            return array;
        }

        private Description record(Object value, ClassInfo info, int depth) {
            Field[] components = info.components();
            if (components == null || depth >= DEPTH) {
                return null;
            }
            Description record = named(RECORD, info.name);
            record.parts = new ArrayList<>(components.length);
            for (Field component : components) {
                if (!record.add(equal(StateWalker.read(value, component), depth))) {
                    return null;
                }
            }
            return record;
        }

        /** Its fields, if the class has an own equals; an array in one of them is taken to count by its elements. */
        private Description object(Object value, ClassInfo info, int depth) {
            if (!info.hasOwnEquals() || depth >= DEPTH) {
                return null;
            }
            Description object = named(OBJECT, info.name);
            object.parts = new ArrayList<>();
            for (Field field : info.fields()) {
                if (!object.add(describe(StateWalker.read(value, field), depth + 1))) {
                    return null;
                }
            }
            return object;
        }

        private Description platformValue(Object value, ClassInfo info, int depth) {
            String text = PlatformValues.textOf(value);
            if (text != null) {
                if (text.length() > STRING) {
                    return null;
                }
                Description described = named(TEXT, PlatformValues.typeOf(value).getName());
                described.literal = text;
                return described;
            }
            if (value instanceof Optional) {
                return optional(Optional.class, ((Optional<?>) value).orElse(null), depth);
            }
            if (value instanceof OptionalInt) {
                OptionalInt number = (OptionalInt) value;
                return optional(OptionalInt.class, number.isPresent() ? number.getAsInt() : null, depth);
            }
            if (value instanceof OptionalLong) {
                OptionalLong number = (OptionalLong) value;
                return optional(OptionalLong.class, number.isPresent() ? number.getAsLong() : null, depth);
            }
            if (value instanceof OptionalDouble) {
                OptionalDouble number = (OptionalDouble) value;
                return optional(OptionalDouble.class, number.isPresent() ? number.getAsDouble() : null, depth);
            }
            if (ENTRIES.contains(info.name)) {
                Map.Entry<?, ?> entry = (Map.Entry<?, ?>) value;
                Description described = new Description(ENTRY);
                return described.addAll(equal(entry.getKey(), depth), equal(entry.getValue(), depth)) ? described : null;
            }
            if (info.name.startsWith("java.util.") && (value instanceof Collection || value instanceof Map)) {
                return depth >= DEPTH ? null : container(value, info, depth);
            }
            return depth == 0 ? content(value) : null;
        }

        private Description optional(Class<?> type, Object content, int depth) {
            Description optional = named(OPTIONAL, type.getName());
            optional.parts = new ArrayList<>(1);
            return content == null || optional.add(equal(content, depth)) ? optional : null;
        }

        private Description container(Object value, ClassInfo info, int depth) {
            ClassInfo inner = innermost(value, info, 0);
            if (inner == null || UNEQUAL.contains(inner.name)) {
                return null;
            }
            if (value instanceof Map) {
                Map<?, ?> map = (Map<?, ?>) value;
                if (map.size() > ELEMENTS) {
                    return null;
                }
                Description described = new Description(MAP);
                described.parts = new ArrayList<>();
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    if (!described.addAll(equal(entry.getKey(), depth), equal(entry.getValue(), depth))) {
                        return null;
                    }
                }
                return described;
            }
            Collection<?> collection = (Collection<?>) value;
            int kind = value instanceof List ? LIST : value instanceof Set ? SET : COLLECTION;
            boolean hasNoOrder = kind == COLLECTION && HASHED.contains(inner.name) && collection.size() > 1;
            if (collection.size() > ELEMENTS || hasNoOrder || kind == COLLECTION && depth > 0) {
                return null;
            }
            Description described = new Description(kind);
            described.parts = new ArrayList<>();
            for (Object element : collection) {
                if (!described.add(equal(element, depth))) {
                    return null;
                }
            }
            return described;
        }

        /** What is compared by equals. */
        private Description equal(Object part, int depth) {
            return part != null && part.getClass().isArray() ? null : describe(part, depth + 1);
        }
    }

    /** What holds the elements of a collection or map; null where code under test may. */
    private static ClassInfo innermost(Object value, ClassInfo info, int depth) {
        if (info.wrapped != null) {
            Object inner;
            try {
                inner = info.wrapped.get(value);
            } catch (IllegalAccessException closed) {
                return null;
            }
            return inner == null || depth == 3 ? null : innermost(inner, ClassInfo.of(inner.getClass()), depth + 1);
        }
        return info.sized || VIEWS.contains(info.name) ? info : null;
    }

    /** What a call shows of an object that equals none but itself. */
    private static Description content(Object value) {
        Class<?> type = value.getClass();
        Object content;
        if (type == StringBuilder.class || type == StringBuffer.class || type == StringWriter.class) {
            content = type == StringWriter.class ? ((StringWriter) value).getBuffer() : value;
            content = ((CharSequence) content).length() <= Executor.OBSERVED_STRING ? content.toString() : null;
        } else if (type == AtomicInteger.class) {
            content = ((AtomicInteger) value).get();
        } else if (type == AtomicLong.class) {
            content = ((AtomicLong) value).get();
        } else if (type == AtomicBoolean.class) {
            content = ((AtomicBoolean) value).get();
        } else if (type == AtomicReference.class) {
            content = ((AtomicReference<?>) value).get();
        } else {
            return null;
        }
        Description described = named(CONTENT, type.getName());
        described.parts = new ArrayList<>(1);
        boolean isText = content instanceof String && type != AtomicReference.class;
        Description part = isText ? literal(content) : content == null ? null : new Builder().describe(content, 1);
        return described.add(part) ? described : null;
    }

    private static Description literal(Object value) {
        Description described = new Description(LITERAL);
        described.literal = value;
        return described;
    }

    private static Description named(int kind, String type) {
        Description described = new Description(kind);
        described.type = type;
        return described;
    }

    private boolean add(Description part) {
        return part != null && parts.add(part);
    }

    private boolean addAll(Description first, Description second) {
        if (parts == null) {
            parts = new ArrayList<>(2);
        }
        return add(first) && add(second);
    }
}
