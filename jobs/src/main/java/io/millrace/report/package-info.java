/**
 * The reports of a run: its progress line, the table of stages, {@code summary.json} and the run folder.
 *
 * <p>Start with {@link io.millrace.report.RunSummary}, which is the content of {@code summary.json}. {@link
 * io.millrace.report.RunFolder} and {@link io.millrace.report.SummaryFile} write files, {@link
 * io.millrace.report.ProgressView} writes to the terminal; the others are pure functions of what was read. A value that is not
 * known is absent (null, "-"), never 0.
 *
 * <p>May import {@code rest}, {@code pipeline} and everything below; knows no commands.
 */
@NullMarked
package io.millrace.report;

import org.jspecify.annotations.NullMarked;
