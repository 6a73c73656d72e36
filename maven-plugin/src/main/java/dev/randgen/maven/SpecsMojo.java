package dev.randgen.maven;

import dev.randgen.plugin.Arguments;
import org.apache.maven.plugins.annotations.Execute;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Infers specifications, and shows tests that violate them: compiles the module first, so that {@code mvn randgen:specs} is
 * enough.
 */
@Mojo(name = "specs", requiresDependencyResolution = ResolutionScope.TEST, threadSafe = true)
@Execute(phase = LifecyclePhase.COMPILE)
public final class SpecsMojo extends AbstractRandgenMojo {
    /** Add the tests that violate inferred specifications, and infer again, at most this many times. Default: {@code 10}. */
    @Parameter(property = "randgen.maxIterations")
    private String maxIterations;

    /** Write a JUnit test for each equation. Default: {@code false}. */
    @Parameter(property = "randgen.axiomTests")
    private String axiomTests;

    @Override
    String command() {
        return "specs";
    }

    @Override
    Arguments arguments() {
        return new Arguments().value("maxIterations", maxIterations).toggle("axiomTests", axiomTests);
    }
}
