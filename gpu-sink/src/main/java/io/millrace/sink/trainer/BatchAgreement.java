package io.millrace.sink.trainer;

import io.millrace.device.DeviceBatch;
import io.millrace.exchange.Replicas;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The agreement of replicas on each batch: they work on it either before a checkpoint or after it. A batch that is
 * complete on this rank waits here, not sealed, until it is complete on all ranks. When one rank reaches the barrier
 * before the batch is complete there, all ranks work on the batch after the checkpoint. Only the trainer's thread calls
 * it.
 */
final class BatchAgreement {
    private final Replicas replicas;
    private final Deque<DeviceBatch> waiting = new ArrayDeque<>();
    private long next;

    /** The checkpoint that the ranks wait for: they work on no further batch before it is over; -1 for none. */
    private long heldFor = -1;

    /** The latest checkpoint that is over. */
    private long resumed = -1;

    /** The checkpoint whose barrier this rank has reached, but which the ranks have not agreed on yet; -1 for none. */
    private long barrier = -1;

    private boolean over;

    /** Creates an agreement that begins with the batch {@code next}. */
    BatchAgreement(Replicas replicas, long next) {
        this.replicas = replicas;
        this.next = next;
    }

    /** Adds the next batch, which is complete on this rank. */
    void add(DeviceBatch batch) {
        waiting.add(batch);
    }

    /** Records that this rank is at a checkpoint's barrier. Earlier checkpoints are then over. */
    void atBarrier(long checkpoint) {
        resumed = Math.max(resumed, checkpoint - 1);
        barrier = checkpoint;
    }

    /** Records that this rank's part of a checkpoint is done, or that the checkpoint was aborted. */
    void resume(long checkpoint) {
        resumed = Math.max(resumed, checkpoint);
    }

    /**
     * Returns whether there is nothing to agree on until a batch is added, a barrier is reached or a checkpoint is
     * over.
     */
    boolean idle() {
        return over || heldFor > resumed || (waiting.isEmpty() && barrier < 0);
    }

    /**
     * Removes and returns the checkpoint whose barrier this rank has reached and that all ranks wait for; -1 when there
     * is none.
     */
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
     * Agrees with the other ranks on the next batch. Must not be called when {@link #idle} returns true.
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
