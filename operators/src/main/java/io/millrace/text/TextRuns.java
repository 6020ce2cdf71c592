package io.millrace.text;

import java.util.Arrays;

/** Texts, one after the other in one array. One thread adds them, and then any thread may read them. Tested by {@code TokenTableTest}. */
final class TextRuns {
    private char[] chars = new char[1024];
    /** The end of each text, which is the start of the next one. */
    private int[] ends = new int[256];

    private int size;

    /** Appends a text. */
    void add(char[] text, int from, int to) {
        int start = start(size);
        int end = Math.addExact(start, to - from);
        if (end > chars.length) {
            chars = Arrays.copyOf(chars, Math.max(end, chars.length + (chars.length >> 1)));
        }
        if (size == ends.length) {
            ends = Arrays.copyOf(ends, 2 * size);
        }
        System.arraycopy(text, from, chars, start, to - from);
        ends[size++] = end;
    }

    /** Returns the array with all texts, until the next one is added. */
    char[] chars() {
        return chars;
    }

    /** Returns the place of the first character of a text. */
    int start(int text) {
        return text == 0 ? 0 : ends[text - 1];
    }

    /** Returns the place after the last character of a text. */
    int end(int text) {
        return ends[text];
    }

    /** Returns a text. */
    String text(int text) {
        return new String(chars, start(text), end(text) - start(text));
    }

    /** Returns the number of texts. */
    int size() {
        return size;
    }
}
