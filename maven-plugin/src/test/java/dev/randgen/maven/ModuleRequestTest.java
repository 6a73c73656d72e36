package dev.randgen.maven;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.maven.execution.DefaultMavenExecutionRequest;
import org.apache.maven.execution.DefaultMavenExecutionResult;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Plugin;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.util.xml.Xpp3Dom;
import org.eclipse.aether.DefaultRepositorySystemSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModuleRequestTest {
    @TempDir
    Path basedir;

    private final MavenProject project = new MavenProject();
    private final DefaultMavenExecutionRequest execution = new DefaultMavenExecutionRequest();
    private final Map<String, Object> settings = new LinkedHashMap<>();

    @BeforeEach
    void module() {
        project.setArtifactId("core");
        project.setFile(basedir.resolve("pom.xml").toFile());
        project.getBuild().setDirectory(basedir.resolve("target").toString());
        project.getBuild().setOutputDirectory(basedir.resolve("target/classes").toString());
        project.getBuild().setTestOutputDirectory(basedir.resolve("target/test-classes").toString());
        project.addCompileSourceRoot(basedir.resolve("src/main/java").toString());
        project.setArtifacts(Collections.emptySet());
    }

    @SuppressWarnings("deprecation") // Maven has no other way to make a session.
    private String written() throws IOException {
        MavenSession session = new MavenSession(
                null, new DefaultRepositorySystemSession(), execution, new DefaultMavenExecutionResult());
        session.setProjects(Collections.singletonList(project));
        Path file = new ModuleRequest(project, session).write(settings);
        assertEquals(basedir.resolve("target/randgen/request.toml"), file);
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    private void assertWritten(String line) throws IOException {
        String text = written();
        assertTrue(Arrays.asList(text.split("\n")).contains(line), "no line " + line + " in\n" + text);
    }

    private void compilerConfiguration(String name, String value) {
        Xpp3Dom element = new Xpp3Dom(name);
        element.setValue(value);
        Xpp3Dom configuration = new Xpp3Dom("configuration");
        configuration.addChild(element);
        Plugin plugin = new Plugin();
        plugin.setGroupId("org.apache.maven.plugins");
        plugin.setArtifactId("maven-compiler-plugin");
        plugin.setConfiguration(configuration);
        project.getBuild().addPlugin(plugin);
    }

    @Test
    void theModuleIsWhatMavenMadeOfIt() throws IOException {
        assertWritten("name = \"core\"");
        assertWritten("basedir = \"" + basedir + "\"");
        assertWritten("classes = [\"" + basedir.resolve("target/classes") + "\"]");
        assertWritten("test-classes = \"" + basedir.resolve("target/test-classes") + "\"");
        assertWritten("dependencies = []");
        assertWritten("source-roots = [\"" + basedir.resolve("src/main/java") + "\"]");
        assertFalse(written().contains("source-level"));
    }

    @Test
    void theCommandLineIsKeptApartFromThePom() throws IOException {
        settings.put("seed", "8");
        settings.put("timeLimit", "5");
        settings.put("junit", null);
        execution.getUserProperties().setProperty("randgen.seed", "7");
        String text = written();
        assertTrue(text.endsWith("[flags]\nseed = \"7\"\n[configuration]\ntimeLimit = \"5\"\n"), text);
    }

    @Test
    void listsOfTheCommandLineStayTexts() throws IOException {
        settings.put("targetClasses", Arrays.asList("a.*", "b"));
        execution.getUserProperties().setProperty("randgen.targetClasses", "a.*,b");
        assertWritten("targetClasses = \"a.*,b\"");
    }

    @Test
    void theLanguageOfTestsGoesBeforeThatOfClasses() throws IOException {
        project.getProperties().setProperty("maven.compiler.source", "1.8");
        assertWritten("source-level = \"1.8\"");
        project.getProperties().setProperty("maven.compiler.testRelease", "17");
        assertWritten("source-level = \"17\"");
    }

    @Test
    void theCompilersConfigurationGoesBeforeProperties() throws IOException {
        project.getProperties().setProperty("maven.compiler.release", "8");
        project.getProperties().setProperty("project.build.sourceEncoding", "UTF-8");
        compilerConfiguration("release", "11");
        assertWritten("source-level = \"11\"");
        assertWritten("source-encoding = \"UTF-8\"");
    }

    @Test
    void emptyConfigurationIsNone() throws IOException {
        compilerConfiguration("release", "");
        project.getProperties().setProperty("maven.compiler.release", "");
        assertFalse(written().contains("source-level"));
    }
}
