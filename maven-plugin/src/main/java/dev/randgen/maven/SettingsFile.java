package dev.randgen.maven;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the one setting of {@code randgen.toml} that a build has to know without the binary: where the tests are that it
 * compiles, also when nothing is generated.
 */
final class SettingsFile {
    private static final Pattern OUTPUT_DIRECTORY = Pattern.compile(
            "^[ \\t]*(['\"]?)(?:output-directory|outputDirectory)\\1[ \\t]*=[ \\t]*(.*)$", Pattern.MULTILINE);

    private static final Pattern PLAIN_TEXT = Pattern.compile("(?:\"([^\"\\\\]*)\"|'([^']*)')\\s*(?:#.*)?");

    private SettingsFile() {}

    /** What the file in this directory says of it, or null. */
    static String outputDirectory(Path directory) throws IOException {
        Path file = directory.resolve("randgen.toml");
        if (!Files.isRegularFile(file)) {
            return null;
        }
        Matcher line = OUTPUT_DIRECTORY.matcher(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        if (!line.find()) {
            return null;
        }
        Matcher text = PLAIN_TEXT.matcher(line.group(2));
        if (!text.matches()) {
            throw new IOException(file + ": the output directory has to be a plain text in quotes, found " + line.group(2));
        }
        return text.group(1) != null ? text.group(1) : text.group(2);
    }
}
