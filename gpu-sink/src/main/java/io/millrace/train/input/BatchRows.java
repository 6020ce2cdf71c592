package io.millrace.train.input;

import io.millrace.device.DeviceBatch;

/** The epoch and the sample indexes of a batch's rows. The random numbers of a row are derived from them. */
public interface BatchRows {
    /** Returns the number of rows. */
    int count();

    /** Returns the epoch of all rows. */
    int epoch();

    /** Returns the index of a row's sample. */
    long index(int row);

    /** Returns the samples of a sealed batch. */
    static BatchRows of(DeviceBatch batch) {
        return new BatchRows() {
            @Override
            public int count() {
                return batch.rows();
            }

            @Override
            public int epoch() {
                return batch.epoch();
            }

            @Override
            public long index(int row) {
                return batch.index(row);
            }
        };
    }
}
