package dev.randgen.maven;

import dev.randgen.plugin.Arguments;
import java.io.IOException;
import org.apache.maven.plugins.annotations.Execute;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Selects the tests of another suite that are not redundant with the module's tests: compiles these first, so that
 * {@code mvn randgen:select -Drandgen.candidates=DIR} is enough.
 */
@Mojo(name = "select", requiresDependencyResolution = ResolutionScope.TEST, threadSafe = true)
@Execute(phase = LifecyclePhase.TEST_COMPILE)
public final class SelectMojo extends AbstractSuiteMojo {
    /** Select from the compiled tests in this directory or jar. */
    @Parameter(property = "randgen.candidates", required = true)
    private String candidates;

    @Override
    String command() {
        return "select";
    }

    @Override
    Arguments arguments() throws IOException {
        return super.arguments()
                .value("candidates", inModule(candidates))
                .value("stateAbstraction", stateAbstraction());
    }
}
