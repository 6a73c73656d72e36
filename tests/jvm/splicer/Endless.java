/** Runs {@link Loops}, each in a thread of its own; only those have probes. */
public class Endless {
    public static void main(String[] arguments) throws InterruptedException {
        Runnable[] loops = {Loops::plain, Loops::catching, Loops::continuing, Loops::locking};
        for (Runnable loop : loops) {
            Thread runner = new Thread(() -> {
                try {
                    loop.run();
                } catch (Error thrown) {
                    System.out.println(thrown.getMessage());
                }
            });
            runner.setDaemon(true);
            runner.start();
            runner.join(10_000);
            System.out.println(runner.isAlive() ? "still running" : "ended");
        }
        synchronized (Loops.class) {
            System.out.println("unlocked");
        }
        System.exit(0);
    }
}

/** Loops that end only by what a probe throws, however often they catch it. */
class Loops {
    static int n;

    static void plain() {
        while (true) {
            n++;
        }
    }

    static void catching() {
        while (true) {
            try {
                n = n > 5 ? 0 : n + 1;
            } catch (Throwable caught) {
                n--;
            }
        }
    }

    static void continuing() {
        while (true) {
            try {
                n = n > 5 ? 0 : n + 1;
            } finally {
                n = n > 3 ? 1 : n + 2;
                continue;
            }
        }
    }

    static void locking() {
        while (true) {
            synchronized (Loops.class) {
                try {
                    n = n > 5 ? 0 : n + 1;
                } finally {
                    n++;
                }
            }
        }
    }
}
