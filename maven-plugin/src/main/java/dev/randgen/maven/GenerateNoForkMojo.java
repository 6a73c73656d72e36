package dev.randgen.maven;

import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Generates tests as part of a build, when it is bound in an {@code <execution>}; the build has compiled the classes.
 */
@Mojo(
        name = "generate-no-fork",
        defaultPhase = LifecyclePhase.GENERATE_TEST_SOURCES,
        requiresDependencyResolution = ResolutionScope.TEST,
        threadSafe = true)
public final class GenerateNoForkMojo extends AbstractRandgenMojo {
    @Override
    String command() {
        return "generate";
    }

    @Override
    boolean skipsWithTests() {
        return true;
    }
}
