package dev.randgen.maven;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.logging.Log;
import org.apache.maven.project.MavenProject;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.resolution.ArtifactRequest;
import org.eclipse.aether.resolution.ArtifactResolutionException;

/** Finds the randgen binary: the one named, the one published with this plugin, or one on PATH. */
final class Binary {
    private final RepositorySystem repositorySystem;
    private final MavenSession session;
    private final MavenProject project;
    private final String version;
    private final Log log;

    Binary(RepositorySystem repositorySystem, MavenSession session, MavenProject project, String version, Log log) {
        this.repositorySystem = repositorySystem;
        this.session = session;
        this.project = project;
        this.version = version;
        this.log = log;
    }

    Path find(File named) throws IOException {
        if (named != null) {
            if (!named.isFile()) {
                throw new IOException("there is no file " + named + "; name the binary with -Drandgen.executable");
            }
            if (!named.canExecute()) {
                throw new IOException(named + " is not executable; name the binary with -Drandgen.executable");
            }
            return named.toPath();
        }
        Artifact artifact = new DefaultArtifact("dev.randgen", "randgen", classifier(), "exe", version);
        try {
            ArtifactRequest request =
                    new ArtifactRequest(artifact, project.getRemotePluginRepositories(), "randgen-maven-plugin");
            File resolved = repositorySystem
                    .resolveArtifact(session.getRepositorySession(), request)
                    .getArtifact()
                    .getFile();
            // Repositories do not keep permissions.
            if (!resolved.canExecute() && !resolved.setExecutable(true)) {
                throw new IOException(resolved + " cannot be made executable");
            }
            return resolved.toPath();
        } catch (ArtifactResolutionException error) {
            log.debug("randgen: no binary in the repositories", error);
        }
        String path = System.getenv("PATH");
        for (String directory : path == null ? new String[0] : path.split(Pattern.quote(File.pathSeparator))) {
            File candidate = new File(directory, isWindows() ? "randgen.exe" : "randgen");
            if (!directory.isEmpty() && candidate.isFile() && candidate.canExecute()) {
                return candidate.toPath();
            }
        }
        throw new IOException("there is no randgen binary: " + artifact
                + " is in no repository, and none is on PATH; name one with -Drandgen.executable");
    }

    /** Such as {@code linux-x86_64}. */
    static String classifier() {
        String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String system = name.startsWith("windows") ? "windows" : name.startsWith("mac") ? "osx" : "linux";
        String architecture = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return system + "-" + (architecture.equals("amd64") ? "x86_64" : architecture);
    }

    private static boolean isWindows() {
        return File.separatorChar == '\\';
    }
}
