package io.millrace.sink;

import io.millrace.device.DeviceBatch;
import io.millrace.exchange.Replicas;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The agreement of replicas on the batches that they work on before a checkpoint, made batch by batch. A batch that is
 * complete on this rank waits here, not sealed, until it is complete on all ranks. When a rank is at its barrier
 * without the batch, all ranks keep the batch for after the checkpoint. The trainer's thread alone calls.
 */
final class BatchAgreement {
    private final Replicas replicas;
    private final Deque<DeviceBatch> waiting = new ArrayDeque<>();
    private long next;

    /** The checkpoint before which no further batch is worked on. */
    private long heldFor = -1;

    /** The latest checkpoint that is over. */
    private long resumed = -1;

    /** The checkpoint whose barrier this rank has reached without having agreed on it with the others; -1 for none. */
    private long barrier = -1;

    private boolean over;

    /** Starts with the batch of that number. */
    BatchAgreement(Replicas replicas, long next) {
        this.replicas = replicas;
        this.next = next;
    }

    /** Adds the next batch, which is complete on this rank. */
    void add(DeviceBatch batch) {
        waiting.add(batch);
    }

    /** Records that this rank is at a checkpoint's barrier: earlier checkpoints are over. */
    void atBarrier(long checkpoint) {
        resumed = Math.max(resumed, checkpoint - 1);
        barrier = checkpoint;
    }

    /** Records that this rank's part of a checkpoint is done, or that the checkpoint was aborted. */
    void resume(long checkpoint) {
        resumed = Math.max(resumed, checkpoint);
    }

    /** Returns whether there is nothing to agree on before the next batch, barrier or resumption is added. */
    boolean idle() {
        return over || heldFor > resumed || (waiting.isEmpty() && barrier < 0);
    }

    /** Removes and returns the checkpoint that this rank is at and all ranks wait for; -1 when there is none. */
    long reached() {
        boolean reached = barrier >= 0 && (over || heldFor >= barrier);
        long checkpoint = reached ? barrier : -1;
        if (reached) {
            barrier = -1;
        }
        return checkpoint;
    }

    /** Returns the checkpoint that all ranks wait for; -1 when there is none. */
    long heldFor() {
        return heldFor > resumed ? heldFor : -1;
    }

    /**
     * Agrees with the others on the next batch; must not be called when {@link #idle}.
     *
     * @return the batch to work on now, sealed; null when all ranks wait
     */
    @Nullable
    DeviceBatch agree() throws IOException {
        DeviceBatch batch = waiting.peek();
        Replicas.Turn turn = batch == null
                ? replicas.atBarrier(next, barrier)
                : replicas.ready(next, batch.filling().present());
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
