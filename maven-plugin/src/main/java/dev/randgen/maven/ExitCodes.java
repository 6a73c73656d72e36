package dev.randgen.maven;

import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;

/**
 * What the binary's exit codes mean for a build: a failure is about the code under test, an execution exception about
 * how randgen was run.
 */
final class ExitCodes {
    private ExitCodes() {}

    static void check(int code) throws MojoExecutionException, MojoFailureException {
        switch (code) {
            case 0:
                return;
            case 1:
                throw new MojoFailureException("randgen found failures that the baseline does not know; see its report");
            case 2:
                throw new MojoExecutionException("randgen refused the settings; see the error above");
            case 3:
                throw new MojoExecutionException("randgen could not use the module, its JDK or its output directory;"
                        + " see the error above");
            case 4:
                throw new MojoFailureException("randgen could test no class of the module");
            case 5:
                throw new MojoExecutionException("randgen could not read the baseline; see the error above");
            case 6:
                throw new MojoExecutionException("randgen's sandbox is not available; see the error above");
            case 70:
                throw new MojoExecutionException("randgen has a defect, or the machine a problem; see the error above");
            case 130:
                throw new MojoExecutionException("randgen was interrupted");
            default:
                throw new MojoExecutionException("randgen ended with exit code " + code + "; see the error above");
        }
    }
}
