package dev.randgen.plugin;

import java.util.List;

/** Writes the little of TOML that a request needs. */
final class Toml {
    private final StringBuilder lines = new StringBuilder();

    void table(String name) {
        lines.append('[').append(name).append("]\n");
    }

    void number(String key, int value) {
        lines.append(key).append(" = ").append(value).append('\n');
    }

    /** Writes nothing for null. */
    void text(String key, String value) {
        value(key, value);
    }

    /** Writes a text, or a list of them; nothing for null. */
    void value(String key, Object value) {
        if (value == null) {
            return;
        }
        lines.append(key).append(" = ");
        if (value instanceof List) {
            lines.append('[');
            String separator = "";
            for (Object member : (List<?>) value) {
                // Maven has null for an empty element of a list.
                if (member != null) {
                    lines.append(separator);
                    appendQuoted(member.toString());
                    separator = ", ";
                }
            }
            lines.append(']');
        } else {
            appendQuoted(value.toString());
        }
        lines.append('\n');
    }

    private void appendQuoted(String text) {
        lines.append('"');
        for (char letter : text.toCharArray()) {
            if (letter == '"' || letter == '\\') {
                lines.append('\\').append(letter);
            } else if (letter < ' ' || letter == 0x7f) {
                lines.append(String.format("\\u%04x", (int) letter));
            } else {
                lines.append(letter);
            }
        }
        lines.append('"');
    }

    @Override
    public String toString() {
        return lines.toString();
    }
}
