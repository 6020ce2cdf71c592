/**
 * The rows that arrive at a sink, on their way to whole batches.
 *
 * <p>Read {@link io.millrace.sink.rows.RowIntake} first. It records bad samples and passes rows to {@link
 * io.millrace.sink.rows.BatchRing}, which copies each to its place in a batch, and hands over batches in order.
 */
@NullMarked
package io.millrace.sink.rows;

import org.jspecify.annotations.NullMarked;
