package io.millrace.sink.figures;

import java.util.ArrayList;
import java.util.List;

/**
 * A clock that measures training without evaluation, per epoch and after warm-up. The caller passes all times.
 *
 * <p>An epoch lasts from the end of the previous epoch, or from the first batch, to the end of its last step. Warm-up
 * is the first epoch; until a second epoch begins, it is a tenth of the first epoch. It is longer, up to half of the
 * first epoch, when the data stages made batches before the trainer started. As long as the trainer uses these batches,
 * the speed of the data stages cannot be measured.
 *
 * <p>A run that continues another one has a warm-up of its own, because its processes are new: as many steps as a tenth of an epoch
 * has. If the other run ended within the first epoch, the rest of this epoch is warm-up, too. A restart within a run has no warm-up
 * of its own.
 */
public final class RunClock {
    /** The longest warm-up, in tenths of the first epoch. */
    private static final int LONGEST_WARM_UP = 5;

    private record Mark(long nanos, long samples) {}

    /** The state of a clock in a checkpoint. */
    public record State(
            List<Double> epochMillis,
            long trainNanos,
            long epochNanos,
            long samples,
            long steps,
            long warmNanos,
            long warmSamples) {
        public State {
            epochMillis = List.copyOf(epochMillis);
        }

        /** Returns the state at the beginning of another run, which has a warm-up of its own and perhaps another machine. */
        State inAnotherRun() {
            return new State(epochMillis, trainNanos, epochNanos, samples, 0, warmNanos, warmSamples);
        }
    }

    private final long warmSteps;
    private final List<Double> epochMillis = new ArrayList<>();
    private long trainNanos;
    private long epochNanos;
    private long samples;

    /** The number of steps of this run. */
    private long steps;

    private Mark warm = new Mark(0, 0);

    /**
     * Whether the trainer has waited for a batch. After a wait, no batches are left that were made before the trainer
     * started. The flag is not stored, because batches are also made before a restarted trainer begins.
     */
    private boolean waited;

    /** Creates a clock for epochs of {@code stepsPerEpoch} steps. */
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
     * @param nanos the time from the end of the previous step to the end of this step
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
