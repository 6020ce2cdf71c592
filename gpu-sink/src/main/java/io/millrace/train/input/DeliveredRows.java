package io.millrace.train.input;

import ai.djl.Device;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.AlignedMemory;
import io.millrace.device.DeviceBatch;
import io.millrace.image.FloatStep;
import io.millrace.lifecycle.Handles;
import io.millrace.train.engine.TrainingRuntime;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.apache.arrow.memory.util.MemoryUtil;
import org.jspecify.annotations.Nullable;

/**
 * The transformed rows of batches, written to memory of the caller. That memory may belong to another process, which can make it
 * shorter at any time. Therefore libraries compute in memory of this class, mostly in a core's cache, and only {@link
 * MemoryUtil} writes to the caller's. The engine is opened only if a transform needs it. Belongs to one thread, which closes
 * it.
 *
 * <p>Tested by {@code DeliveredTransformsTest}.
 */
public final class DeliveredRows implements AutoCloseable {
    private final Handles handles = new Handles();
    private final List<Output> outputs = new ArrayList<>();
    private final int threads;
    private final @Nullable MixDraws draws;
    private @Nullable PtNDManager engine;

    /** The writer of one field's rows. */
    private interface Output {
        String field();

        void write(DeviceBatch batch, List<RowMixture> mixtures, Supplier<PtNDManager> step, long address);
    }

    /**
     * Creates rows without fields.
     *
     * @param threads the configured number of the engine's threads
     * @param draws the mixtures of batches; null if rows are not mixed
     */
    DeliveredRows(int threads, @Nullable MixDraws draws) {
        this.threads = threads;
        this.draws = draws;
    }

    /**
     * Adds a field of floats.
     *
     * @param number the place of the column in the batches
     */
    void addFloats(BatchSpec.Column column, int number, List<FloatStep> steps, int capacity) {
        FloatRows rows = new FloatRows(column, steps);
        int together = draws == null ? Math.min(capacity, rows.partRows()) : capacity;
        AlignedMemory memory = handles.add(AlignedMemory.allocate(
                (long) together * rows.rowFloats() * Float.BYTES, "the floats of '" + column.name() + "'"));
        outputs.add(new Floats(column, number, rows, memory, draws != null));
    }

    /** Adds a field of class numbers as zeros and ones. Takes ownership of the rows. */
    void addEncoded(String field, HostEncodedRows rows) {
        handles.add(rows);
        outputs.add(new Encoded(field, rows));
    }

    private PtNDManager engine() {
        PtNDManager open = engine;
        if (open == null) {
            open = handles.add(TrainingRuntime.open(threads));
            engine = open;
        }
        return open;
    }

    /**
     * Writes the transformed fields of a sealed batch.
     *
     * @param address returns the address of the first row of a field's memory, which has room for all rows of the batch
     * @throws LabelOutOfRangeException when a number is not one of the classes of an encoding
     */
    public void write(DeviceBatch batch, ToLongFunction<String> address) {
        if (batch.rows() == 0 || outputs.isEmpty()) {
            return;
        }
        List<RowMixture> mixtures = draws == null ? List.of() : draws.of(batch);
        try (StepArrays step = new StepArrays()) {
            for (Output output : outputs) {
                output.write(batch, mixtures, step, address.applyAsLong(output.field()));
            }
        }
    }

    /** The owner of the engine's arrays of one batch, opened when it is first needed. */
    private final class StepArrays implements Supplier<PtNDManager>, AutoCloseable {
        private @Nullable PtNDManager opened;

        @Override
        public PtNDManager get() {
            PtNDManager manager = opened;
            if (manager == null) {
                manager = engine().newSubManager(Device.cpu());
                opened = manager;
            }
            return manager;
        }

        @Override
        public void close() {
            if (opened != null) {
                opened.close();
            }
        }
    }

    /**
     * A field of floats.
     *
     * @param memory room for all rows of a batch if they are mixed, otherwise for a part
     */
    private record Floats(BatchSpec.Column column, int number, FloatRows rows, AlignedMemory memory, boolean mixed)
            implements Output {
        @Override
        public String field() {
            return column.name();
        }

        @Override
        public void write(DeviceBatch batch, List<RowMixture> mixtures, Supplier<PtNDManager> step, long address) {
            ByteBuffer values = batch.column(number);
            int rowBytes = rows.rowFloats() * Float.BYTES;
            for (int from = 0; from < batch.rows(); from += rows.partRows()) {
                int count = Math.min(rows.partRows(), batch.rows() - from);
                rows.fill(values, from, count, memory.slice(mixed ? from * rowBytes : 0, count * rowBytes), step);
                if (!mixed) {
                    MemoryUtil.copyMemory(memory.address(), address + (long) from * rowBytes, (long) count * rowBytes);
                }
            }
            if (mixed) {
                new RowMixing(memory, batch.rows(), rows.rowFloats()).mix(mixtures, column.shape(), step.get());
                MemoryUtil.copyMemory(memory.address(), address, (long) batch.rows() * rowBytes);
            }
        }
    }

    /** A field of class numbers. */
    private record Encoded(String field, HostEncodedRows rows) implements Output {
        @Override
        public void write(DeviceBatch batch, List<RowMixture> mixtures, Supplier<PtNDManager> step, long address) {
            ByteBuffer floats = rows.encode(batch, mixtures, step);
            MemoryUtil.copyMemory(MemoryUtil.getByteBufferAddress(floats), address, floats.remaining());
        }
    }

    @Override
    public void close() {
        handles.close();
    }
}
