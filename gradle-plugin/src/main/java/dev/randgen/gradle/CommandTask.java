package dev.randgen.gradle;

import dev.randgen.plugin.Arguments;
import java.util.Collections;
import java.util.Map;
import org.gradle.api.GradleException;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.TaskAction;

/**
 * Runs a command that takes arguments of its own, such as {@code randgenAssess}.
 *
 * <p>It has no outputs and runs whenever it is asked, as its reports are about that.
 */
public class CommandTask extends RandgenTask {
    Command command;
    Provider<Map<String, Object>> arguments;

    /** What the command takes besides settings; texts and lists of texts. */
    @Input
    public Map<String, Object> getArguments() {
        return arguments.get();
    }

    @TaskAction
    public void runCommand() {
        Map<String, Object> given = getArguments();
        Arguments all = new Arguments();
        for (Command.Argument argument : command.arguments) {
            Object value = given.get(argument.name);
            if (value == null && argument.isRequired) {
                throw new GradleException("randgen: " + getName() + " needs randgen." + argument.name
                        + ", such as -Prandgen." + argument.name + "=" + argument.example);
            }
            if (argument.kind == Command.Kind.WORD) {
                all.word(value);
            } else if (argument.kind == Command.Kind.TOGGLE) {
                all.toggle(argument.name, value);
            } else if (value instanceof Iterable) {
                all.values(argument.name, (Iterable<?>) value);
            } else {
                all.values(argument.name, value == null ? null : Collections.singletonList(value));
            }
        }
        run(command.name, all, command.needsClasses);
    }
}
