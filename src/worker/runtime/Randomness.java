package randgen.runtime;

import java.lang.reflect.Field;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.WeakHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sources of randomness that all code in a JVM shares, put to the same state before each sequence.
 *
 * <p>{@code SecureRandom} is not among them: temporary files are named by it, and should differ between sequences.
 */
final class Randomness {
    private static final long SEED = 0x5DEECE66DL;

    /** From these the seeds of further generators are drawn. */
    private static final ArrayList<AtomicLong> seeders = new ArrayList<>();

    private static final ArrayList<Random> shared = new ArrayList<>();
    private static Field threadSeed;
    private static SplittableRandom own;
    private static long seed = SEED;

    /** Generators that were made without a seed. Those that are put here compare by identity. */
    private static final Set<Object> UNSEEDED = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private Randomness() {}

    static void start() {
        // Both make theirs at the first use.
        ThreadLocalRandom.current();
        Collections.shuffle(new ArrayList<>());
        Object[] found = {
            staticField("java.util.Random", "seedUniquifier"),
            staticField("java.util.SplittableRandom", "defaultGen"),
            staticField("java.util.concurrent.ThreadLocalRandom", "seeder"),
            staticField("java.lang.Math$RandomNumberGeneratorHolder", "randomNumberGenerator"),
            staticField("java.lang.StrictMath$RandomNumberGeneratorHolder", "randomNumberGenerator"),
            staticField("java.util.Collections", "r"),
        };
        for (Object each : found) {
            if (each instanceof AtomicLong) {
                seeders.add((AtomicLong) each);
            } else if (each instanceof Random) {
                shared.add((Random) each);
            }
        }
        try {
            threadSeed = open(Thread.class, "threadLocalRandomSeed");
        } catch (NoSuchFieldException another) {
            // A JDK that keeps it elsewhere: what it gives there differs between workers.
        }
    }

    /** At other times the sources have other states, which {@code change} tells apart; it is 0 at that of the search. */
    static void reset(long change) {
        seed = SEED + change;
        for (int i = 0; i < seeders.size(); i++) {
            seeders.get(i).set(seed);
        }
        for (int i = 0; i < shared.size(); i++) {
            shared.get(i).setSeed(seed);
        }
        own = null;
        if (threadSeed != null) {
            try {
                threadSeed.setLong(Thread.currentThread(), seed);
            } catch (IllegalAccessException closed) {
                threadSeed = null;
            }
        }
    }

    /** What such a generator gives differs wherever the test runs. */
    static void unseeded(Object generator) {
        if (isPlain(generator)) {
            UNSEEDED.add(generator);
        }
    }

    static boolean isUnseeded(Object generator) {
        return isPlain(generator) && UNSEEDED.contains(generator);
    }

    static void seeded(Object generator) {
        if (isPlain(generator)) {
            UNSEEDED.remove(generator);
        }
    }

    /** The copy continues as the original does. */
    static void copied(Object original, Object copy) {
        if (isUnseeded(original)) {
            UNSEEDED.add(copy);
        }
    }

    /** Not of a subclass, whose {@code hashCode} is its own. */
    private static boolean isPlain(Object generator) {
        return generator.getClass() == Random.class || generator.getClass() == SecureRandom.class;
    }

    static long next() {
        if (own == null) {
            own = new SplittableRandom(seed);
        }
        return own.nextLong();
    }

    private static Object staticField(String owner, String name) {
        try {
            return open(Class.forName(owner), name).get(null);
        } catch (ReflectiveOperationException | LinkageError another) {
            // As above.
            return null;
        }
    }

    private static Field open(Class<?> owner, String name) throws NoSuchFieldException {
        Field field = owner.getDeclaredField(name);
        Executor.open(new Field[] {field});
        return field;
    }
}
