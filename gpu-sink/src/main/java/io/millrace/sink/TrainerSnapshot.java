package io.millrace.sink;

import io.millrace.train.state.ModelState;

/**
 * The trainer's part of a checkpoint.
 *
 * @param model a copy of the model's state; the receiver closes it
 * @param logs the lengths of the run's files
 */
record TrainerSnapshot(ModelState model, TrainerState figures, RunLogs.Positions logs) {}
