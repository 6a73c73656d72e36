package dev.randgen.maven;

import dev.randgen.plugin.Binary;
import dev.randgen.plugin.ExitCodes;
import dev.randgen.plugin.Run;
import dev.randgen.plugin.SettingsFile;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.inject.Inject;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.util.xml.Xpp3Dom;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.resolution.ArtifactRequest;
import org.eclipse.aether.resolution.ArtifactResolutionException;

/**
 * Translates the module's model into a request, starts the binary with it, and turns its exit code into a build result.
 *
 * <p>Nothing is decided here. Scalars are texts, because the binary checks values, and says what is wrong with them.
 */
abstract class AbstractRandgenMojo extends AbstractMojo {
    @Parameter(defaultValue = "${project}", readonly = true, required = true)
    private MavenProject project;

    @Parameter(defaultValue = "${session}", readonly = true, required = true)
    private MavenSession session;

    @Parameter(defaultValue = "${mojoExecution}", readonly = true, required = true)
    private MojoExecution mojoExecution;

    @Parameter(defaultValue = "${plugin.version}", readonly = true, required = true)
    private String pluginVersion;

    @Parameter(property = "maven.test.skip", readonly = true)
    private boolean mavenTestSkip;

    @Parameter(property = "skipTests", readonly = true)
    private boolean skipTests;

    @Inject
    private RepositorySystem repositorySystem;

    /** Generate nothing; the output directory stays a source directory of the tests. */
    @Parameter(property = "randgen.skip")
    private String skip;

    /** Classes to test, as globs such as {@code com.shop.*}; all unless set. */
    @Parameter(property = "randgen.targetClasses")
    private List<String> targetClasses;

    /** Classes not to test. */
    @Parameter(property = "randgen.excludedClasses")
    private List<String> excludedClasses;

    /** Methods not to call, as globs for a name or for {@code package.Class.name}. */
    @Parameter(property = "randgen.excludedMethods")
    private List<String> excludedMethods;

    /** Where tests go, relative to the module. */
    @Parameter(property = "randgen.outputDirectory", defaultValue = "src/test/generated")
    private String outputDirectory;

    /** Where reports go, relative to the module; {@code target/randgen} unless set. */
    @Parameter(property = "randgen.reportsDirectory")
    private String reportsDirectory;

    /** Root of all random choices. */
    @Parameter(property = "randgen.seed")
    private String seed;

    /** Seconds for each class; 10 unless set. */
    @Parameter(property = "randgen.timeLimit")
    private String timeLimit;

    /** Seconds for each module, however many classes it has. */
    @Parameter(property = "randgen.totalTimeLimit")
    private String totalTimeLimit;

    /** Sequences for each module; seed and limit then decide every byte. */
    @Parameter(property = "randgen.sequenceLimit")
    private String sequenceLimit;

    /** Search those classes alone that changed since the last run; true unless set. */
    @Parameter(property = "randgen.incremental")
    private String incremental;

    /** Test this part of each module's classes alone, such as 3/8; {@code randgen merge} joins the parts. */
    @Parameter(property = "randgen.shard")
    private String shard;

    /** Parts of guidance to search without, such as bloodhound. */
    @Parameter(property = "randgen.without")
    private List<String> without;

    /** What makes two objects one to the search: whole-seq, modifying-seq, whole-state, monitor-equals, pairwise-equals. */
    @Parameter(property = "randgen.state")
    private String state;

    /** Workers; one per processor unless set. */
    @Parameter(property = "randgen.threads")
    private String threads;

    /** Version of JUnit to write for: auto, 4 or 5. */
    @Parameter(property = "randgen.junit")
    private String junit;

    /** Arguments of the JVM under test. */
    @Parameter(property = "randgen.jvmArgs")
    private List<String> jvmArgs;

    /** How much the code under test is kept from: strict, reduced or off. */
    @Parameter(property = "randgen.sandbox")
    private String sandbox;

    /** How sure reported findings are at least: certain, likely or possible. */
    @Parameter(property = "randgen.minConfidence")
    private String minConfidence;

    /** Fail when no class could be tested. */
    @Parameter(property = "randgen.failWhenNoTests")
    private String failWhenNoTests;

    /** Reports to write. */
    @Parameter(property = "randgen.outputFormats")
    private List<String> outputFormats;

    /** The file of known failures. */
    @Parameter(property = "randgen.baseline")
    private String baseline;

    /** Let {@code check} write the failures that are there to the baseline. */
    @Parameter(property = "randgen.updateBaseline")
    private String updateBaseline;

    /** Let {@code check} fail when known failures are gone. */
    @Parameter(property = "randgen.strict")
    private String strict;

    /** Let {@code check} fail when the tests cover less of the edges, in per cent. */
    @Parameter(property = "randgen.coverageThreshold")
    private String coverageThreshold;

    /** Let {@code check} fail when the tests notice less of the mutants, in per cent. */
    @Parameter(property = "randgen.mutationThreshold")
    private String mutationThreshold;

    /** Let {@code check} fail when more of the module's compiled tests are redundant, in per cent. */
    @Parameter(property = "randgen.maxRedundancy")
    private String maxRedundancy;

    /** The binary to start, instead of the one that belongs to this version. */
    @Parameter(property = "randgen.executable")
    private String executable;

    /** Say more of what happens. */
    @Parameter(property = "randgen.verbose")
    private String verbose;

    /** Do everything but write into the project. */
    @Parameter(property = "randgen.dryRun")
    private String dryRun;

    /** The binary's command. */
    abstract String command();

    /** Whether {@code maven.test.skip} and {@code skipTests} mean this goal too. */
    abstract boolean skipsWithTests();

