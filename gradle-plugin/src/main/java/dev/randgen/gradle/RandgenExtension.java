package dev.randgen.gradle;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.gradle.api.model.ObjectFactory;
import org.gradle.api.provider.Property;

/**
 * {@code randgen { }} of a build script.
 *
 * <p>Values are texts, numbers, true or false, or lists of them, because the binary checks values, and says what is wrong
 * with them.
 */
public class RandgenExtension {
    private final Map<String, Property<Object>> settings = new LinkedHashMap<>();

    private final Property<Object> skip;
    private final Property<Object> targetClasses;
    private final Property<Object> excludedClasses;
    private final Property<Object> excludedMethods;
    private final Property<Object> outputDirectory;
    private final Property<Object> reportsDirectory;
    private final Property<Object> seed;
    private final Property<Object> timeLimit;
    private final Property<Object> totalTimeLimit;
    private final Property<Object> sequenceLimit;
    private final Property<Object> incremental;
    private final Property<Object> shard;
    private final Property<Object> without;
    private final Property<Object> state;
    private final Property<Object> threads;
    private final Property<Object> junit;
    private final Property<Object> jvmArgs;
    private final Property<Object> sandbox;
    private final Property<Object> minConfidence;
    private final Property<Object> failWhenNoTests;
    private final Property<Object> outputFormats;
    private final Property<Object> baseline;
    private final Property<Object> updateBaseline;
    private final Property<Object> strict;
    private final Property<Object> coverageThreshold;
    private final Property<Object> mutationThreshold;
    private final Property<Object> maxRedundancy;
    private final Property<Object> executable;
    private final Property<Object> verbose;
    private final Property<Object> dryRun;

    public RandgenExtension(ObjectFactory objects) {
        skip = setting("skip", objects);
        targetClasses = setting("targetClasses", objects);
        excludedClasses = setting("excludedClasses", objects);
        excludedMethods = setting("excludedMethods", objects);
        outputDirectory = setting("outputDirectory", objects);
        reportsDirectory = setting("reportsDirectory", objects);
        seed = setting("seed", objects);
        timeLimit = setting("timeLimit", objects);
        totalTimeLimit = setting("totalTimeLimit", objects);
        sequenceLimit = setting("sequenceLimit", objects);
        incremental = setting("incremental", objects);
        shard = setting("shard", objects);
        without = setting("without", objects);
        state = setting("state", objects);
        threads = setting("threads", objects);
        junit = setting("junit", objects);
        jvmArgs = setting("jvmArgs", objects);
        sandbox = setting("sandbox", objects);
        minConfidence = setting("minConfidence", objects);
        failWhenNoTests = setting("failWhenNoTests", objects);
        outputFormats = setting("outputFormats", objects);
        baseline = setting("baseline", objects);
        updateBaseline = setting("updateBaseline", objects);
        strict = setting("strict", objects);
        coverageThreshold = setting("coverageThreshold", objects);
        mutationThreshold = setting("mutationThreshold", objects);
        maxRedundancy = setting("maxRedundancy", objects);
        executable = setting("executable", objects);
        verbose = setting("verbose", objects);
        dryRun = setting("dryRun", objects);
    }

    private Property<Object> setting(String name, ObjectFactory objects) {
        Property<Object> property = objects.property(Object.class);
        settings.put(name, property);
        return property;
    }

    /** All settings under their names. */
    Map<String, Property<Object>> settings() {
        return Collections.unmodifiableMap(settings);
    }

    /** Generate nothing; the output directory stays a source directory of the tests. */
    public Property<Object> getSkip() {
        return skip;
    }

    /** Classes to test, as globs such as {@code com.shop.*}; all unless set. */
    public Property<Object> getTargetClasses() {
        return targetClasses;
    }

    /** Classes not to test. */
    public Property<Object> getExcludedClasses() {
        return excludedClasses;
    }

    /** Methods not to call, as globs for a name or for {@code package.Class.name}. */
    public Property<Object> getExcludedMethods() {
        return excludedMethods;
    }

    /** Where tests go, relative to the project; {@code src/test/generated} unless set. */
    public Property<Object> getOutputDirectory() {
        return outputDirectory;
    }

    /** Where reports go, relative to the project; {@code build/randgen} unless set. */
    public Property<Object> getReportsDirectory() {
        return reportsDirectory;
    }

    /** Root of all random choices. */
    public Property<Object> getSeed() {
        return seed;
    }

    /** Seconds for each class; 10 unless set. */
    public Property<Object> getTimeLimit() {
        return timeLimit;
    }

    /** Seconds for each project, however many classes it has. */
    public Property<Object> getTotalTimeLimit() {
        return totalTimeLimit;
    }

    /** Sequences for each project; seed and limit then decide every byte. */
    public Property<Object> getSequenceLimit() {
        return sequenceLimit;
    }

    /** Search those classes alone that changed since the last run; true unless set. */
    public Property<Object> getIncremental() {
        return incremental;
    }

    /** Test this part of each project's classes alone, such as 3/8; {@code randgen merge} joins the parts. */
    public Property<Object> getShard() {
        return shard;
    }

    /** Parts of guidance to search without, such as bloodhound. */
    public Property<Object> getWithout() {
        return without;
    }

    /** What makes two objects one to the search: whole-seq, modifying-seq, whole-state, monitor-equals, pairwise-equals. */
    public Property<Object> getState() {
        return state;
    }

    /** Workers; one per processor unless set. */
    public Property<Object> getThreads() {
        return threads;
    }

    /** Version of JUnit to write for: auto, 4 or 5. */
    public Property<Object> getJunit() {
        return junit;
    }

    /** Arguments of the JVM under test. */
    public Property<Object> getJvmArgs() {
        return jvmArgs;
    }

    /** How much the code under test is kept from: strict, reduced or off. */
    public Property<Object> getSandbox() {
        return sandbox;
    }

    /** How sure reported findings are at least: certain, likely or possible. */
    public Property<Object> getMinConfidence() {
        return minConfidence;
    }

    /** Fail when no class could be tested. */
    public Property<Object> getFailWhenNoTests() {
        return failWhenNoTests;
    }

    /** Reports to write. */
    public Property<Object> getOutputFormats() {
        return outputFormats;
    }

    /** The file of known failures. */
    public Property<Object> getBaseline() {
        return baseline;
    }

    /** Let {@code randgenCheck} write the failures that are there to the baseline. */
    public Property<Object> getUpdateBaseline() {
        return updateBaseline;
    }

    /** Let {@code randgenCheck} fail when known failures are gone. */
    public Property<Object> getStrict() {
        return strict;
    }

    /** Let {@code randgenCheck} fail when the tests cover less of the edges, in per cent. */
    public Property<Object> getCoverageThreshold() {
        return coverageThreshold;
    }

    /** Let {@code randgenCheck} fail when the tests notice less of the mutants, in per cent. */
    public Property<Object> getMutationThreshold() {
        return mutationThreshold;
    }

    /** Let {@code randgenCheck} fail when more of the project's compiled tests are redundant, in per cent. */
    public Property<Object> getMaxRedundancy() {
        return maxRedundancy;
    }

    /** The binary to start, instead of the one that belongs to this version. */
    public Property<Object> getExecutable() {
        return executable;
    }

    /** Say more of what happens. */
    public Property<Object> getVerbose() {
        return verbose;
    }

    /** Do everything but write into the project. */
    public Property<Object> getDryRun() {
        return dryRun;
    }
}
