package randgen.runtime;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Mutants of the data of enum constants: one of a constant's fields has the value that it has in another constant. */
final class EnumData {
    /** What the exchanged field had before; null while none is exchanged. */
    private static Statics.Slot own;

    private EnumData() {}

    /**
     * Gives a constant what the next one has in the field, of those that have something else there. {@code number} counts the
     * instance fields that the class declares, and all of them again for each constant.
     */
    static void exchange(Class<?> of, int number) {
        restore();
        Object[] constants = of.getEnumConstants();
        List<Field> fields = new ArrayList<>();
        for (Field field : ClassInfo.declaredFields(of)) {
            if (!Modifier.isStatic(field.getModifiers())) {
                fields.add(field);
            }
        }
        if (constants == null || number >= constants.length * fields.size()) {
            return;
        }
        Field field = fields.get(number % fields.size());
        int ordinal = number / fields.size();
        Statics.Slot kept = new Statics.Slot(field, constants[ordinal]);
        for (int after = 1; after < constants.length; after++) {
            Statics.Slot other = new Statics.Slot(field, constants[(ordinal + after) % constants.length]);
            if (!isSame(kept, other)) {
                own = kept;
                other.put(constants[ordinal]);
                return;
            }
        }
    }

    /** Undoes the exchange, if there was one. */
    static void restore() {
        if (own != null) {
            own.restore();
            own = null;
        }
    }

    private static boolean isSame(Statics.Slot one, Statics.Slot other) {
        if (one.bits != other.bits || one.reference == other.reference) {
            return one.bits == other.bits && one.reference == other.reference;
        }
        // No code under test runs here.
        boolean isPlatform = one.reference instanceof String
                || one.reference instanceof Boolean
                || one.reference instanceof Character
                || one.reference instanceof BigDecimal
                || one.reference instanceof BigInteger
                || one.reference instanceof Number && one.reference.getClass().getName().startsWith("java.lang.");
        return isPlatform && Objects.equals(one.reference, other.reference);
    }
}
