package randgen.runtime;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/** Tables whose order is up to the identity hashes of their keys, and so differs between JVMs. */
final class HashOrder {
    /** So many keys are looked at. */
    private static final int MOST = 64;

    private static final ClassValue<Boolean> BY_IDENTITY =
            new ClassValue<Boolean>() {
                @Override
                protected Boolean computeValue(Class<?> type) {
                    try {
                        Class<?> owner = type.getMethod("hashCode").getDeclaringClass();
                        return owner == Object.class || owner == Enum.class;
                    } catch (NoSuchMethodException | LinkageError missing) {
                        return false;
                    }
                }
            };

    private HashOrder() {}

    /** Whether what a call returned may show the order of such a table that it was given. */
    static boolean decides(Object value, Object[] arguments) {
        if (arguments == null || !(value instanceof String || value instanceof Object[] || value instanceof List)) {
            return false;
        }
        for (Object argument : arguments) {
            if (argument != null && argument.getClass() == HashSet.class) {
                if (isUnordered((HashSet<?>) argument)) {
                    return true;
                }
            } else if (argument instanceof Map && isTable(argument.getClass())) {
                Map<?, ?> table = (Map<?, ?>) argument;
                if (isUnordered(table.keySet()) && !isIn(value, table.values())) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isTable(Class<?> type) {
        return ClassInfo.of(type).kind == ClassInfo.UNORDERED_MAP || type == WeakHashMap.class;
    }

    private static boolean isUnordered(Collection<?> keys) {
        int seen = 0;
        int found = 0;
        for (Object key : keys) {
            found += key != null && BY_IDENTITY.get(key.getClass()) ? 1 : 0;
            if (found == 2) {
                return true;
            }
            if (++seen == MOST) {
                return false;
            }
        }
        return false;
    }

    /** What a table holds under one key does not depend on its order. */
    private static boolean isIn(Object value, Collection<?> values) {
        for (Object each : values) {
            if (each == value) {
                return true;
            }
        }
        return false;
    }
}
