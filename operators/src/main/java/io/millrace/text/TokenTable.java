package io.millrace.text;

import java.util.Arrays;

/**
 * The ids of tokens by their characters. A large vocabulary needs a tenth of the memory of a map of strings. One thread puts tokens in, and
 * then any thread may read it.
 */
final class TokenTable {
    /** The id of a token that the table does not have. */
    static final int NONE = -1;

    private final TextRuns tokens = new TextRuns();
    private int[] ids = new int[256];
    /** One more than the number of the token, by hash; 0 where there is none. The length is a power of two. */
    private int[] slots = new int[1024];

    private int most = NONE;

    /** A use of one token, whose characters are valid during the call. */
    interface Use {
        void use(char[] text, int from, int to, int id);
    }

    /** Puts a token in, in place of an equal one. */
    void put(char[] text, int from, int to, int id) {
        most = Math.max(most, id);
        int slot = slot(text, from, to);
        if (slots[slot] != 0) {
            ids[slots[slot] - 1] = id;
            return;
        }
        int number = tokens.size();
        ids = number < ids.length ? ids : Arrays.copyOf(ids, 2 * number);
        tokens.add(text, from, to);
        ids[number] = id;
        slots[slot] = number + 1;
        if (2 * tokens.size() > slots.length) {
            slots = new int[2 * slots.length];
            for (int i = 0; i <= number; i++) {
                slots[slot(tokens.chars(), tokens.start(i), tokens.end(i))] = i + 1;
            }
        }
    }

    /** Puts a token in, in place of an equal one. */
    void put(String token, int id) {
        put(token.toCharArray(), 0, token.length(), id);
    }

    /** Returns the id of a token, or {@link #NONE}. */
    int id(char[] text, int from, int to) {
        int token = slots[slot(text, from, to)] - 1;
        return token < 0 ? NONE : ids[token];
    }

    /** Returns the id of a token, or {@link #NONE}. */
    int id(String token) {
        return id(token.toCharArray(), 0, token.length());
    }

    /** Uses each token, in the order in which they were put in. */
    void forEach(Use use) {
        for (int i = 0; i < tokens.size(); i++) {
            use.use(tokens.chars(), tokens.start(i), tokens.end(i), ids[i]);
        }
    }

    /** Returns the number of tokens. */
    int size() {
        return tokens.size();
    }

    /** Returns the largest id that was put in, or {@link #NONE}. */
    int most() {
        return most;
    }

    /** Returns the place of a token, or the free one that it would have. */
    private int slot(char[] text, int from, int to) {
        int hash = to - from;
        for (int i = from; i < to; i++) {
            hash = 31 * hash + text[i];
        }
        int slot = (hash * 0x9E3779B9) >>> Integer.numberOfLeadingZeros(slots.length - 1);
        while (slots[slot] != 0) {
            int token = slots[slot] - 1;
            if (Arrays.equals(tokens.chars(), tokens.start(token), tokens.end(token), text, from, to)) {
                return slot;
            }
            slot = (slot + 1) & (slots.length - 1);
        }
        return slot;
    }
}
