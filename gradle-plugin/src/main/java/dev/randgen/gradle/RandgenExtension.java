package dev.randgen.gradle;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
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
    // begin: names, written by `UPDATE=1 cargo test --test tidy`
    private static final List<String> NAMES = Arrays.asList(
            "skip",
            "targetClasses",
            "excludedClasses",
            "excludedMethods",
            "contractMethods",
            "access",
            "outputDirectory",
            "reportsDirectory",
            "seed",
            "timeLimit",
            "totalTimeLimit",
            "sequenceLimit",
            "incremental",
            "accept",
            "shard",
            "mocks",
            "disable",
            "without",
            "stateAbstraction",
            "state",
            "threads",
            "junit",
            "assertions",
            "testNames",
            "testComments",
            "implicitExceptions",
            "jvmArgs",
            "sandbox",
            "minConfidence",
            "disabledRules",
            "failWhenNoTests",
            "outputFormats",
            "baseline",
            "updateBaseline",
            "failOn",
            "strict",
            "coverageThreshold",
            "mutationThreshold",
            "maxRedundancy",
            "fetchJunit",
            "executable",
            "verbose",
            "dryRun");
    // end: names

    /** What single commands take; {@code class}, {@code id} and {@code what} are only typed. */
    private static final List<String> ARGUMENTS = Arrays.asList(
            "testTimeout",
            "mutants",
            "candidates",
            "methods",
            "arguments",
            "iterations",
            "maxStates",
            "symbolic",
            "keep",
            "maxIterations",
            "axiomTests");

    private final Map<String, Property<Object>> settings = new LinkedHashMap<>();
    private final Map<String, Property<Object>> arguments = new LinkedHashMap<>();

    public RandgenExtension(ObjectFactory objects) {
        for (String name : NAMES) {
            settings.put(name, objects.property(Object.class));
        }
        for (String name : ARGUMENTS) {
            arguments.put(name, objects.property(Object.class));
        }
    }

    /** All settings under their names. */
    Map<String, Property<Object>> settings() {
        return Collections.unmodifiableMap(settings);
    }

    /** Arguments of single commands under their names. */
    Map<String, Property<Object>> arguments() {
        return Collections.unmodifiableMap(arguments);
    }

    // begin: properties, written by `UPDATE=1 cargo test --test tidy`
    /** Skip this run: neither generate nor check anything. Default: {@code false}. */
    public Property<Object> getSkip() {
        return settings.get("skip");
    }

    /** Test only these classes, with their nested classes: globs such as {@code com.shop.*}. Default: all. */
    public Property<Object> getTargetClasses() {
        return settings.get("targetClasses");
    }

    /** Exclude these classes, with their nested classes: globs such as {@code com.shop.internal.*}. Default: none. */
    public Property<Object> getExcludedClasses() {
        return settings.get("excludedClasses");
    }

    /**
     * Do not call these methods: globs for a name or for {@code package.Class.name}, such as
     * {@code main,com.shop.Db.drop*}. Default: none.
     */
    public Property<Object> getExcludedMethods() {
        return settings.get("excludedMethods");
    }

    /**
     * Check after every call that these methods of the changed objects return true, or nothing without throwing, like
     * those marked {@code @CheckRep}: globs such as {@code repOk,com.shop.*.check*}. Default: none.
     */
    public Property<Object> getContractMethods() {
        return settings.get("contractMethods");
    }

    /**
     * Test through {@code public} and protected members, others only where these do not lead, or through all of the
     * {@code package}. Default: {@code public}.
     */
    public Property<Object> getAccess() {
        return settings.get("access");
    }

    /** Write tests to this directory of the project. Default: {@code src/test/generated}. */
    public Property<Object> getOutputDirectory() {
        return settings.get("outputDirectory");
    }

    /** Write reports to this directory of the project. Default: {@code build/randgen}. */
    public Property<Object> getReportsDirectory() {
        return settings.get("reportsDirectory");
    }

    /** Derive all random choices from this number. Default: {@code 0}. */
    public Property<Object> getSeed() {
        return settings.get("seed");
    }

    /** Limit the search to this many seconds per class. Default: {@code 10}. */
    public Property<Object> getTimeLimit() {
        return settings.get("timeLimit");
    }

    /** Limit the search to this many seconds per project, instead of per class. Default: none. */
    public Property<Object> getTotalTimeLimit() {
        return settings.get("totalTimeLimit");
    }

    /**
     * Limit the search to this many sequences per project; seed and limit then determine every byte of the output.
     * Default: none.
     */
    public Property<Object> getSequenceLimit() {
        return settings.get("sequenceLimit");
    }

    /** Search only classes that changed since the last run. Default: {@code true}. */
    public Property<Object> getIncremental() {
        return settings.get("incremental");
    }

    /**
     * Accept what is there now: {@code generate} replaces tests of earlier runs that fail, of all classes or of these,
     * such as {@code com.shop.Cart}; {@code specs} writes {@code randgen-specs.toml}, which {@code specs} and
     * {@code randgenCheck} then hold the code to. Default: none.
     */
    public Property<Object> getAccept() {
        return settings.get("accept");
    }

    /**
     * Test only this part of each project's classes, such as {@code 3/8}; {@code randgen merge} merges the parts.
     * Default: all.
     */
    public Property<Object> getShard() {
        return settings.get("shard");
    }

    /** Write collaborators as mocks if the tests have Mockito. Default: {@code true}. */
    public Property<Object> getMocks() {
        return settings.get("mocks");
    }

    /**
     * Disable these components of the search, such as {@code bloodhound,detective}; {@code mutants} disables mutation
     * analysis. Default: none.
     */
    public Property<Object> getDisable() {
        return settings.get("disable");
    }

    /**
     * The old name of {@code disable}.
     *
     * @deprecated use {@code disable}
     */
    @Deprecated
    public Property<Object> getWithout() {
        return settings.get("without");
    }

    /**
     * Compare object states by {@code whole-seq}, {@code modifying-seq}, {@code whole-state}, {@code monitor-equals} or
     * {@code pairwise-equals}. Default: {@code whole-state}.
     */
    public Property<Object> getStateAbstraction() {
        return settings.get("stateAbstraction");
    }

    /**
     * The old name of {@code stateAbstraction}.
     *
     * @deprecated use {@code stateAbstraction}
     */
    @Deprecated
    public Property<Object> getState() {
        return settings.get("state");
    }

    /** Run this many workers in parallel. Default: one per processor. */
    public Property<Object> getThreads() {
        return settings.get("threads");
    }

    /** Write tests for this version of JUnit: {@code auto}, {@code 4} or {@code 5}. Default: {@code auto}. */
    public Property<Object> getJunit() {
        return settings.get("junit");
    }

    /**
     * Write assertions of this library: {@code junit}, {@code assertj}, or with {@code auto} AssertJ where the
     * project's own tests use it. Default: {@code auto}.
     */
    public Property<Object> getAssertions() {
        return settings.get("assertions");
    }

    /**
     * Name test methods in this form: {@code method-condition-result}, {@code camel-case} or {@code sentences} (with
     * {@code @DisplayName}). Default: {@code method-condition-result}.
     */
    public Property<Object> getTestNames() {
        return settings.get("testNames");
    }

    /**
     * Write comments above the paragraphs of a test: {@code none} or {@code given-when-then}. Default: {@code none}.
     */
    public Property<Object> getTestComments() {
        return settings.get("testComments");
    }

    /**
     * Write tests of exceptions that the code does not throw on purpose, in classes of their own: {@code drop} or
     * {@code keep}. Default: {@code drop}.
     */
    public Property<Object> getImplicitExceptions() {
        return settings.get("implicitExceptions");
    }

    /** Pass these arguments, separated by spaces, to the JVM that runs the code under test. Default: none. */
    public Property<Object> getJvmArgs() {
        return settings.get("jvmArgs");
    }

    /**
     * Set the isolation level of the code under test: {@code strict}, {@code reduced} or {@code off}. Default:
     * {@code strict}.
     */
    public Property<Object> getSandbox() {
        return settings.get("sandbox");
    }

    /**
     * Report only findings with at least this confidence: {@code certain}, {@code likely} or {@code possible}. Default:
     * {@code likely}.
     */
    public Property<Object> getMinConfidence() {
        return settings.get("minConfidence");
    }

    /**
     * Disable these finding rules, such as {@code null-argument,deprecated-code}; {@code randgen explain RULE} explains
     * a rule. Default: none.
     */
    public Property<Object> getDisabledRules() {
        return settings.get("disabledRules");
    }

    /** Fail if no class of the project has a test. Default: {@code false}. */
    public Property<Object> getFailWhenNoTests() {
        return settings.get("failWhenNoTests");
    }

    /**
     * Write reports in these formats: {@code junit-xml}, {@code json}, {@code markdown}, {@code sarif}, {@code html}.
     * Default: all.
     */
    public Property<Object> getOutputFormats() {
        return settings.get("outputFormats");
    }

    /**
     * Let {@code randgenCheck} read known findings from this file of the project. Default:
     * {@code randgen-baseline.toml}.
     */
    public Property<Object> getBaseline() {
        return settings.get("baseline");
    }

    /** Let {@code randgenCheck} write the current findings to the baseline. Default: {@code false}. */
    public Property<Object> getUpdateBaseline() {
        return settings.get("updateBaseline");
    }

    /**
     * Let {@code randgenCheck} fail on findings outside the baseline: {@code new}, unless the last version that passed
     * shows them too, or {@code any}. Default: {@code new}.
     */
    public Property<Object> getFailOn() {
        return settings.get("failOn");
    }

    /** Let {@code randgenCheck} fail if a finding of the baseline no longer occurs. Default: {@code false}. */
    public Property<Object> getStrict() {
        return settings.get("strict");
    }

    /** Let {@code randgenCheck} fail if the tests cover less than this percentage of the edges. Default: none. */
    public Property<Object> getCoverageThreshold() {
        return settings.get("coverageThreshold");
    }

    /** Let {@code randgenCheck} fail if the tests kill less than this percentage of the mutants. Default: none. */
    public Property<Object> getMutationThreshold() {
        return settings.get("mutationThreshold");
    }

    /**
     * Let {@code randgenCheck} fail if more than this percentage of the project's compiled tests is redundant. Default:
     * none.
     */
    public Property<Object> getMaxRedundancy() {
        return settings.get("maxRedundancy");
    }

    /**
     * Let Maven download JUnit or AssertJ, whose published SHA-256 is checked, if neither {@code --classpath} nor the
     * local Maven repository has what the tests use. Default: {@code true}.
     */
    public Property<Object> getFetchJunit() {
        return settings.get("fetchJunit");
    }

    /** Let the Maven or Gradle plugin start this binary instead of its own. Default: found by the plugin. */
    public Property<Object> getExecutable() {
        return settings.get("executable");
    }

    /** Print the value and the origin of each setting. Default: {@code false}. */
    public Property<Object> getVerbose() {
        return settings.get("verbose");
    }

    /** Do everything except writing into the project. Default: {@code false}. */
    public Property<Object> getDryRun() {
        return settings.get("dryRun");
    }
    // end: properties

    /** Stop each test after this many seconds, in the tasks that run existing tests. Default: {@code 20}. */
    public Property<Object> getTestTimeout() {
        return arguments.get("testTimeout");
    }

    /** Also count the mutants that existing tests kill, for at most this many seconds. Default: none. */
    public Property<Object> getMutants() {
        return arguments.get("mutants");
    }

    /** Let {@code randgenSelect} select from the compiled tests in this directory or jar. */
    public Property<Object> getCandidates() {
        return arguments.get("candidates");
    }

    /** Let {@code randgenExplore} call only these methods, such as {@code add,remove(int)}. Default: all. */
    public Property<Object> getMethods() {
        return arguments.get("methods");
    }

    /** Let {@code randgenExplore} call methods with these arguments, such as {@code ['put=1..4', 'int=1;5']}. */
    public Property<Object> getArguments() {
        return arguments.get("arguments");
    }

    /** Let {@code randgenExplore} call at most this many methods on an object. Default: {@code 3}. */
    public Property<Object> getIterations() {
        return arguments.get("iterations");
    }

    /** Let {@code randgenExplore} stop before it stores more than this many states. Default: {@code 100000}. */
    public Property<Object> getMaxStates() {
        return arguments.get("maxStates");
    }

    /** Let {@code randgenExplore} treat integers, chars and booleans as symbolic values. Default: {@code false}. */
    public Property<Object> getSymbolic() {
        return arguments.get("symbolic");
    }

    /** Let {@code randgenExplore} write tests for {@code new-states}, {@code new-edges} or {@code nothing}. */
    public Property<Object> getKeep() {
        return arguments.get("keep");
    }

    /** Let {@code randgenSpecs} infer again at most this many times. Default: {@code 10}. */
    public Property<Object> getMaxIterations() {
        return arguments.get("maxIterations");
    }

    /** Let {@code randgenSpecs} write a JUnit test for each equation. Default: {@code false}. */
    public Property<Object> getAxiomTests() {
        return arguments.get("axiomTests");
    }
}
