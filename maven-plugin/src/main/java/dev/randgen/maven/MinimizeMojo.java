package dev.randgen.maven;

import dev.randgen.plugin.Arguments;
import java.io.IOException;
import org.apache.maven.plugins.annotations.Execute;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Finds a small subset of the module's tests that does the same as all of them: compiles them first, so that
 * {@code mvn randgen:minimize} is enough.
 */
@Mojo(name = "minimize", requiresDependencyResolution = ResolutionScope.TEST, threadSafe = true)
@Execute(phase = LifecyclePhase.TEST_COMPILE)
public final class MinimizeMojo extends AbstractSuiteMojo {
    @Override
    String command() {
        return "minimize";
    }

    @Override
    Arguments arguments() throws IOException {
        return super.arguments().value("stateAbstraction", stateAbstraction());
    }
}
