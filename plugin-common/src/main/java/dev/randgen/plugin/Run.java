package dev.randgen.plugin;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One run of the binary; what it prints goes to the build's log, line by line. */
public final class Run {
    private final Consumer<String> errors;
    private final Consumer<String> warnings;
    private final Consumer<String> lines;

    public Run(Consumer<String> errors, Consumer<String> warnings, Consumer<String> lines) {
        this.errors = errors;
        this.warnings = warnings;
        this.lines = lines;
    }

    /**
     * The exit code.
     *
     * @param command such as {@code generate}
     * @param arguments of the command besides settings
     */
    public int run(File binary, String command, List<String> arguments, Path request, File directory)
            throws IOException {
        List<String> words = new ArrayList<>(Arrays.asList(
                binary.getPath(), command, "--request", request.toString(), "--progress", "plain"));
        words.addAll(arguments);
        Process process = new ProcessBuilder(words)
                .directory(directory)
                .redirectErrorStream(true)
                .start();
        Thread stop = new Thread(() -> stop(process));
        Runtime.getRuntime().addShutdownHook(stop);
        try {
            process.getOutputStream().close();
            BufferedReader output =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                print(line);
            }
            return process.waitFor();
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interruption);
        } finally {
            process.destroy();
            try {
                Runtime.getRuntime().removeShutdownHook(stop);
            } catch (IllegalStateException shutdown) {
                // The build is being stopped, and the hook runs.
            }
        }
    }

    /**
     * A build that is stopped takes the run with it.
     *
     * <p>Ctrl-C in a terminal reaches the binary too: it writes what is complete and ends by itself, but a second
     * signal would cut it short. So it has the time for that before it is asked, and again before it is killed.
     */
    private static void stop(Process process) {
        try {
            if (!process.waitFor(3, TimeUnit.SECONDS)) {
                process.destroy();
                if (!process.waitFor(3, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            }
        } catch (InterruptedException interruption) {
            process.destroyForcibly();
        }
    }

    private void print(String line) {
        if (line.startsWith("error: ")) {
            errors.accept(line.substring("error: ".length()));
        } else if (line.startsWith("warning: ")) {
            warnings.accept(line.substring("warning: ".length()));
        } else {
            lines.accept(line);
        }
    }
}
