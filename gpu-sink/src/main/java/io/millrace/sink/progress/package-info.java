/**
 * How far a run has come, in its state and in its folder: the counts of a checkpoint, the run's logs with their lengths, and the
 * files of a run with several ranks.
 *
 * <p>Read {@link io.millrace.sink.progress.Progress} first, then {@link io.millrace.sink.progress.RunLogs}. Both ways to end a job use
 * them, so a run that continues cuts its logs to the lengths of its state in either.
 */
@NullMarked
package io.millrace.sink.progress;

import org.jspecify.annotations.NullMarked;
