/**
 * Micro-batches: rows of samples packed into Arrow memory, the only record that crosses the network.
 *
 * <p>Read {@link io.millrace.batch.BatchSpec} first, then {@link io.millrace.batch.Packer}, which fills the rows.
 * {@link io.millrace.batch.PackOperator} and {@link io.millrace.batch.MicroBatchType} are the Flink parts around it.
 *
 * <p><b>Contents.</b> Each row has its position, index and label and the bytes of the columns. The receiver derives
 * epoch and split from the position with {@link io.millrace.order.BatchPlan}. A quarantined sample is a row that has
 * the reason instead of columns. The data is laid out as in Arrow's vectors, but without validity bits. In lists of
 * bytes, validity bits would need an additional eighth of the memory.
 *
 * <p><b>Forms.</b> A column is dense, bits, ragged or sparse. Eight bits share a byte, and each row begins at the boundary
 * of a byte, so that rows are copied without shifting. Ragged columns are Arrow's lists with 32-bit offsets. Sparse columns
 * are stored like ragged ones, with entries of a place and a value. The device spreads bits and sparse rows and joins ragged
 * ones.
 *
 * <p><b>Types.</b> Packing converts elements to the wire type where samples have another type ({@link
 * io.millrace.batch.BatchSpec.Column#from}): once, on the data servers, before the bytes cross the network. Only floats that
 * become narrower floats are rounded. A sample with any other number that does not fit the wire type is quarantined.
 *
 * <p><b>Size.</b> A row is copied five times between a packer's memory and its batch: to the array of Flink's writer, to a
 * network buffer, to the array of Flink's reader, through a scratch array to the arriving micro-batch, and to the batch.
 * Micro-batches of 1 MB need less CPU time per byte than those of 4 MB, which do not stay in the CPU's caches between these
 * copies. Smaller ones bring no further gain, and a GPU copies them less well while it works on a step. The number of rows is
 * limited too, because 1 MB of small samples could be many batches, and the trainer would wait for them ({@link
 * io.millrace.batch.PackLimits}).
 *
 * <p><b>Waiting.</b> Packing cannot delay reading, because a range counts as finished when its reader has emitted it. But
 * the trainer may wait for rows in a packer while no further rows arrive to fill the micro-batch: at the end of a window, or
 * when another subtask is slow. A timer bounds this wait: it sends a micro-batch some time after its first row. It runs in
 * the task's thread between records. Barriers, watermarks and the end of input flush at once.
 *
 * <p><b>Ownership.</b> A packer keeps its memory and lends it with each micro-batch. The record is written to the
 * network within the call that emits it, and then the memory is filled again. Arriving micro-batches use
 * {@link io.millrace.batch.MicroBatchMemory}, and the receiving operator closes them. If the receiver is in the same task,
 * the packer hands over the memory instead ({@link io.millrace.batch.Handing}), and nothing is serialized.
 *
 * <p><b>Stored values.</b> Long rows of values in mapped files are not copied into a packer's memory. The micro-batch refers
 * to them ({@link io.millrace.batch.Filling#NOT_STORED}), so that they are copied once, to the network or to their batch.
 *
 * <p>The package does not promise that a micro-batch can be read by another version of Millrace: all processes of a job
 * run the same one.
 */
@NullMarked
package io.millrace.batch;

import org.jspecify.annotations.NullMarked;
