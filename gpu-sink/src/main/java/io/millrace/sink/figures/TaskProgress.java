package io.millrace.sink.figures;

import java.util.List;

/**
 * The part of a run's progress that the task's thread counts, at a moment at which no batch is in training.
 *
 * @param nextBatch the number of the first batch that was not trained on
 * @param earlierRestarts the number of restarts in earlier jobs of the history
 * @param counters the counters of the task
 * @param quarantine the bad samples, in pieces of state
 */
public record TaskProgress(long nextBatch, int earlierRestarts, TaskCounters counters, List<byte[]> quarantine) {}
