package randgen.runtime;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * The directory that a sequence has for files. Its name is the same for all sequences, relative to the directory of the worker, so
 * that nothing that the search decides by depends on where that is; in perturbed environments it is another one.
 */
public final class TemporaryFiles {
    private static final Path DIRECTORY = Path.of(System.getProperty("randgen.files", "randgen-files"));
    /** What another JVM left is no file of this one. */
    private static boolean isUsed = true;
    private static int files;
    private static int missing;

    private TemporaryFiles() {}

    /** A file with the text. */
    public static synchronized Path file(String text) throws IOException {
        return Files.writeString(directory().resolve(name("input", ++files)), text);
    }

    /** The name of a file that is not there. */
    public static synchronized Path missing() throws IOException {
        return directory().resolve(name("new", ++missing));
    }

    /** The directory, empty but for the other files of the sequence. */
    public static synchronized Path directory() throws IOException {
        isUsed = true;
        return Files.createDirectories(DIRECTORY);
    }

    /** What a file contains. */
    public static String read(Path file) throws IOException {
        return Files.readString(file);
    }

    /** Whether the relative path is one of the directory: what a test does there, it does in a directory of its own. */
    static boolean contains(String path) {
        return path.startsWith(DIRECTORY + "/") && !path.contains("/..") || path.equals(DIRECTORY.toString());
    }

    private static String name(String stem, int number) {
        return stem + (number == 1 ? "" : number) + ".txt";
    }

    /** Removes what the sequence made. */
    static synchronized void clear() {
        if (isUsed) {
            isUsed = false;
            files = 0;
            missing = 0;
            remove(DIRECTORY);
        }
    }

    /** Removes a directory with all that is in it, as far as the code under test left that possible. */
    static void remove(Path directory) {
        try {
            if (!Files.exists(directory)) {
                return;
            }
            Files.walkFileTree(directory, new SimpleFileVisitor<Path>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path left, IOException failed) throws IOException {
                    Files.delete(left);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException | RuntimeException kept) {
            // It is in the directory of the worker, which is removed in the end.
        }
    }
}
