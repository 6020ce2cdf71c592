package io.millrace.source;

import java.util.concurrent.CompletableFuture;

/**
 * Wakes a task that has nothing to do, through the future that Flink waits on. The task's thread lowers it and then looks
 * once more for work before it rests; whoever has work puts it in place first and raises the signal then. So either the
 * task sees the work, or the other side sees the lowered signal.
 */
final class AvailabilitySignal {
    /** Volatile: lowered by the task's thread, raised by any. */
    private volatile CompletableFuture<Void> raised = new CompletableFuture<>();

    /** Called on the task's thread alone. */
    void lower() {
        if (raised.isDone()) {
            raised = new CompletableFuture<>();
        }
    }

    /** Called from any thread; Flink allows its dependents, which put a mail into the task's mailbox, to run there. */
    void raise() {
        raised.complete(null);
    }

    /** Completed while the signal is up. */
    CompletableFuture<Void> future() {
        return raised;
    }
}
