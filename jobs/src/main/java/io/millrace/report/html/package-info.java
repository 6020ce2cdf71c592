/**
 * The report of a run or a diagnosis, as one HTML page that needs no network.
 *
 * <p>Start with {@link io.millrace.report.html.ReportPage}, which renders the page of a run and is pure. {@link
 * io.millrace.report.html.ReportData} is the content of that page, read from the run's folder. {@link
 * io.millrace.report.html.DiagnosisPage} renders the page of a diagnosis. {@link io.millrace.report.html.HtmlReport} writes both
 * to files.
 *
 * <p>The classes of this package write tables and texts. Apache ECharts, which is part of the page, draws the charts in
 * the browser. A value that was not measured is absent or "-", never 0.
 *
 * <p>The package does not promise that the HTML stays the same: programs should read {@code summary.json}.
 */
@NullMarked
package io.millrace.report.html;

import org.jspecify.annotations.NullMarked;
