package io.millrace.sink;

import io.millrace.train.state.ModelState;

/**
 * What the trainer's thread gives to a checkpoint.
 *
 * @param model a copy; whoever gets this closes it
 * @param logs how long the run's files are
 */
record TrainerSnapshot(ModelState model, TrainerState figures, RunLogs.Positions logs) {}
