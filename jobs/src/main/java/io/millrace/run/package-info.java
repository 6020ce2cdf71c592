/**
 * Running one job from a client: start Flink, submit the job, watch it, print its summary, stop it.
 *
 * <p>Start with {@link io.millrace.run.JobRun}. {@link io.millrace.run.Failure} turns any exception into the sentence and
 * the {@link io.millrace.run.ExitCode} that the user sees.
 *
 * <p>May import every package but {@code cli}, which holds the commands and is the only one that knows picocli.
 */
@NullMarked
package io.millrace.run;

import org.jspecify.annotations.NullMarked;
