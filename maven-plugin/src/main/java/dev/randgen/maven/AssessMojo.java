package dev.randgen.maven;

import org.apache.maven.plugins.annotations.Execute;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Measures the redundancy of the module's tests: compiles them first, so that {@code mvn randgen:assess} is enough.
 */
@Mojo(name = "assess", requiresDependencyResolution = ResolutionScope.TEST, threadSafe = true)
@Execute(phase = LifecyclePhase.TEST_COMPILE)
public final class AssessMojo extends AbstractSuiteMojo {
    @Override
    String command() {
        return "assess";
    }
}
