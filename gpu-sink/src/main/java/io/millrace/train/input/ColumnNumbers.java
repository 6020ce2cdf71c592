package io.millrace.train.input;

import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.sample.DType;
import io.millrace.sample.Numbers;
import io.millrace.train.spec.TrainSpecException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.Supplier;

/** Conversions between the numbers in a batch's columns and the numbers in the engine's arrays. Stateless. */
public final class ColumnNumbers {
    private ColumnNumbers() {}

    /** Code that reads the whole number at a place, counted in elements. */
    @FunctionalInterface
    interface WholeNumbers {
        long at(ByteBuffer values, int place);
    }

    /**
     * Returns the engine's type that stores values as the same bytes. The engine has no type for 16-bit integers.
     * bfloat16 is not supported, because the process aborts when the engine converts arrays of that type.
     */
    static DataType engineType(DType dtype) {
        return switch (dtype) {
            case UINT8, BOOL -> DataType.UINT8;
            case INT8 -> DataType.INT8;
            case INT32 -> DataType.INT32;
            case INT64 -> DataType.INT64;
            case FLOAT16 -> DataType.FLOAT16;
            case FLOAT32 -> DataType.FLOAT32;
            case FLOAT64 -> DataType.FLOAT64;
            case INT16, UINT16, BFLOAT16, ENCODED ->
                throw new IllegalArgumentException("the engine has no arrays of " + dtype);
        };
    }

    /**
     * Converts numbers to floats.
     *
     * @param source the bytes of exactly these numbers, in native memory
     * @param shape the shape of the numbers
     * @param target native memory for as many floats
     * @param engine the owner of the engine's arrays. It is called only if the engine converts numbers of this type
     */
    static void toFloats(ByteBuffer source, DType dtype, Shape shape, ByteBuffer target, Supplier<PtNDManager> engine) {
        if (dtype == DType.FLOAT32) {
            target.put(0, source, source.position(), source.remaining());
        } else if (convertedByEngine(dtype)) {
            PtNDManager manager = engine.get();
            try (PtNDArray from = manager.create(source, shape, engineType(dtype));
                    PtNDArray floats = manager.create(target, shape, DataType.FLOAT32)) {
                floats.set(new NDIndex(":"), from);
            }
        } else {
            restore(source, dtype, target, DType.FLOAT32);
        }
    }

    /** Returns whether the engine converts numbers of a type to floats: those for which it is faster than Java. */
    static boolean convertedByEngine(DType dtype) {
        return switch (dtype) {
            case UINT8, BOOL, INT8, INT32, INT64, FLOAT16, FLOAT64 -> true;
            case INT16, UINT16, BFLOAT16, FLOAT32, ENCODED -> false;
        };
    }

    /**
     * Returns a reader of a column's numbers as class numbers.
     *
     * @param what the part of training that needs the numbers, for the error message
     * @throws TrainSpecException when the column's numbers are not whole numbers
     */
    static WholeNumbers classNumbers(BatchSpec.Column column, String what) {
        return switch (column.dtype()) {
            case FLOAT16, BFLOAT16, FLOAT32, FLOAT64, ENCODED ->
                throw new TrainSpecException(what + " needs class numbers, found '" + column.name() + "' as "
                        + column.describe() + ": expected whole numbers");
            default -> wholeNumbers(column.dtype());
        };
    }

    private static WholeNumbers wholeNumbers(DType dtype) {
        return (values, i) -> Numbers.whole(values.order(ByteOrder.nativeOrder()), dtype, i);
    }

    /**
     * Converts numbers from their type on the wire to the type that they have in samples, see {@link
     * BatchSpec.Column#from}.
     *
     * @param source the bytes of exactly these numbers
     * @param target memory for the same number of values of type {@code from}
     */
    static void restore(ByteBuffer source, DType dtype, ByteBuffer target, DType from) {
        source.order(ByteOrder.nativeOrder());
        Numbers.convert(source, dtype, target, from, source.remaining() / dtype.bytes(), Numbers.Policy.KNOWN);
    }

    /** Returns the shape of a batch of {@code rows} rows. */
    static Shape batch(int rows, List<Integer> shape) {
        long[] extents = new long[shape.size() + 1];
        extents[0] = rows;
        for (int i = 0; i < shape.size(); i++) {
            extents[i + 1] = shape.get(i);
        }
        return new Shape(extents);
    }
}
