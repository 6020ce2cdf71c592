package io.millrace.device;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An event of host streams. */
final class HostEvent implements DeviceEvent {
    private static final CompletableFuture<@Nullable Void> PASSED = CompletableFuture.completedFuture(null);

    /** Volatile: one thread records it, another waits for it. */
    private volatile CompletableFuture<@Nullable Void> recorded = PASSED;

    /** It has passed. */
    void pass() {
        recorded = PASSED;
    }

    /** It passes when the result is completed. */
    CompletableFuture<@Nullable Void> begin() {
        CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();
        recorded = begun;
        return begun;
    }

    /** What it was recorded as last. */
    CompletableFuture<@Nullable Void> recorded() {
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
