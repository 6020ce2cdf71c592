/**
 * The reports of a run: its progress line, the table of stages, its summary and its folder.
 *
 * <p>Start with {@link io.millrace.report.RunSummary}, which is the content of {@code summary.json}, and {@link
 * io.millrace.report.RunResult}, which assembles it. {@link io.millrace.report.RunFolder} and {@link
 * io.millrace.report.SummaryFile} write files. {@link io.millrace.report.ProgressView} writes to the terminal. The
 * other classes are pure functions of the readings and reports.
 *
 * <p>{@link io.millrace.report.StageColumns} derives the columns of tables from the declared figures. An unknown value
 * is null or "-", never 0.
 *
 * <p>The package does not depend on commands. It does not promise that every run has a summary: a run that is killed
 * writes none.
 */
@NullMarked
package io.millrace.report;

import org.jspecify.annotations.NullMarked;
