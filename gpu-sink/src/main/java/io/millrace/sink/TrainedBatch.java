package io.millrace.sink;

import io.millrace.device.DeviceBatch;

/**
 * What is kept of a batch until its step's result is there; the batch may be filled anew meanwhile.
 *
 * @param step counted from 0 over the run
 */
record TrainedBatch(long step, int epoch, int rows) {
    static TrainedBatch of(DeviceBatch batch) {
        return new TrainedBatch(batch.step(), batch.epoch(), batch.rows());
    }
}
