package io.millrace.sink;

import java.util.ArrayList;
import java.util.List;

/**
 * How long training took, per epoch and after warm-up, evaluation left out. Pure: times are given.
 *
 * <p>An epoch lasts from the end of the one before (or the first batch) to the end of its last step. Warm-up is the
 * first epoch, or a tenth of it as long as no second has begun; longer, up to half of it, where the data stages had made
 * batches before there was a trainer: as long as these last, their speed is not seen.
 */
final class RunClock {
    /** In tenths of the first epoch. */
    private static final int LONGEST_WARM_UP = 5;

    private record Mark(long nanos, long samples) {}

    /** What a checkpoint keeps of a clock. */
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

    /** Whether a batch has had to be waited for, so that none are left from before. Not kept: a restart leaves some, too. */
    private boolean waited;

    /** A clock for epochs of so many steps. */
    RunClock(long stepsPerEpoch) {
        warmSteps = Math.max(1, stepsPerEpoch / 10);
    }

    /** A clock that goes on from that state. */
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
     * A step of {@code rows} samples ended, {@code nanos} after the end of the one before.
     *
     * @param waitNanos of these, waiting for its batch
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

    /** Samples since warm-up ended, 0 before. */
    long warmSamples() {
        return steps <= warmSteps ? 0 : samples - warm.samples;
    }

    /** Time since warm-up ended, 0 before. */
    long warmNanos() {
        return steps <= warmSteps ? 0 : trainNanos - warm.nanos;
    }
}
