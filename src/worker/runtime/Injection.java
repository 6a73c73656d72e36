package randgen.runtime;

import java.lang.reflect.Field;
import java.util.HashMap;

/** Sets fields as a container does that injects dependencies: whatever their access. */
public final class Injection {
    private static final HashMap<String, Field> fields = new HashMap<>();

    private Injection() {}

    /** Sets the field, which the class, named with slashes, declares; a null leaves it as it is, as a test does. */
    public static void set(Object object, String declaring, String name, Object value) throws Exception {
        if (value == null) {
            return;
        }
        Class<?> of = object.getClass();
        while (of != null && !of.getName().replace('.', '/').equals(declaring)) {
            of = of.getSuperclass();
        }
        if (of == null) {
            throw new NoSuchFieldException(declaring + "." + name);
        }
        String key = declaring + "." + name;
        Field field = fields.get(key);
        if (field == null || field.getDeclaringClass() != of) {
            field = of.getDeclaredField(name);
            Executor.open(new Field[] {field});
            fields.put(key, field);
        }
        field.set(object, value);
    }
}
