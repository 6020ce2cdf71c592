/**
 * What a run tells: readings of a running job, progress, the table of stages, the run folder.
 *
 * <p>Everything but {@link io.millrace.report.FlinkRest}, {@link io.millrace.report.JobWatch} and {@link
 * io.millrace.report.RunFolder} is pure. A value that is not known is absent (null, "-"), never 0. Knows the names of
 * the metrics, but neither pipelines nor commands.
 */
@NullMarked
package io.millrace.report;

import org.jspecify.annotations.NullMarked;