    @Override
    public final void execute() throws MojoExecutionException, MojoFailureException {
        if (project.getPackaging().equals("pom")) {
            getLog().debug("randgen: nothing to test in a module without classes");
            return;
        }
        try {
            // Also when skipped: tests of an earlier run are tests of this build.
            String tests = strongest("outputDirectory", outputDirectory);
            project.addTestCompileSourceRoot(resolve(project.getBasedir(), tests).getPath());
            if (Boolean.parseBoolean(strongest("skip", skip)) || (skipsWithTests() && (mavenTestSkip || skipTests))) {
                getLog().info("randgen: skipped");
                return;
            }
            // A reactor has modules of resources alone; they are no reason to start anything, or to fail.
            if (!hasFiles(project.getBuild().getOutputDirectory(), ".class")
                    && !Boolean.parseBoolean(strongest("failWhenNoTests", failWhenNoTests))) {
                if (command().equals("check") && hasSources()) {
                    throw new MojoExecutionException(
                            "the module has sources and no classes: compile it before its gate is asked");
                }
                getLog().info("randgen: the module has no classes");
                return;
            }
            Path request = new ModuleRequest(project, session).write(settings());
            File named = executable();
            File binary = Binary.find(named, named == null ? published() : null, "-Drandgen.executable");
            Run run = new Run(getLog()::error, getLog()::warn, getLog()::info);
            int exitCode = run.run(binary, command(), request, project.getBasedir());
            String failure = ExitCodes.failure(exitCode);
            if (failure != null && ExitCodes.isAboutTheCode(exitCode)) {
                throw new MojoFailureException(failure);
            } else if (failure != null) {
                throw new MojoExecutionException(failure);
            }
        } catch (IOException error) {
            throw new MojoExecutionException("cannot run randgen: " + error.getMessage(), error);
        }
    }

    private String strongest(String name, String configured) throws IOException {
        String typed = session.getUserProperties().getProperty("randgen." + name);
        File projectRoot = session.getTopLevelProject().getBasedir();
        return SettingsFile.strongest(name, typed, project.getBasedir(), projectRoot, configured);
    }

    /** One from the command line is relative to where Maven was started, one from the POM to the module. */
    private File executable() {
        String typed = session.getUserProperties().getProperty("randgen.executable");
        if (typed != null) {
            return resolve(new File(session.getExecutionRootDirectory()), typed);
        }
        return executable == null ? null : resolve(project.getBasedir(), executable);
    }

    /** The binary of this version that the repositories have for this machine, or null. */
    private File published() {
        Artifact artifact = new DefaultArtifact("dev.randgen", "randgen", Binary.classifier(), "exe", pluginVersion);
        ArtifactRequest request =
                new ArtifactRequest(artifact, project.getRemotePluginRepositories(), "randgen-maven-plugin");
        try {
            return repositorySystem
                    .resolveArtifact(session.getRepositorySession(), request)
                    .getArtifact()
                    .getFile();
        } catch (ArtifactResolutionException error) {
            getLog().debug("randgen: no binary in the repositories", error);
            return null;
        }
    }

    private static File resolve(File directory, String path) {
        File file = new File(path);
        return file.isAbsolute() ? file : new File(directory, path);
    }

    private boolean hasSources() throws IOException {
        for (String root : project.getCompileSourceRoots()) {
            if (hasFiles(root, ".java")) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasFiles(String directory, String ending) throws IOException {
        Path root = new File(directory).toPath();
        if (!Files.isDirectory(root)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(root)) {
            return files.anyMatch(file -> file.toString().endsWith(ending));
        }
    }

    /**
     * A list as its members, or as the text that the POM has in place of members; null if it is not set.
     *
     * <p>Maven has split such a text at commas; only the binary knows where members of this setting end.
     */
    private Object members(String name, List<String> members) {
        // Maven gives an empty list for none.
        if (members == null || members.isEmpty()) {
            return null;
        }
        Xpp3Dom configuration = mojoExecution.getConfiguration();
        Xpp3Dom element = configuration == null ? null : configuration.getChild(name);
        boolean isText = element != null && element.getChildCount() == 0;
        return isText ? String.join(",", members) : members;
    }

    /** All settings under their names; values are texts, lists of texts, or null. */
    private Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("skip", skip);
        settings.put("targetClasses", members("targetClasses", targetClasses));
        settings.put("excludedClasses", members("excludedClasses", excludedClasses));
        settings.put("excludedMethods", members("excludedMethods", excludedMethods));
        settings.put("outputDirectory", outputDirectory);
        settings.put("reportsDirectory", reportsDirectory);
        settings.put("seed", seed);
        settings.put("timeLimit", timeLimit);
        settings.put("totalTimeLimit", totalTimeLimit);
        settings.put("sequenceLimit", sequenceLimit);
        settings.put("incremental", incremental);
        settings.put("shard", shard);
        settings.put("without", members("without", without));
        settings.put("state", state);
        settings.put("threads", threads);
        settings.put("junit", junit);
        settings.put("jvmArgs", members("jvmArgs", jvmArgs));
        settings.put("sandbox", sandbox);
        settings.put("minConfidence", minConfidence);
        settings.put("failWhenNoTests", failWhenNoTests);
        settings.put("outputFormats", members("outputFormats", outputFormats));
        settings.put("baseline", baseline);
        settings.put("updateBaseline", updateBaseline);
        settings.put("strict", strict);
        settings.put("coverageThreshold", coverageThreshold);
        settings.put("mutationThreshold", mutationThreshold);
        settings.put("maxRedundancy", maxRedundancy);
        settings.put("verbose", verbose);
        settings.put("dryRun", dryRun);
        return settings;
    }
}
