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
     * Returns the number of values of the column's shape in a batch: its rows, or the entries of all rows of a ragged
     * column.
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
     * Returns the numbers as they crossed the network, not a copy. Only for element types that the engine has, and not for
     * bits.
     */
    PtNDArray wireNumbers(DeviceBatch batch, PtNDManager manager) {
        return EngineTensors.numbers(
                batch.memory(number), 0, shape(batch), ColumnNumbers.engineType(column.dtype()), manager);
    }

    /** Returns the offsets of a ragged column, where each row begins and the last one ends: int64 [rows + 1], not a copy. */
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

    /** Returns the labels of a batch, int64 [rows, 1], not a copy. */
    static PtNDArray labels(DeviceBatch batch, PtNDManager manager) {
        return EngineTensors.numbers(batch.labelMemory(), 0, new Shape(batch.rows(), 1), DataType.INT64, manager);
    }

    /** Returns [rows, height, width, channels] as the engine's [rows, channels, height, width], not a copy. */
    static PtNDArray planes(PtNDArray pictures) {
        return pictures.transpose(0, 3, 1, 2);
    }
}
