package io.millrace.train;

import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.DeviceBatch;
import io.millrace.sample.DType;
import io.millrace.train.TrainSpec.MemoryFormat;
import java.util.List;

/**
 * Makes an input of the model from a column where the processor does not reach the batch: by operations on whole tensors on
 * the engine's device. What {@link DeviceInput} is for the host.
 */
final class TensorInput implements ModelInput {
    private final ColumnTensors column;
    private final List<DeviceTransform> transforms;
    private final boolean contiguous;
    private final RowTensors rows;

    /**
     * An input.
     *
     * @param transforms what is done to its rows; their constants are on the device
     * @param rows not owned
     */
    TensorInput(ColumnTensors column, List<DeviceTransform> transforms, MemoryFormat format, RowTensors rows) {
        this.column = column;
        this.transforms = List.copyOf(transforms);
        this.contiguous = format == MemoryFormat.CONTIGUOUS;
        this.rows = rows;
    }

    @Override
    public BatchSpec.Column seen() {
        BatchSpec.Column sent = column.column();
        return new BatchSpec.Column(sent.name(), DType.FLOAT32, sent.shape(), sent.kind(), Form.DENSE);
    }

    @Override
    public void make(DeviceBatch batch, List<Mixture> mixtures, PtNDManager manager, NDList into) {
        PtNDArray floats = column.converted(batch, DataType.FLOAT32, manager);
        for (DeviceTransform transform : transforms) {
            transform.apply(floats);
        }
        PtNDArray mixed = rows.mixedInputs(floats, mixtures, manager);
        if (!column.column().pictures()) {
            into.add(mixed);
            return;
        }
        PtNDArray planes = ColumnTensors.planes(mixed);
        into.add(contiguous ? rows.contiguous(planes, manager) : planes);
    }

    /** Does nothing: the memory is the engine's, batch by batch. */
    @Override
    public void close() {}
}
