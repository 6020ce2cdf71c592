/**
 * Runs of training jobs from the client's side: planning, submission, progress, outcome, rescaling and status.
 *
 * <p>Read {@link io.millrace.run.Submission} first. It is the one path from a pipeline to a submitted job, for {@code train},
 * {@code scale} and Flink's own client. {@link io.millrace.run.SubmittedJob} waits for the job's outcome or leaves it
 * running. {@link io.millrace.run.JobRun} watches the job and summarizes it. {@link io.millrace.run.JobRescaler} changes the
 * parallelism of a running job. {@link io.millrace.run.Failure} translates any exception into the sentence and the {@link
 * io.millrace.run.ExitCode} that the user sees.
 *
 * <p>This package may import every other package except {@code cli}. The commands in {@code cli} parse arguments and print
 * results; only they know picocli.
 *
 * <p>The package does not promise that one object can be used by several threads, except where a class says so.
 */
@NullMarked
package io.millrace.run;

import org.jspecify.annotations.NullMarked;
