package dev.randgen.plugin;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The file that tells the binary everything about a module; {@code docs/design/request-file.md} describes it.
 *
 * <p>Values are texts or lists of texts; one that is null is left out.
 */
public final class Request {
    private final Map<String, Object> module = new LinkedHashMap<>();
    private final Map<String, Object> flags = new LinkedHashMap<>();
    private final Map<String, Object> configuration = new LinkedHashMap<>();

    public void module(String key, Object value) {
        module.put(key, value);
    }

    /** A setting: as typed for this build, or null; and as the build files have it. */
    public void setting(String name, String typed, Object configured) {
        if (typed != null) {
            // As typed: what a comma means in it depends on the setting.
            flags.put(name, typed);
        } else {
            configuration.put(name, configured);
        }
    }

    /** Writes the request into the build directory. */
    public Path write(File buildDirectory, File javaHome) throws IOException {
        module.put("build-directory", buildDirectory.getPath());
        Toml toml = new Toml();
        toml.number("version", 1);
        toml.text("java-home", javaHome.getPath());
        toml.table("module");
        module.forEach(toml::value);
        toml.table("flags");
        flags.forEach(toml::value);
        toml.table("configuration");
        configuration.forEach(toml::value);
        Path directory = new File(buildDirectory, "randgen").toPath();
        // A link in the project could lead to any file.
        if (Files.isSymbolicLink(directory)) {
            throw new IOException(directory + " is a link; remove it, as the reports would be written to where it leads");
        }
        Files.createDirectories(directory);
        Path file = directory.resolve("request.toml");
        Files.deleteIfExists(file);
        Files.write(file, toml.toString().getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE_NEW);
        return file;
    }

    /** The JDK of the JVM that the build runs on, whose {@code java.home} names the JRE in a JDK before Java 9. */
    public static File ownJavaHome() {
        File home = new File(System.getProperty("java.home"));
        return home.getName().equals("jre") ? home.getParentFile() : home;
    }
}
