package dev.randgen.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsFileTest {
    @TempDir
    Path directory;

    private String read(String toml) throws IOException {
        Files.write(directory.resolve("randgen.toml"), toml.getBytes(StandardCharsets.UTF_8));
        return SettingsFile.read(directory, "outputDirectory");
    }

    @Test
    void theDirectoryIsReadInEverySpellingThatTheBinaryReads() throws IOException {
        assertEquals("src/random", read("seed = 1\noutput-directory = \"src/random\"\n"));
        assertEquals("src/random", read("  outputDirectory='src/random' # here\r\nseed = 1\r\n"));
        assertEquals("src/random", read("\"output-directory\" = 'src/random'"));
    }

    @Test
    void withoutTheFileOrTheSettingThereIsNone() throws IOException {
        assertNull(SettingsFile.read(directory, "outputDirectory"));
        assertNull(read("# output-directory = \"src/random\"\nreports-directory = \"out\"\n"));
    }

    @Test
    void whatIsNoPlainTextIsRefused() {
        String toml = "output-directory = \"\"\"src\"\"\"";
        String message = assertThrows(IOException.class, () -> read(toml)).getMessage();
        assertTrue(message.endsWith("has to be true, false or a plain text in quotes, found \"\"\"src\"\"\""), message);
    }

    @Test
    void switchesAreReadInEverySpellingToo() throws IOException {
        read("skip = true # for now\nfail-when-no-tests=false\n");
        assertEquals("true", SettingsFile.read(directory, "skip"));
        assertEquals("false", SettingsFile.read(directory, "failWhenNoTests"));
        read("failWhenNoTests = true\n");
        assertNull(SettingsFile.read(directory, "skip"));
        assertEquals("true", SettingsFile.read(directory, "failWhenNoTests"));
    }
}
