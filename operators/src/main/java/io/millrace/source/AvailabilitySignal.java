package io.millrace.source;

import java.util.concurrent.CompletableFuture;

/**
 * The signal that wakes an idle task. It completes the future that Flink waits on. The task's thread lowers the signal
 * and then looks once more for work before it rests. Another thread first adds work and then raises the signal.
 * Therefore either the task sees the work, or the other thread sees the lowered signal.
 */
final class AvailabilitySignal {
    /** Volatile: the task's thread replaces it, and any thread completes it. */
    private volatile CompletableFuture<Void> raised = new CompletableFuture<>();

    /** Lowers the signal. Only the task's thread calls this. */
    void lower() {
        if (raised.isDone()) {
            raised = new CompletableFuture<>();
        }
    }

    /**
     * Raises the signal. Any thread may call this. The code that depends on the future runs on that thread. Flink
     * allows this: the code puts a mail into the task's mailbox.
     */
    void raise() {
        raised.complete(null);
    }

    /** Returns the future that is complete while the signal is raised. */
    CompletableFuture<Void> future() {
        return raised;
    }
}
