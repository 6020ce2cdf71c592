package io.millrace.train.input;

import ai.djl.ndarray.NDList;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.DeviceBatch;
import io.millrace.sample.DType;
import java.util.List;

/** An input of class numbers that the model gets as zeros and ones. */
final class EncodedInput implements ModelInput {
    private final String field;
    private final EncodedRows rows;

    /** Takes ownership of the rows, which encode {@code field}. */
    EncodedInput(String field, EncodedRows rows) {
        this.field = field;
        this.rows = rows;
    }

    @Override
    public BatchSpec.Column modelColumn() {
        return new BatchSpec.Column(field, DType.FLOAT32, rows.shape());
    }

    @Override
    public void make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager, NDList into) {
        into.add(rows.make(batch, mixtures, manager));
    }

    @Override
    public void close() {
        rows.close();
    }
}
