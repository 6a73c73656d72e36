package dev.randgen.maven;

import dev.randgen.plugin.Arguments;
import java.io.IOException;
import org.apache.maven.plugins.annotations.Parameter;

/** A goal that runs the compiled tests of the module. */
abstract class AbstractSuiteMojo extends AbstractRandgenMojo {
    /** Stop each test after this many seconds. Default: {@code 20}. */
    @Parameter(property = "randgen.testTimeout")
    private String testTimeout;

    /** Also count the mutants that the tests kill, for at most this many seconds. Default: none. */
    @Parameter(property = "randgen.mutants")
    private String mutants;

    @Override
    Arguments arguments() throws IOException {
        return new Arguments().value("testTimeout", testTimeout).value("mutants", mutants);
    }
}
