package io.millrace.rest;

import static io.millrace.rest.StageReading.known;

import org.jspecify.annotations.Nullable;

/**
 * What the trainers have done so far. Null is unknown. With several trainers: samples, rows, bytes and the times that say so
 * are summed, steps, epoch and checkpoints are the least advanced trainer's, all others are means.
 *
 * @param epoch the epoch being trained, from 0
 * @param loss of the latest step
 * @param accuracy of the latest evaluation, 0 to 1
 * @param starvedMillis time waited for a whole batch
 * @param stepMillis time in forward, backward and optimizer
 * @param transferMillis time in moving batches to the device
 * @param evaluationMillis time in evaluation
 * @param waitingRows rows that wait for their batch to become whole
 * @param assembleMillis time of the training operator in putting rows at their place, summed
 * @param checkpoints begun, those before a restart included; likewise the next two
 * @param checkpointCopyMillis time in copying the trainer's state, in which no step was made
 * @param checkpointDrainMillis time in which the trainer finished whole batches before that
 * @param cpuMillis CPU time of the trainer's thread, summed
 * @param bytes of the samples trained on, as they travelled
 * @param coreWaitMillis for which the trainer's thread was ready to run and had no core, summed
 * @param clockMillis the trainers' clock, from any origin, when the latest batch was done and the figures brought up to date
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
        @Nullable Long waitingRows,
        @Nullable Double assembleMillis,
        @Nullable Long checkpoints,
        @Nullable Double checkpointCopyMillis,
        @Nullable Double checkpointDrainMillis,
        @Nullable Double cpuMillis,
        @Nullable Long bytes,
        @Nullable Double coreWaitMillis,
        @Nullable Double clockMillis) {
    /** Nothing known yet. */
    public static final TrainerReading UNKNOWN = new TrainerReading(
            null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);

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
                known(waitingRows, earlier.waitingRows),
                known(assembleMillis, earlier.assembleMillis),
                known(checkpoints, earlier.checkpoints),
                known(checkpointCopyMillis, earlier.checkpointCopyMillis),
                known(checkpointDrainMillis, earlier.checkpointDrainMillis),
                known(cpuMillis, earlier.cpuMillis),
                known(bytes, earlier.bytes),
                known(coreWaitMillis, earlier.coreWaitMillis),
                known(clockMillis, earlier.clockMillis));
    }
}
