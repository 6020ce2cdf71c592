package io.millrace.train;

import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.DeviceBatch;
import io.millrace.sample.DType;
import java.util.List;

/**
 * A column that reaches the model as it is, over the batch's own memory: whole numbers of 32 or 64 bits, such as tokens,
 * and ragged columns, which are two arrays: the entries of all rows, and int64 [rows + 1] where each row begins and the last
 * one ends, as PyTorch's embedding_bag takes them with {@code include_last_offset}.
 */
final class PlainInput implements ModelInput {
    private final BatchSpec.Column column;
    private final int number;
    private final DataType type;

    /** Whether a column is such a one. */
    static boolean takes(BatchSpec.Column column) {
        return column.form() == Form.RAGGED || column.dtype() == DType.INT32 || column.dtype() == DType.INT64;
    }

    /**
     * Takes a column.
     *
     * @throws TrainSpecException when the engine has no arrays of its element type
     */
    PlainInput(BatchSpec spec, BatchSpec.Column column) {
        this.column = column;
        this.number = spec.columns().indexOf(column);
        try {
            this.type = Numbers.engineType(column.dtype());
        } catch (IllegalArgumentException e) {
            throw new TrainSpecException(
                    "'" + column.name() + "' is " + column.told() + ", which no model takes: " + e.getMessage(), e);
        }
    }

    @Override
    public BatchSpec.Column seen() {
        return column;
    }

    @Override
    public void make(DeviceBatch batch, List<Mixture> mixtures, PtNDManager manager, NDList into) {
        var values = batch.column(number);
        int entries = values.remaining() / column.elementBytes();
        into.add(manager.create(values, Numbers.batch(entries, column.shape()), type));
        if (column.form() == Form.RAGGED) {
            into.add(manager.create(batch.offsets(number), new Shape(batch.rows() + 1L), DataType.INT64));
        }
    }

    /** Does nothing: the memory is the batch's. */
    @Override
    public void close() {}
}
