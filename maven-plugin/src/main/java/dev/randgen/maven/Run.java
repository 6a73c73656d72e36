package dev.randgen.maven;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
        // A build that is stopped takes the run with it.
        Thread stop = new Thread(process::destroy);
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
