package dev.randgen.gradle;

import dev.randgen.plugin.Request;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.gradle.api.JavaVersion;
import org.gradle.api.Project;
import org.gradle.api.file.FileCollection;
import org.gradle.api.file.FileSystemLocation;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.SourceSet;
import org.gradle.api.tasks.compile.JavaCompile;
import org.gradle.api.tasks.testing.Test;

/** Gradle's model of a project, in the words of a request. */
final class Model {
    private final Project project;
    private final SourceSet main;
    private final SourceSet test;

    Model(Project project, SourceSet main, SourceSet test) {
        this.project = project;
        this.main = main;
        this.test = test;
    }

    /** The classes under test and their resources. */
    FileCollection classes() {
        return main.getOutput();
    }

    /** The rest of the tests' class path. */
    FileCollection dependencies() {
        return project.getConfigurations().getByName(test.getRuntimeClasspathConfigurationName());
    }

    /** What is neither compiled nor resolved; texts and lists of texts. */
    Map<String, Object> module() {
        JavaCompile compile = (JavaCompile) project.getTasks().getByName(test.getCompileJavaTaskName());
        Object release = get(compile.getOptions(), "getRelease");
        Map<String, Object> module = new LinkedHashMap<>();
        module.put("name", project.getName());
        module.put("basedir", project.getProjectDir().getPath());
        module.put("project-root", project.getRootDir().getPath());
        module.put("test-classes", test.getOutput().getClassesDirs().iterator().next().getPath());
        module.put("source-level", release == null ? compile.getSourceCompatibility() : release.toString());
        module.put("source-encoding", compile.getOptions().getEncoding());
        module.put("source-roots", paths(main.getAllJava().getSrcDirs()));
        module.put("test-source-roots", paths(test.getAllJava().getSrcDirs()));
        return module;
    }

    static List<String> paths(Iterable<File> files) {
        List<String> paths = new ArrayList<>();
        files.forEach(file -> paths.add(file.getPath()));
        return paths;
    }

    /** The JDK that the tests run on, or Gradle's own where that is the newer of the two. */
    File javaHome() {
        Test task = (Test) project.getTasks().getByName("test");
        Object launcher = get(task, "getJavaLauncher");
        if (launcher != null) {
            Object metadata = get(launcher, "getMetadata");
            String version = get(metadata, "getLanguageVersion").toString();
            boolean isOlder = Integer.parseInt(version) < Integer.parseInt(JavaVersion.current().getMajorVersion());
            return isOlder ? Request.ownJavaHome() : ((FileSystemLocation) get(metadata, "getInstallationPath")).getAsFile();
        }
        File home = new File(task.getExecutable()).getAbsoluteFile().getParentFile().getParentFile();
        return home.getName().equals("jre") ? home.getParentFile() : home;
    }

    /** What a getter returns that not every Gradle has, out of its provider; or null. */
    private static Object get(Object owner, String getter) {
        try {
            Object value = owner.getClass().getMethod(getter).invoke(owner);
            return value instanceof Provider ? ((Provider<?>) value).getOrNull() : value;
        } catch (NoSuchMethodException older) {
            return null;
        } catch (IllegalAccessException | InvocationTargetException error) {
            throw new IllegalStateException("cannot ask Gradle for " + getter, error);
        }
    }
}
