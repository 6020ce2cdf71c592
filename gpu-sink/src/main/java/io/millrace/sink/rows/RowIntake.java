package io.millrace.sink.rows;

import io.millrace.batch.MicroBatch;
import io.millrace.batch.RowStore;
import io.millrace.device.DeviceBatch;
import io.millrace.order.RankPlan;
import io.millrace.sample.BadSample;
import io.millrace.sink.figures.TrainerMetrics;
import io.millrace.sink.files.QuarantineLog;
import io.millrace.sink.files.StateBytes;
import io.millrace.sink.files.StateBytes.Kind;
import io.millrace.sink.files.StateRefusedException;
import io.millrace.sink.progress.RestoredState;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.trace.Trace;
import io.millrace.trace.TraceFile;
import io.millrace.trace.Track;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The intake of rows. It records bad samples, passes the other rows to the ring of batches, and submits complete
 * batches. Only the task's thread calls it.
 *
 * <p>Tested by {@code DeliveryTest} and {@code TrainOperatorTest}.
 */
public final class RowIntake implements AutoCloseable {
    private final SinkSpec spec;
    private final BatchRing ring;
    private final QuarantineLog quarantine;
    private final Consumer<DeviceBatch> complete;
    private long nanos;

    /**
     * Takes ownership of the ring.
     *
     * @param complete receives complete batches in order, none of them sealed
     */
    public RowIntake(SinkSpec spec, BatchRing ring, QuarantineLog quarantine, Consumer<DeviceBatch> complete) {
        this.spec = spec;
        this.ring = ring;
        this.quarantine = quarantine;
        this.complete = complete;
    }

    /** Continues from a checkpoint: copies its rows to their places, and does not submit complete batches yet. */
    public void restore(RestoredState from) throws IOException {
        nanos = from.progress().assembleNanos();
        quarantine.restore(from.quarantine(), from.progress().quarantinedRows());
        for (byte[] piece : from.rows()) {
            ring.accept(rows(piece));
        }
    }

    private MicroBatch rows(byte[] piece) throws StateRefusedException {
        byte[] stored = StateBytes.unwrap(Kind.ROWS, piece);
        try {
            return RowStore.read(spec.train().spec().data().input(), stored);
        } catch (IOException e) {
            throw new StateRefusedException("the checkpoint's rows that wait for their batch: " + e.getMessage(), e);
        }
    }

    /**
     * Accepts the rows of a micro-batch. Takes ownership of the micro-batch, even if the call fails.
     *
     * @throws IOException when the list of bad samples cannot be written, or when there are too many bad samples
     */
    public void accept(MicroBatch microBatch) throws IOException {
        long began = System.nanoTime();
        long blocked = ring.blockedNanos();
        long number = microBatch.position(0);
        try {
            recordBad(microBatch);
        } catch (Throwable e) {
            microBatch.close();
            throw e;
        }
        ring.accept(microBatch);
        submitComplete();
        long ended = System.nanoTime();
        nanos += ended - began - (ring.blockedNanos() - blocked);
        Track track = Trace.track();
        if (track != null) {
            track.addForMicroBatch(number, TraceFile.ASSEMBLE, began, ended);
        }
    }

    /**
     * Records bad samples when they arrive. The bad samples among the waiting rows of a checkpoint were recorded before
     * the checkpoint.
     */
    private void recordBad(MicroBatch microBatch) throws IOException {
        for (int row = 0; microBatch.quarantined() > 0 && row < microBatch.rows(); row++) {
            BadSample bad = microBatch.badSample(row);
            if (bad != null) {
                quarantine.add(spec.run().plan().place(microBatch.position(row)).split(), microBatch.index(row), bad);
            }
        }
    }

    /**
     * Records that the oldest submitted batch has been trained on. Rows that waited for its ring entry are then copied
     * to their places.
     */
    public void trained() {
        long began = System.nanoTime();
        long blocked = ring.blockedNanos();
        ring.trained();
        submitComplete();
        long ended = System.nanoTime();
        nanos += ended - began - (ring.blockedNanos() - blocked);
        Track track = Trace.track();
        if (track != null) {
            track.add(TraceFile.ASSEMBLE, began, ended);
        }
    }

    /**
     * Records that a client has returned a buffer. Rows that waited for it are then copied to their places.
     *
     * @return false when the client did not have the buffer
     */
    public boolean returned(int buffer) {
        if (!ring.isTaken(buffer)) {
            return false;
        }
        long began = System.nanoTime();
        ring.release(buffer);
        submitComplete();
        nanos += System.nanoTime() - began;
        return true;
    }

    /** Submits the batches that are complete. */
    public void submitComplete() {
        for (@Nullable DeviceBatch next = ring.takeComplete(); next != null; next = ring.takeComplete()) {
            complete.accept(next);
        }
    }

    /** Returns whether all batches are in training and rows are parked. Further rows would be parked, too. */
    public boolean isFull() {
        return ring.isFull();
    }

    /** Returns whether a submitted batch has not been trained on. */
    public boolean isInTraining() {
        return ring.inTraining() > 0;
    }

    /** Returns the lowest batch that has not been trained on. */
    public long oldest() {
        return ring.oldest();
    }

    /** Returns the time in which calls have waited for a simulated device to finish a batch, in nanoseconds. */
    public long blockedNanos() {
        return ring.blockedNanos();
    }

    /** Returns the time spent in this class without such waits, in nanoseconds, including earlier attempts. */
    public long nanos() {
        return nanos;
    }

    public QuarantineLog quarantine() {
        return quarantine;
    }

    /** Returns a copy of the rows that wait, for a checkpoint. */
    public List<byte[]> waiting() throws IOException {
        List<byte[]> pieces = new ArrayList<>();
        for (byte[] piece : ring.waiting()) {
            pieces.add(StateBytes.wrap(Kind.ROWS, piece));
        }
        return pieces;
    }

    /**
     * Requires at the end of the input that all batches are complete.
     *
     * @throws IllegalStateException when a batch is not complete
     */
    public void requireAll(RankPlan plan) {
        long next = ring.next();
        if (next != plan.batches()) {
            throw new IllegalStateException("the input ended, but batch " + next + " of " + plan.batches()
                    + " is incomplete: it lacks positions " + ring.awaited() + " and perhaps more. Of this batch and"
                    + " later batches, "
                    + ring.waitingRows() + " rows have arrived, " + ring.parkedRows() + " of them parked");
        }
    }

    /** Updates the metrics of waiting and parked rows. */
    public void publish(TrainerMetrics metrics) {
        metrics.waitingRows = ring.waitingRows();
        metrics.parkedRows = ring.parkedRows();
        metrics.parkedBytes = ring.parkedBytes();
        metrics.mostWaitingRows = ring.mostWaitingRows();
        metrics.mostParkedBytes = ring.mostParkedBytes();
    }

    @Override
    public void close() {
        ring.close();
    }
}
