package io.millrace.text;

import java.util.BitSet;

/**
 * The characters that the {@code tokenizers} library takes for those of a word beside an added token with {@code single_word}: nearly all
 * letters, marks, digits and joining punctuation. {@code operators/src/test/python/word_table.py} writes the exceptions.
 *
 * <p>Tested by {@code ByteLevelTokenizerTest}.
 */
final class WordCharacters {
    private static final int USUAL = CodePoints.LETTER | CodePoints.MARK | CodePoints.NUMBER;
    /** The characters of the usual classes that are in no word, and those of other classes that are. */
    private static final BitSet EXCEPTIONS = new BitSet();

    static {
        for (String line : CodePoints.ranges("words.txt")) {
            String[] parts = line.split(" ", -1);
            EXCEPTIONS.set(Integer.parseInt(parts[1], 16), Integer.parseInt(parts[2], 16) + 1);
        }
    }

    private WordCharacters() {}

    /** Returns whether a character of a word is beside the bytes from {@code start} to {@code end}, in a text from {@code from} to {@code to}. */
    static boolean beside(byte[] text, int from, int start, int end, int to) {
        int before = start;
        do {
            before--;
        } while (before > from && (text[before] & 0xC0) == 0x80);
        return (start > from && of(text, before, start)) || (end < to && of(text, end, to));
    }

    private static boolean of(byte[] text, int at, int to) {
        boolean usual = (CodePoints.kind(text, at, to) & USUAL) != 0;
        return usual != EXCEPTIONS.get(CodePoints.codePoint(text, at));
    }
}
