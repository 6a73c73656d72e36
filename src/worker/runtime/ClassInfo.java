package randgen.runtime;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What is worth knowing of a run-time class more than once. */
final class ClassInfo {
    /** How the state of an instance is read. */
    static final int FIELDS = 0;

    static final int OPAQUE = 1;
    static final int STRING = 2;
    static final int BOXED = 3;
    static final int ENUM = 4;
    static final int CLASS = 5;
    static final int OBJECTS = 6;
    static final int PRIMITIVES = 7;
    static final int TEXT = 8;
    static final int COLLECTION = 9;
    static final int PRINTED = 10;
    static final int MAP = 11;
    static final int UNORDERED_MAP = 12;

    private static final ClassValue<ClassInfo> ALL =
            new ClassValue<ClassInfo>() {
                @Override
                protected ClassInfo computeValue(Class<?> type) {
                    return new ClassInfo(type);
                }
            };

    /** Fields of the JDK's own classes that are caches, or counts of changes. */
    private static final Set<String> JDK_CACHES =
            new HashSet<>(
                    Arrays.asList(
                            "modCount", "hash", "hashCode", "threshold", "keySet", "values", "entrySet", "descendingMap",
                            "navigableKeySet", "descendingKeySet", "stringCache", "precision", "backtrace", "stackTrace",
                            "suppressedExceptions", "bitCountPlusOne", "bitLengthPlusOne", "lowestSetBitPlusTwo",
                            "firstNonzeroIntNumPlusTwo"));

    private static final Set<String> HASH_CACHES =
            new HashSet<>(
                    Arrays.asList("hash", "hashCode", "hashcode", "cachedHash", "cachedHashCode", "cachedHashcode", "_hash"));

    /** Fields of classes under test that only keep what is computed from others, as far as that is known. */
    private static final Set<String> CACHES = new HashSet<>();

    static {
        String field = Executor.cache(0);
        for (int i = 1; field != null; i++) {
            CACHES.add(field);
            field = Executor.cache(i);
        }
    }

    private static final Set<String> BOXES =
            new HashSet<>(
                    Arrays.asList(
                            "java.lang.Boolean", "java.lang.Byte", "java.lang.Character", "java.lang.Short",
                            "java.lang.Integer", "java.lang.Long", "java.lang.Float", "java.lang.Double"));

    private static final String[] OPAQUE_PREFIXES = {
        "sun.", "jdk.", "com.sun.", "randgen.runtime.", "java.lang.invoke.", "java.lang.reflect.", "java.lang.ref.",
        "java.lang.module.", "java.util.concurrent.locks.", "java.security.", "java.nio.charset.",
    };

    private static final Set<String> OPAQUE_CLASSES =
            new HashSet<>(
                    Arrays.asList(
                            "java.lang.Object", "java.lang.ThreadGroup", "java.lang.Module", "java.lang.ModuleLayer",
                            "java.lang.Package", "java.lang.Runtime", "java.lang.Process", "java.io.FileDescriptor"));

    final Class<?> type;
    /** As {@code Class.getName}, without what differs between runs; of an implementation, what it implements. */
    final String name;
    final long hash;
    final int kind;
    /** A class of the JDK whose size method runs no code under test. */
    final boolean sized;

    /** Of collections and maps of the JDK that wrap another, the field that holds it. */
    final Field wrapped;

    private Field[] fields;
    private long[] offsets;
    private byte[] fieldTypes;
    private Field[] components;
    private String nameable;
    private String[] superclasses;
    private Boolean ownEquals;

