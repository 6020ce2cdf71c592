/**
 * Micro-batches: rows of samples packed into Arrow memory, the only record that crosses the network.
 *
 * <p>{@link io.millrace.batch.Packer} is pure; the operator and the Flink type around it are thin.
 *
 * <p><b>What travels.</b> Per row its position, index and label and the columns' bytes. Epoch and split do not: the
 * receiver derives them from the position with {@link io.millrace.order.BatchPlan}. A quarantined sample travels as a row
 * without columns, with its reason. Buffers are Arrow's, laid out as Arrow's vectors lay out data; the vectors over them
 * ({@link io.millrace.batch.MicroBatch#root()}) are made when asked for, because on the way to the trainer nobody does,
 * and the validity bits of the bytes within lists alone would cost an eighth of the memory.
 *
 * <p><b>In which form.</b> A column is dense, or bits (zeros and ones, eight to a byte; each row begins with a byte, so that
 * rows are copied and not shifted), or ragged: Arrow's lists, whose offsets have 32 bits, since a micro-batch has some
 * megabytes or one row. Sparse columns lie as ragged ones do, with entries of a place and a value. The receiver gets a
 * row's bytes as they travelled; the device spreads bits and sparse rows and joins ragged ones.
 *
 * <p><b>In which type.</b> Packing turns elements into the column's type where samples have another
 * ({@link io.millrace.batch.BatchSpec.Column#from}): once, on many data servers, before the bytes are paid for. Only floats
 * that become narrower floats change; what does not fit otherwise is the sample's fault, and quarantined here.
 *
 * <p><b>How large.</b> Flink's network costs least CPU time per byte with records of about 4 MB, and spills records of
 * over 5 MiB to disk. But 4 MB of small samples are many batches, which the trainer would wait for: so rows are limited
 * too ({@link io.millrace.batch.PackLimits}).
 *
 * <p><b>How long a row may wait.</b> The source's enumerator hands out ranges within a window; a range counts as finished
 * when its reader emitted it, and not when it was trained on, so packing cannot hold up reading. But at the end of a window, or
 * when another subtask is slow, a packer may hold the very rows that the trainer waits for while no further rows come
 * to fill the micro-batch. The delay bounds that wait: the timer runs on the task's thread between records. Barriers and
 * the end of input flush at once.
 *
 * <p><b>Who owns what.</b> A packer has its memory for life and lends it with each micro-batch; the record is written to
 * the network within the call that emits it, then the memory is filled again. What arrives has memory of
 * {@link io.millrace.batch.MicroBatchMemory}, and the receiving operator closes it.
 */
@NullMarked
package io.millrace.batch;

import org.jspecify.annotations.NullMarked;
