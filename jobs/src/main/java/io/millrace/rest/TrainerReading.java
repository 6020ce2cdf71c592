package io.millrace.rest;

import io.millrace.metrics.Figure;
import io.millrace.metrics.FigureValues;
import io.millrace.metrics.Figures;
import io.millrace.sink.figures.EpochRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the trainers at one moment. Null means unknown. {@link Figures} explains each figure, and the
 * combination of the figures of several trainers.
 *
 * @param values the figures
 * @param epochs the latest epochs that all trainers have ended in this job
 */
public record TrainerReading(FigureValues values, List<EpochRecord> epochs) {
    /** A reading without any known figure. */
    public static final TrainerReading UNKNOWN = new TrainerReading(FigureValues.NONE, List.of());

    public TrainerReading {
        epochs = List.copyOf(epochs);
    }

    /** Returns this reading with a figure, in the figure's unit; null leaves it unknown. */
    public TrainerReading with(Figure figure, @Nullable Number value) {
        return new TrainerReading(values.with(figure, value), epochs);
    }

    public @Nullable Long steps() {
        return values.count(Figures.STEPS);
    }

    public @Nullable Long samples() {
        return values.count(Figures.SAMPLES);
    }

    public @Nullable Long epoch() {
        return values.count(Figures.EPOCH);
    }

    public @Nullable Double loss() {
        return values.number(Figures.LOSS);
    }

    public @Nullable Double accuracy() {
        return values.number(Figures.ACCURACY);
    }

    public @Nullable Double starvedMillis() {
        return values.millis(Figures.STARVED_NANOS);
    }

    public @Nullable Double stepMillis() {
        return values.millis(Figures.STEP_NANOS);
    }

    public @Nullable Double transferMillis() {
        return values.millis(Figures.TRANSFER_NANOS);
    }

    public @Nullable Double copyWaitMillis() {
        return values.millis(Figures.COPY_WAIT_NANOS);
    }

    public @Nullable Double evaluationMillis() {
        return values.millis(Figures.EVALUATION_NANOS);
    }

    public @Nullable Long waitingRows() {
        return values.count(Figures.WAITING_ROWS);
    }

    public @Nullable Double assembleMillis() {
        return values.millis(Figures.ASSEMBLE_NANOS);
    }

    public @Nullable Long checkpoints() {
        return values.count(Figures.CHECKPOINTS);
    }

    public @Nullable Double checkpointCopyMillis() {
        return values.millis(Figures.CHECKPOINT_COPY_NANOS);
    }

    public @Nullable Double checkpointRefillMillis() {
        return values.millis(Figures.CHECKPOINT_REFILL_NANOS);
    }

    public @Nullable Double checkpointWriteMillis() {
        return values.millis(Figures.CHECKPOINT_WRITE_NANOS);
    }

    public @Nullable Double checkpointDrainMillis() {
        return values.millis(Figures.CHECKPOINT_DRAIN_NANOS);
    }

    public @Nullable Double cpuMillis() {
        return values.millis(Figures.CPU_NANOS);
    }

    public @Nullable Long bytes() {
        return values.count(Figures.BYTES_PRODUCED);
    }

    public @Nullable Double coreWaitMillis() {
        return values.millis(Figures.CORE_WAIT_NANOS);
    }

    public @Nullable Double clockMillis() {
        return values.millis(Figures.CLOCK_NANOS);
    }

    /**
     * Returns the trainer's clock without evaluations, and without the copies of checkpoints and the refills after them, in
     * milliseconds from any origin.
     * Differences of it are times of training: steps, and waits for data. Null when the clock is unknown.
     */
    public @Nullable Double trainingMillis() {
        Double clock = clockMillis();
        return clock == null
                ? null
                : Double.valueOf(clock
                        - zero(evaluationMillis())
                        - zero(checkpointCopyMillis())
                        - zero(checkpointRefillMillis()));
    }

    private static double zero(@Nullable Double value) {
        return value == null ? 0 : value;
    }

    /** Returns this reading, with an earlier one's values where this has none. */
    TrainerReading orElse(TrainerReading earlier) {
        return new TrainerReading(values.orElse(earlier.values), epochs.isEmpty() ? earlier.epochs : epochs);
    }
}
