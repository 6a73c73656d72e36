package dev.randgen.gradle;

import dev.randgen.plugin.Binary;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.gradle.api.Action;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.file.FileCollection;
import org.gradle.api.tasks.Delete;
import org.gradle.api.tasks.SourceSet;
import org.gradle.api.tasks.SourceSetContainer;
import org.gradle.util.GradleVersion;

/**
 * Adds {@code generateTests}, {@code randgenCheck} and a task for each {@link Command} to a Java project, and what the first
 * writes to the sources of the project's tests.
 *
 * <p>Runs on Gradle 4.4 and later: what is younger is looked up by name or kept in a class of its own.
 */
public final class RandgenPlugin implements Plugin<Project> {
    static final String TASK = "generateTests";
    static final String CHECK_TASK = "randgenCheck";

    @Override
    public void apply(Project project) {
        RandgenExtension extension =
                project.getExtensions().create("randgen", RandgenExtension.class, project.getObjects());
        project.getPluginManager().withPlugin("java", java -> addTasks(project, new Settings(project, extension)));
    }

    private static void addTasks(Project project, Settings settings) {
        SourceSetContainer sourceSets = (SourceSetContainer) project.property("sourceSets");
        SourceSet test = sourceSets.getByName(SourceSet.TEST_SOURCE_SET_NAME);
        Callable<File> tests = () ->
                settings.directory("outputDirectory", new File(project.getProjectDir(), "src/test/generated"));
        // Also when nothing is generated: tests of an earlier run are tests of this build.
        test.getJava().srcDir(tests);

        Model model = new Model(project, sourceSets.getByName(SourceSet.MAIN_SOURCE_SET_NAME), test);
        FileCollection binary = binary(project, settings);
        Callable<File> reports = () -> settings.directory("reportsDirectory", new File(project.getBuildDir(), "randgen"));
        Action<RandgenTask> configuration = task -> {
            task.setGroup("verification");
            task.module = project.provider(model::module);
            task.buildDirectory = project.provider(project::getBuildDir);
            task.javaHome = project.provider(model::javaHome);
            task.classes = model.classes();
            task.dependencies = model.dependencies();
            task.settingsFiles = project.files(
                    new File(project.getProjectDir(), "randgen.toml"), new File(project.getRootDir(), "randgen.toml"));
            task.typed = settings.typed();
            task.configured = project.provider(settings::configured);
            task.skip = project.provider(() -> settings.isOn("skip"));
            task.failWhenNoTests = project.provider(() -> settings.isOn("failWhenNoTests"));
            task.named = project.provider(settings::executable);
            task.binary = binary;
        };
        add(project, TASK, GenerateTestsTask.class, task -> {
            configuration.execute(task);
            task.setDescription("Generates JUnit tests for the classes of the main source set.");
            task.tests = project.provider(tests);
            task.reports = project.provider(reports);
        });
        add(project, CHECK_TASK, CheckTask.class, task -> {
            configuration.execute(task);
            task.setDescription("Fails on findings that are not in randgen's baseline.");
            // What it finds there it need not find itself.
            task.mustRunAfter(TASK);
            // Redundancy is that of compiled tests.
            task.dependsOn((Callable<Object>) () -> settings.strongest("maxRedundancy") == null
                    ? Arrays.asList()
                    : Arrays.asList(test.getClassesTaskName()));
        });
        for (Command command : Command.values()) {
            add(project, command.task, CommandTask.class, task -> {
                configuration.execute(task);
                task.setDescription(command.description);
                task.command = command;
                task.arguments = project.provider(() -> settings.arguments(command));
                // What it looks at or explains is that of the last run.
                task.mustRunAfter(TASK, CHECK_TASK);
                if (command.runsTests) {
                    task.dependsOn(test.getClassesTaskName());
                }
            });
        }
        // In place of the one that Gradle makes up, which would delete all outputs: tests may be committed or edited.
        add(project, "cleanGenerateTests", Delete.class, task -> {
            task.setDescription("Deletes the reports of " + TASK + ", and no tests.");
            task.delete(reports);
        });
        List<String> readers = Arrays.asList(
                test.getCompileJavaTaskName(),
                test.getCompileTaskName("groovy"),
                test.getCompileTaskName("kotlin"),
                test.getCompileTaskName("scala"),
                test.getTaskName("checkstyle", null),
                test.getTaskName("pmd", null),
                test.getTaskName("spotbugs", null));
        each(project, task -> {
            if (readers.contains(task.getName())) {
                task.mustRunAfter(TASK);
            }
        });
    }

    /** The file to start, where there is one. */
    private static FileCollection binary(Project project, Settings settings) {
        Configuration published = project.getConfigurations().create("randgenExecutable");
        published.setVisible(false);
        published.setCanBeConsumed(false);
        published.setDescription("The randgen binary for this machine.");
        String version = RandgenPlugin.class.getPackage().getImplementationVersion();
        published.defaultDependencies(dependencies -> dependencies.add(project.getDependencies()
                .create("dev.randgen:randgen:" + version + ":" + Binary.classifier() + "@exe")));
        FileCollection files = published.getIncoming()
                .artifactView(view -> view.setLenient(true))
                .getFiles();
        return project.files((Callable<Object>) () -> {
            File named = settings.executable();
            try {
                return Binary.find(named, named != null || files.isEmpty() ? null : files.getSingleFile(), "");
            } catch (IOException missing) {
                // The task says so, if it runs.
                return Arrays.asList();
            }
        });
    }

    private static <T extends Task> void add(Project project, String name, Class<T> type, Action<T> configuration) {
        if (isLazy()) {
            Lazily.register(project, name, type, configuration);
        } else {
            project.getTasks().create(name, type, configuration);
        }
    }

    private static void each(Project project, Action<Task> configuration) {
        if (isLazy()) {
            Lazily.each(project, configuration);
        } else {
            project.getTasks().all(configuration);
        }
    }

    private static boolean isLazy() {
        return GradleVersion.current().compareTo(GradleVersion.version("4.9")) >= 0;
    }

    /** Loaded by Gradle 4.9 and later alone. */
    private static final class Lazily {
        static <T extends Task> void register(Project project, String name, Class<T> type, Action<T> configuration) {
            project.getTasks().register(name, type, configuration);
        }

        static void each(Project project, Action<Task> configuration) {
            project.getTasks().configureEach(configuration);
        }
    }
}
