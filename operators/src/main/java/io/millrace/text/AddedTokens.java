package io.millrace.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * The added tokens of a vocabulary, such as {@code <|endoftext|>}, which are found in a text before it is cut: at each byte, the longest
 * one that begins there. They are a tree of bytes, so that a search costs no more with a thousand tokens. Immutable.
 */
final class AddedTokens {
    private static final int NONE = -1;

    /** The child of the root by the first byte; 0 where no token begins with it. */
    private final int[] roots = new int[256];
    /** The node's byte, its first child, its next sibling and the id of the token that ends at it. The node 0 is none. */
    private byte[] bytes = new byte[64];

    private int[] children = new int[64];
    private int[] siblings = new int[64];
    private int[] ids = new int[64];
    private int nodes = 1;

    /**
     * Creates the tree.
     *
     * @param added the id of each token, which has at least one character
     */
    AddedTokens(Map<String, Integer> added) {
        added.forEach((token, id) -> {
            byte[] utf8 = token.getBytes(StandardCharsets.UTF_8);
            int node = roots[utf8[0] & 0xFF];
            if (node == 0) {
                node = node(utf8[0]);
                roots[utf8[0] & 0xFF] = node;
            }
            for (int i = 1; i < utf8.length; i++) {
                int child = child(node, utf8[i]);
                if (child == 0) {
                    child = node(utf8[i]);
                    siblings[child] = children[node];
                    children[node] = child;
                }
                node = child;
            }
            ids[node] = id;
        });
    }

    private int node(byte value) {
        if (nodes == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * nodes);
            children = Arrays.copyOf(children, 2 * nodes);
            siblings = Arrays.copyOf(siblings, 2 * nodes);
            ids = Arrays.copyOf(ids, 2 * nodes);
        }
        bytes[nodes] = value;
        ids[nodes] = NONE;
        return nodes++;
    }

    private int child(int node, byte value) {
        int child = children[node];
        while (child != 0 && bytes[child] != value) {
            child = siblings[child];
        }
        return child;
    }

    /** Returns the first byte at which a token may begin, from {@code at} on; {@code to} when there is none. */
    int next(byte[] text, int at, int to) {
        int next = at;
        while (next < to && roots[text[next] & 0xFF] == 0) {
            next++;
        }
        return next;
    }

    /** Returns the id of the longest token that begins at a byte in the upper half and its end in the lower; -1 when there is none. */
    long longest(byte[] text, int at, int to) {
        long found = NONE;
        int node = roots[text[at] & 0xFF];
        for (int end = at + 1; node != 0; end++) {
            if (ids[node] != NONE) {
                found = ((long) ids[node] << Integer.SIZE) | end;
            }
            node = end < to ? child(node, text[end]) : 0;
        }
        return found;
    }
}
