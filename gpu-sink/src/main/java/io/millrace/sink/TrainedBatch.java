package io.millrace.sink;

import io.millrace.device.DeviceBatch;

/**
 * The facts of a batch that are kept until the result of its step is there; the batch may be filled anew meanwhile.
 *
 * @param step the training step, from 0 over the run
 */
record TrainedBatch(long step, int epoch, int rows) {
    static TrainedBatch of(DeviceBatch batch) {
        return new TrainedBatch(batch.step(), batch.epoch(), batch.rows());
    }
}
