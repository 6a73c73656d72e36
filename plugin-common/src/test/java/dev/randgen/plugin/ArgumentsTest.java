package dev.randgen.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class ArgumentsTest {
    @Test
    void namesAreFlagsInKebabCaseAndValuesBelongToThem() {
        Arguments arguments = new Arguments()
                .value("maxStates", 20)
                .values("arguments", Arrays.asList("put=-1..4,null", "int=1;5"))
                .toggle("symbolic", "true")
                .word("0abb");
        assertEquals(
                Arrays.asList("--max-states=20", "--arguments=put=-1..4,null", "--arguments=int=1;5", "--symbolic", "0abb"),
                arguments.asList());
    }

    @Test
    void whatIsNotSetIsLeftOut() {
        Arguments arguments =
                new Arguments().value("keep", null).values("arguments", null).toggle("symbolic", "false").word(null);
        assertEquals(Collections.emptyList(), arguments.asList());
    }
}
