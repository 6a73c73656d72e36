package randgen.runtime;

import java.lang.reflect.Field;
import java.security.SecureRandom;
import java.security.SecureRandomParameters;
import java.security.SecureRandomSpi;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sources of randomness that all code in a JVM shares, and the generators that code under test makes without a seed: what they
 * give depends on the sequence alone. At other times it is something else, at some of them first the least or the greatest numbers,
 * with which code does what it rarely does.
 *
 * <p>The platform's own {@code SecureRandom} is not among them: temporary files are named by it, and should differ between sequences.
 */
final class Randomness {
    private static final long SEED = 0x5DEECE66DL;

    /** From these the seeds of further generators are drawn. */
    private static final ArrayList<AtomicLong> seeders = new ArrayList<>();

    private static Field threadSeed;
    private static SplittableRandom own;
    private static long seed = SEED;
    /** Those that this sequence gave a seed: a static one has none for the next sequence. */
    private static final List<Object> seeded = Collections.synchronizedList(new ArrayList<>());

    /** So many of the first draws from each generator are extreme, at the time that is set. */
    private static int extremes;

    private static boolean greatest;
    /** How often the sequence drew from generators without a seed. */
    private static final IdentityHashMap<Object, int[]> draws = new IdentityHashMap<>();

    private static SplittableRandom secure;
    private static int secureDraws;

    /** Where {@code Random} keeps its state, and {@code SecureRandom} what it draws from. */
    private static final long STATE = offset(Random.class, "seed");

    private static final long SOURCE = offset(SecureRandom.class, "secureRandomSpi");
    /** The state that {@code Random} has after one is {@code MULTIPLIER * state + INCREMENT}, in so many bits. */
    private static final long BITS = (1L << 48) - 1;

    private static final long INCREMENT = 0xBL;
    private static final long INVERSE_OF_MULTIPLIER = 0xDFE05BCB1365L;
    /** What {@code ThreadLocalRandom} adds to its state, and the inverses of the factors by which it makes a number of that. */
    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private static final long INVERSE_OF_FIRST = 0x4F74430C22A54005L;
    private static final long INVERSE_OF_SECOND = 0x9CB4B2F8129337DBL;

    /** The state of a generator that was made without a seed: the mark stays with the object, and goes with its copies. */
    private static final class Unseeded extends AtomicLong {
        Unseeded(long state) {
            super(state);
        }
    }

    /** What a {@code SecureRandom} of the code under test draws from. */
    private static final class Source extends SecureRandomSpi {
        private static final long serialVersionUID = 1;

        @Override
        protected void engineSetSeed(byte[] more) {
            // It adds to what is random already.
        }

        @Override
        protected void engineNextBytes(byte[] bytes) {
            fill(bytes);
        }

        @Override
        protected void engineNextBytes(byte[] bytes, SecureRandomParameters how) {
            fill(bytes);
        }

        @Override
        protected byte[] engineGenerateSeed(int count) {
            byte[] made = new byte[count];
            fill(made);
            return made;
        }

        @Override
        protected void engineReseed(SecureRandomParameters how) {
            // As above.
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
                unseeded(each);
            }
        }
        try {
            threadSeed = open(Thread.class, "threadLocalRandomSeed");
        } catch (NoSuchFieldException another) {
            // A JDK that keeps it elsewhere: what it gives there differs between workers.
        }
    }

    /** The next sequence runs at that of the other times, or at that of the search if it is negative. */
    static void set(int number) {
        int kind = number < 0 ? 0 : number % 4;
        greatest = kind == 2;
        extremes = kind == 1 || kind == 2 ? 1 + number / 4 : 0;
    }

    /** At other times the sources have other states, which {@code change} tells apart; it is 0 at that of the search. */
    static void reset(long change) {
        seed = SEED + change;
        secure = null;
        secureDraws = 0;
        draws.clear();
        for (int i = 0; i < seeders.size(); i++) {
            seeders.get(i).set(seed);
        }
        own = null;
        if (!seeded.isEmpty()) {
            seeded.forEach(Randomness::unseeded);
            seeded.clear();
        }
        seedThread(seed);
    }

    private static void seedThread(long state) {
        if (threadSeed != null) {
            try {
                threadSeed.setLong(Thread.currentThread(), state);
            } catch (IllegalAccessException closed) {
                threadSeed = null;
            }
        }
    }

    /** Before code under test asks for the generator of its thread. */
    static synchronized void ofThread() {
        int draw = draws.computeIfAbsent(ThreadLocalRandom.class, first -> new int[1])[0]++;
        if (draw < extremes) {
            // Which state becomes a number of ones alone, or of zeros, by the way in which the platform mixes its bits.
            long wanted = greatest ? -1 : 0;
            wanted *= INVERSE_OF_SECOND;
            wanted = (wanted ^ wanted >>> 33) * INVERSE_OF_FIRST;
            wanted ^= wanted >>> 33;
            seedThread(wanted - GAMMA - (Thread.currentThread().getId() << 1));
        } else if (draw > 0 && draw == extremes) {
            seedThread(seed);
        }
    }

    /** Before a number is drawn from the generator: whether it has no seed. */
    static synchronized boolean drawn(Object generator) {
        AtomicLong state = stateOf(generator);
        if (!(state instanceof Unseeded)) {
            return false;
        }
        if (generator instanceof SecureRandom) {
            return true;
        }
        int count = draws.size();
        int[] ofGenerator = draws.computeIfAbsent(generator, first -> new int[] {0, count});
        int draw = ofGenerator[0]++;
        if (draw < extremes) {
            state.set(((greatest ? BITS : 0) - INCREMENT) * INVERSE_OF_MULTIPLIER & BITS);
        } else if (draw == extremes) {
            state.set(seed + ofGenerator[1] * GAMMA & BITS);
        }
        return true;
    }

    private static synchronized void fill(byte[] bytes) {
        if (secureDraws++ < extremes) {
            Arrays.fill(bytes, (byte) (greatest ? -1 : 0));
            return;
        }
        if (secure == null) {
            secure = new SplittableRandom(seed);
        }
        secure.nextBytes(bytes);
    }

    /** Marks a generator that was made without a seed: its numbers differ between runs. */
    static void unseeded(Object generator) {
        AtomicLong state = stateOf(generator);
        StateWalker.MEMORY.putReference(generator, STATE, new Unseeded(state == null ? 0 : state.get()));
        if (generator instanceof SecureRandom) {
            StateWalker.MEMORY.putReference(generator, SOURCE, new Source());
        }
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

    private static long offset(Class<?> owner, String field) {
        try {
            return StateWalker.MEMORY.objectFieldOffset(owner.getDeclaredField(field));
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
