package dev.randgen.maven;

import org.apache.maven.plugins.annotations.Execute;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Generates tests from the command line: compiles the module first, so that {@code mvn randgen:generate} is enough.
 */
@Mojo(name = "generate", requiresDependencyResolution = ResolutionScope.TEST, threadSafe = true)
@Execute(phase = LifecyclePhase.COMPILE)
public final class GenerateMojo extends AbstractRandgenMojo {
    @Override
    String command() {
        return "generate";
    }
}
