package dev.randgen.maven;

import dev.randgen.plugin.Arguments;
import java.util.Collections;
import java.util.List;
import org.apache.maven.plugins.annotations.Execute;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.plugins.annotations.ResolutionScope;

/**
 * Finds the states that objects of a class can reach, and writes a test for each: compiles the module first, so that
 * {@code mvn randgen:explore -Drandgen.class=com.shop.Cart} is enough.
 */
@Mojo(name = "explore", requiresDependencyResolution = ResolutionScope.TEST, threadSafe = true)
@Execute(phase = LifecyclePhase.COMPILE)
public final class ExploreMojo extends AbstractRandgenMojo {
    /** Explore objects of this class, such as {@code com.shop.Cart}. */
    @Parameter(name = "class", property = "randgen.class", required = true)
    private String exploredClass;

    /** Call only these methods, such as {@code add,remove(int)}. Default: all. */
    @Parameter(property = "randgen.methods")
    private String methods;

    /**
     * Call a method with these arguments: lists separated by {@code ;}, and ranges, such as {@code put=1..4,null;5,"five"}.
     * Default: a few values of each type, and constants of the class.
     */
    @Parameter
    private List<String> arguments;

    /** The same as one text, from the command line: for one method. */
    @Parameter(property = "randgen.arguments", readonly = true)
    private String typedArguments;

    /** Call at most this many methods on an object, one after the other. Default: {@code 3}. */
    @Parameter(property = "randgen.iterations")
    private String iterations;

    /** Stop the exploration before it stores more than this many states. Default: {@code 100000}. */
    @Parameter(property = "randgen.maxStates")
    private String maxStates;

    /**
     * Treat integers, chars and booleans among the arguments as symbolic values, and solve path conditions with z3. Default:
     * {@code false}.
     */
    @Parameter(property = "randgen.symbolic")
    private String symbolic;

    /**
     * Write a test for each new state ({@code new-states}), for each call that covers a new edge ({@code new-edges}), or no
     * tests ({@code nothing}). Default: {@code new-states}.
     */
    @Parameter(property = "randgen.keep")
    private String keep;

    /** No field can have the parameter's name, so Maven sets it here. */
    public void setClass(String name) {
        exploredClass = name;
    }

    @Override
    String command() {
        return "explore";
    }

    @Override
    Arguments arguments() {
        return new Arguments()
                .value("class", exploredClass)
                .value("methods", methods)
                .values("arguments", typedArguments == null ? arguments : Collections.singletonList(typedArguments))
                .value("iterations", iterations)
                .value("maxStates", maxStates)
                .toggle("symbolic", symbolic)
                .value("keep", keep);
    }
}
