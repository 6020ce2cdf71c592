/**
 * The figures of a run's steps: what an operator counts for each batch, its Flink metrics, and the report that a client receives.
 *
 * <p>Read {@link io.millrace.sink.figures.TrainerTally} first. It turns batches and their times into
 * {@link io.millrace.sink.figures.TrainerMetrics} while the run goes on, into a {@link io.millrace.sink.figures.TrainerState} for
 * checkpoints, and into a {@link io.millrace.sink.figures.TrainReport} at the end.
 */
@NullMarked
package io.millrace.sink.figures;

import org.jspecify.annotations.NullMarked;
