package dev.randgen.gradle;

import java.io.File;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.OutputDirectory;
import org.gradle.api.tasks.TaskAction;

/** Generates tests. */
@CacheableTask
public class GenerateTestsTask extends RandgenTask {
    Provider<File> tests;
    Provider<File> reports;

    @OutputDirectory
    public File getTests() {
        return tests.get();
    }

    @OutputDirectory
    public File getReports() {
        return reports.get();
    }

    @TaskAction
    public void generate() {
        try {
            run("generate");
        } finally {
            // Gradle makes output directories; one without tests is not left behind, and one with some is not deleted.
            getTests().delete();
        }
    }
}
