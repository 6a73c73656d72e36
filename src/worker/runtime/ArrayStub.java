package randgen.runtime;

import java.lang.reflect.Array;

/** Makes arrays of one element type; the only operation that takes any number of inputs. */
final class ArrayStub extends Stub {
    private final Class<?> element;

    ArrayStub(Class<?> element) {
        this.element = element;
    }

    @Override
    public Object call(Object[] arguments) {
        Object array = Array.newInstance(element, arguments.length);
        for (int i = 0; i < arguments.length; i++) {
            Array.set(array, i, arguments[i]);
        }
        return array;
    }
}
