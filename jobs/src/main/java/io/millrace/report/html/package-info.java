/**
 * {@code report.html}: a run as one page that needs no network.
 *
 * <p>{@link io.millrace.report.html.ReportData} is all that the page tells, read from the run's folder; {@link
 * io.millrace.report.html.ReportPage} makes the page of it and is pure. Tables and texts are written here, charts are drawn
 * in the browser by Apache ECharts, which the page holds. What was not measured is absent or "-", never 0.
 */
@NullMarked
package io.millrace.report.html;

import org.jspecify.annotations.NullMarked;
