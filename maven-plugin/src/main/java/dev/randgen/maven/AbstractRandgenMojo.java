package dev.randgen.maven;

import dev.randgen.plugin.Arguments;
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

    // begin: parameters, written by `UPDATE=1 cargo test --test tidy`
    /** Skip this run: neither generate nor check anything. Default: {@code false}. */
    @Parameter(property = "randgen.skip")
    private String skip;

    /** Test only these classes, with their nested classes: globs such as {@code com.shop.*}. Default: all. */
    @Parameter(property = "randgen.targetClasses")
    private List<String> targetClasses;

    /** Exclude these classes, with their nested classes: globs such as {@code com.shop.internal.*}. Default: none. */
    @Parameter(property = "randgen.excludedClasses")
    private List<String> excludedClasses;

    /**
     * Do not call these methods: globs for a name or for {@code package.Class.name}, such as
     * {@code main,com.shop.Db.drop*}. Default: none.
     */
    @Parameter(property = "randgen.excludedMethods")
    private List<String> excludedMethods;

    /**
     * Check after every call that these methods of the changed objects return true, or nothing without throwing, like
     * those marked {@code @CheckRep}: globs such as {@code repOk,com.shop.*.check*}. Default: none.
     */
    @Parameter(property = "randgen.contractMethods")
    private List<String> contractMethods;

    /**
     * Test through {@code public} and protected members, others only where these do not lead, or through all of the
     * {@code package}. Default: {@code public}.
     */
    @Parameter(property = "randgen.access")
    private String access;

    /** Write tests to this directory of the module. Default: {@code src/test/generated}. */
    @Parameter(property = "randgen.outputDirectory", defaultValue = "src/test/generated")
    private String outputDirectory;

    /** Write reports to this directory of the module. Default: {@code target/randgen}. */
    @Parameter(property = "randgen.reportsDirectory")
    private String reportsDirectory;

    /** Derive all random choices from this number. Default: {@code 0}. */
    @Parameter(property = "randgen.seed")
    private String seed;

    /** Limit the search to this many seconds per class. Default: {@code 10}. */
    @Parameter(property = "randgen.timeLimit")
    private String timeLimit;

    /** Limit the search to this many seconds per module, instead of per class. Default: none. */
    @Parameter(property = "randgen.totalTimeLimit")
    private String totalTimeLimit;

    /**
     * Limit the search to this many sequences per module; seed and limit then determine every byte of the output.
     * Default: none.
     */
    @Parameter(property = "randgen.sequenceLimit")
    private String sequenceLimit;

    /** Search only classes that changed since the last run. Default: {@code true}. */
    @Parameter(property = "randgen.incremental")
    private String incremental;

    /**
     * Accept what is there now: {@code generate} replaces tests of earlier runs that fail, of all classes or of these,
     * such as {@code com.shop.Cart}; {@code specs} writes {@code randgen-specs.toml}, which {@code specs} and
     * {@code check} then hold the code to. Default: none.
     */
    @Parameter(property = "randgen.accept")
    private String accept;

    /**
     * Test only this part of each module's classes, such as {@code 3/8}; {@code randgen merge} merges the parts.
     * Default: all.
     */
    @Parameter(property = "randgen.shard")
    private String shard;

    /** Write collaborators as mocks if the tests have Mockito. Default: {@code true}. */
    @Parameter(property = "randgen.mocks")
    private String mocks;

    /**
     * Disable these components of the search, such as {@code bloodhound,detective}; {@code mutants} disables mutation
     * analysis. Default: none.
     */
    @Parameter(property = "randgen.disable")
    private List<String> disable;

    /**
     * The old name of {@code disable}.
     *
     * @deprecated use {@code disable}
     */
    @Deprecated
    @Parameter(property = "randgen.without")
    private List<String> without;

    /**
     * Compare object states by {@code whole-seq}, {@code modifying-seq}, {@code whole-state}, {@code monitor-equals} or
     * {@code pairwise-equals}. Default: {@code whole-state}.
     */
    @Parameter(property = "randgen.stateAbstraction")
    private String stateAbstraction;

    /**
     * The old name of {@code stateAbstraction}.
     *
     * @deprecated use {@code stateAbstraction}
     */
    @Deprecated
    @Parameter(property = "randgen.state")
    private String state;

    /** Run this many workers in parallel. Default: one per processor. */
    @Parameter(property = "randgen.threads")
    private String threads;

    /** Write tests for this version of JUnit: {@code auto}, {@code 4} or {@code 5}. Default: {@code auto}. */
    @Parameter(property = "randgen.junit")
    private String junit;

    /**
     * Write assertions of this library: {@code junit}, {@code assertj}, or with {@code auto} AssertJ where the
     * project's own tests use it. Default: {@code auto}.
     */
    @Parameter(property = "randgen.assertions")
    private String assertions;

    /**
     * Name test methods in this form: {@code method-condition-result}, {@code camel-case} or {@code sentences} (with
     * {@code @DisplayName}). Default: {@code method-condition-result}.
     */
    @Parameter(property = "randgen.testNames")
    private String testNames;

    /**
     * Write comments above the paragraphs of a test: {@code none} or {@code given-when-then}. Default: {@code none}.
     */
    @Parameter(property = "randgen.testComments")
    private String testComments;

    /**
     * Write tests of exceptions that the code does not throw on purpose, in classes of their own: {@code drop} or
     * {@code keep}. Default: {@code drop}.
     */
    @Parameter(property = "randgen.implicitExceptions")
    private String implicitExceptions;

    /** Pass these arguments, separated by spaces, to the JVM that runs the code under test. Default: none. */
    @Parameter(property = "randgen.jvmArgs")
    private List<String> jvmArgs;

    /**
     * Set the isolation level of the code under test: {@code strict}, {@code reduced} or {@code off}. Default:
     * {@code strict}.
     */
    @Parameter(property = "randgen.sandbox")
    private String sandbox;

    /**
     * Report only findings with at least this confidence: {@code certain}, {@code likely} or {@code possible}. Default:
     * {@code likely}.
     */
    @Parameter(property = "randgen.minConfidence")
    private String minConfidence;

    /**
     * Disable these finding rules, such as {@code null-argument,deprecated-code}; {@code randgen explain RULE} explains
     * a rule. Default: none.
     */
    @Parameter(property = "randgen.disabledRules")
    private List<String> disabledRules;

    /** Fail if no class of the module has a test. Default: {@code false}. */
    @Parameter(property = "randgen.failWhenNoTests")
    private String failWhenNoTests;

    /**
     * Write reports in these formats: {@code junit-xml}, {@code json}, {@code markdown}, {@code sarif}, {@code html}.
     * Default: all.
     */
    @Parameter(property = "randgen.outputFormats")
    private List<String> outputFormats;

    /** Let {@code check} read known findings from this file of the module. Default: {@code randgen-baseline.toml}. */
    @Parameter(property = "randgen.baseline")
    private String baseline;

    /** Let {@code check} write the current findings to the baseline. Default: {@code false}. */
    @Parameter(property = "randgen.updateBaseline")
    private String updateBaseline;

    /**
     * Let {@code check} fail on findings outside the baseline: {@code new}, unless the last version that passed shows
     * them too, or {@code any}. Default: {@code new}.
     */
    @Parameter(property = "randgen.failOn")
    private String failOn;

    /** Let {@code check} fail if a finding of the baseline no longer occurs. Default: {@code false}. */
    @Parameter(property = "randgen.strict")
    private String strict;

    /** Let {@code check} fail if the tests cover less than this percentage of the edges. Default: none. */
    @Parameter(property = "randgen.coverageThreshold")
    private String coverageThreshold;

    /** Let {@code check} fail if the tests kill less than this percentage of the mutants. Default: none. */
    @Parameter(property = "randgen.mutationThreshold")
    private String mutationThreshold;

    /**
     * Let {@code check} fail if more than this percentage of the module's compiled tests is redundant. Default: none.
     */
    @Parameter(property = "randgen.maxRedundancy")
    private String maxRedundancy;

    /**
     * Let Maven download JUnit or AssertJ, whose published SHA-256 is checked, if neither {@code --classpath} nor the
     * local Maven repository has what the tests use. Default: {@code true}.
     */
    @Parameter(property = "randgen.fetchJunit")
    private String fetchJunit;

    /** Let the Maven or Gradle plugin start this binary instead of its own. Default: found by the plugin. */
    @Parameter(property = "randgen.executable")
    private String executable;

    /** Print the value and the origin of each setting. Default: {@code false}. */
    @Parameter(property = "randgen.verbose")
    private String verbose;

    /** Do everything except writing into the project. Default: {@code false}. */
    @Parameter(property = "randgen.dryRun")
    private String dryRun;
    // end: parameters

    /** The binary's command. */
    abstract String command();

    /** Whether {@code maven.test.skip} and {@code skipTests} mean this goal too. */
    boolean skipsWithTests() {
        return false;
    }

    /** What the command takes besides settings. */
    Arguments arguments() throws IOException {
        return new Arguments();
    }

    /** Whether there is nothing to do in a module without classes. */
    boolean needsClasses() {
        return true;
    }

    @Override
    public final void execute() throws MojoExecutionException, MojoFailureException {
        if (project.getPackaging().equals("pom")) {
            getLog().debug("randgen: nothing to test in a module without classes");
            return;
        }
        offerClasses();
        try {
            // Also when skipped: tests of an earlier run are tests of this build.
            String tests = strongest("outputDirectory", outputDirectory);
            project.addTestCompileSourceRoot(resolve(project.getBasedir(), tests).getPath());
            if (Boolean.parseBoolean(strongest("skip", skip)) || (skipsWithTests() && (mavenTestSkip || skipTests))) {
                getLog().info("randgen: skipped");
                return;
            }
            // A reactor has modules of resources alone; they are no reason to start anything, or to fail.
            if (needsClasses()
                    && !hasFiles(project.getBuild().getOutputDirectory(), ".class")
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
            int exitCode = run.run(binary, command(), arguments().asList(), request, project.getBasedir());
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

    /**
     * Lets later modules of the build resolve this one, as a processor of annotations or a plugin of theirs.
     *
     * <p>The compiler plugin does so as well, but in a forked lifecycle only for a copy of the project.
     */
    private void offerClasses() {
        File classes = new File(project.getBuild().getOutputDirectory());
        if (project.getArtifact().getFile() == null && classes.isDirectory()) {
            project.getArtifact().setFile(classes);
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

    /** A file that is named in the POM or on the command line, as the binary finds it. */
    final File inModule(String path) {
        return path == null ? null : resolve(project.getBasedir(), path);
    }

    /** The setting as this build has it, for a command that has an argument of the same name; or null. */
    final String stateAbstraction() throws IOException {
        return strongest("stateAbstraction", stateAbstraction);
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
        // begin: entries, written by `UPDATE=1 cargo test --test tidy`
        settings.put("skip", skip);
        settings.put("targetClasses", members("targetClasses", targetClasses));
        settings.put("excludedClasses", members("excludedClasses", excludedClasses));
        settings.put("excludedMethods", members("excludedMethods", excludedMethods));
        settings.put("contractMethods", members("contractMethods", contractMethods));
        settings.put("access", access);
        settings.put("outputDirectory", outputDirectory);
        settings.put("reportsDirectory", reportsDirectory);
        settings.put("seed", seed);
        settings.put("timeLimit", timeLimit);
        settings.put("totalTimeLimit", totalTimeLimit);
        settings.put("sequenceLimit", sequenceLimit);
        settings.put("incremental", incremental);
        settings.put("accept", accept);
        settings.put("shard", shard);
        settings.put("mocks", mocks);
        settings.put("disable", members("disable", disable));
        settings.put("without", members("without", without));
        settings.put("stateAbstraction", stateAbstraction);
        settings.put("state", state);
        settings.put("threads", threads);
        settings.put("junit", junit);
        settings.put("assertions", assertions);
        settings.put("testNames", testNames);
        settings.put("testComments", testComments);
        settings.put("implicitExceptions", implicitExceptions);
        settings.put("jvmArgs", members("jvmArgs", jvmArgs));
        settings.put("sandbox", sandbox);
        settings.put("minConfidence", minConfidence);
        settings.put("disabledRules", members("disabledRules", disabledRules));
        settings.put("failWhenNoTests", failWhenNoTests);
        settings.put("outputFormats", members("outputFormats", outputFormats));
        settings.put("baseline", baseline);
        settings.put("updateBaseline", updateBaseline);
        settings.put("failOn", failOn);
        settings.put("strict", strict);
        settings.put("coverageThreshold", coverageThreshold);
        settings.put("mutationThreshold", mutationThreshold);
        settings.put("maxRedundancy", maxRedundancy);
        settings.put("fetchJunit", fetchJunit);
        settings.put("verbose", verbose);
        settings.put("dryRun", dryRun);
        // end: entries
        return settings;
    }
}
