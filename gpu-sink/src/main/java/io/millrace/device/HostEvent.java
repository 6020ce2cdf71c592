package io.millrace.device;

import java.util.concurrent.CompletableFuture;

/** An event of host streams. */
final class HostEvent implements DeviceEvent {
    private static final long NEVER = Long.MIN_VALUE;

    /** The state of an event without times that was recorded on a stream that does its work at once. */
    private static final CompletableFuture<Long> PASSED = CompletableFuture.completedFuture(NEVER);

    private final boolean timed;

    /** Completes with the time when the event passes. Volatile: one thread records the event, another waits for it. */
    private volatile CompletableFuture<Long> recorded = PASSED;

    private HostEvent(boolean timed) {
        this.timed = timed;
    }

    /** Creates an event without times. */
    static HostEvent untimed() {
        return new HostEvent(false);
    }

    /** Creates an event that records the time when it passes. */
    static HostEvent timed() {
        return new HostEvent(true);
    }

    /** Makes the event pass now. */
    void pass() {
        recorded = timed ? CompletableFuture.completedFuture(System.nanoTime()) : PASSED;
    }

    /** Records the event; it passes when the result is completed, with the time. */
    CompletableFuture<Long> begin() {
        CompletableFuture<Long> begun = new CompletableFuture<>();
        recorded = begun;
        return begun;
    }

    /** Returns the latest recording of the event. */
    CompletableFuture<Long> recorded() {
        return recorded;
    }

    @Override
    public boolean isDone() {
        return recorded.isDone();
    }

    @Override
    public void synchronize() {
        recorded.join();
    }

    @Override
    public long passedNanos() {
        long passed = recorded.getNow(NEVER);
        if (!timed || passed == NEVER) {
            throw new IllegalStateException(
                    timed ? "the event was not recorded, or has not passed" : "the event has no times");
        }
        return passed;
    }

    /** Does nothing: a host event holds no memory to free. */
    @Override
    public void close() {}

    /** Returns the host event that was passed to a host stream. */
    static HostEvent of(DeviceEvent event) {
        if (event instanceof HostEvent host) {
            return host;
        }
        throw new IllegalArgumentException("the event belongs to another device");
    }
}
