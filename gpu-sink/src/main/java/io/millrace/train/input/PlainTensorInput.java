package io.millrace.train.input;

import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.DeviceBatch;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;

/** What {@link PlainInput} is for the host: whole numbers and ragged columns, where the processor does not reach the batch. */
public final class PlainTensorInput implements ModelInput {
    private final ColumnTensors column;
    private final DataType type;

    /**
     * Takes a column.
     *
     * @throws TrainSpecException when the engine has no arrays of its element type
     */
    public PlainTensorInput(ColumnTensors column) {
        this.column = column;
        BatchSpec.Column sent = column.column();
        try {
            this.type = Numbers.engineType(sent.from());
        } catch (IllegalArgumentException e) {
            throw new TrainSpecException(
                    "'" + sent.name() + "' is " + sent.describe() + ", which no model takes: " + e.getMessage(), e);
        }
    }

    @Override
    public BatchSpec.Column seen() {
        BatchSpec.Column sent = column.column();
        Form form = sent.form() == Form.RAGGED ? Form.RAGGED : Form.DENSE;
        return new BatchSpec.Column(sent.name(), sent.from(), sent.shape(), sent.kind(), form);
    }

    @Override
    public void make(DeviceBatch batch, List<Mixture> mixtures, PtNDManager manager, NDList into) {
        BatchSpec.Column sent = column.column();
        boolean asSent = !sent.converted() && (sent.form() == Form.DENSE || sent.form() == Form.RAGGED);
        into.add(asSent ? column.sent(batch, manager) : column.converted(batch, type, manager));
        if (sent.form() == Form.RAGGED) {
            into.add(column.offsets(batch, manager));
        }
    }

    /** Does nothing: the memory is the batch's, or the engine's batch by batch. */
    @Override
    public void close() {}
}
