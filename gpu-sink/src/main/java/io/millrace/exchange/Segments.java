package io.millrace.exchange;

import java.util.Arrays;

/**
 * In which order floats are added up. Pure.
 *
 * <p>The floats are cut into as many segments as there are ranks. A float of segment {@code k} is
 * {@code (((w_k x_k) + w_{k+1} x_{k+1}) + ...)}, the ranks counted round from {@code k}: the order in which a ring adds up
 * (Patarasuk, Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009), so that all ways of
 * exchanging give the same bits. Each product and each sum is rounded to a float; a rank without rows counts as 0, whatever
 * it holds.
 */
record Segments(long floats, int ranks) {
    /** Floats that are worked on at a time: they stay in the processor's cache, and travel while the next are added. */
    static final int CHUNK = 16 << 10;

    /** The first float of a segment. */
    long from(int segment) {
        return Math.floorDiv(Math.multiplyExact(floats, (long) segment), ranks);
    }

    /** The first float behind a segment. */
    long to(int segment) {
        return from(segment + 1);
    }

    /** The rank that is the {@code nth} to be added in a segment. */
    int rank(int segment, int nth) {
        return (segment + nth) % ranks;
    }

    /** The first rank's part of a sum. */
    static void begin(float[] sum, float[] values, int count, float weight) {
        if (weight == 0) {
            Arrays.fill(sum, 0, count, 0);
            return;
        }
        for (int i = 0; i < count; i++) {
            sum[i] = weight * values[i];
        }
    }

    /** Another rank's. */
    static void add(float[] sum, float[] values, int count, float weight) {
        if (weight == 0) {
            return;
        }
        for (int i = 0; i < count; i++) {
            sum[i] = sum[i] + weight * values[i];
        }
    }

    /** Adds up one segment of all ranks' floats, and gives each chunk of the result to {@code done}. */
    void reduce(int segment, Floats[] all, float[] weights, Result done) {
        float[] sum = new float[CHUNK];
        float[] values = new float[CHUNK];
        for (long at = from(segment); at < to(segment); at += CHUNK) {
            int count = (int) Math.min(CHUNK, to(segment) - at);
            for (int nth = 0; nth < ranks; nth++) {
                int rank = rank(segment, nth);
                all[rank].read(at, values, count);
                if (nth == 0) {
                    begin(sum, values, count, weights[rank]);
                } else {
                    add(sum, values, count, weights[rank]);
                }
            }
            done.take(at, sum, count);
        }
    }

    /** Takes a chunk of sums. */
    interface Result {
        void take(long from, float[] sums, int count);
    }
}
