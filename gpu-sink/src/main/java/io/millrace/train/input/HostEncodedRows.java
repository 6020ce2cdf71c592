package io.millrace.train.input;

import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpecException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;
import org.apache.arrow.memory.util.MemoryUtil;

/** The {@link EncodedRows} that the CPU writes. The next batch overwrites their memory. */
final class HostEncodedRows implements EncodedRows {
    private final ClassNumbers numbers;
    private final List<Integer> shape;
    private final int rowFloats;
    private final int perClass;
    private final AlignedMemory memory;

    /**
     * Prepares for batches of up to {@code capacity} rows.
     *
     * @param field the name of a column, or {@link Roles#LABEL}
     * @throws TrainSpecException when the field does not fit the encoding
     */
    HostEncodedRows(BatchSpec batch, String field, Encoding encoding, int capacity) {
        this.numbers = EncodedRows.numbers(batch, field, encoding);
        this.shape = EncodedRows.shape(numbers, encoding);
        this.perClass = shape.stream().skip(1).reduce(1, Math::multiplyExact);
        this.rowFloats = Math.multiplyExact(encoding.classes(), perClass);
        this.memory = AlignedMemory.allocate(
                (long) capacity * rowFloats * Float.BYTES, encoding.describe() + " of '" + field + "'");
    }

    @Override
    public List<Integer> shape() {
        return shape;
    }

    @Override
    public PtNDArray make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager) {
        ByteBuffer floats = encode(batch, mixtures, () -> manager);
        return manager.create(floats, ColumnNumbers.batch(batch.rows(), shape), DataType.FLOAT32);
    }

    /**
     * Encodes a sealed batch and mixes its rows. The result is valid until the next call.
     *
     * @param engine the owner of the arrays of this call. It is called only if there are mixtures
     */
    ByteBuffer encode(DeviceBatch batch, List<RowMixture> mixtures, Supplier<PtNDManager> engine) {
        ByteBuffer floats = memory.slice(0, batch.rows() * rowFloats * Float.BYTES);
        MemoryUtil.setMemory(memory.address(), floats.remaining(), (byte) 0);
        boolean places = shape.size() > 1;
        numbers.read(
                batch,
                (row, place, number) -> floats.putFloat(
                        (row * rowFloats + (int) number * perClass + (places ? place : 0)) * Float.BYTES, 1));
        for (RowMixture mixture : mixtures) {
            new RowMixing(memory, batch.rows(), rowFloats).blend(mixture.share(), engine.get());
        }
        return floats;
    }

    @Override
    public void close() {
        memory.close();
    }
}
