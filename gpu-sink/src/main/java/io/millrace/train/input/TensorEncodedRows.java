package io.millrace.train.input;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.DeviceBatch;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;

/** The {@link EncodedRows} that operations on whole tensors compute, on the engine's device. */
final class TensorEncodedRows implements EncodedRows {
    private final TensorClassNumbers numbers;
    private final Encoding encoding;
    private final List<Integer> shape;
    private final RowTensors rows;

    /**
     * Prepares for batches.
     *
     * @param field the name of a column, or {@link Roles#LABEL}
     * @param checks receives the checks of the numbers
     * @param rows the operations on rows, which the caller owns
     * @throws TrainSpecException when the field does not fit the encoding
     */
    TensorEncodedRows(BatchSpec batch, String field, Encoding encoding, LateChecks checks, RowTensors rows) {
        ClassNumbers known = EncodedRows.numbers(batch, field, encoding);
        this.numbers = new TensorClassNumbers(batch, field, known, checks, rows);
        this.encoding = encoding;
        this.shape = EncodedRows.shape(known, encoding);
        this.rows = rows;
    }

    @Override
    public List<Integer> shape() {
        return shape;
    }

    @Override
    public PtNDArray make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager) {
        PtNDArray found = numbers.make(batch, manager);
        PtNDArray hot = encoding.kind() == Encoding.Kind.MULTI_HOT
                ? rows.multiHot(found, numbers.offsets(batch, manager), encoding.classes(), manager)
                : rows.oneHot(found, encoding.classes(), manager);
        return rows.mixed(hot.reshape(ColumnNumbers.batch(batch.rows(), shape)), mixtures, manager);
    }

    /** Does nothing, because the engine allocates the memory for each batch. */
    @Override
    public void close() {}
}
