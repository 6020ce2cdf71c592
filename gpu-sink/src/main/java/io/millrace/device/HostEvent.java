package io.millrace.device;

import java.util.concurrent.CompletableFuture;

/** An event of host streams. */
final class HostEvent implements DeviceEvent {
    private static final long NEVER = Long.MIN_VALUE;

    /** What a stream that does its work at once records for an event without times: nothing new. */
    private static final CompletableFuture<Long> PASSED = CompletableFuture.completedFuture(NEVER);

    private final boolean timed;

    /** When it passed. Volatile: one thread records it, another waits for it. */
    private volatile CompletableFuture<Long> recorded = PASSED;

    private HostEvent(boolean timed) {
        this.timed = timed;
    }

    /** One without times. */
    static HostEvent untimed() {
        return new HostEvent(false);
    }

    /** One that tells when it passed. */
    static HostEvent timed() {
        return new HostEvent(true);
    }

    /** It passes now. */
    void pass() {
        recorded = timed ? CompletableFuture.completedFuture(System.nanoTime()) : PASSED;
    }

    /** It passes when the result is completed, with the time. */
    CompletableFuture<Long> begin() {
        CompletableFuture<Long> begun = new CompletableFuture<>();
        recorded = begun;
        return begun;
    }

    /** What it was recorded as last. */
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

    /** Does nothing: there is nothing to free. */
    @Override
    public void close() {}

    /** The event that a host stream was given. */
    static HostEvent of(DeviceEvent event) {
        if (event instanceof HostEvent host) {
            return host;
        }
        throw new IllegalArgumentException("an event of another device");
    }
}
