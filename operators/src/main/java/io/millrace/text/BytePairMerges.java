package io.millrace.text;

import java.util.Arrays;
import java.util.PriorityQueue;

/** The merges of a byte-level BPE: the rank and the merged id by a pair of ids. Nobody changes it once it is filled. */
final class BytePairMerges {
    static final int NONE = Integer.MAX_VALUE;
    /** Longer pretokens are merged by a heap; a scan of each is quadratic. */
    private static final int SCANNED = 64;

    private static final long EMPTY = -1;
    private final long[] pairs;
    private final int[] ranks;
    private final int[] merged;

    BytePairMerges(int merges) {
        int slots = Integer.highestOneBit(Math.max(8, merges)) << 2;
        pairs = new long[slots];
        Arrays.fill(pairs, EMPTY);
        ranks = new int[slots];
        merged = new int[slots];
    }

    /** Adds a merge; the last rank of a pair holds, as in the {@code tokenizers} library. */
    void put(int left, int right, int rank, int id) {
        int slot = slot(left, right);
        pairs[slot] = pair(left, right);
        ranks[slot] = rank;
        merged[slot] = id;
    }

    /** Merges the first {@code count} ids in place and returns how many are left. */
    int merge(int[] ids, int count) {
        return count <= SCANNED ? scan(ids, count) : heap(ids, count);
    }

    private int scan(int[] ids, int count) {
        int left = count;
        while (left > 1) {
            int best = NONE;
            int at = -1;
            for (int i = 0; i + 1 < left; i++) {
                int rank = rank(ids[i], ids[i + 1]);
                if (rank < best) {
                    best = rank;
                    at = i;
                }
            }
            if (at < 0) {
                return left;
            }
            ids[at] = merged[slot(ids[at], ids[at + 1])];
            System.arraycopy(ids, at + 2, ids, at + 1, left - at - 2);
            left--;
        }
        return left;
    }

    private int heap(int[] ids, int count) {
        int[] next = new int[count];
        int[] before = new int[count];
        PriorityQueue<Long> queue = new PriorityQueue<>();
        for (int i = 0; i < count; i++) {
            next[i] = i + 1;
            before[i] = i - 1;
            offer(queue, ids, i, i + 1, count);
        }
        while (!queue.isEmpty()) {
            long entry = queue.remove();
            int at = (int) entry;
            int right = next[at];
            // An entry is stale when one of its ids was merged since.
            if (ids[at] < 0 || right >= count || rank(ids[at], ids[right]) != (int) (entry >>> 32)) {
                continue;
            }
            ids[at] = merged[slot(ids[at], ids[right])];
            ids[right] = -1;
            next[at] = next[right];
            if (next[at] < count) {
                before[next[at]] = at;
            }
            offer(queue, ids, at, next[at], count);
            if (before[at] >= 0) {
                offer(queue, ids, before[at], at, count);
            }
        }
        int left = 0;
        for (int i = 0; i < count; i++) {
            if (ids[i] >= 0) {
                ids[left++] = ids[i];
            }
        }
        return left;
    }

    private void offer(PriorityQueue<Long> queue, int[] ids, int at, int right, int count) {
        int rank = right < count ? rank(ids[at], ids[right]) : NONE;
        if (rank != NONE) {
            queue.add(((long) rank << 32) | at);
        }
    }

    private int rank(int left, int right) {
        int slot = slot(left, right);
        return pairs[slot] == EMPTY ? NONE : ranks[slot];
    }

    private int slot(int left, int right) {
        long pair = pair(left, right);
        int slot = (int) ((pair * 0x9E3779B97F4A7C15L) >>> 32) & (pairs.length - 1);
        while (pairs[slot] != EMPTY && pairs[slot] != pair) {
            slot = (slot + 1) & (pairs.length - 1);
        }
        return slot;
    }

    private static long pair(int left, int right) {
        return ((long) left << 32) | right;
    }
}
