package dev.randgen.maven;

import org.apache.maven.plugins.annotations.Execute;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Fails the build on findings that are not in the baseline, and on unmet thresholds: compiles the module first,
 * so that {@code mvn randgen:check} is enough.
 */
@Mojo(
        name = "check",
        defaultPhase = LifecyclePhase.VERIFY,
        requiresDependencyResolution = ResolutionScope.TEST,
        threadSafe = true)
@Execute(phase = LifecyclePhase.COMPILE)
public final class CheckMojo extends AbstractRandgenMojo {
    @Override
    String command() {
        return "check";
    }

    @Override
    boolean skipsWithTests() {
        return true;
    }
}
