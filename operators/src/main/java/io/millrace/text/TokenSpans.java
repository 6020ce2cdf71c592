package io.millrace.text;

import java.util.Arrays;

/** The bytes of a text that each of its tokens stands for. Tokens may share bytes, and bytes may be in no token. Not thread-safe. */
public final class TokenSpans {
    private int[] begins = new int[256];
    private int[] ends = new int[256];
    private int size;

    /**
     * Appends a token.
     *
     * @param begin its first byte, from the beginning of the text
     * @param end the byte after its last one, at least that of the token before
     * @throws IllegalArgumentException when the places are not in the order of the text
     */
    public void add(int begin, int end) {
        int before = size == 0 ? 0 : ends[size - 1];
        if (begin < 0 || end < begin || end < before) {
            throw new IllegalArgumentException("token " + size + " has the bytes " + begin + " to " + end
                    + " of its text, expected an end of at least " + before + ", that of the token before");
        }
        if (size == begins.length) {
            begins = Arrays.copyOf(begins, Math.multiplyExact(2, size));
            ends = Arrays.copyOf(ends, begins.length);
        }
        begins[size] = begin;
        ends[size++] = end;
    }

    /** Returns the number of tokens. */
    public int size() {
        return size;
    }

    /** Returns the first byte of a token by its place, 0 to {@code size() - 1}. */
    public int begin(int place) {
        return begins[requirePlace(place)];
    }

    /** Returns the byte after the last one of a token by its place, 0 to {@code size() - 1}. */
    public int end(int place) {
        return ends[requirePlace(place)];
    }

    private int requirePlace(int place) {
        if (place >= size) {
            throw new IndexOutOfBoundsException("place " + place + " of " + size + " tokens");
        }
        return place;
    }

    /** Returns the place of the first token that ends after a byte: the one with the byte, if a token has it; {@code size()} if none ends after it. */
    public int at(int position) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ends[middle] > position) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** Removes all tokens. */
    public void clear() {
        size = 0;
    }
}
