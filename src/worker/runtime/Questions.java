package randgen.runtime;

/**
 * What instrumented code calls before it asks something of a character or of a part of a text. Only a run with a marker behind its
 * text looks at it.
 */
public final class Questions {
    private Questions() {}

    public static void indexOf(Object text, int character, int site) {
        if (Texts.probed) {
            Texts.indexOf(text, character, site);
        }
    }

    public static void startsWith(Object prefix, int index, int site) {
        if (Texts.probed) {
            Texts.part(prefix, index, site);
        }
    }

    public static void regionMatches(int index, Object other, int site) {
        if (Texts.probed) {
            Texts.part(other, index, site);
        }
    }

    /** The platform is to read the text; of the examples, a line each, it reads any. */
    public static void reads(Object text, String examples, int site) {
        Operands.read(text, examples, site);
    }

    /** What the marker is asked to be, by some characters that are. */
    private static void isOneOf(String some, int character, int site) {
        if (Texts.probed) {
            Texts.characters(character, some, site);
        }
    }

    public static void isDigit(int character, int site) {
        isOneOf("10", character, site);
    }

    public static void isLetter(int character, int site) {
        isOneOf("aB", character, site);
    }

    public static void isAlphabetic(int character, int site) {
        isOneOf("aB", character, site);
    }

    public static void isLetterOrDigit(int character, int site) {
        isOneOf("aB1", character, site);
    }

    public static void isWhitespace(int character, int site) {
        isOneOf(" \n\t", character, site);
    }

    public static void isSpaceChar(int character, int site) {
        isOneOf(" ", character, site);
    }

    public static void isUpperCase(int character, int site) {
        isOneOf("A", character, site);
    }

    public static void isJavaIdentifierStart(int character, int site) {
        isOneOf("aB_$", character, site);
    }

    public static void isJavaIdentifierPart(int character, int site) {
        isOneOf("aB1_$", character, site);
    }

    public static void digit(int character, int radix, int site) {
        isOneOf(radix > 10 ? "1aF" : "10", character, site);
    }
}
