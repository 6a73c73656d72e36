package dev.randgen.gradle;

import org.gradle.api.tasks.TaskAction;

/**
 * Fails the build on failures that the baseline does not know, and on thresholds that are missed.
 *
 * <p>It has no outputs and runs whenever it is asked: the binary knows whether the last run's findings still hold.
 */
public class CheckTask extends RandgenTask {
    @TaskAction
    public void check() {
        run("check");
    }
}
