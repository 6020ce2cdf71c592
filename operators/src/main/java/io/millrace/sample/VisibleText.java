package io.millrace.sample;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Text for a terminal, in which characters that a terminal obeys are escaped. Names of files and classes, pipeline files and messages
 * of exceptions may contain such characters, and could clear the screen, change the title or show other text than they have.
 */
public final class VisibleText {
    private VisibleText() {}

    /**
     * Returns a text with control characters and marks of writing direction as {@code \\u001b}. Line ends and tabs stay. The escapes
     * are those of JSON, so that a line of JSON keeps its meaning.
     */
    public static String of(CharSequence text) {
        return escaped(text, false);
    }

    /**
     * Returns a text on one line: as {@link #of} does, and with line ends and tabs as {@code \\n} and {@code \\t}. Otherwise a
     * name could add a line of its own to the output, or a column to a table.
     */
    public static String line(CharSequence text) {
        return escaped(text, true);
    }

    /**
     * Returns the first characters of a text in quotation marks, on one line as {@link #line} returns it, with an ellipsis if it has more.
     *
     * @param utf8 valid UTF-8, of which only the beginning is decoded
     */
    public static String beginning(byte[] utf8, int mostCharacters) {
        int end = 0;
        for (int shown = 0; end < utf8.length && shown < mostCharacters; shown++) {
            end++;
            while (end < utf8.length && (utf8[end] & 0xC0) == 0x80) {
                end++;
            }
        }
        return "\"" + line(new String(utf8, 0, end, StandardCharsets.UTF_8)) + "\"" + (end < utf8.length ? " ..." : "");
    }

    private static String escaped(CharSequence text, boolean oneLine) {
        StringBuilder visible = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char one = text.charAt(i);
            if (oneLine && (one == '\n' || one == '\t')) {
                visible.append(one == '\n' ? "\\n" : "\\t");
            } else if (isObeyed(one)) {
                visible.append(String.format(Locale.ROOT, "\\u%04x", (int) one));
            } else {
                visible.append(one);
            }
        }
        return visible.toString();
    }

    private static boolean isObeyed(char one) {
        if (Character.isISOControl(one)) {
            return one != '\n' && one != '\t';
        }
        return switch (Character.getDirectionality(one)) {
            case Character.DIRECTIONALITY_LEFT_TO_RIGHT_EMBEDDING,
                    Character.DIRECTIONALITY_LEFT_TO_RIGHT_OVERRIDE,
                    Character.DIRECTIONALITY_RIGHT_TO_LEFT_EMBEDDING,
                    Character.DIRECTIONALITY_RIGHT_TO_LEFT_OVERRIDE,
                    Character.DIRECTIONALITY_POP_DIRECTIONAL_FORMAT,
                    Character.DIRECTIONALITY_LEFT_TO_RIGHT_ISOLATE,
                    Character.DIRECTIONALITY_RIGHT_TO_LEFT_ISOLATE,
                    Character.DIRECTIONALITY_FIRST_STRONG_ISOLATE,
                    Character.DIRECTIONALITY_POP_DIRECTIONAL_ISOLATE -> true;
            // The marks U+200E, U+200F and U+061C, and the separators of lines and paragraphs.
            default -> one == '\u200e' || one == '\u200f' || one == '\u061c' || one == '\u2028' || one == '\u2029';
        };
    }
}
