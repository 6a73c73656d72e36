package dev.randgen.maven;

import dev.randgen.plugin.Arguments;
import org.apache.maven.plugins.annotations.Execute;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Runs the test of a finding again, and fails if it still fails: compiles the module first, so that
 * {@code mvn randgen:replay -Drandgen.id=0abb} is enough.
 */
@Mojo(name = "replay", requiresDependencyResolution = ResolutionScope.TEST, threadSafe = true)
@Execute(phase = LifecyclePhase.COMPILE)
public final class ReplayMojo extends AbstractRandgenMojo {
    /** Id of a finding in the last run's report, or its first characters. */
    @Parameter(property = "randgen.id", required = true)
    private String id;

    @Override
    String command() {
        return "replay";
    }

    @Override
    Arguments arguments() {
        return new Arguments().word(id);
    }
}
