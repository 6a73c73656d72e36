package dev.randgen.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExitCodesTest {
    @Test
    void cleanRunsPass() {
        assertNull(ExitCodes.failure(0));
    }

    @ParameterizedTest
    @CsvSource({
        "1, gate fails, true",
        "2, refused the settings, false",
        "3, could not use the module, false",
        "4, has no test for any class, true",
        "5, could not read the baseline, false",
        "6, sandbox is not available, false",
        "70, has a defect, false",
        "130, was interrupted, false",
        "137, exit code 137, false",
        "-1, exit code -1, false"
    })
    void othersFailTheBuildForTheCodeOrForTheRun(int code, String meaning, boolean isAboutTheCode) {
        assertTrue(ExitCodes.failure(code).contains(meaning), ExitCodes.failure(code));
        assertEquals(isAboutTheCode, ExitCodes.isAboutTheCode(code));
    }
}
