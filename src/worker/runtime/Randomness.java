package randgen.runtime;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
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
    /** Those that this sequence gave a seed: a static one has none for the next sequence. */
    private static final List<Object> seeded = Collections.synchronizedList(new ArrayList<>());

    /** Where {@code Random} keeps its state. */
    private static final long STATE = stateOffset();

    /** The state of a generator that was made without a seed: the mark stays with the object, and goes with its copies. */
    private static final class Unseeded extends AtomicLong {
        Unseeded(long state) {
            super(state);
        }
    }

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
        if (!seeded.isEmpty()) {
            seeded.forEach(Randomness::unseeded);
            seeded.clear();
        }
        if (threadSeed != null) {
            try {
                threadSeed.setLong(Thread.currentThread(), seed);
            } catch (IllegalAccessException closed) {
                threadSeed = null;
            }
        }
    }

    /** Marks a generator that was made without a seed: its numbers differ between runs. */
    static void unseeded(Object generator) {
        AtomicLong state = stateOf(generator);
        StateWalker.MEMORY.putReference(generator, STATE, new Unseeded(state == null ? 0 : state.get()));
    }

    static boolean isUnseeded(Object generator) {
        return stateOf(generator) instanceof Unseeded;
    }

    static void seeded(Object generator) {
        // In the constructor of a subclass it has none yet.
        if (isUnseeded(generator)) {
            StateWalker.MEMORY.putReference(generator, STATE, new AtomicLong());
            seeded.add(generator);
        }
    }

    private static AtomicLong stateOf(Object generator) {
        return (AtomicLong) StateWalker.MEMORY.getReference(generator, STATE);
    }

    private static long stateOffset() {
        try {
            return StateWalker.MEMORY.objectFieldOffset(Random.class.getDeclaredField("seed"));
        } catch (NoSuchFieldException another) {
            throw new ExceptionInInitializerError(another);
        }
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
