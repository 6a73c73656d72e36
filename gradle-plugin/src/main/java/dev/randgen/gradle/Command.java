package dev.randgen.gradle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** A command of the binary that takes arguments besides settings, and the task that runs it. */
enum Command {
    ASSESS("Measures the redundancy of the project's tests.", true, suite()),
    SELECT(
            "Selects the tests of another suite that are not redundant with the project's tests.",
            true,
            suite(required("candidates", "DIR").file(), value("stateAbstraction"))),
    MINIMIZE(
            "Finds a small subset of the project's tests that does the same as all of them.",
            true,
            suite(value("stateAbstraction"))),
    EXPLORE(
            "Finds the states that objects of a class can reach, and writes a test for each.",
            false,
            Arrays.asList(
                    required("class", "com.shop.Cart"),
                    value("methods"),
                    value("arguments"),
                    value("iterations"),
                    value("maxStates"),
                    new Argument("symbolic", Kind.TOGGLE, null),
                    value("keep"))),
    SPECS(
            "Infers specifications, and shows tests that violate them.",
            false,
            Arrays.asList(value("maxIterations"), new Argument("axiomTests", Kind.TOGGLE, null))),
    REPLAY(
            "Runs the test of a finding again, and fails if it still fails.",
            false,
            Collections.singletonList(new Argument("id", Kind.WORD, "0abb"))),
    EXPLAIN(
            "Explains a finding of the last run, a contract, a finding rule, or a reason code.",
            false,
            Collections.singletonList(new Argument("what", Kind.WORD, "equals-symmetric")));

    /** The binary's word for it. */
    final String name = name().toLowerCase(Locale.ROOT);
    /** The task that runs it: {@code randgenAssess}. */
    final String task = "randgen" + name().charAt(0) + name.substring(1);

    final String description;
    /** It runs the project's compiled tests. */
    final boolean runsTests;
    /** It has nothing to do without classes. */
    final boolean needsClasses;

    final List<Argument> arguments;

    Command(String description, boolean runsTests, List<Argument> arguments) {
        this.description = description;
        this.runsTests = runsTests;
        this.needsClasses = !name().equals("EXPLAIN");
        this.arguments = arguments;
    }

    private static List<Argument> suite(Argument... more) {
        List<Argument> all = new ArrayList<>(Arrays.asList(value("testTimeout"), value("mutants")));
        all.addAll(Arrays.asList(more));
        return all;
    }

    private static Argument value(String name) {
        return new Argument(name, Kind.VALUE, null);
    }

    private static Argument required(String name, String example) {
        return new Argument(name, Kind.VALUE, example);
    }

    /** How an argument is written. */
    enum Kind {
        VALUE,
        FILE,
        TOGGLE,
        WORD
    }

    /** An argument of a command, under its name in build files. */
    static final class Argument {
        final String name;
        final Kind kind;
        final boolean isRequired;
        final String example;

        Argument(String name, Kind kind, String example) {
            this.name = name;
            this.kind = kind;
            this.isRequired = example != null;
            this.example = example;
        }

        Argument file() {
            return new Argument(name, Kind.FILE, example);
        }
    }
}
