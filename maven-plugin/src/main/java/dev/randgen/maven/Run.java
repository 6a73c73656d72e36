package dev.randgen.maven;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.maven.plugin.logging.Log;

/** One run of the binary; what it prints goes to Maven's log, line by line. */
final class Run {
    private final Log log;

    Run(Log log) {
        this.log = log;
    }

    int run(Path binary, Path request, File directory) throws IOException {
        Process process = new ProcessBuilder(
                        binary.toString(), "generate", "--request", request.toString(), "--progress", "plain")
                .directory(directory)
                .redirectErrorStream(true)
                .start();
        Thread stop = new Thread(() -> stop(process));
        Runtime.getRuntime().addShutdownHook(stop);
        try {
            process.getOutputStream().close();
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
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
                log.debug("randgen: the build is being stopped");
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
            log.error(line.substring("error: ".length()));
        } else if (line.startsWith("warning: ")) {
            log.warn(line.substring("warning: ".length()));
        } else {
            log.info(line);
        }
    }
}
