package randgen.runtime;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** What a loop depends on: variables and static fields, with all that can be reached from them. */
final class LoopState extends StateWalker {
    private static final int MOST = 4096;
    private static final int ELEMENTS = 4096;

    /** What does not change, or makes no difference to one thread. */
    private static final String[] FIXED = {
        "java.lang.invoke.", "java.lang.reflect.", "java.nio.charset.", "java.util.concurrent.locks.",
    };

    /** Of all. */
    long hash;

    /** Elements and characters in what the variables hold. */
    long size;

    /** Whether nothing was left out. */
    boolean isWhole;

    private int objects;

    /** Enums, and whether their constants have a state beside their ordinal. */
    private final HashMap<Class<?>, Boolean> changing = new HashMap<>();

    LoopState() {
        super(MOST);
    }

    void read(Object[] variables, int count) {
        isWhole = true;
        size = 0;
        Object[] held = java.util.Arrays.copyOf(variables, count);
        for (Object each : held) {
            if (each instanceof String) {
                size += ((String) each).length();
            }
        }
        objects = 0;
        hash = fingerprint(new Object[] {held, Statics.held()});
        isWhole &= objects < MOST - 1;
    }

    @Override
    void opaque(Object value, ClassInfo info) {
        super.opaque(value, info);
        boolean isFixed = value.getClass() == Object.class;
        for (String prefix : FIXED) {
            isFixed |= info.name.startsWith(prefix);
        }
        isWhole &= isFixed;
    }

    @Override
    void constant(Enum<?> value) {
        Class<?> of = value.getDeclaringClass();
        Boolean known = changing.get(of);
        if (known == null) {
            known = false;
            for (Field field : of.getDeclaredFields()) {
                known |= !Modifier.isStatic(field.getModifiers()) && mayChange(field);
            }
            changing.put(of, known);
        }
        isWhole &= !known;
    }

    private static boolean mayChange(Field field) {
        Class<?> of = field.getType();
        return !Modifier.isFinal(field.getModifiers()) || of.isArray() || of.getName().startsWith("java.util.");
    }

    @Override
    void object(Object value, ClassInfo info) {
        objects++;
        int length = 0;
        switch (info.kind) {
            case ClassInfo.OBJECTS:
            case ClassInfo.PRIMITIVES:
                length = Array.getLength(value);
                break;
            case ClassInfo.TEXT:
                length = ((CharSequence) value).length();
                break;
            case ClassInfo.COLLECTION:
                length = ((Collection<?>) value).size();
                break;
            case ClassInfo.MAP:
            case ClassInfo.UNORDERED_MAP:
                length = ((Map<?, ?>) value).size();
                break;
            default:
        }
        size += length;
        isWhole &= length <= ELEMENTS;
        super.object(value, info);
    }
}
