package dev.randgen.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RequestTest {
    @TempDir
    Path directory;

    private Path write() throws IOException {
        return new Request().write(directory.resolve("target").toFile(), new File("/jdk"));
    }

    @Test
    void requestOfTheLastRunIsReplaced() throws IOException {
        Path file = write();
        Files.write(file, Collections.singletonList("old"));
        assertEquals(file, write());
        assertTrue(Files.readAllLines(file).contains("java-home = \"/jdk\""));
    }

    @Test
    void linkInTheBuildDirectoryIsNotWrittenThrough() throws IOException {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Path kept = Files.write(outside.resolve("kept"), Collections.singletonList("text"));
        Path reports = Files.createDirectories(directory.resolve("target/randgen"));
        Files.createSymbolicLink(reports.resolve("request.toml"), kept);
        assertFalse(Files.isSymbolicLink(write()));
        assertEquals(Collections.singletonList("text"), Files.readAllLines(kept));
        Files.delete(reports.resolve("request.toml"));
        Files.delete(reports);
        Files.createSymbolicLink(reports, outside);
        assertThrows(IOException.class, this::write);
        assertEquals(1, outside.toFile().list().length);
    }
}
