package io.millrace.report;

import static io.millrace.report.StageReading.known;

import org.jspecify.annotations.Nullable;

/**
 * What the trainers have done so far. Null is unknown. With several trainers: samples and rows are summed, steps and
 * epoch are the least advanced trainer's, all others are means.
 *
 * @param epoch the epoch being trained, from 0
 * @param loss of the latest step
 * @param accuracy of the latest evaluation, 0 to 1
 * @param starvedMillis time waited for a whole batch
 * @param stepMillis time in forward, backward and optimizer
 * @param transferMillis time in moving batches to the device
 * @param evaluationMillis time in evaluation
 * @param waitingRows rows that wait for their batch to become whole
 */
public record TrainerReading(
        @Nullable Long steps,
        @Nullable Long samples,
        @Nullable Long epoch,
        @Nullable Double loss,
        @Nullable Double accuracy,
        @Nullable Double starvedMillis,
        @Nullable Double stepMillis,
        @Nullable Double transferMillis,
        @Nullable Double evaluationMillis,
        @Nullable Long waitingRows) {
    /** Nothing known yet. */
    public static final TrainerReading UNKNOWN =
            new TrainerReading(null, null, null, null, null, null, null, null, null, null);

    /** This reading, with an earlier one's values where this has none. */
    TrainerReading orElse(TrainerReading earlier) {
        return new TrainerReading(
                known(steps, earlier.steps),
                known(samples, earlier.samples),
                known(epoch, earlier.epoch),
                known(loss, earlier.loss),
                known(accuracy, earlier.accuracy),
                known(starvedMillis, earlier.starvedMillis),
                known(stepMillis, earlier.stepMillis),
                known(transferMillis, earlier.transferMillis),
                known(evaluationMillis, earlier.evaluationMillis),
                known(waitingRows, earlier.waitingRows));
    }
}
