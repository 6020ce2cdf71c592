package io.millrace.batch;

import java.io.Serializable;
import java.time.Duration;

/**
 * The limits of a micro-batch. It is emitted when it reaches the first of them.
 *
 * @param bytes the limit of the serialized size in bytes; one row always fits. On the receiving side, Flink keeps
 *     records of up to 5 MiB in memory and spills larger ones to disk
 * @param rows the limit of the number of rows, at least 1. It bounds the time that a row of a small sample waits for
 *     other rows: a few batches
 * @param delay the longest time for which the first row waits for others, more than 0
 */
public record PackLimits(int bytes, int rows, Duration delay) implements Serializable {
    /** The default size, at which the copies of the network stay in the CPU's caches (see the package's documentation). */
    public static final int DEFAULT_BYTES = 1_000_000;

    /**
     * The default delay. It is short compared with a training step, and long compared with the time in which a busy
     * stage fills a micro-batch.
     */
    public static final Duration DEFAULT_DELAY = Duration.ofMillis(50);

    public PackLimits {
        if (bytes < 1 || rows < 1 || delay.toMillis() < 1) {
            throw new IllegalArgumentException("expected positive pack limits and a delay of at least 1 ms, found "
                    + bytes + " bytes, " + rows + " rows, " + delay);
        }
    }

    /** Returns limits with a number of rows and the default size and delay. */
    public static PackLimits ofRows(int rows) {
        return new PackLimits(DEFAULT_BYTES, rows, DEFAULT_DELAY);
    }
}
