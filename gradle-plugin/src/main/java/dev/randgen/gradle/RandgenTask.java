package dev.randgen.gradle;

import dev.randgen.plugin.Arguments;
import dev.randgen.plugin.Binary;
import dev.randgen.plugin.ExitCodes;
import dev.randgen.plugin.Request;
import dev.randgen.plugin.Run;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.Task;
import org.gradle.api.file.FileCollection;
import org.gradle.api.provider.Provider;
import org.gradle.api.specs.Spec;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;

/**
 * Writes a request, starts the binary with it, and turns its exit code into a build result.
 *
 * <p>Fields are all that is known when the task runs, so that it can be taken out of the configuration cache.
 */
public abstract class RandgenTask extends DefaultTask {
    Provider<Map<String, Object>> module;
    Provider<File> buildDirectory;
    Provider<File> javaHome;
    FileCollection classes;
    FileCollection dependencies;
    FileCollection settingsFiles;
    Map<String, String> typed;
    Provider<Map<String, Object>> configured;
    Provider<Boolean> skip;
    Provider<Boolean> failWhenNoTests;
    Provider<File> named;
    FileCollection binary;

    protected RandgenTask() {
        onlyIf(new IsWanted());
    }

    @Classpath
    public FileCollection getClasses() {
        return classes;
    }

    @Classpath
    public FileCollection getDependencies() {
        return dependencies;
    }

    /** Those of {@code randgen.toml}. */
    @InputFiles
    @PathSensitive(PathSensitivity.NONE)
    public FileCollection getSettingsFiles() {
        return settingsFiles;
    }

    /** Settings of the build, from weak to strong; which binary they name is no input, but what is in it. */
    @Input
    public Map<String, Object> getSettings() {
        Map<String, Object> settings = new LinkedHashMap<>(configured.get());
        settings.putAll(typed);
        settings.remove("executable");
        return settings;
    }

    @Input
    @Optional
    public String getSourceLevel() {
        return (String) module.get().get("source-level");
    }

    @Input
    @Optional
    public String getSourceEncoding() {
        return (String) module.get().get("source-encoding");
    }

    @InputFiles
    @PathSensitive(PathSensitivity.NONE)
    public FileCollection getBinary() {
        return binary;
    }

    /** Starts the binary with this command. */
    final void run(String command) {
        run(command, new Arguments(), true);
    }

    /** Starts the binary with this command and what it takes besides settings; without classes only if it needs none. */
    final void run(String command, Arguments arguments, boolean needsClasses) {
        try {
            // Projects of resources alone are no reason to start anything, or to fail.
            if (needsClasses && !hasClasses() && !failWhenNoTests.get()) {
                getLogger().lifecycle("randgen: the project has no classes");
                return;
            }
            File published = binary.isEmpty() ? null : binary.getSingleFile();
            File executable = Binary.find(named.getOrNull(), published, "-Prandgen.executable");
            Run run = new Run(getLogger()::error, getLogger()::warn, getLogger()::lifecycle);
            String failure = ExitCodes.failure(
                    run.run(executable, command, arguments.asList(), writeRequest(), basedir()));
            if (failure != null) {
                throw new GradleException(failure);
            }
        } catch (IOException error) {
            throw new GradleException("cannot run randgen: " + error.getMessage(), error);
        }
    }

    private Path writeRequest() throws IOException {
        Request request = new Request();
        module.get().forEach(request::module);
        // Gradle names directories of languages and resources also where there are none.
        request.module("classes", Model.paths(classes.filter(File::exists)));
        request.module("dependencies", Model.paths(dependencies.filter(File::exists)));
        for (Map.Entry<String, Object> setting : configured.get().entrySet()) {
            request.setting(setting.getKey(), typed.get(setting.getKey()), setting.getValue());
        }
        typed.forEach((name, value) -> request.setting(name, value, null));
        return request.write(buildDirectory.get(), javaHome.get());
    }

    private boolean hasClasses() {
        return classes.getAsFileTree().getFiles().stream()
                .anyMatch(file -> file.getName().endsWith(".class"));
    }

    private File basedir() {
        return new File((String) module.get().get("basedir"));
    }

    /** No lambda: not every Gradle can write one to its configuration cache. */
    private static final class IsWanted implements Spec<Task> {
        @Override
        public boolean isSatisfiedBy(Task task) {
            return !((RandgenTask) task).skip.get();
        }
    }
}
