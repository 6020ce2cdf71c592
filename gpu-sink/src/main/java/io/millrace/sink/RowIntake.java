package io.millrace.sink;

import io.millrace.batch.MicroBatch;
import io.millrace.batch.RowStore;
import io.millrace.device.DeviceBatch;
import io.millrace.order.RankPlan;
import io.millrace.sample.BadSample;
import io.millrace.sink.StateBytes.Kind;
import io.millrace.trace.Trace;
import io.millrace.trace.TraceFile;
import io.millrace.trace.Track;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the rows that arrive: notes the bad ones, puts the others at their place in a batch, and hands on batches that are
 * whole. The task's thread alone calls.
 */
final class RowIntake implements AutoCloseable {
    private final SinkSpec spec;
    private final BatchRing ring;
    private final QuarantineLog quarantine;
    private final Consumer<DeviceBatch> whole;
    private long nanos;

    /**
     * Takes ownership of the ring.
     *
     * @param whole hears of whole batches in order, none of them sealed
     */
    RowIntake(SinkSpec spec, BatchRing ring, QuarantineLog quarantine, Consumer<DeviceBatch> whole) {
        this.spec = spec;
        this.ring = ring;
        this.quarantine = quarantine;
        this.whole = whole;
    }

    /** Goes on from a checkpoint: its rows find their places, batches that are whole are not yet handed on. */
    void restore(RestoredState from) throws IOException {
        nanos = from.progress().assembleNanos();
        quarantine.restore(from.quarantine(), from.progress().quarantinedRows());
        for (byte[] piece : from.rows()) {
            ring.accept(rows(piece));
        }
    }

    private MicroBatch rows(byte[] piece) throws StateRefusedException {
        byte[] stored = StateBytes.unwrap(Kind.ROWS, piece);
        try {
            return RowStore.read(spec.train().input(), stored);
        } catch (IOException e) {
            throw new StateRefusedException("the checkpoint's rows that wait for their batch: " + e.getMessage(), e);
        }
    }

    /**
     * Takes ownership of the micro-batch, also when it fails.
     *
     * @throws IOException when a bad row cannot be noted
     */
    void accept(MicroBatch microBatch) throws IOException {
        long began = System.nanoTime();
        long number = microBatch.position(0);
        try {
            noteBad(microBatch);
        } catch (Throwable e) {
            microBatch.close();
            throw e;
        }
        ring.accept(microBatch);
        handOn();
        long ended = System.nanoTime();
        nanos += ended - began;
        Track track = Trace.track();
        if (track != null) {
            track.addOf(number, TraceFile.ASSEMBLE, began, ended);
        }
    }

    /** When they arrive, and not when they find their place: rows that wait in a checkpoint have been noted. */
    private void noteBad(MicroBatch microBatch) throws IOException {
        for (int row = 0; microBatch.quarantined() > 0 && row < microBatch.rows(); row++) {
            BadSample bad = microBatch.failure(row);
            if (bad != null) {
                quarantine.add(spec.plan().place(microBatch.position(row)).split(), microBatch.index(row), bad);
            }
        }
    }

    /** The oldest batch that was handed on has been trained on: rows that waited for its slot find their place. */
    void trained() {
        long began = System.nanoTime();
        ring.trained();
        handOn();
        long ended = System.nanoTime();
        nanos += ended - began;
        Track track = Trace.track();
        if (track != null) {
            track.add(TraceFile.ASSEMBLE, began, ended);
        }
    }

    /** Hands on the batches that are whole. */
    void handOn() {
        for (@Nullable DeviceBatch next = ring.takeWhole(); next != null; next = ring.takeWhole()) {
            whole.accept(next);
        }
    }

    /** Whether all slots are in training and rows wait outside: what comes next would only wait there too. */
    boolean isFull() {
        return ring.isFull();
    }

    /** Whether a batch that was handed on has not been trained on. */
    boolean isInTraining() {
        return ring.inTraining() > 0;
    }

    /** The lowest batch that has not been trained on. */
    long oldest() {
        return ring.oldest();
    }

    /** How long all that took, in earlier attempts as well. */
    long nanos() {
        return nanos;
    }

    QuarantineLog quarantine() {
        return quarantine;
    }

    /** A copy of the rows that wait, for a checkpoint. */
    List<byte[]> waiting() throws IOException {
        List<byte[]> pieces = new ArrayList<>();
        for (byte[] piece : ring.waiting()) {
            pieces.add(StateBytes.wrap(Kind.ROWS, piece));
        }
        return pieces;
    }

    /**
     * The input has ended.
     *
     * @throws IllegalStateException when a batch is not whole
     */
    void requireAll(RankPlan plan) {
        long next = ring.next();
        if (next != plan.batches()) {
            throw new IllegalStateException("the input ended with batch " + next + " of " + plan.batches()
                    + " not whole, which lacks positions " + ring.awaited() + " and perhaps more: "
                    + ring.waitingRows() + " rows of it and later ones, " + ring.parkedRows() + " of them parked");
        }
    }

    void show(TrainerMetrics shown) {
        shown.waitingRows = ring.waitingRows();
        shown.parkedRows = ring.parkedRows();
        shown.parkedBytes = ring.parkedBytes();
        shown.mostWaitingRows = ring.mostWaitingRows();
        shown.mostParkedBytes = ring.mostParkedBytes();
    }

    @Override
    public void close() {
        ring.close();
    }
}
