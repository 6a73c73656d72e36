package dev.randgen.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BinaryTest {
    private static final String NAME = File.separatorChar == '\\' ? "randgen.exe" : "randgen";

    @TempDir
    File home;

    @Test
    void binaryOnPathComesBeforeCargos() throws IOException {
        create(".cargo/bin");
        File onPath = create("tools");
        String path = new File(home, "missing") + File.pathSeparator + onPath.getParent();
        assertEquals(onPath, Binary.installed(Collections.singletonMap("PATH", path), home.getPath(), "-Dx"));
    }

    @Test
    void binaryOfCargoNeedsNoPath() throws IOException {
        File cargos = create(".cargo/bin");
        assertEquals(cargos, Binary.installed(Collections.emptyMap(), home.getPath(), "-Dx"));
    }

    @Test
    void cargoHomeReplacesTheDefault() throws IOException {
        create(".cargo/bin");
        File elsewhere = create("cargo/bin");
        Map<String, String> environment = new HashMap<>();
        environment.put("CARGO_HOME", new File(home, "cargo").getPath());
        assertEquals(elsewhere, Binary.installed(environment, home.getPath(), "-Dx"));
    }

    @Test
    void homeOfTheEnvironmentComesBeforeThatOfJava() throws IOException {
        File cargos = create(".cargo/bin");
        Map<String, String> environment = Collections.singletonMap("HOME", home.getPath());
        assertEquals(cargos, Binary.installed(environment, "/nowhere", "-Dx"));
    }

    @Test
    void fileThatCannotBeExecutedIsNoBinary() throws IOException {
        assertTrue(create(".cargo/bin").setExecutable(false));
        assertThrows(IOException.class, () -> Binary.installed(Collections.emptyMap(), home.getPath(), "-Dx"));
    }

    @Test
    void missingBinaryIsReportedWithTheCommandsThatInstallIt() {
        IOException missing =
                assertThrows(IOException.class, () -> Binary.installed(Collections.emptyMap(), home.getPath(), "-Dx"));
        assertEquals(
                "there is no randgen binary on PATH, in " + new File(home, ".cargo/bin")
                        + " or, as dev.randgen:randgen:exe:" + Binary.classifier()
                        + ", in a repository: run `make install`, or for the binary alone `cargo install --path .`,"
                        + " in a clone of randgen, or name a binary with -Dx",
                missing.getMessage());
    }

    private File create(String directory) throws IOException {
        File file = new File(new File(home, directory), NAME);
        assertTrue(file.getParentFile().mkdirs());
        assertTrue(file.createNewFile() && file.setExecutable(true));
        return file;
    }
}
