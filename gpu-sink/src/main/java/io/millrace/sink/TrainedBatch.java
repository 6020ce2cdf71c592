package io.millrace.sink;

import io.millrace.device.DeviceBatch;

/**
 * The properties of a batch that are needed when the result of its step arrives. The batch itself may be filled again
 * by then.
 *
 * @param step the training step, from 0 over the run
 */
record TrainedBatch(long step, int epoch, int rows) {
    static TrainedBatch of(DeviceBatch batch) {
        return new TrainedBatch(batch.step(), batch.epoch(), batch.rows());
    }
}
