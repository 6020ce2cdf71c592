package io.millrace.train.input;

import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.DeviceBatch;
import io.millrace.device.DeviceMemory;
import io.millrace.device.EngineTensors;

/**
 * A column of batches as tensors of the engine, in the memory of the batches, on the host or a device. No method waits for
 * the device or reads the rows. Stateless.
 */
public final class ColumnTensors {
    private final BatchSpec.Column column;
    private final int number;

    /** Prepares for a column of batches of this specification. */
    public ColumnTensors(BatchSpec spec, BatchSpec.Column column) {
        this.column = column;
        this.number = spec.columns().indexOf(column);
    }

    BatchSpec.Column column() {
        return column;
    }

    /**
     * Returns the number of entries in a batch, each with the column's shape: the number of rows, or the number of
     * entries of all rows for a ragged column.
     */
    int entries(DeviceBatch batch) {
        return column.form() == Form.RAGGED
                ? Math.toIntExact(batch.offsets(number).get(batch.rows()))
                : batch.rows();
    }

    /** Returns the shape of all entries. */
    private Shape shape(DeviceBatch batch) {
        return ColumnNumbers.batch(entries(batch), column.shape());
    }

    /**
     * Returns a view of the numbers in their type on the wire. The engine must have this element type, and the numbers
     * must not be bits.
     */
    PtNDArray wireNumbers(DeviceBatch batch, PtNDManager manager) {
        return EngineTensors.numbers(
                batch.memory(number), 0, shape(batch), ColumnNumbers.engineType(column.dtype()), manager);
    }

    /**
     * Returns a view of the offsets of a ragged column, int64 [rows + 1]: the beginning of each row, and the end of the
     * last row.
     */
    PtNDArray offsets(DeviceBatch batch, PtNDManager manager) {
        return EngineTensors.numbers(
                batch.offsetMemory(number), 0, new Shape(batch.rows() + 1L), DataType.INT64, manager);
    }

    /** Returns a copy of all numbers, converted to another type. */
    PtNDArray converted(DeviceBatch batch, DataType to, PtNDManager manager) {
        DeviceMemory memory = batch.memory(number);
        Shape shape = shape(batch);
        return switch (column.form()) {
            case BITS ->
                EngineTensors.spread(memory, batch.rows(), column.rowBytes(), column.elements(), to, shape, manager);
            case SPARSE ->
                EngineTensors.dense(
                        memory,
                        batch.offsetMemory(number),
                        batch.rows(),
                        Math.toIntExact(batch.offsets(number).get(batch.rows())),
                        elementType(),
                        column.elements(),
                        to,
                        shape,
                        manager);
            case DENSE, RAGGED -> EngineTensors.converted(memory, elementType(), shape, to, manager);
        };
    }

    private EngineTensors.ElementType elementType() {
        return EngineTensors.ElementType.valueOf(column.dtype().name());
    }

    /** Returns a view of the labels of a batch, int64 [rows, 1]. */
    static PtNDArray labels(DeviceBatch batch, PtNDManager manager) {
        return EngineTensors.numbers(batch.labelMemory(), 0, new Shape(batch.rows(), 1), DataType.INT64, manager);
    }

    /**
     * Returns a view of pictures [rows, height, width, channels] in the engine's order, [rows, channels, height,
     * width].
     */
    static PtNDArray planes(PtNDArray pictures) {
        return pictures.transpose(0, 3, 1, 2);
    }
}
