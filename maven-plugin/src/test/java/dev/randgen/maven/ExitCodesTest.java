package dev.randgen.maven;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExitCodesTest {
    @Test
    void cleanRunsPass() {
        assertDoesNotThrow(() -> ExitCodes.check(0));
    }

    @ParameterizedTest
    @CsvSource({"1, baseline does not know", "4, could test no class"})
    void resultsAboutTheCodeUnderTestAreFailures(int code, String meaning) {
        Exception failure = assertThrows(MojoFailureException.class, () -> ExitCodes.check(code));
        assertTrue(failure.getMessage().contains(meaning), failure.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "2, refused the settings",
        "3, could not use the module",
        "5, could not read the baseline",
        "6, sandbox is not available",
        "70, has a defect",
        "130, was interrupted",
        "137, exit code 137",
        "-1, exit code -1"
    })
    void runsThatCouldNotBeAreErrors(int code, String meaning) {
        Exception error = assertThrows(MojoExecutionException.class, () -> ExitCodes.check(code));
        assertTrue(error.getMessage().contains(meaning), error.getMessage());
    }
}
