package randgen.runtime;

/** Takes the calls that the splicer inserts before questions about characters and texts. */
public final class Questions {
    public static void isDigit(int character, int probe) { Probes.number(probe); }
    public static void isLetter(int character, int probe) { Probes.number(probe); }
    public static void isAlphabetic(int character, int probe) { Probes.number(probe); }
    public static void isLetterOrDigit(int character, int probe) { Probes.number(probe); }
    public static void isWhitespace(int character, int probe) { Probes.number(probe); }
    public static void isSpaceChar(int character, int probe) { Probes.number(probe); }
    public static void isUpperCase(int character, int probe) { Probes.number(probe); }
    public static void isJavaIdentifierStart(int character, int probe) { Probes.number(probe); }
    public static void isJavaIdentifierPart(int character, int probe) { Probes.number(probe); }
    public static void digit(int character, int radix, int probe) { Probes.number(probe); }
    public static void reads(Object text, String examples, int probe) { Probes.number(probe); }
    public static void indexOf(Object text, int character, int probe) { Probes.number(probe); }
    public static void startsWith(Object prefix, int index, int probe) { Probes.number(probe); }
    public static void regionMatches(int index, Object other, int probe) { Probes.number(probe); }
}
