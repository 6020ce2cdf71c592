package io.millrace.train.input;

import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.sample.DType;
import io.millrace.train.spec.TrainSpecException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An input that the model gets in the element type of the samples. The input is a view of the batch's memory, unless
 * the column crossed the network as another type. Whole numbers of 32 or 64 bits, for example tokens, and ragged
 * columns are such inputs. A ragged column becomes two arrays, as PyTorch's embedding_bag reads them with {@code
 * include_last_offset}: the entries of all rows, and the offsets int64 [rows + 1], which are the beginning of each row
 * and the end of the last row.
 */
public final class PlainInput implements ModelInput {
    private static final int FIRST_BYTES = 4096;

    private final BatchSpec.Column column;
    private final int number;
    private final DataType type;

    /**
     * The memory for numbers that are converted back to the samples' type. It grows to the size of the largest batch.
     */
    private @Nullable AlignedMemory restored;

    /** Returns whether the model gets a column unchanged. */
    public static boolean takes(BatchSpec.Column column) {
        return takes(column.from(), column.form());
    }

    /** Returns whether the model gets a column of this element type and form unchanged. */
    public static boolean takes(DType from, Form form) {
        return form == Form.RAGGED || from == DType.INT32 || from == DType.INT64;
    }

    /**
     * Prepares for a column.
     *
     * @throws TrainSpecException when the engine has no arrays of its element type
     */
    public PlainInput(BatchSpec spec, BatchSpec.Column column) {
        this.column = column;
        this.number = spec.columns().indexOf(column);
        try {
            this.type = ColumnNumbers.engineType(column.from());
        } catch (IllegalArgumentException e) {
            throw new TrainSpecException(
                    "'" + column.name() + "' is " + column.describe() + ", which no model accepts: " + e.getMessage(),
                    e);
        }
    }

    @Override
    public BatchSpec.Column modelColumn() {
        Form form = column.form() == Form.RAGGED ? Form.RAGGED : Form.DENSE;
        return new BatchSpec.Column(column.name(), column.from(), column.shape(), column.kind(), form);
    }

    @Override
    public void make(DeviceBatch batch, List<RowMixture> mixtures, PtNDManager manager, NDList into) {
        ByteBuffer values = batch.column(number);
        int entries = values.remaining() / column.elementBytes();
        ByteBuffer given = column.converted() ? restored(values) : values;
        into.add(manager.create(given, ColumnNumbers.batch(entries, column.shape()), type));
        if (column.form() == Form.RAGGED) {
            into.add(manager.create(batch.offsets(number), new Shape(batch.rows() + 1L), DataType.INT64));
        }
    }

    private ByteBuffer restored(ByteBuffer values) {
        int bytes = Math.multiplyExact(
                values.remaining() / column.dtype().bytes(), column.from().bytes());
        AlignedMemory memory = restored;
        if (memory == null || memory.bytes() < bytes) {
            close();
            long grown = Math.min(bytes + bytes / 2L, Integer.MAX_VALUE);
            memory = AlignedMemory.allocate(Math.max(FIRST_BYTES, grown), "'" + column.name() + "' restored");
            restored = memory;
        }
        ByteBuffer target = memory.slice(0, bytes);
        ColumnNumbers.restore(values, column.dtype(), target, column.from());
        return target;
    }

    @Override
    public void close() {
        if (restored != null) {
            restored.close();
            restored = null;
        }
    }
}
