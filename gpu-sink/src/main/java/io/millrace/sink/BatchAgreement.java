package io.millrace.sink;

import io.millrace.device.DeviceBatch;
import io.millrace.exchange.Replicas;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Which batches a replica works on before a checkpoint, agreed batch by batch with the others. A batch that this rank has
 * whole waits here, not sealed, until all have it; when one is at its barrier without it, all keep it for after the
 * checkpoint. The trainer's thread alone calls.
 */
final class BatchAgreement {
    private final Replicas replicas;
    private final Deque<DeviceBatch> waiting = new ArrayDeque<>();
    private long next;

    /** The checkpoint that no batch is worked on before, and the latest that is over. */
    private long heldFor = -1;

    private long resumed = -1;

    /** The checkpoint whose barrier this rank is at, and has not agreed on with the others; or -1. */
    private long barrier = -1;

    private boolean over;

    /** Begins with that batch. */
    BatchAgreement(Replicas replicas, long next) {
        this.replicas = replicas;
        this.next = next;
    }

    /** This rank has the next batch whole. */
    void add(DeviceBatch batch) {
        waiting.add(batch);
    }

    /** This rank is at a checkpoint's barrier: earlier ones are over. */
    void atBarrier(long checkpoint) {
        resumed = Math.max(resumed, checkpoint - 1);
        barrier = checkpoint;
    }

    /** The rank's part of a checkpoint is done, or the checkpoint is given up. */
    void resume(long checkpoint) {
        resumed = Math.max(resumed, checkpoint);
    }

    /** Whether there is nothing to agree on before something else is heard. */
    boolean idle() {
        return over || heldFor > resumed || (waiting.isEmpty() && barrier < 0);
    }

    /** The checkpoint that this rank is at and all wait for, taken out; or -1. */
    long reached() {
        boolean reached = barrier >= 0 && (over || heldFor >= barrier);
        long checkpoint = reached ? barrier : -1;
        if (reached) {
            barrier = -1;
        }
        return checkpoint;
    }

    /** The checkpoint that is waited for, or -1. */
    long heldFor() {
        return heldFor > resumed ? heldFor : -1;
    }

    /**
     * Agrees with the others on what comes next; not to be called when {@link #idle}.
     *
     * @return the batch to work on now, sealed; null when all wait
     */
    @Nullable
    DeviceBatch agree() throws IOException {
        DeviceBatch batch = waiting.peek();
        Replicas.Turn turn =
                batch == null ? replicas.atBarrier(next, barrier) : replicas.ready(next, batch.filling().present());
        if (turn instanceof Replicas.Wait wait) {
            heldFor = Math.max(heldFor, wait.checkpoint());
            return null;
        }
        if (turn instanceof Replicas.Over || batch == null) {
            over = true;
            return null;
        }
        waiting.remove();
        next++;
        batch.seal();
        return batch;
    }
}
