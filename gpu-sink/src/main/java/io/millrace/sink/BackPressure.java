package io.millrace.sink;

import org.jspecify.annotations.Nullable;

/**
 * The operator's back pressure: while all batches of the ring are in training and rows are parked, the operator waits
 * in its mailbox. Flink sees a busy operator and holds back what is upstream. The lowest incomplete batch always has a
 * ring entry when a wait ends, so its rows never wait behind others. The task's thread alone calls.
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
     * Waits until further rows can be accepted. Does not wait while replicas wait for a checkpoint: its barrier must
     * reach this operator, and the source's window bounds the rows that arrive before it.
     */
    void await() throws Exception {
        if (isReleased()) {
            mailbox.rethrow();
            return;
        }
        long began = System.nanoTime();
        try {
            mailbox.waitUntil(this::isReleased);
        } finally {
            waitNanos += System.nanoTime() - began;
        }
    }

    private boolean isReleased() {
        return !intake.isFull() || (replicas != null && replicas.isHeld());
    }

    /** Returns the time that this attempt has waited, in nanoseconds. */
    long waitNanos() {
        return waitNanos;
    }
}
