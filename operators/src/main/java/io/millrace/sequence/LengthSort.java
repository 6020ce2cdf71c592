package io.millrace.sequence;

import java.util.Arrays;

/** A stable radix sort of the documents of a window by their lengths, the longest first. One thread uses an object. */
final class LengthSort {
    private static final int DIGIT_BITS = 11;

    private final int[] starts = new int[(1 << DIGIT_BITS) + 1];
    private int[] spare = new int[0];

    /**
     * Sorts documents.
     *
     * @param documents the documents in order of arrival; the array is overwritten
     * @param count how many of them there are
     * @param lengths the length of each document, by its number, 0 to {@code longest}
     * @return the documents, in an array that the next call overwrites
     */
    int[] longestFirst(int[] documents, int count, int[] lengths, int longest) {
        if (spare.length < count) {
            spare = new int[count];
        }
        int[] from = documents;
        int[] to = spare;
        for (int shift = 0; longest >>> shift != 0; shift += DIGIT_BITS) {
            Arrays.fill(starts, 0);
            for (int i = 0; i < count; i++) {
                starts[digit(longest - lengths[from[i]], shift) + 1]++;
            }
            for (int i = 1; i < starts.length; i++) {
                starts[i] += starts[i - 1];
            }
            for (int i = 0; i < count; i++) {
                to[starts[digit(longest - lengths[from[i]], shift)]++] = from[i];
            }
            int[] sorted = to;
            to = from;
            from = sorted;
        }
        return from;
    }

    private static int digit(int value, int shift) {
        return value >>> shift & (1 << DIGIT_BITS) - 1;
    }
}
