package dev.randgen.gradle;

import org.gradle.api.tasks.TaskAction;

/**
 * Fails the build on findings that are not in the baseline, and on unmet thresholds.
 *
 * <p>It has no outputs and runs whenever it is asked: the binary knows whether the last run's findings still hold.
 */
public class CheckTask extends RandgenTask {
    @TaskAction
    public void check() {
        run("check");
    }
}
