package io.millrace.sink.figures;

import io.millrace.device.DeviceBatch;
import io.millrace.order.BatchPlan;

/**
 * The properties of a batch that are needed when the result of its step arrives. The batch itself may be filled again
 * by then.
 *
 * @param step the training step, from 0 over the run
 * @param rows the number of its samples
 * @param columns the bytes of its columns
 * @param last whether the batch is the last of its epoch
 */
public record TrainedBatch(long step, int epoch, int rows, ColumnBytes columns, boolean last) {
    /**
     * Returns the properties of a sealed batch.
     *
     * @param batch the batch in the device's memory
     * @param planned the same batch in the plan of the run
     */
    public static TrainedBatch of(DeviceBatch batch, BatchPlan.Batch planned) {
        return new TrainedBatch(
                batch.step(), batch.epoch(), batch.rows() - batch.paddedRows(), ColumnBytes.of(batch), planned.last());
    }

    /** Returns the bytes of all columns in wire form. */
    long wireBytes() {
        return columns.bytes().stream().mapToLong(Long::longValue).sum();
    }
}
