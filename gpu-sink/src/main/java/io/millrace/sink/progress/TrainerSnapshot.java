package io.millrace.sink.progress;

import io.millrace.sink.figures.TrainerState;
import io.millrace.train.state.ModelState;
import org.jspecify.annotations.Nullable;

/**
 * The trainer's part of a checkpoint.
 *
 * @param model a copy of the model's state; the receiver closes it
 * @param logs the lengths of the run's files
 * @param copyNanos the time for which the copy kept the device from training, by the device's events; null where the
 *     engine computes on the trainer's thread
 */
public record TrainerSnapshot(
        ModelState model,
        TrainerState figures,
        RunLogs.Positions logs,
        @Nullable Long copyNanos) {}
