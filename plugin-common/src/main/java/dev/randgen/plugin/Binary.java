package dev.randgen.plugin;

import java.io.File;
import java.io.IOException;
import java.util.Locale;
import java.util.regex.Pattern;

/** The randgen binary: the one named, the one published with this plugin, or one on PATH. */
public final class Binary {
    private Binary() {}

    /**
     * The file to start.
     *
     * @param named what the user named, or null
     * @param published what the repositories have, or null
     * @param property how the user names one
     */
    public static File find(File named, File published, String property) throws IOException {
        if (named != null) {
            if (!named.isFile()) {
                throw new IOException("there is no file " + named + "; name the binary with " + property);
            }
            if (!named.canExecute()) {
                throw new IOException(named + " is not executable; name the binary with " + property);
            }
            return named;
        }
        if (published != null) {
            // Repositories do not keep permissions.
            if (!published.canExecute() && !published.setExecutable(true)) {
                throw new IOException(published + " cannot be made executable");
            }
            return published;
        }
        String path = System.getenv("PATH");
        for (String directory : path == null ? new String[0] : path.split(Pattern.quote(File.pathSeparator))) {
            File candidate = new File(directory, isWindows() ? "randgen.exe" : "randgen");
            if (!directory.isEmpty() && candidate.isFile() && candidate.canExecute()) {
                return candidate;
            }
        }
        throw new IOException("there is no randgen binary: dev.randgen:randgen:exe:" + classifier()
                + " is in no repository, and none is on PATH; name one with " + property);
    }

    /** Such as {@code linux-x86_64}. */
    public static String classifier() {
        String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String system = name.startsWith("windows") ? "windows" : name.startsWith("mac") ? "osx" : "linux";
        String architecture = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return system + "-" + (architecture.equals("amd64") ? "x86_64" : architecture);
    }

    private static boolean isWindows() {
        return File.separatorChar == '\\';
    }
}
