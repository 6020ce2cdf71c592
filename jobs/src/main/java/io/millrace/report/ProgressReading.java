package io.millrace.report;

import org.jspecify.annotations.Nullable;

/**
 * How far training is. Null is unknown.
 *
 * @param epoch being trained, from 1
 * @param epochs in all; null when training has no end
 * @param samples trained on in this epoch
 * @param samplesPerEpoch at least 1
 * @param imagesPerSecond of late
 * @param loss of the latest step
 * @param starvation share of the trainer's time of late that it waited for data, 0 to 1
 * @param verdict what limits the speed, in one line
 * @param accuracy of the latest evaluation, 0 to 1
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

    /** The same with what limits the speed. */
    public ProgressReading limitedBy(@Nullable String line) {
        return new ProgressReading(
                epoch, epochs, samples, samplesPerEpoch, imagesPerSecond, loss, starvation, line, accuracy);
    }

    /** This epoch at its end. */
    ProgressReading completed(@Nullable Double evaluated) {
        return new ProgressReading(
                epoch, epochs, samplesPerEpoch, samplesPerEpoch, imagesPerSecond, loss, starvation, verdict, evaluated);
    }

    /**
     * The accuracy after an earlier reading's epoch; null where it may be that of a later one, which this reading's is once
     * its own epoch is done.
     */
    @Nullable
    Double accuracyAfter(ProgressReading earlier) {
        return epoch == earlier.epoch + 1 && samples < samplesPerEpoch ? accuracy : null;
    }

    /** How much of the epoch is done, 0 to 1. */
    public double share() {
        return Math.min(1, (double) samples / samplesPerEpoch);
    }

    /** The end of the run, as far as this earlier reading tells: the last epoch is done, its loss was not seen. */
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
                null); // the last evaluation came after the last reading
    }
}
