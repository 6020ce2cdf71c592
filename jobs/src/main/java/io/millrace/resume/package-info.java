/**
 * The states from which a run can resume: Flink's checkpoints and savepoints, and the state that a trainer writes at
 * the end of a run.
 *
 * <p>Read {@link io.millrace.resume.ResumePoints} first: it finds the newest state of a pipeline or the state at a path. A
 * {@link io.millrace.resume.ResumePoint} names the run that wrote the state and its position, so that the caller can check that
 * the state belongs to the same samples. {@link io.millrace.resume.RecordedPipeline} is the pipeline of a run as it was run.
 *
 * <p>The format of checkpoint metadata is Flink's own and may change with Flink's version. No job runs here, and no
 * state is restored here.
 */
@NullMarked
package io.millrace.resume;

import org.jspecify.annotations.NullMarked;
