/**
 * Datasets: samples that can be read by index, and the formats that store them.
 *
 * <p>Read {@link io.millrace.dataset.Dataset} first: {@link io.millrace.dataset.Dataset#size()} and
 * {@link io.millrace.dataset.Dataset#read(long)} are its core. A {@link io.millrace.dataset.DatasetFormat} opens
 * datasets; {@link java.util.ServiceLoader} finds formats by name. A new format consists of one class, its options, and
 * a line in {@code META-INF/services}. Each format has its own package below this one; {@code storage}, {@code files},
 * {@code fields}, {@code columns} and {@code shard} contain the classes that several formats share.
 *
 * <p>This package and its subpackages use no Flink classes except Flink's {@code FileSystem}, which opens files that are
 * not on this machine.
 *
 * <p>The package does not promise that an open dataset detects changed files. Some formats detect a changed size;
 * others return bad samples.
 */
@NullMarked
package io.millrace.dataset;

import org.jspecify.annotations.NullMarked;
