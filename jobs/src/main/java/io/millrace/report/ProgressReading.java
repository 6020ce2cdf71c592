package io.millrace.report;

import org.jspecify.annotations.Nullable;

/**
 * The progress of training at one moment. Unknown values are null.
 *
 * @param epoch the current epoch, from 1
 * @param epochs the number of epochs; null when training has no end
 * @param samples the number of samples of this epoch that were trained on
 * @param samplesPerEpoch the number of samples in an epoch, at least 1
 * @param imagesPerSecond the throughput of the last seconds
 * @param loss the loss of the latest step
 * @param starvation the share of the trainer's time, in the last seconds, in which it waited for data, 0 to 1
 * @param verdict one line that names the limit of the throughput
 * @param accuracy the accuracy of the latest evaluation, 0 to 1
 */
public record ProgressReading(
        long epoch,
        @Nullable Long epochs,
        long samples,
        long samplesPerEpoch,
        @Nullable Double imagesPerSecond,
        @Nullable Double loss,
        @Nullable Double starvation,
        @Nullable String verdict,
        @Nullable Double accuracy) {
    public ProgressReading {
        if (samplesPerEpoch < 1) {
            throw new IllegalArgumentException("samples per epoch: expected at least 1, found " + samplesPerEpoch);
        }
    }

    /** Returns this reading with a verdict. */
    public ProgressReading limitedBy(@Nullable String line) {
        return new ProgressReading(
                epoch, epochs, samples, samplesPerEpoch, imagesPerSecond, loss, starvation, line, accuracy);
    }

    /** Returns this reading at the end of its epoch. */
    ProgressReading completed(@Nullable Double evaluated) {
        return new ProgressReading(
                epoch, epochs, samplesPerEpoch, samplesPerEpoch, imagesPerSecond, loss, starvation, verdict, evaluated);
    }

    /**
     * Returns the accuracy after the epoch of an earlier reading, taken from this reading. The result is null when this
     * reading's accuracy may belong to a later epoch, which is possible once this reading's own epoch is done.
     */
    @Nullable
    Double accuracyAfter(ProgressReading earlier) {
        return epoch == earlier.epoch + 1 && samples < samplesPerEpoch ? accuracy : null;
    }

    /** Returns the share of the epoch that is done, 0 to 1. */
    public double share() {
        return Math.min(1, (double) samples / samplesPerEpoch);
    }

    /**
     * Returns the progress at the end of the run, derived from this last reading. The last epoch is done, and its loss
     * is unknown.
     */
    ProgressReading ended() {
        long last = epochs == null ? epoch : epochs;
        return new ProgressReading(
                last,
                epochs,
                samplesPerEpoch,
                samplesPerEpoch,
                imagesPerSecond,
                last == epoch ? loss : null,
                starvation,
                verdict,
                null); // the last evaluation ended after this reading
    }
}
