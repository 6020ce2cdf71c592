package io.millrace.source;

import java.io.Serializable;

/**
 * The sizes and limits with which readers share the work and read ahead. They change speed and memory only, not what
 * is trained.
 *
 * @param rangeSize the number of positions in a range, at least 1
 * @param window the number of ranges that may be started while the lowest one is unfinished, at least 1
 * @param readAhead the number of ranges that a reader has read or is reading beyond the one that it emits, at least 1
 * @param threads the number of I/O threads of each reader, at least 1; datasets use none while they are resident
 */
public record ReadOptions(int rangeSize, int window, int readAhead, int threads) implements Serializable {
    /**
     * The size of a range of small samples. The cost of its messages is small compared with reading that many bytes.
     */
    private static final long RANGE_BYTES = 1 << 20;

    private static final int SMALLEST_RANGE = 8;
    private static final int LARGEST_RANGE = 2048;
    private static final int READ_AHEAD = 4;

    /**
     * The least number of ranges for each reader. The ranges that a reader holds at the end are then a small part of its work.
     */
    private static final int RANGES_PER_READER = 64;

    /** The number of I/O threads of a reader when the pipeline file sets no number. */
    public static final int THREADS = 4;

    public ReadOptions {
        atLeastOne("range size", rangeSize);
        atLeastOne("window", window);
        atLeastOne("read-ahead", readAhead);
        atLeastOne("number of I/O threads", threads);
    }

    /**
     * Returns options for samples of about the given size. A range holds about 1 MB, 8 to 2048 samples. Each range costs two
     * messages, about 0.1 ms of CPU time (SourceBenchmark), which matters when samples are tiny. However, the number of samples
     * that wait downstream grows with the range. Small datasets get smaller ranges: each of several readers should get {@value
     * #RANGES_PER_READER} ranges or more. With fewer ranges, the first readers would get all of them and the others none, and
     * tiny samples with a slow transform would then all be transformed in a few Flink slots.
     *
     * <p>The {@link #window} has room for more than the ranges that readers hold, so that one slow range does not stop the other
     * readers. Four threads hide the latency of files; threads that wait cost nothing.
     *
     * @param batch the number of rows in a batch, at least 1
     * @param sampleBytes the bytes of field data that are read for a sample, at least 1; the size of any sample suffices
     * @param parallelism the parallelism of the source, at least 1
     * @param samples the number of samples in the dataset, at least 1; {@link Long#MAX_VALUE} when it is not limited
     */
    public static ReadOptions forDataset(int batch, long sampleBytes, int parallelism, long samples) {
        atLeastOne("batch", batch);
        atLeastOne("size of a sample", sampleBytes);
        atLeastOne("parallelism", parallelism);
        atLeastOne("number of samples", samples);
        long fair = parallelism == 1 ? samples : samples / parallelism / RANGES_PER_READER;
        int range = (int) Math.min(LARGEST_RANGE, Math.max(SMALLEST_RANGE, Math.min(fair, RANGE_BYTES / sampleBytes)));
        return new ReadOptions(range, window(batch, range, parallelism, READ_AHEAD), READ_AHEAD, THREADS);
    }

    /**
     * Returns the window that lets every reader hold its ranges and leaves room for two more batches.
     *
     * @param batch the number of rows in a batch, at least 1
     * @param range the number of positions in a range, at least 1
     * @param parallelism the parallelism of the source, at least 1
     * @param readAhead the number of ranges that a reader reads ahead, at least 1
     */
    public static int window(int batch, int range, int parallelism, int readAhead) {
        return (2 * batch + range - 1) / range + parallelism * (readAhead + 1);
    }

    /** Returns the number of I/O threads of each reader that can work at once. Each thread reads one range. */
    public int threadsAtWork() {
        return Math.min(threads, readAhead);
    }

    private static void atLeastOne(String what, long found) {
        if (found < 1) {
            throw new IllegalArgumentException("the " + what + " must be at least 1, found " + found);
        }
    }
}
