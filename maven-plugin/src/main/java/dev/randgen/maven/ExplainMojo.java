package dev.randgen.maven;

import dev.randgen.plugin.Arguments;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.plugins.annotations.ResolutionScope;

/** Explains a finding of the last run, a contract, a finding rule, or a reason code. */
@Mojo(name = "explain", requiresDependencyResolution = ResolutionScope.TEST, threadSafe = true)
public final class ExplainMojo extends AbstractRandgenMojo {
    /** Id of a finding or its first characters, name of a contract or finding rule, or reason code. */
    @Parameter(property = "randgen.what", required = true)
    private String what;

    @Override
    String command() {
        return "explain";
    }

    @Override
    boolean needsClasses() {
        return false;
    }

    @Override
    Arguments arguments() {
        return new Arguments().word(what);
    }
}
