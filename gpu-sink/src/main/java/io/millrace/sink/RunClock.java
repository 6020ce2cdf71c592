package io.millrace.sink;

import java.util.ArrayList;
import java.util.List;

/**
 * A clock of training, per epoch and after warm-up, without evaluation. All times are passed in.
 *
 * <p>An epoch lasts from the end of the one before (or the first batch) to the end of its last step. Warm-up is the
 * first epoch; until a second epoch begins, it is a tenth of the first epoch. It is longer, up to half of the first
 * epoch, when the data stages had made batches before there was a trainer: while such batches last, the speed of the
 * data stages does not show.
 */
final class RunClock {
    /** The longest warm-up, in tenths of the first epoch. */
    private static final int LONGEST_WARM_UP = 5;

    private record Mark(long nanos, long samples) {}

    /** The state of a clock in a checkpoint. */
    record State(
            List<Double> epochMillis,
            long trainNanos,
            long epochNanos,
            long samples,
            long steps,
            long warmNanos,
            long warmSamples) {
        State {
            epochMillis = List.copyOf(epochMillis);
        }
    }

    private final long warmSteps;
    private final List<Double> epochMillis = new ArrayList<>();
    private long trainNanos;
    private long epochNanos;
    private long samples;
    private long steps;
    private Mark warm = new Mark(0, 0);

    /**
     * Whether the trainer has waited for a batch, so that none are left from before. Not stored: a restart leaves
     * batches, too.
     */
    private boolean waited;

    /** Creates a clock for epochs of so many steps. */
    RunClock(long stepsPerEpoch) {
        warmSteps = Math.max(1, stepsPerEpoch / 10);
    }

    /** Continues from a state. */
    RunClock(long stepsPerEpoch, State state) {
        this(stepsPerEpoch);
        epochMillis.addAll(state.epochMillis);
        trainNanos = state.trainNanos;
        epochNanos = state.epochNanos;
        samples = state.samples;
        steps = state.steps;
        warm = new Mark(state.warmNanos, state.warmSamples);
    }

    State state() {
        return new State(epochMillis, trainNanos, epochNanos, samples, steps, warm.nanos, warm.samples);
    }

    /**
     * Adds a step.
     *
     * @param rows the number of samples of the step
     * @param nanos the time from the end of the step before to the end of this step
     * @param waitNanos the part of this time for which the trainer waited for its batch
     */
    void step(int rows, long nanos, long waitNanos, boolean lastOfEpoch) {
        boolean secondEpochBegins = epochMillis.size() == 1 && epochNanos == 0;
        if (steps == warmSteps || secondEpochBegins) {
            warm = new Mark(trainNanos, samples);
        }
        if (!waited && steps > 0 && waitNanos > nanos / 2) {
            waited = true;
            if (epochMillis.isEmpty() && steps > warmSteps && steps <= LONGEST_WARM_UP * warmSteps) {
                warm = new Mark(trainNanos, samples);
            }
        }
        trainNanos += nanos;
        epochNanos += nanos;
        samples += rows;
        steps++;
        if (lastOfEpoch) {
            epochMillis.add(epochNanos / 1e6);
            epochNanos = 0;
        }
    }

    /** Returns the times for the report. */
    TrainReport.Pace pace() {
        return new TrainReport.Pace(epochMillis, trainNanos, warmSamples(), warmNanos());
    }

    /** Returns the number of samples since warm-up ended, 0 before. */
    long warmSamples() {
        return steps <= warmSteps ? 0 : samples - warm.samples;
    }

    /** Returns the training time since warm-up ended, 0 before. */
    long warmNanos() {
        return steps <= warmSteps ? 0 : trainNanos - warm.nanos;
    }
}
