package dev.randgen.maven;

import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Does what {@code check} does for a build that has compiled the classes, when it is bound in an {@code <execution>}.
 */
@Mojo(
        name = "check-no-fork",
        defaultPhase = LifecyclePhase.VERIFY,
        requiresDependencyResolution = ResolutionScope.TEST,
        threadSafe = true)
public final class CheckNoForkMojo extends AbstractRandgenMojo {
    @Override
    String command() {
        return "check";
    }

    @Override
    boolean skipsWithTests() {
        return true;
    }
}
