package io.millrace.train;

import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.sample.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** The numbers of a batch's columns as the engine takes them. Stateless. */
final class Numbers {
    private Numbers() {}

    /** Reads a whole number; places are counted in elements. */
    @FunctionalInterface
    interface WholeNumbers {
        long at(ByteBuffer values, int place);
    }

    /** The engine's type with the same bytes; 16-bit integers have none. */
    static DataType engineType(DType dtype) {
        return switch (dtype) {
            case UINT8, BOOL -> DataType.UINT8;
            case INT8 -> DataType.INT8;
            case INT32 -> DataType.INT32;
            case INT64 -> DataType.INT64;
            case FLOAT16 -> DataType.FLOAT16;
            case FLOAT32 -> DataType.FLOAT32;
            case FLOAT64 -> DataType.FLOAT64;
            case INT16, UINT16, ENCODED -> throw new IllegalArgumentException("the engine has no arrays of " + dtype);
        };
    }

    /**
     * Copies numbers into a float array of as many, converting them.
     *
     * @param source exactly the numbers, in native memory
     * @param target dense
     */
    static void toFloats(
            ByteBuffer source, DType dtype, PtNDArray target, ByteBuffer targetMemory, PtNDManager manager) {
        if (dtype == DType.INT16 || dtype == DType.UINT16) {
            WholeNumbers numbers = wholeNumbers(dtype);
            for (int i = 0; i < source.remaining() / Short.BYTES; i++) {
                targetMemory.putFloat(i * Float.BYTES, (float) numbers.at(source, i));
            }
            return;
        }
        try (PtNDArray from = manager.create(source, target.getShape(), engineType(dtype))) {
            target.set(new NDIndex(":"), from);
        }
    }

    /**
     * Reads the numbers of a column as class numbers.
     *
     * @param what for the error
     * @throws TrainSpecException when they are no whole numbers
     */
    static WholeNumbers classNumbers(BatchSpec.Column column, String what) {
        return switch (column.dtype()) {
            case FLOAT16, FLOAT32, FLOAT64, ENCODED ->
                throw new TrainSpecException(what + " takes class numbers, found '" + column.name() + "' as "
                        + column.told() + ": expected whole numbers");
            default -> wholeNumbers(column.dtype());
        };
    }

    static boolean isFloat(DType dtype) {
        return dtype == DType.FLOAT16 || dtype == DType.FLOAT32 || dtype == DType.FLOAT64;
    }

    private static WholeNumbers wholeNumbers(DType dtype) {
        return switch (dtype) {
            case UINT8, BOOL -> (values, i) -> values.get(i) & 0xFF;
            case INT8 -> (values, i) -> values.get(i);
            case INT16 -> (values, i) -> values.order(ByteOrder.nativeOrder()).getShort(i * Short.BYTES);
            case UINT16 ->
                (values, i) -> Short.toUnsignedLong(
                        values.order(ByteOrder.nativeOrder()).getShort(i * Short.BYTES));
            case INT32 -> (values, i) -> values.order(ByteOrder.nativeOrder()).getInt(i * Integer.BYTES);
            case INT64 -> (values, i) -> values.order(ByteOrder.nativeOrder()).getLong(i * Long.BYTES);
            case FLOAT16, FLOAT32, FLOAT64, ENCODED ->
                throw new IllegalArgumentException(dtype + " is no whole number");
        };
    }

    /** The shape of so many rows. */
    static Shape batch(int rows, List<Integer> shape) {
        long[] extents = new long[shape.size() + 1];
        extents[0] = rows;
        for (int i = 0; i < shape.size(); i++) {
            extents[i + 1] = shape.get(i);
        }
        return new Shape(extents);
    }
}
