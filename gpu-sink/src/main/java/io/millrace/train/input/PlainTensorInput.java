package io.millrace.train.input;

import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.DeviceBatch;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;

/**
 * An input of whole numbers or a ragged column that the model gets unchanged, for batches that the CPU cannot read.
 * {@link PlainInput} is the input for batches on the host.
 */
public final class PlainTensorInput implements ModelInput {
    private final ColumnTensors column;
    private final DataType type;

    /**
     * Prepares for a column.
     *
     * @throws TrainSpecException when the engine has no arrays of its element type
     */
    public PlainTensorInput(ColumnTensors column) {
        this.column = column;
        BatchSpec.Column sent = column.column();
        try {
            this.type = ColumnNumbers.engineType(sent.from());
        } catch (IllegalArgumentException e) {
            throw new TrainSpecException(
                    "'" + sent.name() + "' is " + sent.describe() + ", which no model accepts: " + e.getMessage(), e);
        }
    }

    @Override
    public BatchSpec.Column modelColumn() {
        BatchSpec.Column sent = column.column();
        Form form = sent.form() == Form.RAGGED ? Form.RAGGED : Form.DENSE;
        return new BatchSpec.Column(sent.name(), sent.from(), sent.shape(), sent.kind(), form);
    }

    @Override
    public void make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager, NDList into) {
        BatchSpec.Column sent = column.column();
        boolean asSent = !sent.converted() && (sent.form() == Form.DENSE || sent.form() == Form.RAGGED);
        into.add(asSent ? column.wireNumbers(batch, manager) : column.converted(batch, type, manager));
        if (sent.form() == Form.RAGGED) {
            into.add(column.offsets(batch, manager));
        }
    }

    /** Does nothing, because the memory belongs to the batch, or the engine allocates it for each batch. */
    @Override
    public void close() {}
}
