package dev.randgen.plugin;

/** What the binary's exit codes mean for a build. */
public final class ExitCodes {
    private ExitCodes() {}

    /** Why the build fails, or null if it does not. */
    public static String failure(int code) {
        switch (code) {
            case 0:
                return null;
            case 1:
                return "randgen's gate fails: new findings, behavioural changes, violated specifications or an unmet threshold; see above";
            case 2:
                return "randgen refused the settings; see the error above";
            case 3:
                return "randgen could not use the module, its JDK or its output directory; see the error above";
            case 4:
                return "randgen has no test for any class of the module";
            case 5:
                return "randgen could not read the baseline or the accepted specifications; see the error above";
            case 6:
                return "randgen's sandbox is not available; see the error above";
            case 70:
                return "randgen has a defect, or the machine a problem; see the error above";
            case 130:
                return "randgen was interrupted";
            default:
                return "randgen ended with exit code " + code + "; see the error above";
        }
    }

    /** Whether the code under test is why the build fails, and not how randgen was run. */
    public static boolean isAboutTheCode(int code) {
        return code == 1 || code == 4;
    }
}
