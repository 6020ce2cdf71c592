package io.millrace.sink.trainer;

import io.millrace.sink.rows.RowIntake;
import io.millrace.sink.task.TrainerMailbox;
import org.jspecify.annotations.Nullable;

/**
 * The operator's back pressure: while all batches of the ring are in training and rows are parked, the operator waits
 * in its mailbox. Flink then slows down the operators upstream. When a wait ends, the lowest incomplete batch always
 * has a ring entry, so its rows are never parked behind other rows. Only the task's thread calls it.
 */
final class BackPressure {
    private final TrainerMailbox mailbox;
    private final RowIntake intake;
    private final @Nullable ReplicaBarrier replicas;
    private long waitNanos;

    BackPressure(TrainerMailbox mailbox, RowIntake intake, @Nullable ReplicaBarrier replicas) {
        this.mailbox = mailbox;
        this.intake = intake;
        this.replicas = replicas;
    }

    /**
     * Waits until further rows can be accepted. It does not wait while replicas wait for a checkpoint, because the
     * barrier must reach this operator. The source's window bounds the rows that arrive before the barrier.
     */
    void await() throws Exception {
        if (isReleased()) {
            mailbox.rethrow();
            return;
        }
        long began = System.nanoTime();
        long blocked = intake.blockedNanos();
        try {
            mailbox.waitUntil(this::isReleased);
        } finally {
            waitNanos += System.nanoTime() - began - (intake.blockedNanos() - blocked); // the rest is counted there
        }
    }

    private boolean isReleased() {
        return !intake.isFull() || (replicas != null && replicas.isHeld());
    }

    /**
     * Returns the time for which the operator has waited for memory of a batch in this attempt, in nanoseconds: for a ring
     * entry, or for a simulated device to finish with the entry.
     */
    long waitNanos() {
        return waitNanos + intake.blockedNanos();
    }
}
