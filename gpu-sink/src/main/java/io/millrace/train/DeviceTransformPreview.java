package io.millrace.train;

import ai.djl.Device;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.device.AlignedMemory;
import io.millrace.sample.Sample;
import io.millrace.train.TrainSpec.MemoryFormat;
import java.nio.ByteBuffer;
import java.util.List;

/** Shows what the device's transforms make of one row. Belongs to one thread; its opener closes it. */
public final class DeviceTransformPreview implements AutoCloseable {
    private final PtNDManager manager;
    private final AlignedMemory row;
    private final DeviceInput input;

    /**
     * Prepares for rows like these.
     *
     * @param spec what a row holds; the transforms work on the column named "image"
     * @throws IllegalArgumentException when a transform is unknown or does not go with the column
     */
    public DeviceTransformPreview(BatchSpec spec, List<TrainSpec.Part> transforms) {
        manager = TrainingRuntime.open(0);
        try {
            input = new DeviceInput(spec, 1, transforms, MemoryFormat.CONTIGUOUS, manager);
        } catch (RuntimeException | Error e) {
            manager.close();
            throw e;
        }
        row = AlignedMemory.allocate(spec.column(Sample.IMAGE).rowBytes(), "a row");
    }

    /**
     * What the model would see of this row.
     *
     * @param bytes the column's bytes; images [height, width, channels]
     * @return images [channels, height, width], others as they are
     * @throws IllegalArgumentException when there are more or fewer bytes than a row has
     */
    public float[] apply(byte[] bytes) {
        ByteBuffer memory = row.buffer();
        if (bytes.length != memory.capacity()) {
            throw new IllegalArgumentException(
                    "expected a row of " + memory.capacity() + " bytes, found " + bytes.length);
        }
        memory.put(0, bytes);
        try (PtNDManager step = manager.newSubManager(Device.cpu())) {
            PtNDArray made = input.make(memory, 1, step);
            return made.toFloatArray();
        }
    }

    @Override
    public void close() {
        manager.close();
        input.close();
        row.close();
    }
}
