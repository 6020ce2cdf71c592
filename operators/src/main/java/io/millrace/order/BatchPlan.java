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
 * {@code epoch * size + i}. A batch holds samples of one epoch and one split.
 *
 * <p>The run repeats itself: a <i>cycle</i> is {@code evaluateEvery} epochs and the evaluation after them. A cycle that is
 * too long for a {@code long} counts as endless, which it is.
 *
 * @param size samples in the training dataset, 1 to 2^40
 * @param batch rows of a batch, at least 1
 * @param dropLast whether a last batch with fewer rows is left out of training
 * @param epochs how many, at least 1, or {@link #ENDLESS}
 * @param evaluationSize samples in the evaluation dataset, 0 for none, up to 2^40
 * @param evaluateEvery evaluate after every so many epochs, at least 1
 */
public record BatchPlan(long size, int batch, boolean dropLast, int epochs, long evaluationSize, int evaluateEvery)
        implements Serializable {
    /** For {@code epochs}: the run ends when it is stopped. */
    public static final int ENDLESS = Integer.MAX_VALUE;

    /**
     * Checks the arguments.
     *
     * @throws IllegalArgumentException with a sentence that names the value and the range that it is not in, when
     *     nothing would be trained, or when the run has more than 2^63 - 1 positions
     */
    public BatchPlan {
        requireRange("dataset size", size, 1, Permutation.MAX_SIZE);
        requireRange("batch size", batch, 1, Integer.MAX_VALUE);
        requireRange("number of epochs", epochs, 1, ENDLESS);
        requireRange("evaluation dataset size", evaluationSize, 0, Permutation.MAX_SIZE);
        requireRange("number of epochs from one evaluation to the next", evaluateEvery, 1, Integer.MAX_VALUE);
        if (dropLast && batch > size) {
            throw new IllegalArgumentException("a batch of " + batch + " rows is never full with a dataset of " + size
                    + " samples, and batches that are not full are dropped: nothing would be trained");
        }
        if (epochs != ENDLESS) {
            long evaluations = epochs / evaluateEvery;
            if (plus(times(epochs, size), times(evaluations, evaluationSize)) == Long.MAX_VALUE) {
                throw new IllegalArgumentException(epochs + " epochs of " + size + " samples and " + evaluations
                        + " evaluations of " + evaluationSize + " are more than 2^63 - 1 samples");
            }
        }
    }

    /** Where a position stands. {@code i} is its place in the epoch's order of its split. */
    public record Place(int epoch, Split split, long i) {}

    /**
     * One batch of the run.
     *
     * @param number counts all batches of the run
     * @param step the training step, or for an evaluation batch the number of training steps before it
     * @param firstPosition the position of its first row; the others follow
     * @param rows how many positions it has
     * @param last whether it is the last batch of its split in its epoch
     */
    public record Batch(long number, int epoch, Split split, long step, long firstPosition, int rows, boolean last) {}

    /** Positions in the whole run, {@link Long#MAX_VALUE} when endless. */
    public long positions() {
        return epochs == ENDLESS ? Long.MAX_VALUE : base(epochs);
    }

    /** Training steps per epoch. */
    public long stepsPerEpoch() {
        return dropLast ? size / batch : batchesOf(size);
    }

    /** Training positions per epoch. */
    public long trainSamples() {
        return dropLast ? size / batch * batch : size;
    }

    /** Batches in the whole run, {@link Long#MAX_VALUE} when endless. */
    public long batches() {
        return epochs == ENDLESS
                ? Long.MAX_VALUE
                : epochs * stepsPerEpoch() + epochs / evaluateEvery * batchesOf(evaluationSize);
    }

    /**
     * Where that position stands.
     *
     * @param position 0 to {@code positions() - 1}
     * @throws ArithmeticException in an endless run, from epoch 2^31 on
     */
    public Place place(long position) {
        requireRange("position", position, 0, positions() - 1);
        long train = trainSamples();
        long trainCycle = times(evaluateEvery, train);
        long cycle = plus(trainCycle, evaluationSize);
        long inCycle = position % cycle;
        long firstEpoch = position / cycle * evaluateEvery;
        return inCycle < trainCycle
                ? new Place(Math.toIntExact(firstEpoch + inCycle / train), Split.TRAIN, inCycle % train)
                : new Place(Math.toIntExact(firstEpoch + evaluateEvery - 1), Split.EVALUATE, inCycle - trainCycle);
    }

    /**
     * The number of the batch that holds this position.
     *
     * @param position 0 to {@code positions() - 1}
     */
    public long batchNumber(long position) {
        requireRange("position", position, 0, positions() - 1);
        long train = trainSamples();
        long steps = stepsPerEpoch();
        long trainCycle = times(evaluateEvery, train);
        long cycle = plus(trainCycle, evaluationSize);
        long inCycle = position % cycle;
        // There are no more batches than positions, so where the cycle is longer than a long, the quotient is 0.
        long batchesBefore = position / cycle * plus(times(evaluateEvery, steps), batchesOf(evaluationSize));
        return inCycle < trainCycle
                ? batchesBefore + inCycle / train * steps + inCycle % train / batch
                : batchesBefore + evaluateEvery * steps + (inCycle - trainCycle) / batch;
    }

    /**
     * The batch of that number.
     *
     * @param number 0 to {@code batches() - 1}
     * @throws ArithmeticException in an endless run, from epoch 2^31 or position 2^63 on
     */
    public Batch batch(long number) {
        requireRange("batch number", number, 0, batches() - 1);
        long steps = stepsPerEpoch();
        long trainCycle = times(evaluateEvery, steps);
        long cycle = plus(trainCycle, batchesOf(evaluationSize));
        long inCycle = number % cycle;
        long firstEpoch = number / cycle * evaluateEvery;
        if (inCycle < trainCycle) {
            int epoch = Math.toIntExact(firstEpoch + inCycle / steps);
            return batch(number, epoch, Split.TRAIN, inCycle % steps);
        }
        int epoch = Math.toIntExact(firstEpoch + evaluateEvery - 1);
        return batch(number, epoch, Split.EVALUATE, inCycle - trainCycle);
    }

    private Batch batch(long number, int epoch, Split split, long ordinal) {
        boolean training = split == Split.TRAIN;
        long steps = stepsPerEpoch();
        long samples = training ? trainSamples() : evaluationSize;
        long first = ordinal * batch;
        long splitStart = training ? base(epoch) : Math.addExact(base(epoch), trainSamples());
        return new Batch(
                number,
                epoch,
                split,
                training ? epoch * steps + ordinal : (epoch + 1L) * steps,
                Math.addExact(splitStart, first),
                (int) Math.min(batch, samples - first),
                ordinal == (training ? steps : batchesOf(evaluationSize)) - 1);
    }

    /**
     * The position of an epoch's first sample of that split.
     *
     * @param epoch 0 to {@code epochs() - 1}; for {@link Split#EVALUATE} one after which there is an evaluation
     * @throws IllegalArgumentException when the run has no such epoch, or no evaluation after it, with a sentence
     */
    public long firstPosition(int epoch, Split split) {
        requireRange("epoch", epoch, 0, epochs - 1);
        if (split == Split.TRAIN) {
            return base(epoch);
        }
        if (evaluationSize == 0 || (epoch + 1L) % evaluateEvery != 0) {
            throw new IllegalArgumentException("there is no evaluation after epoch " + epoch + ": "
                    + (evaluationSize == 0
                            ? "the run has none"
                            : "the run evaluates after every " + evaluateEvery + " epochs"));
        }
        return Math.addExact(base(epoch), trainSamples());
    }

    /** The first position of an epoch. */
    private long base(int epoch) {
        return Math.addExact(
                Math.multiplyExact(epoch, trainSamples()),
                Math.multiplyExact((long) (epoch / evaluateEvery), evaluationSize));
    }

    private long batchesOf(long samples) {
        return (samples + batch - 1) / batch;
    }

    /** The product of two numbers that are not negative, or {@link Long#MAX_VALUE} where it would be larger. */
    private static long times(long a, long b) {
        return Math.multiplyHigh(a, b) != 0 || a * b < 0 ? Long.MAX_VALUE : a * b;
    }

    /** The sum of two numbers that are not negative, or {@link Long#MAX_VALUE} where it would be larger. */
    private static long plus(long a, long b) {
        return a + b < 0 ? Long.MAX_VALUE : a + b;
    }

    private static void requireRange(String what, long value, long from, long to) {
        if (value < from || value > to) {
            throw new IllegalArgumentException(what + " " + value + " is not in " + from + " to " + to);
        }
    }
}
