package io.millrace.device;

import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A way for bytes that is slower than the one at hand: whoever carries something over it waits as long as it would take.
 * For experiments, with no device or network to be slow. Stateless.
 *
 * @param bytesPerSecond at least 1
 * @param latency of each transfer, in addition
 */
public record SimulatedLink(long bytesPerSecond, Duration latency) implements Serializable {
    /** Of a link that is as fast as any. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** Nothing is slower than it is. */
    public static final SimulatedLink NONE = new SimulatedLink(UNLIMITED, Duration.ZERO);

    public SimulatedLink {
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException("bytes per second: expected at least 1, found " + bytesPerSecond);
        }
        if (latency.isNegative()) {
            throw new IllegalArgumentException("latency: expected at least 0, found " + latency);
        }
    }

    /** How long so many bytes are on their way, in nanoseconds. */
    public long nanos(long bytes) {
        double carried =
                bytesPerSecond == UNLIMITED ? 0 : (double) bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
        return latency.toNanos() + Math.round(carried);
    }

    /** Waits as long as these bytes are on their way; an interrupt ends it, and is kept for the caller. */
    public void carry(long bytes) {
        SimulatedTime.pass(System.nanoTime(), nanos(bytes));
    }
}
