package io.millrace.batch;

import java.io.Serializable;
import java.time.Duration;

/**
 * When a micro-batch is full enough to be sent: whichever limit is met first.
 *
 * @param bytes of the micro-batch as serialized; one row always fits. Flink keeps records of up to 5 MiB in memory on the
 *     receiving side and spills larger ones to disk
 * @param rows at least 1. Bounds how long a row of a small sample waits for its neighbours: some batches' worth
 * @param delay how long the first row may wait for others, longer than 0
 */
public record PackLimits(int bytes, int rows, Duration delay) implements Serializable {
    /** The size at which Flink's network costs least CPU time per byte, see the package's documentation. */
    public static final int DEFAULT_BYTES = 4_000_000;

    /** Short against a training step's patience, long against the time in which a busy stage fills a micro-batch. */
    public static final Duration DEFAULT_DELAY = Duration.ofMillis(50);

    public PackLimits {
        if (bytes < 1 || rows < 1 || delay.toMillis() < 1) {
            throw new IllegalArgumentException("pack limits must be positive, and the delay 1 ms at least: found "
                    + bytes + " bytes, " + rows + " rows, " + delay);
        }
    }

    /** At most so many rows, with the default size and delay. */
    public static PackLimits ofRows(int rows) {
        return new PackLimits(DEFAULT_BYTES, rows, DEFAULT_DELAY);
    }
}