    private ClassInfo(Class<?> type) {
        this.type = type;
        String own = stableName(type.getName());
        this.name = Executor.isStub(own) ? implemented(type).getName() : own;
        this.hash = StateWalker.hashOf(own);
        this.kind = kindOf(type, own);
        Field wrapped = null;
        boolean sized = false;
        if (own.startsWith("java.util.") && (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type))) {
            if (name.startsWith("java.util.Collections$") || name.indexOf('$') >= 0) {
                wrapped = wrappedField(type);
            }
            sized = wrapped == null && (name.indexOf('$') < 0 || name.startsWith("java.util.ImmutableCollections$")
                    || name.startsWith("java.util.Collections$Empty") || name.startsWith("java.util.Collections$Singleton")
                    || name.equals("java.util.Arrays$ArrayList"));
        }
        this.sized = sized;
        this.wrapped = wrapped;
    }

    private static Class<?> implemented(Class<?> type) {
        Class<?>[] interfaces = type.getInterfaces();
        return interfaces.length == 1 ? interfaces[0] : type.getSuperclass();
    }

    static ClassInfo of(Class<?> type) {
        return ALL.get(type);
    }

    /** Names of lambdas carry a counter and an address. */
    static String stableName(String name) {
        int lambda = name.indexOf("$$Lambda");
        if (lambda >= 0) {
            return name.substring(0, lambda + 8);
        }
        int hidden = name.indexOf("/0x");
        return hidden >= 0 ? name.substring(0, hidden) : name;
    }

    private static int kindOf(Class<?> type, String name) {
        if (type.isArray()) {
            return type.getComponentType().isPrimitive() ? PRIMITIVES : OBJECTS;
        }
        if (type == String.class) {
            return STRING;
        }
        if (BOXES.contains(name)) {
            return BOXED;
        }
        if (type == Class.class) {
            return CLASS;
        }
        if (Enum.class.isAssignableFrom(type)) {
            return ENUM;
        }
        if (type == StringBuilder.class || type == StringBuffer.class) {
            return TEXT;
        }
        // Their iteration runs no code under test, and capacities, offsets and the shape of trees are not state.
        if (type == java.util.ArrayList.class || type == java.util.Vector.class || type == java.util.Stack.class
                || type == java.util.LinkedList.class || type == java.util.ArrayDeque.class) {
            return COLLECTION;
        }
        if (type == java.util.LinkedHashMap.class || type == java.util.TreeMap.class) {
            return MAP;
        }
        if (type == java.util.HashMap.class || type == java.util.Hashtable.class
                || type == java.util.IdentityHashMap.class || type == java.util.concurrent.ConcurrentHashMap.class) {
            return UNORDERED_MAP;
        }
        if (type == java.util.Locale.class || type == java.util.regex.Pattern.class) {
            return PRINTED;
        }
        if (OPAQUE_CLASSES.contains(name) || name.endsWith("$$Lambda")) {
            return OPAQUE;
        }
        for (String prefix : OPAQUE_PREFIXES) {
            if (name.startsWith(prefix)) {
                return OPAQUE;
            }
        }
        if (Thread.class.isAssignableFrom(type)
                || ClassLoader.class.isAssignableFrom(type)
                || java.lang.ref.Reference.class.isAssignableFrom(type)
                || ThreadLocal.class.isAssignableFrom(type)) {
            return OPAQUE;
        }
        return FIELDS;
    }

    private static Field wrappedField(Class<?> type) {
        for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
            for (Field field : declaredFields(at)) {
                boolean holds = field.getType() == Collection.class || field.getType() == Map.class;
                // Maps keep views of themselves there.
                holds &= !field.getName().equals("values");
                if (holds && !Modifier.isStatic(field.getModifiers())) {
                    Executor.open(new Field[] {field});
                    return field;
                }
            }
        }
        return null;
    }

    /** None where a type that a field names is missing: reflection then gives none. */
    static Field[] declaredFields(Class<?> type) {
        try {
            return type.getDeclaredFields();
        } catch (LinkageError missing) {
            return new Field[0];
        }
    }

    /** Where in an instance the fields are that are state; superclasses first. */
    long[] offsets() {
        if (offsets == null) {
            List<Class<?>> chain = new ArrayList<>();
            for (Class<?> at = type; at != null; at = at.getSuperclass()) {
                chain.add(0, at);
            }
            List<Field> found = new ArrayList<>();
            for (Class<?> at : chain) {
                Field[] declared = declaredFields(at);
                Arrays.sort(declared, Comparator.comparing(Field::getName));
                for (Field field : declared) {
                    if (isState(at, field)) {
                        found.add(field);
                    }
                }
            }
            long[] all = new long[found.size()];
            fieldTypes = new byte[all.length];
            for (int i = 0; i < all.length; i++) {
                fieldTypes[i] = (byte) Executor.letterOf(found.get(i).getType());
                all[i] = StateWalker.MEMORY.objectFieldOffset(found.get(i));
            }
            fields = found.toArray(new Field[0]);
            offsets = all;
        }
        return offsets;
    }

    /** The fields at {@link #offsets}. */
    Field[] fields() {
        offsets();
        return fields;
    }

    /** Descriptor letters of the fields at {@link #offsets}. */
    byte[] fieldTypes() {
        return fieldTypes;
    }

    /** The fields of a record in the order of its components; null where they cannot be read. */
    Field[] components() {
        if (components == null) {
            try {
                RecordComponent[] declared = type.getRecordComponents();
                Field[] found = new Field[declared.length];
                for (int i = 0; i < found.length; i++) {
                    found[i] = type.getDeclaredField(declared[i].getName());
                }
                components = found;
            } catch (NoSuchFieldException | LinkageError missing) {
                return null;
            }
        }
        return components;
    }

    /** Whether it is a plain class, not of the JDK, that says itself which objects are equal. */
    boolean hasOwnEquals() {
        if (ownEquals == null) {
            boolean isPlain = kind == FIELDS && !type.isHidden() && !type.isSynthetic() && !Collection.class.isAssignableFrom(type)
                    && !Map.class.isAssignableFrom(type) && !Throwable.class.isAssignableFrom(type)
                    && !Executor.isStub(type.getName());
            ownEquals = isPlain && declaresEquals();
        }
        return ownEquals;
    }

    private boolean declaresEquals() {
        for (Class<?> at = type; at != null && at.getClassLoader() != null; at = at.getSuperclass()) {
            try {
                at.getDeclaredMethod("equals", Object.class);
                return true;
            } catch (NoSuchMethodException inherited) {
                // A superclass may have it.
            } catch (LinkageError missing) {
                return false;
            }
        }
        return false;
    }

    private static boolean isState(Class<?> owner, Field field) {
        int modifiers = field.getModifiers();
        if (Modifier.isStatic(modifiers)) {
            return false;
        }
        if (owner.getName().startsWith("java.")) {
            return !JDK_CACHES.contains(field.getName());
        }
        if (!CACHES.isEmpty() && CACHES.contains(owner.getName() + '.' + field.getName())) {
            return false;
        }
        return !(Modifier.isTransient(modifiers) && HASH_CACHES.contains(field.getName()));
    }

    /** From the class itself to Throwable. */
    String[] superclasses() {
        if (superclasses == null) {
            List<String> found = new ArrayList<>();
            for (Class<?> at = type; at != null; at = at.getSuperclass()) {
                found.add(of(at).name);
                if (at == Throwable.class) {
                    break;
                }
            }
            superclasses = found.toArray(new String[0]);
        }
        return superclasses;
    }

    /** The nearest class upwards that code of any package can name. */
    String nameable() {
        if (nameable == null) {
            Class<?> at = type;
            while (at.getSuperclass() != null && !isNameable(at)) {
                at = at.getSuperclass();
            }
            nameable = of(at).name;
        }
        return nameable;
    }

    private static boolean isNameable(Class<?> type) {
        String name = type.getName();
        if (name.startsWith("sun.") || name.startsWith("jdk.internal.") || name.startsWith("com.sun.")
                || type.isSynthetic()) {
            return false;
        }
        try {
            for (Class<?> at = type; at != null; at = at.getDeclaringClass()) {
                if (!Modifier.isPublic(at.getModifiers()) || at.isAnonymousClass() || at.isLocalClass()) {
                    return false;
                }
            }
            return true;
        } catch (LinkageError missing) {
            // The class around it is not there.
            return false;
        }
    }

    /** The methods of one class by name, parameters and result. */
    static Method[] inOrder(Method[] methods) {
        TreeMap<String, Method> ordered = new TreeMap<>();
        for (Method method : methods) {
            StringBuilder key = new StringBuilder(method.getName());
            for (Class<?> parameter : method.getParameterTypes()) {
                key.append(' ').append(parameter.getName());
            }
            ordered.put(key.append(')').append(method.getReturnType().getName()).toString(), method);
        }
        return ordered.values().toArray(new Method[0]);
    }
}
