package io.millrace.order;

import io.millrace.sample.Split;
import java.io.Serializable;

/**
 * The arithmetic of a run: which epoch, split and batch a position belongs to.
 *
 * <p>Positions count samples over the whole run. An epoch has {@code trainSamples()} positions (the whole dataset, or the
 * whole batches of it with {@code dropLast}); after every {@code evaluateEvery}-th epoch the evaluation set's positions
 * follow, all of them. Batches count over the whole run likewise, training and evaluation batches together, in order of
 * position; steps count training batches only. Without evaluation and {@code dropLast} a position is
 * {@code epoch * size + i}.
 *
 * @param size samples in the training dataset, at least 1
 * @param batch rows of a batch, at least 1
 * @param dropLast whether a last batch with fewer rows is left out of training
 * @param epochs how many, or {@link #ENDLESS}
 * @param evaluationSize samples in the evaluation dataset, 0 for none
 * @param evaluateEvery evaluate after every so many epochs, at least 1
 */
public record BatchPlan(long size, int batch, boolean dropLast, int epochs, long evaluationSize, int evaluateEvery)
        implements Serializable {
    /** For {@code epochs}: the run ends when it is stopped. */
    public static final int ENDLESS = Integer.MAX_VALUE;

    /** Where a position stands. {@code i} is its place in the epoch's order of its split. */
    public record Place(int epoch, Split split, long i) {}

    /**
     * One batch of the run.
     *
     * @param number counts all batches of the run
     * @param step the training step, or for an evaluation batch the number of training steps before it
     * @param last whether it is the last batch of its split in its epoch
     */
    public record Batch(long number, int epoch, Split split, long step, long firstPosition, int rows, boolean last) {}

    /** Positions in the whole run, {@link Long#MAX_VALUE} when endless. */
    public long positions() {
        throw new UnsupportedOperationException("TODO");
    }

    /** Training steps per epoch. */
    public long stepsPerEpoch() {
        throw new UnsupportedOperationException("TODO");
    }

    /** Training positions per epoch. */
    public long trainSamples() {
        throw new UnsupportedOperationException("TODO");
    }

    /** Where that position stands. */
    public Place place(long position) {
        throw new UnsupportedOperationException("TODO");
    }

    /** The number of the batch that holds this position. */
    public long batchNumber(long position) {
        throw new UnsupportedOperationException("TODO");
    }

    /** The batch of that number. */
    public Batch batch(long number) {
        throw new UnsupportedOperationException("TODO");
    }

    /** Batches in the whole run, {@link Long#MAX_VALUE} when endless. */
    public long batches() {
        throw new UnsupportedOperationException("TODO");
    }
}
