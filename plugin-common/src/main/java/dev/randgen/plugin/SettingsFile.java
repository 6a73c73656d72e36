package dev.randgen.plugin;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the few settings of {@code randgen.toml} that a build has to know without the binary: whether anything is to be
 * generated, and where the tests are that it compiles, also when nothing is.
 */
public final class SettingsFile {
    private static final Pattern PLAIN_VALUE =
            Pattern.compile("(\"[^\"\\\\]*\"|'[^']*'|true|false)\\s*(?:#.*)?");

    private SettingsFile() {}

    /** A value as typed for this build, by {@code randgen.toml}, or by the build file: in the binary's order; or null. */
    public static String strongest(String name, String typed, File basedir, File projectRoot, String configured)
            throws IOException {
        if (typed != null) {
            return typed;
        }
        String ofModule = read(basedir.toPath(), name);
        if (ofModule != null) {
            return ofModule;
        }
        String ofProject = read(projectRoot.toPath(), name);
        return ofProject != null ? ofProject : configured;
    }

    /** What the file in this directory says of the setting, which it may spell with hyphens or as a build file does; or null. */
    static String read(Path directory, String name) throws IOException {
        Path file = directory.resolve("randgen.toml");
        if (!Files.isRegularFile(file)) {
            return null;
        }
        String key = name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        Pattern pattern = Pattern.compile(
                "^[ \\t]*(['\"]?)(?:" + key + "|" + name + ")\\1[ \\t]*=[ \\t]*(.*)$", Pattern.MULTILINE);
        Matcher line = pattern.matcher(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        if (!line.find()) {
            return null;
        }
        Matcher value = PLAIN_VALUE.matcher(line.group(2));
        if (!value.matches()) {
            throw new IOException(
                    file + ": " + key + " has to be true, false or a plain text in quotes, found " + line.group(2));
        }
        String text = value.group(1);
        return text.startsWith("\"") || text.startsWith("'") ? text.substring(1, text.length() - 1) : text;
    }
}
