/**
 * Runs of training jobs from the client's side: planning, submission, progress, outcome, rescaling and status.
 *
 * <p>Read {@link io.millrace.run.Submission} first. {@code train}, {@code scale} and Flink's own client all submit jobs
 * with it. {@link io.millrace.run.SubmittedJob} waits for the job's outcome or leaves the job running. {@link
 * io.millrace.run.JobRun} supervises the job and assembles its summary. {@link io.millrace.run.JobRescaler} changes the
 * parallelism of a running job. {@link io.millrace.run.Failure} turns any exception into the sentence and the {@link
 * io.millrace.run.ExitCode} that the user sees.
 *
 * <p>The commands in {@code cli} parse arguments and print results; no other code uses picocli.
 *
 * <p>An object can be used by several threads only if the Javadoc of its class allows it.
 */
@NullMarked
package io.millrace.run;

import org.jspecify.annotations.NullMarked;
