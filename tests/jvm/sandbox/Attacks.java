package attack;

import java.io.*;
import java.lang.reflect.Method;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.*;
import java.nio.file.attribute.*;
import java.util.*;
import java.util.concurrent.Callable;

/** Each method tries to get at something outside, whatever is in its way, and says what it came to. */
public class Attacks {
    private static String tried(Callable<?> attack) {
        try {
            return "did " + attack.call();
        } catch (Throwable denied) {
            return "failed";
        }
    }

    // Files: the target is a directory with `kept`, `secret` and `inner/deep`.

    public static String deletesTree(String target) {
        return tried(() -> {
            File[] inner = new File(target, "inner").listFiles();
            for (int i = 0; inner != null && i < inner.length; i++) {
                inner[i].delete();
            }
            return new File(target, "inner").delete();
        });
    }

    public static String deletesFile(String target) {
        return tried(() -> new File(target, "kept").delete());
    }

    public static String deletesByChannel(String target) {
        return tried(() -> Files.deleteIfExists(Paths.get(target, "kept")));
    }

    public static String overwrites(String target) {
        return tried(() -> {
            try (FileOutputStream stream = new FileOutputStream(new File(target, "kept"))) {
                stream.write(1);
            }
            return true;
        });
    }

    public static String appends(String target) {
        return tried(() -> Files.write(Paths.get(target, "kept"), new byte[1], StandardOpenOption.APPEND));
    }

    public static String truncates(String target) {
        return tried(() -> {
            try (FileChannel channel = FileChannel.open(Paths.get(target, "kept"), StandardOpenOption.WRITE)) {
                return channel.truncate(1).size();
            }
        });
    }

