package io.millrace.text;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Unicode's normal form NFC as the {@code tokenizers} library makes it, with the tables of Unicode 9. A text is cut into islands: a
 * character that the library may change, those after it, and the character before them if it may compose with them. Java normalizes
 * each island alone. Its characters are all of Unicode 9, so that each later Unicode makes the same of them. A newer mark, which Java
 * would move or compose, is in no island. {@code operators/src/test/python/nfc_table.py} writes the tables.
 *
 * <p>Tested by {@code ComposedFormTest}.
 */
final class ComposedForm {
    /** The characters that the library may change, and those that may compose with one of them. */
    private static final BitSet CHANGING = new BitSet();

    private static final BitSet FIRST = new BitSet();

    static {
        for (String line : CodePoints.ranges("nfc.txt")) {
            String[] parts = line.split(" ", -1);
            BitSet set = parts[0].equals("A") ? CHANGING : FIRST;
            set.set(Integer.parseInt(parts[1], 16), Integer.parseInt(parts[2], 16) + 1);
        }
    }

    private ComposedForm() {}

    /** Returns the normal form of a text. */
    static String of(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        byte[] changed = changed(utf8, 0, utf8.length);
        return changed == null ? text : new String(changed, StandardCharsets.UTF_8);
    }

    /**
     * Returns the normal form of a text.
     *
     * @param text valid UTF-8
     * @return a new array, or {@code null} if the text is in its normal form
     */
    static byte @Nullable [] changed(byte[] text, int from, int to) {
        ByteArrayOutputStream changed = null;
        int copied = from;
        int before = from;
        int at = from;
        while (at < to) {
            if (!changing(text, at)) {
                before = at;
                at = CodePoints.after(text, at);
                continue;
            }
            int start = before < at && FIRST.get(CodePoints.codePoint(text, before)) ? before : at;
            while (at < to && changing(text, at)) {
                at = CodePoints.after(text, at);
            }
            before = at;
            String island = new String(text, start, at - start, StandardCharsets.UTF_8);
            if (!Normalizer.isNormalized(island, Normalizer.Form.NFC)) {
                changed = changed == null ? new ByteArrayOutputStream(to - from) : changed;
                changed.write(text, copied, start - copied);
                changed.writeBytes(
                        Normalizer.normalize(island, Normalizer.Form.NFC).getBytes(StandardCharsets.UTF_8));
                copied = at;
            }
        }
        if (changed == null) {
            return null;
        }
        changed.write(text, copied, to - copied);
        return changed.toByteArray();
    }

    /** Returns whether the library may change a character, which none below U+0300 is; their first byte is below 0xCC. */
    private static boolean changing(byte[] text, int at) {
        return text[at] < 0 && (text[at] & 0xFF) >= 0xCC && CHANGING.get(CodePoints.codePoint(text, at));
    }
}
