/**
 * Indexed datasets: {@link io.millrace.dataset.Dataset#size()} and {@link io.millrace.dataset.Dataset#read(long)}, found
 * by the name of their {@link io.millrace.dataset.DatasetFormat} through {@link java.util.ServiceLoader}.
 *
 * <p>A new format is one class, its options and a line in {@code META-INF/services}. No Flink operators here; Flink's
 * {@code FileSystem} is how files are opened.
 */
@NullMarked
package io.millrace.dataset;

import org.jspecify.annotations.NullMarked;
