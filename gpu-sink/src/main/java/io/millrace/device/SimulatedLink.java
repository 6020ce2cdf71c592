package io.millrace.device;

import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A simulated slow link: whoever carries bytes over it waits as long as the link would take. For experiments without a
 * slow device or network. Stateless.
 *
 * @param bytesPerSecond the speed, at least 1
 * @param latency the additional time of each transfer
 */
public record SimulatedLink(long bytesPerSecond, Duration latency) implements Serializable {
    /** The speed of a link that takes no time for bytes. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** A link that slows nothing down. */
    public static final SimulatedLink NONE = new SimulatedLink(UNLIMITED, Duration.ZERO);

    public SimulatedLink {
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException("bytes per second: expected at least 1, found " + bytesPerSecond);
        }
        if (latency.isNegative()) {
            throw new IllegalArgumentException("latency: expected at least 0, found " + latency);
        }
    }

    /** Returns the time that so many bytes need, in nanoseconds. */
    public long nanos(long bytes) {
        double carried =
                bytesPerSecond == UNLIMITED ? 0 : (double) bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
        return latency.toNanos() + Math.round(carried);
    }

    /** Waits as long as the bytes need; an interrupt ends the wait, and is kept for the caller. */
    public void carry(long bytes) {
        SimulatedTime.pass(System.nanoTime(), nanos(bytes));
    }
}
