package dev.randgen.plugin;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The randgen binary: the one named, the one published with this plugin, or one that is installed on this machine. */
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
        return installed(System.getenv(), System.getProperty("user.home"), property);
    }

    /**
     * The first on PATH, or else the one that Cargo installed, which is not on the PATH of every IDE.
     *
     * @param userHome of users without HOME; Java asks the system's list of users, and Cargo the environment
     */
    static File installed(Map<String, String> environment, String userHome, String property) throws IOException {
        List<File> directories = new ArrayList<>();
        String path = environment.getOrDefault("PATH", "");
        for (String directory : path.split(Pattern.quote(File.pathSeparator))) {
            if (!directory.isEmpty()) {
                directories.add(new File(directory));
            }
        }
        String cargo = environment.getOrDefault("CARGO_HOME", "");
        String home = environment.getOrDefault("HOME", userHome);
        File cargoHome = cargo.isEmpty() ? new File(home, ".cargo") : new File(cargo);
        File cargoBinaries = new File(cargoHome, "bin");
        directories.add(cargoBinaries);
        for (File directory : directories) {
            File candidate = new File(directory, isWindows() ? "randgen.exe" : "randgen");
            if (candidate.isFile() && candidate.canExecute()) {
                return candidate;
            }
        }
        throw new IOException("there is no randgen binary on PATH, in " + cargoBinaries
                + " or, as dev.randgen:randgen:exe:" + classifier()
                + ", in a repository: run `make install`, or for the binary alone `cargo install --path .`, in a clone of"
                + " randgen, or name a binary with " + property);
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
