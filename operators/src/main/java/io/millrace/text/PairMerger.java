package io.millrace.text;

/**
 * The merging of one pretoken after the other: while two neighbours can be merged, those of the lowest rank are, the first of them first.
 * One thread uses it at a time.
 *
 * <p>A short pretoken is searched for its lowest rank after each merge, which is quadratic, and a long one is given to {@link
 * RankBuckets}.
 */
final class PairMerger {
    /** The longest pretoken that is searched, in bytes. */
    static final int SEARCHED = 128;

    /** The largest pretoken whose memory is kept for the next ones, in bytes. */
    private static final int KEPT = 1 << 16;

    private final BytePairMerges merges;
    private final int[] byteIds;
    private final int[] byteRanks;
    private final RankBuckets buckets;
    private int[] ids = new int[SEARCHED];
    private int[] ranks = new int[SEARCHED];

    /**
     * Creates a merger.
     *
     * @param byteIds the id of each byte
     * @param byteRanks the ranks of {@link #byteRanks}
     */
    PairMerger(BytePairMerges merges, int[] byteIds, int[] byteRanks) {
        this.merges = merges;
        this.byteIds = byteIds;
        this.byteRanks = byteRanks;
        this.buckets = new RankBuckets(merges);
    }

    /** Returns the rank of each pair of bytes, the first byte in the upper half of the index. */
    static int[] byteRanks(BytePairMerges merges, int[] byteIds) {
        int[] ranks = new int[1 << 16];
        for (int i = 0; i < ranks.length; i++) {
            ranks[i] = merges.rank(byteIds[i >>> 8], byteIds[i & 0xFF]);
        }
        return ranks;
    }

    /** Merges the bytes of a pretoken, which has some, and returns the number of ids in {@link #ids}. */
    int merge(byte[] text, int from, int to) {
        int count = to - from;
        if (count > ids.length || ids.length > KEPT) {
            ids = new int[Math.max(SEARCHED, count)];
            ranks = new int[ids.length];
        }
        int first = text[from] & 0xFF;
        for (int i = 0; i < count - 1; i++) {
            int second = text[from + i + 1] & 0xFF;
            ids[i] = byteIds[first];
            ranks[i] = byteRanks[first << 8 | second];
            first = second;
        }
        ids[count - 1] = byteIds[first];
        ranks[count - 1] = BytePairMerges.NONE;
        return count <= SEARCHED ? search(count) : buckets.merge(ids, ranks, count);
    }

    /** Returns the ids of the latest pretoken, in an array that is used again for the next one. */
    int[] ids() {
        return ids;
    }

    private int search(int count) {
        int left = count;
        while (left > 1) {
            int best = BytePairMerges.NONE;
            int at = 0;
            for (int i = 0; i < left - 1; i++) {
                if (ranks[i] < best) {
                    best = ranks[i];
                    at = i;
                }
            }
            if (best == BytePairMerges.NONE) {
                return left;
            }
            left--;
            int id = merges.merged(best);
            for (int i = at + 1; i < left; i++) {
                ids[i] = ids[i + 1];
                ranks[i] = ranks[i + 1];
            }
            ids[at] = id;
            ranks[at] = at + 1 < left ? merges.rank(id, ids[at + 1]) : BytePairMerges.NONE;
            if (at > 0) {
                ranks[at - 1] = merges.rank(ids[at - 1], id);
            }
        }
        return left;
    }
}
