package dev.randgen.maven;

import dev.randgen.plugin.Request;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.maven.artifact.DependencyResolutionRequiredException;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/** Translates Maven's model of a module into a request. */
final class ModuleRequest {
    private final MavenProject project;
    private final MavenSession session;

    ModuleRequest(MavenProject project, MavenSession session) {
        this.project = project;
        this.session = session;
    }

    /** Writes the request with these settings, of which those given on Maven's command line are kept apart. */
    Path write(Map<String, Object> settings) throws IOException {
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
        Request request = new Request();
        request.module("name", project.getArtifactId());
        request.module("basedir", project.getBasedir().getPath());
        request.module("project-root", session.getTopLevelProject().getBasedir().getPath());
        request.module("classes", Collections.singletonList(classes));
        request.module("test-classes", testClasses);
        request.module("dependencies", dependencies);
        request.module("source-level", sourceLevel());
        request.module("source-encoding", compilerSetting("encoding", "project.build.sourceEncoding"));
        request.module("source-roots", project.getCompileSourceRoots());
        request.module("test-source-roots", project.getTestCompileSourceRoots());
        settings.forEach((name, configured) ->
                request.setting(name, session.getUserProperties().getProperty("randgen." + name), configured));
        return request.write(new File(project.getBuild().getDirectory()), Request.ownJavaHome());
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
}
