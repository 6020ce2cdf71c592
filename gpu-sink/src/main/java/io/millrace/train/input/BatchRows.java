package io.millrace.train.input;

import io.millrace.device.DeviceBatch;

/** Which samples the rows of a batch are, for what is drawn by sample. */
interface BatchRows {
    int count();

    /** The epoch of all of them. */
    int epoch();

    /** A row's sample. */
    long index(int row);

    /** Those of a sealed batch. */
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
