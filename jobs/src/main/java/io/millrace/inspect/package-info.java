/**
 * The inspection of datasets: number of samples, classes, shapes of fields, and bad samples.
 *
 * <p>Read {@link io.millrace.inspect.DatasetInspector} first. It reads the labels of all samples and the fields of the first
 * ones; {@link io.millrace.inspect.DatasetScan} reads and decodes all samples. {@link io.millrace.inspect.DatasetSummary} is the
 * result, which {@code SummaryText} prints.
 *
 * <p>The package may import all packages before it in {@code ArchitectureTest.LAYERS}, and uses {@code config},
 * {@code dataset}, {@code pipeline}, {@code sample} and {@code transform}. It starts no Flink job.
 *
 * <p>It does not promise to find every bad sample without a scan, and a scan finds only damage that reading and decoding find.
 */
@NullMarked
package io.millrace.inspect;

import org.jspecify.annotations.NullMarked;