    public static String mapsForWriting(String target) {
        return tried(() -> {
            try (RandomAccessFile file = new RandomAccessFile(new File(target, "kept"), "rw")) {
                return file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 4).put((byte) 7);
            }
        });
    }

    public static String createsFile(String target) {
        return tried(() -> new File(target, "new").createNewFile());
    }

    public static String createsDirectory(String target) {
        return tried(() -> new File(target, "made").mkdirs());
    }

    public static String createsFifo(String target) {
        return tried(() -> new ProcessBuilder("mkfifo", target + "/fifo").start().waitFor());
    }

    public static String createsLinkOutside(String target) {
        return tried(() -> Files.createSymbolicLink(Paths.get(target, "link"), Paths.get("/")));
    }

    public static String movesOut(String target) {
        return tried(() -> {
            File own = new File("own").getAbsoluteFile();
            own.createNewFile();
            return own.renameTo(new File(target, "moved"));
        });
    }

    public static String movesIn(String target) {
        return tried(() -> Files.move(Paths.get(target, "kept"), Paths.get("taken").toAbsolutePath()));
    }

    public static String writesThroughSymbolicLink(String target) {
        return tried(() -> {
            Path link = Paths.get("symbolic").toAbsolutePath();
            Files.deleteIfExists(link);
            Files.createSymbolicLink(link, Paths.get(target, "kept"));
            return Files.write(link, new byte[1]);
        });
    }

    public static String writesThroughHardLink(String target) {
        return tried(() -> {
            Path link = Paths.get("hard").toAbsolutePath();
            Files.deleteIfExists(link);
            Files.createLink(link, Paths.get(target, "kept"));
            return Files.write(link, new byte[1]);
        });
    }

    public static String writesByParents(String target) {
        return tried(() -> Files.write(Paths.get("../../../../../../.." + target + "/kept"), new byte[1]));
    }

    public static String writesThroughProc(String target) {
        return tried(() -> Files.write(Paths.get("/proc/self/root" + target + "/kept"), new byte[1]));
    }

    public static String setsMode(String target) {
        return tried(() -> new File(target, "kept").setExecutable(true, false));
    }

    public static String setsPermissions(String target) {
        return tried(() -> Files.setPosixFilePermissions(Paths.get(target, "kept"), PosixFilePermissions.fromString("rwxrwxrwx")));
    }

    public static String setsTime(String target) {
        return tried(() -> new File(target, "kept").setLastModified(1_000_000_000_000L));
    }

    public static String setsTimeByChannel(String target) {
        return tried(() -> Files.setLastModifiedTime(Paths.get(target, "kept"), FileTime.fromMillis(1_000_000_000_000L)));
    }

    public static String reads(String target) {
        return tried(() -> new String(Files.readAllBytes(Paths.get(target, "secret"))));
    }

    public static String readsStream(String target) {
        return tried(() -> {
            try (BufferedReader reader = new BufferedReader(new FileReader(new File(target, "secret")))) {
                return reader.readLine();
            }
        });
    }

    public static String lists(String target) {
        return tried(() -> new TreeSet<>(Arrays.asList(new File(target).list())));
    }

    public static String walks(String target) {
        return tried(() -> {
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(Paths.get(target))) {
                return stream.iterator().next();
            }
        });
    }

    /** The target is a process id. */
    public static String readsEnvironmentOf(String process) {
        return tried(() -> Files.readAllBytes(Paths.get("/proc", process, "environ")).length);
    }

    public static String readsCommandOf(String process) {
        return tried(() -> new String(Files.readAllBytes(Paths.get("/proc", process, "cmdline"))));
    }

    public static String readsMemoryOf(String process) {
        return tried(() -> new RandomAccessFile("/proc/" + process + "/mem", "r"));
    }

    public static String ends(String process) {
        return tried(() -> {
            Class<?> type = Class.forName("java.lang.ProcessHandle");
            Object found = type.getMethod("of", long.class).invoke(null, Long.parseLong(process));
            return type.getMethod("destroyForcibly").invoke(((Optional<?>) found).get());
        });
    }

    // Other programs: the target is a directory.

    public static String executes(String target) {
        return tried(() -> Runtime.getRuntime().exec(new String[] {"/bin/sh", "-c", "echo > '" + target + "/executed'"}).waitFor());
    }

    public static String executesDirectly(String target) {
        return tried(() -> new ProcessBuilder("touch", target + "/executed").inheritIO().start().waitFor());
    }

    // The network: the target is a port, or the path of a socket.

    public static String connects(String port) {
        return tried(() -> {
            try (Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), Integer.parseInt(port))) {
                socket.getOutputStream().write(1);
            }
            return true;
        });
    }

    public static String connectsByChannel(String port) {
        return tried(() -> {
            InetAddress local = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
            try (SocketChannel channel = SocketChannel.open(new InetSocketAddress(local, Integer.parseInt(port)))) {
                return channel.write(ByteBuffer.allocate(1));
            }
        });
    }

    public static String sendsDatagram(String port) {
        return tried(() -> {
            InetAddress local = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
            try (DatagramSocket socket = new DatagramSocket()) {
                socket.send(new DatagramPacket(new byte[1], 1, local, Integer.parseInt(port)));
            }
            return true;
        });
    }

    public static String connectsToPath(String path) {
        return tried(() -> {
            Method of = Class.forName("java.net.UnixDomainSocketAddress").getMethod("of", String.class);
            try (SocketChannel channel = SocketChannel.open((SocketAddress) of.invoke(null, path))) {
                return channel.write(ByteBuffer.allocate(1));
            }
        });
    }

    public static String listens(String port) {
        return tried(() -> {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
                return socket.getLocalPort() > 0;
            }
        });
    }

    public static String resolves(String name) {
        return tried(() -> InetAddress.getByName(name));
    }

    // What a static initialiser was denied, and swallowed.

    private static class Host {
        static final String NAME = name();

        private static String name() {
            try {
                return InetAddress.getByName("canary.invalid").toString();
            } catch (UnknownHostException denied) {
                return "unknown";
            }
        }

        static String shown() {
            return NAME;
        }
    }

    public static String showsHost(String unused) {
        return Host.shown();
    }

    // What has to go on working.

    public static String readsOwnEnvironment(String unused) {
        return tried(() -> new TreeSet<>(System.getenv().keySet()));
    }

    public static String writesToTheChannel(String number) {
        return tried(() -> {
            try (FileOutputStream stream = new FileOutputStream("/proc/self/fd/" + number)) {
                stream.write(new byte[64]);
            }
            return true;
        });
    }

    public static String opensWindow(String unused) {
        return tried(() -> new java.awt.Frame());
    }

    public static String worksInScratch(String unused) {
        return tried(() -> {
            // What is relative would be in the project where the tests run.
            File own = new File("").getAbsoluteFile();
            File file = new File(own, "plain.txt");
            try (RandomAccessFile both = new RandomAccessFile(file, "rw")) {
                both.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 4).put((byte) 'x');
            }
            File directory = new File(own, "directory");
            boolean made = directory.mkdir() && new File(directory, "a").createNewFile();
            boolean moved = file.renameTo(new File(directory, "b"));
            int count = directory.list().length;
            boolean gone = new File(directory, "a").delete() && new File(directory, "b").delete() && directory.delete();
            File temporary = File.createTempFile("temporary", ".txt");
            return made + " " + moved + " " + count + " " + gone + " " + temporary.delete();
        });
    }

    public static String draws(String unused) {
        return tried(() -> {
            java.awt.image.BufferedImage image = new java.awt.image.BufferedImage(40, 20, java.awt.image.BufferedImage.TYPE_INT_RGB);
            image.createGraphics().fillRect(0, 0, 40, 20);
            return image.getRGB(3, 3);
        });
    }

    public static String threads(String unused) {
        return tried(() -> {
            int[] sum = new int[1];
            Thread thread = new Thread(() -> sum[0] = Arrays.asList(1, 2, 3).parallelStream().mapToInt(i -> i).sum());
            thread.start();
            thread.join();
            return sum[0];
        });
    }

    public static String zones(String unused) {
        return tried(() -> java.util.TimeZone.getTimeZone("Asia/Kolkata").getRawOffset());
    }
}
