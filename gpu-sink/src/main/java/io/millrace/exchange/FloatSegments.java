package io.millrace.exchange;

import java.util.Arrays;

/**
 * The order in which floats are summed. The class is pure.
 *
 * <p>The floats are divided into as many segments as there are ranks. The sum of a float of segment {@code k} is {@code
 * (((w_k x_k) + w_{k+1} x_{k+1}) + ...)}, where the ranks are counted cyclically from {@code k}. A ring sums in this
 * order (Patarasuk, Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009), and all
 * transports use this order, so their results are equal to the bit. Each product and each sum is rounded to a float. A
 * rank without rows contributes 0, whatever its floats are.
 */
record FloatSegments(long floats, int ranks) {
    /**
     * The number of floats that are summed at a time. A chunk fits into the CPU's cache, and is sent while the next
     * chunk is summed.
     */
    static final int CHUNK = 16 << 10;

    /** Returns the index of the first float of a segment. */
    long from(int segment) {
        return Math.floorDiv(Math.multiplyExact(floats, (long) segment), ranks);
    }

    /** Returns the index after the last float of a segment. */
    long to(int segment) {
        return from(segment + 1);
    }

    /** Returns the rank whose floats are the {@code nth} term, from 0, in the sum of a segment. */
    int rank(int segment, int nth) {
        return (segment + nth) % ranks;
    }

    /** Begins a sum with the first rank's part. */
    static void begin(float[] sum, float[] values, int count, float weight) {
        if (weight == 0) {
            Arrays.fill(sum, 0, count, 0);
            return;
        }
        for (int i = 0; i < count; i++) {
            sum[i] = weight * values[i];
        }
    }

    /** Adds another rank's part to a sum. */
    static void add(float[] sum, float[] values, int count, float weight) {
        if (weight == 0) {
            return;
        }
        for (int i = 0; i < count; i++) {
            sum[i] = sum[i] + weight * values[i];
        }
    }

    /** Sums one segment of all ranks' floats, and passes each chunk of the result to {@code done}. */
    void reduce(int segment, FloatBlocks[] all, float[] weights, Result done) {
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
            done.accept(at, sum, count);
        }
    }

    /** The receiver of chunks of sums. */
    interface Result {
        void accept(long from, float[] sums, int count);
    }
}
