package dev.randgen.gradle;

import dev.randgen.plugin.SettingsFile;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.gradle.StartParameter;
import org.gradle.api.Project;
import org.gradle.api.provider.Property;

/** What this build sets for a project, by layer: typed with {@code -P}, or in its files. */
final class Settings {
    private final Project project;
    private final RandgenExtension extension;

    Settings(Project project, RandgenExtension extension) {
        this.project = project;
        this.extension = extension;
    }

    /** Settings given on Gradle's command line. */
    Map<String, String> typed() {
        Map<String, String> typed = new LinkedHashMap<>();
        for (String name : extension.settings().keySet()) {
            String value = typed(name);
            if (value != null) {
                typed.put(name, value);
            }
        }
        return typed;
    }

    private String typed(String name) {
        return startParameter().getProjectProperties().get("randgen." + name);
    }

    private StartParameter startParameter() {
        return project.getGradle().getStartParameter();
    }

    /** Settings of the build script, else of {@code gradle.properties}; texts and lists of texts. */
    Map<String, Object> configured() {
        Map<String, Object> configured = new LinkedHashMap<>();
        extension.settings().forEach((name, property) -> {
            Object value = property.getOrNull();
            if (value == null && typed(name) == null) {
                value = project.findProperty("randgen." + name);
            }
            if (value != null) {
                configured.put(name, value instanceof Iterable ? texts((Iterable<?>) value) : value.toString());
            }
        });
        return configured;
    }

    private static List<String> texts(Iterable<?> values) {
        List<String> texts = new ArrayList<>();
        values.forEach(value -> texts.add(value.toString()));
        return texts;
    }

    /** What a command takes besides settings: typed, of the build script, or of {@code gradle.properties}. */
    Map<String, Object> arguments(Command command) throws IOException {
        Map<String, Object> arguments = new LinkedHashMap<>();
        for (Command.Argument argument : command.arguments) {
            Object value = argument(argument.name);
            if (value instanceof Iterable) {
                value = texts((Iterable<?>) value);
            } else if (value != null) {
                value = value.toString();
            }
            if (value != null && argument.kind == Command.Kind.FILE) {
                value = resolve(project.getProjectDir(), value.toString()).getPath();
            }
            if (value != null) {
                arguments.put(argument.name, value);
            }
        }
        return arguments;
    }

    private Object argument(String name) throws IOException {
        if (extension.settings().containsKey(name)) {
            return strongest(name);
        }
        String typed = typed(name);
        Property<Object> property = extension.arguments().get(name);
        Object value = typed != null || property == null ? typed : property.getOrNull();
        return value == null ? project.findProperty("randgen." + name) : value;
    }

    /** What is set in the strongest place, {@code randgen.toml} included; or null. */
    String strongest(String name) throws IOException {
        Object configured = configured().get(name);
        return SettingsFile.strongest(
                name,
                typed(name),
                project.getProjectDir(),
                project.getRootDir(),
                configured == null ? null : configured.toString());
    }

    boolean isOn(String name) throws IOException {
        return Boolean.parseBoolean(strongest(name));
    }

    /** A directory that is set, or the one that goes without saying. */
    File directory(String name, File standard) throws IOException {
        String set = strongest(name);
        return set == null ? standard : resolve(project.getProjectDir(), set);
    }

    /** The binary that is named, or null: with {@code -P} relative to where Gradle was started, else to the project. */
    File executable() {
        String typed = typed("executable");
        if (typed != null) {
            return resolve(startParameter().getCurrentDir(), typed);
        }
        Object configured = configured().get("executable");
        return configured == null ? null : resolve(project.getProjectDir(), configured.toString());
    }

    private static File resolve(File directory, String path) {
        File file = new File(path);
        return file.isAbsolute() ? file : new File(directory, path);
    }
}
