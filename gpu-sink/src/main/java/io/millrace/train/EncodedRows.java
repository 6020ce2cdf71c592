package io.millrace.train;

import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.arrow.memory.util.MemoryUtil;

/** Class numbers as zeros and ones, [rows, classes, ...], in memory that the next batch overwrites. */
final class EncodedRows implements AutoCloseable {
    private final ClassNumbers numbers;
    private final List<Integer> shape;
    private final int rowFloats;
    private final int perClass;
    private final AlignedMemory memory;

    /**
     * Prepares for batches of up to {@code capacity} rows.
     *
     * @param field a column, or {@link Roles#LABEL}
     * @throws TrainSpecException when the field does not go with the encoding
     */
    EncodedRows(BatchSpec batch, String field, Encoding encoding, int capacity) {
        BatchSpec.Column column = Fields.find(batch, field);
        boolean ragged = column != null && column.form() == Form.RAGGED;
        if (ragged != (encoding.kind() == Encoding.Kind.MULTI_HOT)) {
            throw new TrainSpecException(encoding.told() + " takes "
                    + (ragged ? "one class number for each place" : "a ragged field of class numbers") + ", found '"
                    + field + "'" + (column == null ? ", the samples' labels" : " as " + column.told())
                    + (ragged ? "; for any number of them there is MultiHot" : "; for one there is OneHot"));
        }
        this.numbers = new ClassNumbers(batch, field, encoding.classes(), OptionalLong.empty(), encoding.told());
        List<Integer> extents = new ArrayList<>();
        extents.add(encoding.classes());
        if (!ragged) {
            extents.addAll(numbers.shape());
        }
        this.shape = List.copyOf(extents);
        this.perClass = shape.stream().skip(1).reduce(1, Math::multiplyExact);
        this.rowFloats = Math.multiplyExact(encoding.classes(), perClass);
        this.memory = AlignedMemory.allocate(
                (long) capacity * rowFloats * Float.BYTES, encoding.told() + " of '" + field + "'");
    }

    /** Classes first, then the extents of a mask. */
    List<Integer> shape() {
        return shape;
    }

    /** Writes a sealed batch, and mixes its rows. */
    PtNDArray make(DeviceBatch batch, List<Mixture> mixtures, PtNDManager manager) {
        ByteBuffer floats = memory.slice(0, batch.rows() * rowFloats * Float.BYTES);
        MemoryUtil.setMemory(memory.address(), floats.remaining(), (byte) 0);
        boolean places = shape.size() > 1;
        numbers.read(
                batch,
                (row, place, number) -> floats.putFloat(
                        (row * rowFloats + (int) number * perClass + (places ? place : 0)) * Float.BYTES, 1));
        for (Mixture mixture : mixtures) {
            new RowMixing(memory, batch.rows(), rowFloats).blend(mixture.share(), manager);
        }
        return manager.create(floats, Numbers.batch(batch.rows(), shape), DataType.FLOAT32);
    }

    @Override
    public void close() {
        memory.close();
    }
}
