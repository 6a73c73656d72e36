package dev.randgen.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class TomlTest {
    private final Toml toml = new Toml();

    @Test
    void textsAndListsStandUnderTheirTable() {
        toml.number("version", 1);
        toml.table("flags");
        toml.text("seed", "7");
        toml.value("targetClasses", Arrays.asList("a.*", "b"));
        assertEquals("version = 1\n[flags]\nseed = \"7\"\ntargetClasses = [\"a.*\", \"b\"]\n", toml.toString());
    }

    @Test
    void whatIsNotSetIsNotWritten() {
        toml.text("seed", null);
        toml.value("jvmArgs", null);
        assertEquals("", toml.toString());
    }

    @Test
    void emptyElementsOfAListAreLeftOut() {
        toml.value("jvmArgs", Arrays.asList(null, "-ea", null));
        toml.value("outputFormats", Collections.emptyList());
        assertEquals("jvmArgs = [\"-ea\"]\noutputFormats = []\n", toml.toString());
    }

    @Test
    void pathsOfWindowsAndControlCharactersAreEscaped() {
        toml.text("basedir", "C:\\work\\a \"b\"\n\u007f\u00e9");
        assertEquals("basedir = \"C:\\\\work\\\\a \\\"b\\\"\\u000a\\u007f\u00e9\"\n", toml.toString());
    }
}
