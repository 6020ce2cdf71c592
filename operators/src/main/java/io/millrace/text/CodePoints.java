package io.millrace.text;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The classes of the characters of UTF-8 text, as bits that patterns combine. The table is the library's (Unicode 16), because Java 17 has
 * Unicode 13. {@code operators/src/test/python/class_table.py} writes it. All texts are valid UTF-8.
 *
 * <p>Tested by {@code PretokensTest}.
 */
final class CodePoints {
    private static final String NUMBERS = "OLMP\0\0\0\0UBNSD";
    /** The characters U+4E00 to U+9FA5 and U+3040 to U+30FF, of any class; their numbers are 4 larger than those of others. */
    static final int CJK = bits(4, 5, 6, 7);

    static final int MARK = bits(2, 6);
    /** Punctuation and symbols: {@code [\p{P}\p{S}]}. */
    static final int SYMBOL = bits(3, 7);
    /** Letters without case: {@code [\p{Lm}\p{Lo}]}. */
    static final int CASELESS = bits(1, 5);
    /** Capital letters: {@code [\p{Lu}\p{Lt}]}. */
    static final int UPPER = bits(8);

    static final int LOWER = bits(9);
    static final int LETTER = CASELESS | UPPER | LOWER;
    static final int NUMBER = bits(10);
    static final int SPACE = bits(11);
    /** Numbers of Unicode 17, which only the pre-tokenizer Digits takes for numbers. */
    static final int NEW_NUMBER = bits(12);
    /** Characters of no other class. */
    static final int OTHER = bits(0, 4) | NEW_NUMBER;

    private static final byte[] CLASSES = classes();

    private CodePoints() {}

    private static int bits(int... numbers) {
        return Arrays.stream(numbers).map(number -> 1 << number).sum();
    }

    private static byte[] classes() {
        byte[] classes = new byte[Character.MAX_CODE_POINT + 1];
        for (String line : ranges("classes.txt")) {
            String[] parts = line.split(" ", -1);
            int last = Integer.parseInt(parts[2], 16);
            Arrays.fill(classes, Integer.parseInt(parts[1], 16), last + 1, (byte) NUMBERS.indexOf(parts[0]));
        }
        for (int code = 0x3040; code <= 0x9FA5; code++) {
            if ((code <= 0x30FF || code >= 0x4E00) && classes[code] < 4) {
                classes[code] = (byte) (classes[code] + 4);
            }
        }
        return classes;
    }

    /** Returns the lines of a resource of this package: a name, and the first and the last code point of a range in hexadecimal. */
    static String[] ranges(String resource) {
        try (InputStream in = CodePoints.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("the resource io/millrace/text/" + resource + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII).split("\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the bit of the character at {@code at}, or 0 at the end of the text. */
    static int kind(byte[] text, int at, int to) {
        if (at >= to) {
            return 0;
        }
        int b = text[at];
        return 1 << CLASSES[b >= 0 ? b : codePoint(text, at)];
    }

    /** Returns the character at a place, which begins one. */
    static int codePoint(byte[] text, int at) {
        int length = after(text, at) - at;
        int code = length == 1 ? text[at] : text[at] & (0x7F >> length);
        for (int i = 1; i < length; i++) {
            code = (code << 6) | (text[at + i] & 0x3F);
        }
        return code;
    }

    /** Returns the place after the character at {@code at}. */
    static int after(byte[] text, int at) {
        int b = text[at] & 0xFF;
        return at + (b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4);
    }

    /** Returns the end of the run of characters of some kinds that begins at {@code from}. */
    static int run(byte[] text, int from, int to, int kinds) {
        int at = from;
        while ((kind(text, at, to) & kinds) != 0) {
            at = after(text, at);
        }
        return at;
    }
}
