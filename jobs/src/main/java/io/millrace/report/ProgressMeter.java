package io.millrace.report;

import io.millrace.rest.JobReading;
import io.millrace.rest.TrainerReading;
import io.millrace.sample.SampleUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A meter that computes the progress from a job's readings. Rates cover the last few seconds, or more where steps take longer. Not thread-safe. */
public final class ProgressMeter {
    /**
     * The time over which rates are computed. It is long enough for a steady rate, and short enough to show a change
     * soon.
     */
    private static final long WINDOW_NANOS = 5_000_000_000L;

    private final long samplesPerEpoch;
    private final @Nullable Long epochs;
    private final SampleUnit unit;
    private final Deque<Point> window = new ArrayDeque<>();

    private record Point(
            long nanos,
            long samples,
            @Nullable Double starvedMillis,
            @Nullable Double trainingMillis) {}

    /**
     * Creates a meter.
     *
     * @param samplesPerEpoch the number of samples in an epoch, at least 1
     * @param epochs the number of epochs; null when training has no end
     * @param unit the word for the samples in throughputs
     */
    public ProgressMeter(long samplesPerEpoch, @Nullable Long epochs, SampleUnit unit) {
        this.samplesPerEpoch = samplesPerEpoch;
        this.epochs = epochs;
        this.unit = unit;
    }

    /**
     * Returns the progress at a reading. Readings must arrive in the order of their times.
     *
     * @param nanos the time of the reading, by {@link System#nanoTime}
     */
    public ProgressReading next(JobReading reading, long nanos) {
        TrainerReading trainer = reading.trainer();
        long samples = trainer.samples() == null ? 0 : trainer.samples();
        Point now = new Point(nanos, samples, trainer.starvedMillis(), trainer.trainingMillis());
        // A restart from a checkpoint sets the counters back, so the rates begin anew.
        if (!window.isEmpty() && window.peekLast().samples > samples) {
            window.clear();
        }
        // Readings without a step between them would leave a window of equal counts where steps take longer than the
        // window.
        if (trainer.samples() != null && (window.isEmpty() || window.peekLast().samples < samples)) {
            window.addLast(now);
        }
        while (window.size() > 2 && nanos - window.peekFirst().nanos > WINDOW_NANOS) {
            window.removeFirst();
        }
        long epoch = trainer.epoch() == null ? samples / samplesPerEpoch : trainer.epoch();
        return new ProgressReading(
                epoch + 1,
                epochs,
                Math.max(0, Math.min(samplesPerEpoch, samples - epoch * samplesPerEpoch)),
                samplesPerEpoch,
                unit,
                imagesPerSecond(now),
                trainer.loss(),
                starvation(now),
                "",
                null);
    }

    private @Nullable Double imagesPerSecond(Point now) {
        Point first = window.peekFirst();
        return first == null || now.nanos <= first.nanos
                ? null
                : (now.samples - first.samples) * 1e9 / (now.nanos - first.nanos);
    }

    /** Returns the share of the time of training in which the trainer waited for data, by the trainer's own clock. */
    private @Nullable Double starvation(Point now) {
        Point first = window.peekFirst();
        if (first == null
                || first.starvedMillis == null
                || first.trainingMillis == null
                || now.starvedMillis == null
                || now.trainingMillis == null
                || now.trainingMillis <= first.trainingMillis) {
            return null;
        }
        double share = (now.starvedMillis - first.starvedMillis) / (now.trainingMillis - first.trainingMillis);
        // The figures of one reading are read at slightly different moments.
        return Math.max(0, Math.min(1, share));
    }
}
