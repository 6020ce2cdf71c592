/**
 * The dataset format {@code arrow}: Arrow IPC files and streams, as pyarrow and Hugging Face's datasets write them.
 *
 * <p>Read {@link io.millrace.dataset.arrow.ArrowFormat} first, then {@code IpcTable}. {@code IpcFileReader} finds the
 * batches of a file, {@code IpcBuffers} reads their buffers, and {@code IpcValues} reads single values. Rows are read
 * directly from their positions in the files into arrays on the heap. Arrow's own vectors do not check the file and
 * access raw memory, so a damaged file could crash the JVM. Therefore this package uses only Arrow's definitions of
 * metadata, whose reads are checked.
 *
 * <p>The package does not support types such as decimals, dates, times and unions, big-endian files, Feather 1, or
 * images that are stored as paths only.
 */
@NullMarked
package io.millrace.dataset.arrow;

import org.jspecify.annotations.NullMarked;
