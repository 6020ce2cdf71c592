/**
 * The inspection of datasets: number of samples, classes, shapes of fields, and bad samples.
 *
 * <p>Read {@link io.millrace.inspect.DatasetInspector} first. It reads the labels of all samples and the fields of the
 * first samples. {@link io.millrace.inspect.DatasetScan} reads and decodes all samples. {@link
 * io.millrace.inspect.DatasetSummary} is the result of both, and {@code SummaryText} formats it.
 *
 * <p>The package uses {@code config}, {@code dataset}, {@code pipeline}, {@code sample} and {@code transform}. It starts
 * no Flink job.
 *
 * <p>The package does not promise to find every bad sample without a scan. A scan finds only damage that makes reading
 * or decoding fail.
 */
@NullMarked
package io.millrace.inspect;

import org.jspecify.annotations.NullMarked;
