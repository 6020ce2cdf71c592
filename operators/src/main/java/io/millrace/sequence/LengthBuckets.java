package io.millrace.sequence;

import io.millrace.order.Order;
import io.millrace.order.Permutation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The arrangement of documents that are not packed in which a batch has documents of similar length, so that little of it is padding. The
 * documents of a window are divided into buckets by their lengths, and each bucket into batches in order of arrival. The documents that are
 * left in their buckets share the last batches, also in the order of the buckets. Then the batches are shuffled, except a last one that is
 * not full.
 *
 * <p>Tested by {@code LengthBucketsTest}.
 */
public final class LengthBuckets implements Arrangement {
    private static final long serialVersionUID = 1;

    private final int[] boundaries;
    private final int batch;
    private final long seed;
    private final RowCost length;

    /**
     * Creates an arrangement.
     *
     * @param boundaries the largest length of each bucket, ascending, at least 1; one more bucket holds longer documents
     * @param batch the number of documents of a batch, at least 1
     * @param seed the seed of the run
     * @param length the length of a row; a negative one belongs to the first bucket
     * @throws IllegalArgumentException when the boundaries do not ascend; the message is a sentence for the user
     */
    public LengthBuckets(int[] boundaries, int batch, long seed, RowCost length) {
        for (int i = 0; i < boundaries.length; i++) {
            if (boundaries[i] < 1 || (i > 0 && boundaries[i] <= boundaries[i - 1])) {
                throw new IllegalArgumentException("the boundaries of buckets must be at least 1 and ascend, found "
                        + Arrays.toString(boundaries));
            }
        }
        if (batch < 1) {
            throw new IllegalArgumentException("expected a batch of at least 1 document, found " + batch);
        }
        this.boundaries = boundaries.clone();
        this.batch = batch;
        this.seed = seed;
        this.length = length;
    }

    @Override
    public boolean await(Order.Pick[] rows, long nanos) throws IOException {
        return length.await(rows, nanos);
    }

    @Override
    public int[] arrange(int epoch, long window, Order.Pick[] rows) {
        int buckets = boundaries.length + 1;
        int[] waiting = new int[buckets * batch];
        int[] counts = new int[buckets];
        List<int[]> batches = new ArrayList<>();
        for (int row = 0; row < rows.length; row++) {
            int bucket = bucket(length.cost(rows[row]));
            waiting[bucket * batch + counts[bucket]++] = row;
            if (counts[bucket] == batch) {
                batches.add(Arrays.copyOfRange(waiting, bucket * batch, (bucket + 1) * batch));
                counts[bucket] = 0;
            }
        }
        int[] arranged = new int[rows.length];
        int at = batches.size() * batch;
        for (int bucket = 0; bucket < buckets; bucket++) {
            System.arraycopy(waiting, bucket * batch, arranged, at, counts[bucket]);
            at += counts[bucket];
        }
        while (batches.size() < rows.length / batch) {
            int first = batches.size() * batch;
            batches.add(Arrays.copyOfRange(arranged, first, first + batch));
        }
        if (!batches.isEmpty()) {
            Permutation shuffle = WindowShuffle.within(seed, epoch, window, batches.size());
            for (int i = 0; i < batches.size(); i++) {
                System.arraycopy(batches.get((int) shuffle.apply(i)), 0, arranged, i * batch, batch);
            }
        }
        return arranged;
    }

    private int bucket(double tokens) {
        int bucket = 0;
        while (bucket < boundaries.length && tokens > boundaries[bucket]) {
            bucket++;
        }
        return bucket;
    }

    /**
     * Returns the share of padding in batches whose documents are padded to the longest one: 0 to 1, or 0 where there are no tokens.
     *
     * @param lengths the lengths of the documents in the order of the batches, each 0 or more
     * @param batch the number of documents of a batch
     */
    public static double padding(int[] lengths, int batch) {
        long tokens = 0;
        long places = 0;
        for (int first = 0; first < lengths.length; first += batch) {
            int end = Math.min(lengths.length, first + batch);
            long longest = 0;
            for (int i = first; i < end; i++) {
                tokens += lengths[i];
                longest = Math.max(longest, lengths[i]);
            }
            places += longest * (end - first);
        }
        return places == 0 ? 0 : 1 - (double) tokens / places;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LengthBuckets buckets
                && batch == buckets.batch
                && seed == buckets.seed
                && Arrays.equals(boundaries, buckets.boundaries)
                && length.equals(buckets.length);
    }

    @Override
    public int hashCode() {
        return Objects.hash(Arrays.hashCode(boundaries), batch, seed, length);
    }

    @Override
    public String toString() {
        return "LengthBuckets[" + Arrays.toString(boundaries) + ", batch=" + batch + ", seed=" + seed + "]";
    }
}
