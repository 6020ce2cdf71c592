package io.millrace.report;

import io.millrace.order.SourceShares;
import io.millrace.sample.SampleUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of training at one moment. Unknown values are null.
 *
 * @param epoch the current epoch, from 1
 * @param epochs the number of epochs; null when training has no end
 * @param samples the number of samples of this epoch that were trained on
 * @param samplesPerEpoch the number of samples in an epoch, at least 1
 * @param unit the word for the samples in the throughput
 * @param imagesPerSecond the throughput of the last seconds
 * @param loss the loss of the latest step
 * @param starvation the share of the trainer's time, in the last seconds, in which it waited for data, 0 to 1
 * @param shares the shares of the datasets of a mixture since the start, as one line; empty without a mixture
 * @param verdict one line that names the limit of the throughput
 */
public record ProgressReading(
        long epoch,
        @Nullable Long epochs,
        long samples,
        long samplesPerEpoch,
        SampleUnit unit,
        @Nullable Double imagesPerSecond,
        @Nullable Double loss,
        @Nullable Double starvation,
        String shares,
        @Nullable String verdict) {
    public ProgressReading {
        if (samplesPerEpoch < 1) {
            throw new IllegalArgumentException("samples per epoch: expected at least 1, found " + samplesPerEpoch);
        }
    }

    /** Returns this reading with a verdict. */
    public ProgressReading limitedBy(@Nullable String line) {
        return new ProgressReading(
                epoch, epochs, samples, samplesPerEpoch, unit, imagesPerSecond, loss, starvation, shares, line);
    }

    /** Returns this reading with the shares of the datasets of a mixture. */
    public ProgressReading with(List<SourceShares.Share> now) {
        return new ProgressReading(
                epoch,
                epochs,
                samples,
                samplesPerEpoch,
                unit,
                imagesPerSecond,
                loss,
                starvation,
                SourceShares.line(now),
                verdict);
    }

    /** Returns the share of the epoch that is done, 0 to 1. */
    public double share() {
        return Math.min(1, (double) samples / samplesPerEpoch);
    }

    /** Returns the time until the epoch ends if the throughput stays the same; null when it is unknown, or nothing is left. */
    @Nullable
    Double secondsLeft() {
        return imagesPerSecond == null || imagesPerSecond <= 0 || samples >= samplesPerEpoch
                ? null
                : Double.valueOf((samplesPerEpoch - samples) / imagesPerSecond);
    }
}
