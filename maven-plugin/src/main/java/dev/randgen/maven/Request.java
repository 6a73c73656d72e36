package dev.randgen.maven;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.maven.artifact.DependencyResolutionRequiredException;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/** The file that tells the binary everything about a module. */
final class Request {
    private final MavenProject project;
    private final MavenSession session;

    Request(MavenProject project, MavenSession session) {
        this.project = project;
        this.session = session;
    }

    /**
     * Writes the request into the build directory.
     *
     * <p>Settings given on Maven's command line are kept apart from those of the POM, as {@code randgen.toml} stands
     * between them.
     */
    Path write(Map<String, Object> settings) throws IOException {
        Toml toml = new Toml();
        toml.number("version", 1);
        toml.text("java-home", javaHome());
        toml.table("module");
        writeModule(toml);
        toml.table("flags");
        for (String name : settings.keySet()) {
            // As typed: what a comma means in it depends on the setting.
            toml.text(name, session.getUserProperties().getProperty("randgen." + name));
        }
        toml.table("configuration");
        for (Map.Entry<String, Object> setting : settings.entrySet()) {
            if (session.getUserProperties().getProperty("randgen." + setting.getKey()) == null) {
                toml.value(setting.getKey(), setting.getValue());
            }
        }
        Path directory = new File(project.getBuild().getDirectory(), "randgen").toPath();
        Files.createDirectories(directory);
        Path file = directory.resolve("request.toml");
        Files.write(file, toml.toString().getBytes(StandardCharsets.UTF_8));
        return file;
    }

    private void writeModule(Toml toml) throws IOException {
        String classes = project.getBuild().getOutputDirectory();
        String testClasses = project.getBuild().getTestOutputDirectory();
        List<String> dependencies;
        try {
            dependencies = new ArrayList<>(project.getTestClasspathElements());
        } catch (DependencyResolutionRequiredException error) {
            throw new IOException("the module's dependencies are not resolved", error);
        }
        dependencies.remove(classes);
        dependencies.remove(testClasses);
        toml.text("name", project.getArtifactId());
        toml.text("basedir", project.getBasedir().getPath());
        toml.text("project-root", session.getTopLevelProject().getBasedir().getPath());
        toml.value("classes", Collections.singletonList(classes));
        toml.text("test-classes", testClasses);
        toml.value("dependencies", dependencies);
        toml.text("source-level", sourceLevel());
        toml.text("source-encoding", compilerSetting("encoding", "project.build.sourceEncoding"));
        toml.value("source-roots", project.getCompileSourceRoots());
        toml.value("test-source-roots", project.getTestCompileSourceRoots());
        toml.text("build-directory", project.getBuild().getDirectory());
    }

    /** What the compiler plugin is told of the tests' language, or null. */
    private String sourceLevel() {
        for (String name : new String[] {"testRelease", "release", "testSource", "source"}) {
            String level = compilerSetting(name, "maven.compiler." + name);
            if (level != null) {
                return level;
            }
        }
        return null;
    }

    /** What the compiler of tests is told: by its configuration, else by a property. */
    private String compilerSetting(String name, String property) {
        Xpp3Dom compiler = project.getGoalConfiguration(
                "org.apache.maven.plugins", "maven-compiler-plugin", "default-testCompile", "testCompile");
        Xpp3Dom configured = compiler == null ? null : compiler.getChild(name);
        if (configured != null && configured.getValue() != null && !configured.getValue().isEmpty()) {
            return configured.getValue();
        }
        String value = session.getUserProperties().getProperty(property, project.getProperties().getProperty(property));
        return value == null || value.isEmpty() ? null : value;
    }

    /** Of the JVM that Maven runs on: before Java 9 that names the JRE in a JDK. */
    private static String javaHome() {
        File home = new File(System.getProperty("java.home"));
        return home.getName().equals("jre") ? home.getParent() : home.getPath();
    }
}
