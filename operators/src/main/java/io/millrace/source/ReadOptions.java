package io.millrace.source;

import java.io.Serializable;

/**
 * How readers share and anticipate the work. Without effect on what is trained, only on speed and memory.
 *
 * @param rangeSize positions per range, at least 1
 * @param window how many ranges may be begun while the lowest is unfinished, at least 1
 * @param readAhead ranges that a reader has read, or is reading, beyond the one that it emits, at least 1
 * @param threads I/O threads of each reader, at least 1; resident datasets use none
 */
public record ReadOptions(int rangeSize, int window, int readAhead, int threads) implements Serializable {
    /** A range of small samples: messages cost little next to it. */
    private static final long RANGE_BYTES = 1 << 20;

    private static final int SMALLEST_RANGE = 8;
    private static final int LARGEST_RANGE = 512;
    private static final int READ_AHEAD = 4;

    /** So that what a reader has in hand at the end is a small part of what it did. */
    private static final int RANGES_PER_READER = 64;

    /** The I/O threads of a reader that is told nothing else. */
    public static final int THREADS = 4;

    public ReadOptions {
        atLeastOne("range size", rangeSize);
        atLeastOne("window", window);
        atLeastOne("read-ahead", readAhead);
        atLeastOne("number of I/O threads", threads);
    }

    /**
     * Options for samples of about this size. A range holds about 1 MB, 8 to 512 samples: each range costs two messages,
     * about 0.1 ms of CPU time (SourceBenchmark), which is felt with tiny samples, while what waits downstream grows with
     * the range. The window lets every reader
     * hold its ranges with two batches to spare, so that one slow range does not stop the others. Four threads hide the
     * latency of files; waiting costs them nothing.
     *
     * @param batch rows of a batch, at least 1
     * @param sampleBytes of field data as read, at least 1; one sample's will do
     * @param parallelism of the source, at least 1
     */
    public static ReadOptions suited(int batch, long sampleBytes, int parallelism) {
        return suited(batch, sampleBytes, parallelism, Long.MAX_VALUE);
    }

    /**
     * As {@link #suited(int, long, int)}, where the data is not much: each reader is to have {@value #RANGES_PER_READER}
     * ranges or more. With fewer, the readers that ask first would hold all that there is, and the others nothing: tiny
     * samples with a slow transform would be done by some slots one after the other.
     *
     * @param samples of the dataset, at least 1
     */
    public static ReadOptions suited(int batch, long sampleBytes, int parallelism, long samples) {
        atLeastOne("batch", batch);
        atLeastOne("size of a sample", sampleBytes);
        atLeastOne("parallelism", parallelism);
        atLeastOne("number of samples", samples);
        long fair = samples / parallelism / RANGES_PER_READER;
        int range = (int) Math.min(LARGEST_RANGE, Math.max(SMALLEST_RANGE, Math.min(fair, RANGE_BYTES / sampleBytes)));
        int spare = (2 * batch + range - 1) / range;
        return new ReadOptions(range, spare + parallelism * (READ_AHEAD + 1), READ_AHEAD, THREADS);
    }

    /** The I/O threads of each reader that can be at work at once: each reads a range. */
    public int threadsAtWork() {
        return Math.min(threads, readAhead);
    }

    private static void atLeastOne(String what, long found) {
        if (found < 1) {
            throw new IllegalArgumentException("the " + what + " must be at least 1, found " + found);
        }
    }
}
