package io.millrace.order;

import io.millrace.sample.Split;
import java.io.Serializable;

/**
 * The arithmetic of a run: the epoch, the split and the batch that each position belongs to.
 *
 * <p>A position is a sample's number in the whole run. An epoch has {@code trainSamples()} positions: one for each
 * sample of the dataset, or with {@code dropLast} one for each sample of its full batches. After every {@code
 * evaluateEvery}-th epoch all positions of the evaluation set follow. Batch numbers also count over the whole run. They
 * include training and evaluation batches, in order of position. Step numbers count training batches only. Without
 * evaluation and {@code dropLast} a position is {@code epoch * size + i}. A batch holds samples of one epoch and one
 * split.
 *
 * <p>A run consists of equal <i>cycles</i>: each has {@code evaluateEvery} epochs and the evaluation after them. A
 * cycle that is too long for a {@code long} counts as endless.
 *
 * @param size the number of samples in the training dataset, 1 to 2^40
 * @param batch the number of rows in a batch, at least 1
 * @param dropLast whether a last batch with fewer rows is left out of training
 * @param epochs the number of epochs, at least 1, or {@link #ENDLESS}
 * @param evaluationSize the number of samples in the evaluation dataset, 0 for no evaluation, up to 2^40
 * @param evaluateEvery the number of epochs from one evaluation to the next, at least 1
 */
public record BatchPlan(long size, int batch, boolean dropLast, int epochs, long evaluationSize, int evaluateEvery)
        implements Serializable {
    /** The value of {@code epochs} for a run that continues until it is stopped. */
    public static final int ENDLESS = Integer.MAX_VALUE;

    /**
     * Checks the arguments.
     *
     * @throws IllegalArgumentException when a value is out of its range, when there is no batch to train on, or when
     *     the run has more than 2^63 - 1 positions; the message names the value and the range
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

    /** A position's epoch and split, and its place {@code i} in the epoch's order of that split. */
    public record Place(int epoch, Split split, long i) {}

    /**
     * One batch of the run.
     *
     * @param number the batch's number among all batches of the run, from 0
     * @param step the training step; for an evaluation batch, the number of training steps before it
     * @param firstPosition the position of the first row; the other rows follow
     * @param rows the number of positions in the batch
     * @param last whether it is the last batch of its split in its epoch
     */
    public record Batch(long number, int epoch, Split split, long step, long firstPosition, int rows, boolean last) {}

    /** Returns the number of positions in the whole run, {@link Long#MAX_VALUE} when endless. */
    public long positions() {
        return epochs == ENDLESS ? Long.MAX_VALUE : epochStart(epochs);
    }

    /** Returns the number of training steps in an epoch. */
    public long stepsPerEpoch() {
        return dropLast ? size / batch : batchesOf(size);
    }

    /** Returns the number of training steps in the whole run, {@link Long#MAX_VALUE} when endless. */
    public long steps() {
        return epochs == ENDLESS ? Long.MAX_VALUE : epochs * stepsPerEpoch();
    }

    /** Returns the number of training positions in an epoch. */
    public long trainSamples() {
        return dropLast ? size / batch * batch : size;
    }

    /** Returns the number of batches in the whole run, {@link Long#MAX_VALUE} when endless. */
    public long batches() {
        return epochs == ENDLESS
                ? Long.MAX_VALUE
                : epochs * stepsPerEpoch() + epochs / evaluateEvery * batchesOf(evaluationSize);
    }

    /**
     * Returns the largest number of a training step with which a run without evaluations may be continued: the number of its
     * batches. Numbers of epochs and positions have an end also in an endless run, and batches are read ahead, so that such a run
     * may be continued within its first 2^30 epochs and 2^62 positions.
     */
    public long lastStart() {
        return epochs == ENDLESS
                ? Math.max(1, Math.min(1L << 30, (1L << 62) / trainSamples())) * stepsPerEpoch()
                : batches();
    }

    /**
     * Returns the epoch, the split and the place of a position.
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
     * Returns the number of the batch that holds a position.
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
        // A cycle that does not fit into a long is cut to the largest long. Then the quotient is 0, and so is the
        // product.
        long batchesBefore = position / cycle * plus(times(evaluateEvery, steps), batchesOf(evaluationSize));
        return inCycle < trainCycle
                ? batchesBefore + inCycle / train * steps + inCycle % train / batch
                : batchesBefore + evaluateEvery * steps + (inCycle - trainCycle) / batch;
    }

    /**
     * Returns the batch of a training step.
     *
     * @param step 0 to {@code steps() - 1}
     * @throws ArithmeticException in an endless run, from epoch 2^31 or position 2^63 on
     */
    public Batch batchOfStep(long step) {
        requireRange("step", step, 0, steps() - 1);
        long evaluations = step / stepsPerEpoch() / evaluateEvery;
        return batch(Math.addExact(step, Math.multiplyExact(evaluations, batchesOf(evaluationSize))));
    }

    /**
     * Returns the batch of the given number.
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
        long splitStart = training ? epochStart(epoch) : Math.addExact(epochStart(epoch), trainSamples());
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
     * Returns the first training step of which no row is before a position, as if the run had no end.
     *
     * @param position 0 or more
     */
    public long firstStepFrom(long position) {
        BatchPlan endless = new BatchPlan(size, batch, dropLast, ENDLESS, evaluationSize, evaluateEvery);
        Batch at = endless.batch(endless.batchNumber(position));
        return at.split == Split.TRAIN && at.firstPosition < position ? at.step + 1 : at.step;
    }

    /**
     * Returns the position of the first sample of a split in an epoch.
     *
     * @param epoch 0 to {@code epochs() - 1}; for {@link Split#EVALUATE}, an epoch that an evaluation follows
     * @throws IllegalArgumentException when the run has no such epoch or no evaluation after it; the message is a
     *     sentence for the user
     */
    public long firstPosition(int epoch, Split split) {
        requireRange("epoch", epoch, 0, epochs - 1);
        if (split == Split.TRAIN) {
            return epochStart(epoch);
        }
        if (evaluationSize == 0 || (epoch + 1L) % evaluateEvery != 0) {
            throw new IllegalArgumentException("there is no evaluation after epoch " + epoch + ": "
                    + (evaluationSize == 0
                            ? "the run has none"
                            : "the run evaluates after every " + evaluateEvery + " epochs"));
        }
        return Math.addExact(epochStart(epoch), trainSamples());
    }

    /** Returns the first position of an epoch. */
    long epochStart(int epoch) {
        return Math.addExact(
                Math.multiplyExact(epoch, trainSamples()),
                Math.multiplyExact((long) (epoch / evaluateEvery), evaluationSize));
    }

    private long batchesOf(long samples) {
        return (samples + batch - 1) / batch;
    }

    /**
     * Returns the product of two numbers that are not negative, or {@link Long#MAX_VALUE} when the product is larger.
     */
    private static long times(long a, long b) {
        return Math.multiplyHigh(a, b) != 0 || a * b < 0 ? Long.MAX_VALUE : a * b;
    }

    /** Returns the sum of two numbers that are not negative, or {@link Long#MAX_VALUE} when the sum is larger. */
    private static long plus(long a, long b) {
        return a + b < 0 ? Long.MAX_VALUE : a + b;
    }

    private static void requireRange(String what, long value, long from, long to) {
        if (value < from || value > to) {
            throw new IllegalArgumentException(what + " " + value + " is not in " + from + " to " + to);
        }
    }
}
